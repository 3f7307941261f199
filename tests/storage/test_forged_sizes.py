"""Files of a few kilobytes that ask for masks with more bits than there are: an error, and the interpreter lives."""

import subprocess
import sys
import textwrap

SCRIPT = """
import sys

import numpy as np

import orderspn as osp
from orderspn.data.dataset import read_table
from orderspn.scores.bge import BGe
from orderspn.storage.archive import FORMAT, FORMAT_VERSION, write_archive


def forge(path, d, n_candidates, **settings):
    fitted = BGe().fit(read_table(np.random.default_rng(0).normal(size=(2 * d, d))))
    candidates = [np.delete(np.arange(d), i)[:n_candidates] for i in range(d)]
    starts = np.array([0, 0])
    arrays = {
        **fitted.arrays(),
        "log_prior": np.full(d, -float(d)),
        "candidates": np.concatenate(candidates),
        "n_candidates": np.full(d, n_candidates),
        "outsiders": np.empty((0, 2), dtype=np.int64),
        "n_outsider_rows": np.zeros(d, dtype=np.int64),
        "circuit_before": np.packbits(np.zeros((1, d), dtype=bool), axis=1),
        "circuit_variables": np.packbits(np.ones((1, d), dtype=bool), axis=1),
        "circuit_partition_starts": starts,
        **{f"circuit_{name}": np.empty(0, dtype=np.int64) for name in ("first", "second", "multiplicity")},
        "circuit_log_weights": np.empty(0),
    }
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "package_version": osp.__version__,
        "variables": [f"X{i}" for i in range(d)],
        "settings": {"score": fitted.settings(), "max_parents": d - 1, "rows": 2 * d, **settings},
        "evidence": {"present": [], "absent": [], "before": []},
    }
    write_archive(path, manifest, arrays)


for method, target in (("exact", "order"), ("trust", "order"), ("exact", "dag")):
    for d, n_candidates in ((10, 2), (31, 2), (63, 2), (64, 2), (70, 2), (96, 2), (70, 25), (96, 70)):
        forge(sys.argv[1], d, n_candidates, method=method, target=target)
        try:
            edges = osp.load(sys.argv[1]).edge_probabilities()
            print(method, target, d, n_candidates, "answered")
        except osp.UserError:
            print(method, target, d, n_candidates, "refused")
"""


def test_more_variables_than_masks_have_bits(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), str(tmp_path / "forged.npz")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3 * 8
    assert [line for line in lines if line.endswith("answered")] == [line for line in lines if " 10 2 " in line]
