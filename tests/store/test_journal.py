"""The journal keeps what it was given, tells a crash from tampering, and shows every change made to it."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import shutil
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynodesk.store.journal import BEGINNING, TORN, Break, Journal, JournalDamaged
from dynodesk.store.paths import FileNotWritten

COUNT = 12


def filled(folder: Path, count: int = COUNT) -> Journal:
    journal = Journal(folder)
    for number in range(count):
        journal.append("intent", {"repair": f"r{number}", "delta": "-4", "key": {"PK": {"S": "POST#é\u2028"}}})
    return journal


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a good journal: never changed, only copied."""
    folder = tmp_path_factory.mktemp("kept")
    filled(folder)
    return folder


@pytest.fixture(scope="module")
def spoilt(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], Path]:
    """A folder with the head of the good journal, and other bytes for a journal."""
    folder = tmp_path_factory.mktemp("spoilt")

    def make(data: bytes) -> Path:
        shutil.copy(kept / "journal.head", folder)
        (folder / "journal.jsonl").write_bytes(data)
        return folder

    return make


def lines_of(folder: Path) -> list[bytes]:
    return (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)


def broken(folder: Path) -> Break:
    """Where the chain breaks; a journal that is broken takes no more records."""
    before = (folder / "journal.jsonl").read_bytes()
    with pytest.raises(JournalDamaged):
        Journal(folder).append("intent", {})
    assert (folder / "journal.jsonl").read_bytes() == before
    found = Journal(folder).read().broken
    assert found is not None
    return found


# ------------------------------------------------------------------------------------------------------ what it keeps


def test_without_a_file_it_is_empty_and_touches_nothing(tmp_path: Path) -> None:
    contents = Journal(tmp_path / "data").read()
    assert (contents.records, contents.broken, contents.torn, contents.head) == ((), None, b"", BEGINNING)
    assert list(tmp_path.iterdir()) == []


def test_what_is_added_is_read_in_order(tmp_path: Path) -> None:
    written = [Journal(tmp_path).append("intent", {"n": number, "of": None}) for number in range(3)]
    read = Journal(tmp_path).read()
    assert list(read.records) == written
    assert [record.sequence for record in read.records] == [1, 2, 3]
    assert [record.previous for record in read.records] == [BEGINNING, written[0].hash, written[1].hash]
    assert (read.head, read.broken) == (written[2].hash, None)


def test_a_line_is_json_for_other_tools(tmp_path: Path) -> None:
    filled(tmp_path, 1)
    (line,) = lines_of(tmp_path)
    assert json.loads(line)["payload"]["key"] == {"PK": {"S": "POST#é\u2028"}}
    assert line.isascii()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_it_is_for_this_user_alone(tmp_path: Path) -> None:
    filled(tmp_path / "data", 1)
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    for name in ("journal.jsonl", "journal.head"):
        assert stat.S_IMODE((tmp_path / "data" / name).stat().st_mode) == 0o600


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX")
def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"mine")
    (tmp_path / "journal.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileNotWritten):
        Journal(tmp_path).append("intent", {})
    assert (tmp_path / "elsewhere").read_bytes() == b"mine"


def _add_many(folder: Path, name: str) -> None:
    journal = Journal(folder)
    for number in range(20):
        journal.append("intent", {"by": name, "n": number})


def test_several_programs_and_threads_add_to_it(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    programs = [context.Process(target=_add_many, args=(tmp_path, f"program {number}")) for number in range(2)]
    threads = [threading.Thread(target=_add_many, args=(tmp_path, f"thread {number}")) for number in range(2)]
    for program in programs:
        program.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for program in programs:
        program.join()
    assert [program.exitcode for program in programs] == [0, 0]
    read = Journal(tmp_path).read()
    assert read.broken is None
    by: dict[object, list[object]] = {}
    for record in read.records:
        by.setdefault(record.payload["by"], []).append(record.payload["n"])
    assert sorted(map(str, by)) == ["program 0", "program 1", "thread 0", "thread 1"]
    assert all(numbers == list(range(20)) for numbers in by.values())


# --------------------------------------------------------------------------------------------------------- tampering


@given(st.data())
@settings(max_examples=3 * settings().max_examples)
def test_any_changed_byte_is_found_at_its_record(
    kept: Path, spoilt: Callable[[bytes], Path], data: st.DataObject
) -> None:
    whole = b"".join(lines_of(kept))
    at = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[at]))
    found = broken(spoilt(whole[:at] + bytes([byte]) + whole[at + 1 :]))
    assert found.sequence == whole[:at].count(b"\n") + 1


@given(st.data())
@settings(max_examples=2 * settings().max_examples)
def test_any_deleted_inserted_or_moved_record_is_found(
    kept: Path, spoilt: Callable[[bytes], Path], data: st.DataObject
) -> None:
    lines = lines_of(kept)
    number = data.draw(st.integers(0, COUNT - 1))
    line = lines.pop(number)
    what = data.draw(st.sampled_from(["deleted", "inserted", "moved"]))
    expected = number
    if what == "inserted":
        lines.insert(number, line)
        expected = data.draw(st.integers(0, COUNT))
        lines.insert(expected, lines[data.draw(st.integers(0, COUNT - 1))])
        expected = next((at for at, found in enumerate(lines) if json.loads(found)["sequence"] != at + 1), COUNT)
    elif what == "moved":
        to = data.draw(st.integers(0, COUNT - 1).filter(lambda to: to != number))
        lines.insert(to, line)
        expected = min(number, to)
    assert broken(spoilt(b"".join(lines))).sequence == expected + 1


@given(st.data())
@settings(max_examples=settings().max_examples)
def test_any_cut_is_found(kept: Path, spoilt: Callable[[bytes], Path], data: st.DataObject) -> None:
    whole = b"".join(lines_of(kept))
    start = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(start + 1, len(whole)))
    found = broken(spoilt(whole[:start] + whole[end:]))
    assert found.sequence == whole[:start].count(b"\n") + 1


def test_a_chain_made_anew_from_the_middle_does_not_end_as_noted(kept: Path, tmp_path: Path) -> None:
    """The one who changes a record and all hashes after it has to change the head as well."""
    forged = filled(tmp_path, COUNT)
    shutil.copy(kept / "journal.head", tmp_path)
    assert forged.read().broken == Break(COUNT, "it is not the one that was noted as the last")


@pytest.mark.parametrize(
    "head",
    [
        None,
        b"",
        b"\xff",
        b"[]",
        b'{"records":3,"hash":"x"}',
        b'{"records":"x"}',
        b'{"records":99,"hash":""}',
        b'{"records":1e999}',
    ],
)
def test_a_spoilt_head_is_found(kept: Path, tmp_path: Path, head: bytes | None) -> None:
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    if head is None:
        (tmp_path / "journal.head").unlink()
    else:
        (tmp_path / "journal.head").write_bytes(head)
    broken(tmp_path)


def test_a_deleted_journal_is_found(kept: Path, tmp_path: Path) -> None:
    shutil.copy(kept / "journal.head", tmp_path)
    assert Journal(tmp_path).read().broken == Break(1, f"it is missing: {COUNT} records were written")


def test_a_journal_that_is_cut_while_it_is_open_is_found(tmp_path: Path) -> None:
    journal = filled(tmp_path, 3)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines_of(tmp_path)[:2]))
    with pytest.raises(JournalDamaged, match="record 3: it is missing"):
        journal.append("intent", {})


# ----------------------------------------------------------------------------------------------- crashes and full disks


@given(count=st.integers(0, 3), share=st.floats(0, 1, exclude_max=True))
@settings(max_examples=50)
def test_a_line_cut_short_by_a_crash_is_no_tampering(
    tmp_path_factory: pytest.TempPathFactory, count: int, share: float
) -> None:
    folder = tmp_path_factory.mktemp("torn")
    filled(folder, count)
    head = (folder / "journal.head").read_bytes() if count else None
    filled(folder, 1)
    lines = lines_of(folder)
    part = lines[-1][: 1 + int(share * (len(lines[-1]) - 2))]
    # As the crash left it: the head says what was noted before the line was begun.
    (folder / "journal.jsonl").write_bytes(b"".join(lines[:-1]) + part)
    if head is None:
        (folder / "journal.head").unlink()
    else:
        (folder / "journal.head").write_bytes(head)

    contents = Journal(folder).read()
    assert (len(contents.records), contents.broken, contents.torn) == (count, None, part)
    Journal(folder).append("outcome", {})
    contents = Journal(folder).read()
    assert contents.broken is None
    assert [record.kind for record in contents.records] == ["intent"] * count + [TORN, "outcome"]
    told = contents.records[count].payload
    assert told["bytes"] == len(part)
    assert (folder / str(told["file"])).read_bytes() == part


def test_a_torn_line_does_not_hide_a_removed_record(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    lines = lines_of(tmp_path)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:30])
    assert broken(tmp_path).sequence == 3


@pytest.mark.parametrize("count", [1, 3])
def test_a_crash_between_the_record_and_its_note_loses_nothing(tmp_path: Path, count: int) -> None:
    head = tmp_path / "journal.head"
    filled(tmp_path, count - 1)
    before = head.read_bytes() if count > 1 else None
    filled(tmp_path, 1)
    if before is None:
        head.unlink()
    else:
        head.write_bytes(before)
    assert Journal(tmp_path).read().broken is None
    Journal(tmp_path).append("outcome", {})
    contents = Journal(tmp_path).read()
    assert (len(contents.records), contents.broken) == (count + 1, None)


def test_a_disk_that_is_full_leaves_no_part_of_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = filled(tmp_path, 2)
    before = lines_of(tmp_path)
    really = os.write

    def write_a_little(descriptor: int, data: bytes) -> int:
        if len(data) < 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        return really(descriptor, data[:10])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write_a_little)
        with pytest.raises(FileNotWritten, match="No space left"):
            journal.append("intent", {})
    assert lines_of(tmp_path) == before
    journal.append("intent", {})
    assert journal.read().broken is None


def test_a_line_that_the_disk_does_not_confirm_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = filled(tmp_path, 2)
    really = os.fsync
    failures = [OSError(errno.EIO, "Input/output error")]

    def fail_once(descriptor: int) -> None:
        if failures:
            raise failures.pop()
        really(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail_once)
        with pytest.raises(FileNotWritten, match="Input/output error"):
            journal.append("intent", {})
    assert len(Journal(tmp_path).read().records) == 2
