"""Ctrl-C that waits for the end of a block, and is not lost."""

import signal
import threading

import pytest

from orderspn.core.interrupts import interrupts_wait

heard = []


def interrupt():
    signal.raise_signal(signal.SIGINT)


def test_the_block_ends_before_the_interrupt():
    done = []

    def work():
        with interrupts_wait(), interrupts_wait():
            interrupt()
            interrupt()
            done.append("work")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["work"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_of_the_block_is_told_along():
    def work():
        with interrupts_wait():
            interrupt()
            raise ValueError("of the block")

    with pytest.raises(KeyboardInterrupt) as caught:
        work()
    assert isinstance(caught.value.__context__, ValueError)


def test_without_an_interrupt_nothing_happens():
    with pytest.raises(ValueError, match="of the block"), interrupts_wait():
        raise ValueError("of the block")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: heard.append("Ctrl-C")])
def test_what_the_user_has_set_stays(handler):
    heard.clear()
    before = signal.signal(signal.SIGINT, handler)
    try:
        with interrupts_wait():
            interrupt()
            assert not heard
        assert heard == ([] if handler is signal.SIG_IGN else ["Ctrl-C"])
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_leave_signals_alone():
    seen = []

    def work():
        with interrupts_wait():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
