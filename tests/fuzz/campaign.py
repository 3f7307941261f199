"""Many cases, and a table of how they ended."""

import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzz.judging import REFUSED, SAME, SOUND, answers_of, verdict
from fuzz.mutations import OF_CELLS, OF_POSTERIORS
from fuzz.seeds import CELL_KIND, KINDS, saved_seeds


def run(n_cases, seed=0, kinds=KINDS, progress=lambda done, faults: None):
    """Judge `n_cases` changed files: counts of (kind, ending), and the faults as (kind, how, number, ending)."""
    counts, faults = Counter(), []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "changed.npz"
        originals, expected = saved_seeds(Path(folder), kinds), {}
        for kind in kinds:
            path.write_bytes(originals[kind])
            expected[kind] = answers_of(path, kind)
        for number in range(n_cases):
            kind = kinds[number % len(kinds)]
            rng = random.Random(f"{seed} {number}")
            changes = OF_CELLS if kind == CELL_KIND else OF_POSTERIORS
            how = rng.choice([*sorted(changes), "forged", "forged"])  # the only ones that get past the checksum
            path.write_bytes(originals[kind])
            changes[how](path, rng)
            ending = verdict(path, kind, expected[kind], forged=how == "forged")
            counts[kind, ending if ending in (SAME, REFUSED, SOUND) else "other"] += 1
            if ending not in (SAME, REFUSED, SOUND):
                faults.append((kind, how, number, ending))
            progress(number + 1, faults)
    return counts, faults


def table(counts, kinds=KINDS):
    """A line for each kind."""
    endings = [SAME, REFUSED, SOUND, "other"]
    lines = [f"{'file':24}" + "".join(f"{column:>9}" for column in ("tried", *endings))]
    for kind in [*kinds, "all"]:
        own = [sum(n for (k, e), n in counts.items() if e == ending and kind in (k, "all")) for ending in endings]
        lines.append(f"{kind:24}{sum(own):9}" + "".join(f"{n:9}" for n in own))
    return "\n".join(lines)
