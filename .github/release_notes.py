"""Print what the changelog says about a version: `python .github/release_notes.py v0.1.0`.

It ends with an error if the changelog has no entry for it, so that no release goes out without notes.
"""

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def notes(changelog: str, version: str) -> str:
    """Return the text below the heading of a version, without the addresses at the end of the page."""
    heading = re.compile(rf"^## \[{re.escape(version.removeprefix('v'))}\].*\n", re.MULTILINE)
    found = heading.search(changelog)
    if found is None:
        raise SystemExit(f"CHANGELOG.md has no section ## [{version.removeprefix('v')}]")
    section = re.split(r"^## |^\[[^\]]+\]: ", changelog[found.end() :], maxsplit=1, flags=re.MULTILINE)[0].strip()
    if "- " not in section:
        raise SystemExit(f"CHANGELOG.md says nothing about {version}")
    return section


if __name__ == "__main__":
    print(notes(CHANGELOG.read_text(encoding="utf-8"), sys.argv[1]))
