"""The program of the browser is built from the sources beside it, and its libraries are named."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from orderspn.explorer.page import program

ROOT = Path(__file__).parents[2]
WEB, ASSETS = ROOT / "web", ROOT / "src" / "orderspn" / "explorer" / "assets"


def digest_of_sources():
    """As in `web/build.mjs`."""
    files = [path for path in (WEB / "src").rglob("*") if path.is_file()]
    files += [WEB / "build.mjs", WEB / "package-lock.json"]
    digest = hashlib.sha256()
    # JavaScript sorts by units of UTF-16, Python by code points: the same for the names that there are.
    for name in sorted(path.relative_to(WEB).as_posix() for path in files):
        assert name.isascii()
        digest.update(f"{name}\n".encode())
        digest.update((WEB / name).read_bytes())
    return digest.hexdigest()


def test_it_is_current():
    found = re.match(r'// Built from web/ by "make explorer"; sources ([0-9a-f]{64})\n', program())
    assert found, "explorer.js has no digest"
    assert found[1] == digest_of_sources(), "explorer.js is older than web/: run `make explorer`"


@pytest.mark.thorough
def test_building_it_again_gives_the_same_bytes(tmp_path):
    if shutil.which("node") is None or not (WEB / "node_modules").exists():
        pytest.skip("to build it again, Node and web/node_modules are needed: install Node, then `npm ci` in web/")
    shutil.copytree(WEB, tmp_path / "web", ignore=shutil.ignore_patterns("node_modules"))
    (tmp_path / "web" / "node_modules").symlink_to((WEB / "node_modules").resolve())
    subprocess.run(["node", "build.mjs"], cwd=tmp_path / "web", check=True, capture_output=True, timeout=120)
    built = tmp_path / "src" / "orderspn" / "explorer" / "assets"
    for name in ("explorer.js", "LICENSES.txt"):
        assert (built / name).read_bytes() == (ASSETS / name).read_bytes()


def test_it_can_stand_within_a_page():
    assert not re.search(r"</script|<!--", program(), re.IGNORECASE)


def test_licences_are_kept():
    """Of every library that the sources import; these may import others, which the build lists."""
    imported = set()
    for path in (WEB / "src").rglob("*.js*"):
        imported |= set(re.findall(r'from "((?:@[\w-]+/)?[\w-]+)', path.read_text(encoding="utf-8")))
    licences = (ASSETS / "LICENSES.txt").read_text(encoding="utf-8")
    assert imported
    for name in imported:
        assert re.search(rf"^{re.escape(name)} \d", licences, re.MULTILINE), name
