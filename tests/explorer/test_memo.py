"""Answers that are kept: computed once, also for several who ask at once, and not for ever."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from orderspn.explorer.memo import Memo


def test_two_who_ask_at_once_share_one_computation():
    memo, begun, go_on, calls = Memo(4), threading.Event(), threading.Event(), []

    def compute():
        calls.append(1)
        begun.set()
        assert go_on.wait(10)
        return object()

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(memo.get, "key", compute)
        assert begun.wait(10)
        others = [pool.submit(memo.get, "key", compute) for _ in range(2)]
        go_on.set()
        answers = {id(future.result(10)) for future in (first, *others)}
    assert len(answers) == len(calls) == 1


def test_keys_do_not_wait_for_each_other():
    memo, go_on = Memo(4), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(memo.get, "slow", lambda: go_on.wait(10))
        assert memo.get("quick", lambda: 5) == 5
        go_on.set()
        assert slow.result(10)


def test_the_least_recently_used_is_forgotten():
    memo = Memo(2)
    for key in ("a", "b", "a", "c"):  # b was used longest ago
        memo.get(key, lambda: "old")
    assert [memo.get(key, lambda: "new") for key in ("a", "c", "b")] == ["old", "old", "new"]


def test_errors_reach_all_and_are_not_kept():
    memo, begun, go_on = Memo(4), threading.Event(), threading.Event()

    def fail():
        begun.set()
        assert go_on.wait(10)
        raise LookupError("none")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(memo.get, "key", fail)
        assert begun.wait(10)
        second = pool.submit(memo.get, "key", fail)
        go_on.set()
        for future in (first, second):
            with pytest.raises(LookupError, match="none"):
                future.result(10)
    assert memo.get("key", lambda: "found") == "found"


def test_an_error_of_a_forgotten_key_leaves_its_successor():
    memo, go_on = Memo(1), threading.Event()

    def fail():
        assert go_on.wait(10)
        raise LookupError

    with ThreadPoolExecutor(1) as pool:
        failing = pool.submit(memo.get, "key", fail)
        while not memo._kept:
            pass
        memo.get("other", lambda: 1)
        memo.get("key", lambda: "later")
        go_on.set()
        with pytest.raises(LookupError):
            failing.result(10)
    assert memo.get("key", lambda: "anew") == "later"
