"""Calls of `learn` that are killed at random times, and continued until they end. Run as a program.

`python killed.py FOLDER PROBLEM TRIALS SEED` learns without a checkpoint first. Then, in each trial, a child process
learns with one and is killed once to three times, by SIGKILL, before it may end. It prints a line of JSON: how often a
child was killed at work, how many of the files differ from the first, and how many parts were left by killed children.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from clusters.problems import content, learned
from orderspn.checkpoints import checkpoint

MOST_KILLS = 3


def in_child(work):
    """Start a process that does some work and ends without further ado."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return pid


def killed_at_work(pid, seconds):
    """Kill a process after some time; whether it was still at work."""
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def main(folder, problem, trials, seed):
    checkpoint.SECONDS_APART = 0.0  # so that there is something to continue from after a moment
    rng, begin = np.random.default_rng(seed), time.monotonic()
    expected = content(learned(problem, n_jobs=1), folder)
    begin = time.monotonic()  # without the time to load compiled functions
    learned(problem, n_jobs=1)
    usual = time.monotonic() - begin
    kills, different, left_behind = 0, 0, 0
    for trial in range(trials):
        place = folder / str(trial)
        place.mkdir()

        def work(place=place):
            content(learned(problem, n_jobs=1, checkpoint=place / "parts"), place)

        for _ in range(rng.integers(1, MOST_KILLS + 1)):
            at_work = killed_at_work(in_child(work), rng.uniform(0.0, 1.1 * usual))
            kills += at_work
            left_behind += at_work and len(list(place.rglob("*.part")))
        status = os.waitpid(in_child(work), 0)[1]
        different += status != 0 or (place / "posterior.npz").read_bytes() != expected
    print(json.dumps({"kills": kills, "different": different, "left_behind": left_behind}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
