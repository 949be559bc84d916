"""Diagnostics tell what support asks for, and nothing that is anybody's."""

from __future__ import annotations

import logging
import stat
import sys
from pathlib import Path

import pytest

from dynodesk.domain.profiles import Profile
from dynodesk.domain.redaction import redaction
from dynodesk.store.diagnostics import diagnostics, write_fault_report
from dynodesk.store.log import Log
from dynodesk.store.paths import FileNotWritten, Folders

PROFILE = Profile(
    id="1a2b3c4d", name="canary shop", kind="aws", credentials="keys", secret="1a2b3c4d", region="eu-west-1",
    stage="production",
)  # fmt: skip


@pytest.fixture
def places(tmp_path: Path) -> Folders:
    return Folders(*(tmp_path / name for name in ("config", "data", "state", "cache")))


def test_all_that_is_asked_for(places: Folders) -> None:
    log = Log(places.state)
    logging.getLogger("dynodesk.tests").info("line of the log")
    log.close()
    settings: dict[str, object] = {"scheme": "canary", "columns": {"canary": 1}, "walk": True, "width": 812}
    text = diagnostics(places, settings, [PROFILE, PROFILE], ["Qt 6, one screen"])
    for told in (
        "dynodesk 0.",
        "Python 3.",
        "boto3 1.",
        "Qt 6, one screen",
        "state folder: state, writable",
        "cache folder: cache, not there",
        "scheme (text)",
        "columns (1 entries)",
        "walk (yes or no)",
        "width (number)",
        "2 × aws by keys, production, reads",
        "line of the log",
    ):
        assert told in text
    assert "canary" not in text
    assert "812" not in text


def test_nothing_is_there_yet(places: Folders) -> None:
    text = diagnostics(places, {}, [])
    assert "Settings: none" in text
    assert "Connections: none" in text
    assert "The log is empty." in text


def test_a_fault_is_written_for_this_user_alone_and_without_words(places: Folders) -> None:
    redaction.remember("secret/in+a/message+0002")
    path = write_fault_report(places.state / "faults", KeyError("secret/in+a/message+0002"))
    assert path.parent == places.state / "faults"
    assert "KeyError" in path.read_text()
    assert "secret/in" not in path.read_text()
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_report_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileNotWritten):
        write_fault_report(tmp_path / "file" / "faults", KeyError())
