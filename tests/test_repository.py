"""What may stand in the repository: a fixed top level, and no place that only one machine knows."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOP_LEVEL = {"README.md", "dynodesk", "packaging", "pyproject.toml", "resources", "tests"}

# The patterns are written so that they do not match themselves.
LOCAL_PLACES = re.compile(
    r"(?<![\w.])/(?:home|Users)/\w"
    r"|(?<![\w.])/(?:root|work)\b"
    r"|(?<![\w.])/tmp/[\w./-]*bin/"
    r"|\b[A-Za-z]:\\Users\\"
)
PACKAGE_INDEXES = re.compile(r"(?:index|links)-ur[l]\b|--find-link[s]|@ fil[e]:|://\S*pyp[i]|/simple/['\"\s]")


def tracked_files() -> list[str]:
    # The checkout may belong to another user than the one who tests it.
    listing = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    printed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in printed.split("\0") if name and (ROOT / name).is_file()]


def found(pattern: re.Pattern[str]) -> list[str]:
    hits = []
    for name in tracked_files():
        content = (ROOT / name).read_bytes()
        if b"\0" in content:  # a picture
            continue
        for number, line in enumerate(content.decode("utf-8").splitlines(), start=1):
            if pattern.search(line):
                hits.append(f"{name}:{number}: {line.strip()[:120]}")
    return hits


def test_the_top_level_holds_its_fixed_entries() -> None:
    entries = {name.partition("/")[0] for name in tracked_files()}
    assert {entry for entry in entries if not entry.startswith(".")} <= TOP_LEVEL


def test_no_file_names_a_place_on_one_machine() -> None:
    assert found(LOCAL_PLACES) == []


def test_no_file_names_a_package_index() -> None:
    assert found(PACKAGE_INDEXES) == []


@pytest.mark.parametrize(
    "line",
    [
        "open('/ho" + "me/ann/rules.toml')",
        "cd /wo" + "rk/main",
        "HOME=/ro" + "ot",
        "PYTHON=/tm" + "p/ms/bin/python",
        r"C:\Use" + r"rs\ann",
    ],
)
def test_a_local_place_is_recognised(line: str) -> None:
    assert LOCAL_PLACES.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "--extra-index-" + "url x",
        "--find-" + "links /wheels",
        "pip @ fi" + "le:///wheels/pip.whl",
        "https://py" + "pi.example/simple",
        "https://packages.example/simple" + "/ ",
    ],
)
def test_a_package_index_is_recognised(line: str) -> None:
    assert PACKAGE_INDEXES.search(line)


@pytest.mark.parametrize(
    "line",
    ["root/child", "a/work/b", "~/.aws/config", "/tmp/rules.toml", "file:///etc/passwd", "https://aws.example/x"],
)
def test_other_paths_pass(line: str) -> None:
    assert not LOCAL_PLACES.search(line)
    assert not PACKAGE_INDEXES.search(line)
