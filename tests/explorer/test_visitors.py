"""Open pages: the server may end when the last is gone, not when it is reloaded or hidden."""

from orderspn.explorer.visitors import GRACE, MOST, SILENCE, Visitors


class Clock:
    """Seconds that pass when a test says so."""

    now = 1000.0

    def __call__(self):
        return self.now


def make():
    clock = Clock()
    return Visitors(clock), clock


def test_nobody_came():
    visitors, clock = make()
    clock.now += 10 * SILENCE
    assert not visitors.are_gone()


def test_a_reload_comes_back_in_time():
    visitors, clock = make()
    visitors.came("before")
    visitors.left("before")
    clock.now += 0.9 * GRACE
    assert not visitors.are_gone()
    visitors.came("after")
    clock.now += 10 * GRACE
    assert not visitors.are_gone()
    visitors.left("after")
    assert not visitors.are_gone()
    clock.now += 1.1 * GRACE
    assert visitors.are_gone()


def test_one_of_two_pages_stays():
    visitors, clock = make()
    visitors.came("one")
    visitors.came("two")
    visitors.left("one")
    clock.now += 2 * GRACE
    assert not visitors.are_gone()


def test_a_page_that_fell_silent_is_gone():
    visitors, clock = make()
    visitors.came("one")
    clock.now += 0.9 * SILENCE
    visitors.came("one")
    clock.now += 0.9 * SILENCE
    assert not visitors.are_gone()
    clock.now += 0.2 * SILENCE
    assert visitors.are_gone()


def test_a_page_that_never_came_cannot_leave():
    visitors, clock = make()
    visitors.left("unknown")
    clock.now += 10 * GRACE
    assert not visitors.are_gone()


def test_the_list_does_not_grow():
    visitors, _ = make()
    for page in range(10 * MOST):
        visitors.came(str(page))
    assert len(visitors._seen) == MOST
    visitors.came("0")  # one of them still counts
    assert not visitors.are_gone()
