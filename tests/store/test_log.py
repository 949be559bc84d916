"""The log tells what was done, to this user alone, and nothing that it was done to."""

from __future__ import annotations

import json
import logging
import stat
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dynodesk.domain.errors import CannotConnect
from dynodesk.domain.redaction import redaction
from dynodesk.domain.values import Number, String
from dynodesk.store import log as log_module
from dynodesk.store.log import LOG_FILE, Log, last_lines

ours = logging.getLogger("dynodesk.tests")
CANARY = "an item's value"
SECRET = "planted/Secret+of/a+test+0001"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    salt = redaction.salt
    opened = Log(tmp_path / "state")
    yield opened
    opened.close()
    redaction.salt = salt


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / LOG_FILE


def test_a_line_has_its_time_and_its_place_and_is_for_this_user_alone(log: Log, path: Path) -> None:
    ours.info("read %d pages of %s", 3, "Social")
    (line,) = path.read_text().splitlines()
    assert line.endswith("dynodesk.tests: read 3 pages of Social")
    assert " INFO " in line
    assert line[10] == "T"
    assert log.failure == ""
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_items_and_keys_are_told_as_a_tag(log: Log, path: Path) -> None:
    key = {"PK": String(CANARY), "SK": Number("1.0")}
    ours.warning("unknown: %s", key)
    ours.warning("unknown: %s and %s", {"PK": String(CANARY), "SK": Number("1")}, {"PK": String("other")})
    ours.warning("unknown: %s %s %s", String(CANARY), {"PK": CANARY}, [CANARY])
    ours.warning("%(name)s", {"name": CANARY})
    lines = path.read_text()
    assert CANARY not in lines
    first, second, third, _ = lines.splitlines()
    tag = first.rpartition("unknown: ")[2]
    assert tag.startswith("item ")
    assert f"{tag} and item " in second
    assert not second.endswith(tag)
    assert third.endswith("String dict list")


def test_the_same_item_has_the_same_tag_after_a_restart_and_another_elsewhere(log: Log, tmp_path: Path) -> None:
    mine = redaction.tag("POST#1")
    for folder, is_same in ((tmp_path / "state", True), (tmp_path / "elsewhere", False)):
        again = Log(folder)
        assert (redaction.tag("POST#1") == mine) is is_same
        again.close()


def test_an_error_is_told_without_words_and_local_variables(log: Log, path: Path) -> None:
    local = CANARY

    def fail() -> None:
        raise RuntimeError(local, {"value": local})

    try:
        fail()
    except RuntimeError as error:
        ours.exception("failed: %s", error)
        ours.warning("again", exc_info=True, stack_info=True)
    ours.info("%s", CannotConnect(CANARY, details="DNS"))
    text = path.read_text()
    assert CANARY not in text
    assert "failed: RuntimeError" in text
    assert "test_log.py:" in text
    assert "CannotConnect [cannot-connect] (DNS)" in text


def test_of_a_library_only_the_fixed_part_is_kept(log: Log, path: Path) -> None:
    theirs = logging.getLogger("botocore.endpoint")
    theirs.debug("Response body: %s", CANARY)
    theirs.info("sent %s", CANARY)
    theirs.warning("could not parse %s", CANARY)
    theirs.warning(f"could not parse {CANARY}")
    lines = path.read_text().splitlines()
    assert [line.partition("botocore.endpoint: ")[2] for line in lines] == [
        "could not parse %s",
        f"(a line of {len('could not parse ' + CANARY)} characters)",
    ]


def test_secrets_are_hidden_wherever_they_stand(log: Log, path: Path) -> None:
    redaction.remember(SECRET)
    ours.warning("one %s", SECRET)
    ours.warning("two %s %s", SECRET[:14], SECRET[14:])
    ours.warning(f"three\n{SECRET[:9]}\n{SECRET[9:]}")
    ours.warning("Authorization: %s", "AWS4 x")
    text = path.read_text()
    assert SECRET[:12] not in text
    assert SECRET[-12:] not in text
    assert "Authorization: [hidden]" in text


def test_a_secret_that_became_known_later_is_not_handed_on(log: Log, path: Path) -> None:
    late = "became/Known+only+after+wards"
    ours.warning("said %s", late)
    redaction.remember(late)
    (line,) = last_lines(path, 10)
    assert late not in line


def test_a_line_that_cannot_be_made_costs_nothing(log: Log, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours.warning("%d pages", "three")
    assert path.read_text().endswith("%d pages\n")
    assert capsys.readouterr().err == ""


def test_it_stays_small(log: Log, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "LARGEST", 2_000)
    for number in range(200):
        ours.info("line %d", number)
    kept = [path, path.with_suffix(".log.1"), path.with_suffix(".log.2")]
    assert all(file.stat().st_size <= 2_200 for file in kept if file.exists())
    assert not path.with_suffix(".log.3").exists()
    assert "line 199" in "".join(file.read_text() for file in kept if file.exists())


def test_many_threads_write_whole_lines(log: Log, path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: ours.info("%s", json.dumps({"n": number})), range(200)))
    said = [json.loads(line.partition("dynodesk.tests: ")[2])["n"] for line in path.read_text().splitlines()]
    assert sorted(said) == list(range(200))


@pytest.mark.skipif(sys.platform == "win32", reason="its links need rights of their own")
def test_a_link_is_not_followed(log: Log, path: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("")
    path.symlink_to(target)
    ours.warning("to nowhere")
    assert target.read_text() == ""
    assert "could not be written" in log.failure


def test_a_folder_that_cannot_be_used_stops_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    log = Log(tmp_path / "file" / "state")
    ours.warning("somewhere")
    assert log.failure
    log.close()
    assert capsys.readouterr().err == ""


def test_closing_leaves_logging_as_it_was(tmp_path: Path) -> None:
    root = logging.getLogger()
    before = root.level, list(root.handlers), logging.getLogger("dynodesk").level
    Log(tmp_path).close()
    assert (root.level, list(root.handlers), logging.getLogger("dynodesk").level) == before
