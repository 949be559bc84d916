"""The journal: what was about to be sent, what came back, and what was seen afterwards. Only ever added to.

Each line is one record: a JSON object that holds the hash of the line before it and its own. Changing, removing,
inserting or reordering lines breaks the chain at the first line that is not what it was. A cut at the end leaves the
chain whole; for that a small file beside the journal, the head, holds number and hash of the last record. A program
that is killed between the two leaves a journal that is longer than its head, never one that is shorter.

What this cannot show: that somebody who may write both files made both anew. The hash of the last record, noted
elsewhere when it was printed, shows that too.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from dynodesk.domain.clock import Clock, SystemClock
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.sensitive import HIDDEN, shown_payloads
from dynodesk.store.appending import AppendedFile
from dynodesk.store.locks import held
from dynodesk.store.paths import FileNotWritten, open_plain, private_folder, write_private

BEGINNING = "0" * 64
"""Stands for the hash of the record before the first."""
_LOCK_WAIT = 30.0
"""Seconds: a write that has been sent waits for its record, however busy the disk is with those of other programs."""
TORN = "torn line"
"""Kind of the record that says what a program left behind that was killed while it wrote."""


class JournalDamaged(DynodeskError):
    """The journal is not what was written to it. Nothing is added to it, so that this stays to be seen."""

    code = "journal-damaged"
    next_step = "Keep the file for whoever looks into it, and move it away to begin a new one."


@dataclass(frozen=True, slots=True)
class Record:
    """One entry. The payload holds values of JSON only; of a table no more than keys, tallies and what was changed."""

    sequence: int
    """From 1, without gaps."""
    at: str
    """UTC, ISO 8601."""
    kind: str
    payload: Mapping[str, object]
    previous: str
    hash: str

    @property
    def line(self) -> bytes:
        return _line({**_content(self.sequence, self.at, self.kind, self.payload, self.previous), "hash": self.hash})


@dataclass(frozen=True, slots=True)
class Break:
    """Where the chain breaks: everything before record `sequence` is as it was written."""

    sequence: int
    reason: str

    def __str__(self) -> str:
        return f"record {self.sequence}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Contents:
    """What the journal holds: the records up to the first break, all of them where there is none."""

    records: tuple[Record, ...]
    broken: Break | None = None
    torn: bytes = b""
    """The beginning of a line whose writing was cut short: it was never confirmed to anybody, and is no record."""

    @property
    def head(self) -> str:
        """Hash of the last record: stands for the whole journal."""
        return self.records[-1].hash if self.records else BEGINNING

    def shown(self) -> Contents:
        """The same for eyes and files: without values that a rule called sensitive.

        From the first record on that lacks one, the hashes are not told either: a value that is one of few, as a day
        is, would be found by trying them all against the hash of its record, or of one that follows. What is told
        keeps its number, by which it is found in the journal.
        """
        records: list[Record] = []
        is_whole = True
        for record, payload in zip(self.records, shown_payloads(self.records), strict=True):
            previous = record.previous if is_whole else HIDDEN
            is_whole = is_whole and payload is record.payload
            hash_ = record.hash if is_whole else HIDDEN
            records.append(record if is_whole else replace(record, payload=payload, previous=previous, hash=hash_))
        return replace(self, records=tuple(records))


class Journal:
    """The journal in a folder. Several programs, and several threads, may add to it at the same time."""

    def __init__(self, folder: Path, clock: Clock | None = None) -> None:
        self.path = folder / "journal.jsonl"
        self._head_path = folder / "journal.head"
        self._lock_path = folder / "journal.lock"
        self._clock = clock or SystemClock()
        self._turn = threading.Lock()
        """Threads of one program wait here, which wakes them at once; the lock on the file is asked for in turns."""
        self._last: Record | None = None
        """The last record that this object read or wrote, which ends at `_end`."""
        self._end = 0

    def append(self, kind: str, payload: Mapping[str, object]) -> Record:
        """Adds a record; it is on the disk when this returns.

        Raises `FileNotWritten`, and `JournalDamaged` where the journal is not what was written: nothing is added then.
        """
        private_folder(self.path.parent)
        with self._turn, self._lock(), self._open() as file:
            self._catch_up(file)
            return self._add(file, kind, payload)

    def read(self) -> Contents:
        """Everything, checked from the first record to the last. Raises `FileNotWritten` where it cannot be opened."""
        if not self.path.exists() and not self._head_path.exists():
            return Contents(())
        with self._lock():
            try:
                data = _bytes_of(self.path) if self.path.exists() else b""
            except OSError as fault:
                raise FileNotWritten(f"{self.path} cannot be read: {fault.strerror}.") from fault
            head = self._head()
        return _checked(data, None, head)

    def records(self) -> tuple[Record, ...]:
        """All of them. Raises `JournalDamaged` where they are not what was written, and what `read` raises."""
        contents = self.read()
        if contents.broken is not None:
            raise self._damaged(contents.broken)
        return contents.records

    def _damaged(self, broken: Break) -> JournalDamaged:
        return JournalDamaged(
            f"The journal {self.path} is not what was written to it: {broken}.",
            hint="Look into it with `dynodesk repair log --verify`. To begin a new one, move its folder away.",
        )

    def _lock(self) -> AbstractContextManager[None]:
        return held(self._lock_path, seconds=_LOCK_WAIT)

    def _open(self) -> AppendedFile:
        hint = "Nothing is sent that the journal does not hold. Make room or permission for it, then try again."
        return AppendedFile(self.path, title="the journal", hint=hint)

    def _catch_up(self, file: AppendedFile) -> None:
        """Check what was added since, and set a torn line aside."""
        if file.size < self._end:  # cut: from the first record on, so that what is missing can be named
            self._last, self._end = None, 0
        head = self._head()
        contents = _checked(file.read_from(self._end), self._last, head)
        if contents.broken is not None:
            raise self._damaged(contents.broken)
        if contents.records:
            self._last = contents.records[-1]
        self._end = file.size - len(contents.torn)
        if self._last is not None and (head is None or head[0] < self._last.sequence):
            self._note(self._last)  # before anything is added: the journal is never more than one record ahead
        if contents.torn:
            name = f"{self.path.name}.torn-{self._last.sequence if self._last else 0}"
            write_private(self.path.with_name(name), contents.torn)
            file.cut_at(self._end)
            found = {"bytes": len(contents.torn), "sha256": hashlib.sha256(contents.torn).hexdigest(), "file": name}
            self._add(file, TORN, found)

    def _add(self, file: AppendedFile, kind: str, payload: Mapping[str, object]) -> Record:
        record = _record(self._last, self._clock.utc(), kind, payload)
        file.write_at_end(record.line)
        self._note(record)
        self._last, self._end = record, file.size
        return record

    def _note(self, last: Record) -> None:
        write_private(self._head_path, _line({"records": last.sequence, "hash": last.hash}))

    def _head(self) -> tuple[int, str] | None:
        """Number and hash of the last record as noted, (-1, "") where it is no such note, None without one.

        Raises `FileNotWritten` where it cannot be opened.
        """
        try:
            noted = json.loads(_bytes_of(self._head_path))
            return int(noted["records"]), str(noted["hash"])
        except FileNotFoundError:
            return None
        except OSError as fault:
            raise FileNotWritten(f"{self._head_path} cannot be read: {fault.strerror}.") from fault
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            return -1, ""


def _bytes_of(path: Path) -> bytes:
    with open_plain(path) as file:
        return file.read()


def _checked(data: bytes, before: Record | None, head: tuple[int, str] | None) -> Contents:
    """The records in `data`, which begins after the record `before`, held against the head."""
    *lines, torn = data.split(b"\n")
    records: list[Record] = []
    last = before
    broken = None
    for line in lines:
        found = _parsed(line)
        broken = _break(found, last)
        if found is None or broken is not None:
            break
        records.append(found)
        last = found
    broken = broken or _cut(records, before, head)
    return Contents(tuple(records), broken, b"" if broken else torn)


def _parsed(line: bytes) -> Record | None:
    """The record of a line; None where it is not, byte for byte, the line of one."""
    try:
        found = json.loads(line)
        record = Record(
            found["sequence"], found["at"], found["kind"], found["payload"], found["previous"], found["hash"]
        )
        return record if type(record.sequence) is int and record.line == line + b"\n" else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _break(found: Record | None, last: Record | None) -> Break | None:
    sequence, previous = (last.sequence + 1, last.hash) if last else (1, BEGINNING)
    if found is None:
        return Break(sequence, "the line is not one that was written")
    if found.sequence != sequence or found.previous != previous:
        return Break(sequence, f"the line there is record {found.sequence} of another order, or of another journal")
    if found.hash != _hash(_content(found.sequence, found.at, found.kind, found.payload, found.previous)):
        return Break(sequence, "its content was changed")
    return None


def _cut(records: list[Record], before: Record | None, head: tuple[int, str] | None) -> Break | None:
    """What the head says about the end."""
    known = [*([before] if before else []), *records]
    last = known[-1].sequence if known else 0
    if head is None:
        # Killed before the first head was written, or there never was anything.
        return Break(last + 1, "the note of the last record is missing") if last > 1 else None
    noted, noted_hash = head
    if noted > last:
        return Break(last + 1, f"it is missing: {noted} records were written")
    if noted < max(1, last - 1):
        return Break(last + 1, "the note of the last record is not one that was written")
    if all(record.hash != noted_hash for record in known if record.sequence == noted):
        return Break(noted, "it is not the one that was noted as the last")
    return None


def _record(last: Record | None, at: str, kind: str, payload: Mapping[str, object]) -> Record:
    sequence, previous = (last.sequence + 1, last.hash) if last else (1, BEGINNING)
    content = _content(sequence, at, kind, payload, previous)
    return Record(sequence, at, kind, payload, previous, _hash(content))


def _content(sequence: int, at: str, kind: str, payload: Mapping[str, object], previous: str) -> Mapping[str, object]:
    return {"sequence": sequence, "at": at, "kind": kind, "payload": payload, "previous": previous}


def _line(content: Mapping[str, object]) -> bytes:
    """The one way to write this content."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def _hash(content: Mapping[str, object]) -> str:
    return hashlib.sha256(_line(content)).hexdigest()
