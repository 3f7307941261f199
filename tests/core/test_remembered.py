"""Values that are computed once and used again."""

import threading

import pytest

from orderspn.core.remembered import Remembered


def test_the_last_few_are_kept():
    memo, computed = Remembered(2), []

    def ask(key):
        return memo.get(key, lambda: computed.append(key) or key)

    for key in "aabac":  # a was asked for after b, so c takes the place of b
        ask(key)
    assert computed == ["a", "b", "c"]
    assert "a" in memo
    assert "b" not in memo
    assert len(memo) == 2


def test_threads_that_ask_for_the_same_compute_it_once():
    memo, computed, begin = Remembered(2), [], threading.Barrier(8)

    def compute():
        computed.append(threading.get_ident())
        return "value"

    def ask(found):
        begin.wait()
        found.append(memo.get("key", compute))

    found = []
    threads = [threading.Thread(target=ask, args=(found,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["value"] * 8
    assert len(computed) == 1


def test_after_an_error_it_is_computed_again():
    memo = Remembered(1)
    with pytest.raises(ZeroDivisionError):
        memo.get("key", lambda: 1 / 0)
    assert memo.get("key", lambda: 3) == 3
