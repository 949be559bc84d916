"""What the journal holds of edits: each write with its outcome, by commit, and what is not known of yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.batches import PlainWrite, plain_from_json
from dynodesk.domain.edits import Change, Edit, EditKind
from dynodesk.domain.errors import InvalidFile, InvalidValue
from dynodesk.domain.item_json import from_dynamodb, readable_key, to_dynamodb
from dynodesk.domain.repairs import JournalRecord, Place
from dynodesk.domain.writes import GuardedDelete, GuardedPut, GuardedWrite, write_from_json
from dynodesk.domain.writing import INTENT, OUTCOME

COMMIT, COMMIT_END = "commit", "commit end"
"""Kinds of records: edits that are written from here on, and the end of them."""
EDIT, BATCH = "edit", "batch"
"""What an intent is of: one guarded edit, or deletions without a condition in one request."""


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    id: str
    at: str
    place: Place
    edits: int


@dataclass(frozen=True, slots=True)
class LoggedEdit:
    id: str
    at: str
    commit: LoggedCommit
    kind: EditKind
    write: GuardedWrite
    """As it was sent, the last time."""
    changes: tuple[Change, ...]
    undoes: str
    """The id of the write that it takes back; "": it takes none back."""
    tries: int
    outcome: str = ""
    """As noted for the last try; "": none was."""
    why: str = ""
    left: str | None = None
    """A digest of the item as it was left; None where no item was left, or where that is not known."""

    @property
    def is_open(self) -> bool:
        """Whether it may have been applied, and the journal does not say."""
        return self.outcome in {"", "unknown"}

    @property
    def was_applied(self) -> bool:
        return self.outcome in {"applied", "settled"}

    @property
    def title(self) -> str:
        return readable_key(self.write.key)

    @property
    def state(self) -> str:
        return self.outcome or "sent, outcome unknown"


@dataclass(frozen=True, slots=True)
class LoggedBatch:
    """One request of deletions, or puts, without a condition."""

    id: str
    at: str
    commit: LoggedCommit
    table: str
    writes: tuple[PlainWrite, ...]
    outcome: str = ""
    why: str = ""
    left_out: int = 0
    """How many the service left out: they come in a request of their own."""

    @property
    def is_open(self) -> bool:
        return self.outcome in {"", "unknown"}

    @property
    def state(self) -> str:
        return self.outcome or "sent, outcome unknown"


@dataclass(frozen=True, slots=True)
class EditLog:
    commits: Mapping[str, LoggedCommit] = field(default_factory=dict)
    edits: Mapping[str, LoggedEdit] = field(default_factory=dict)
    """By id, in the order of their first try."""
    batches: Mapping[str, LoggedBatch] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[JournalRecord]) -> EditLog:
        """Raises `InvalidFile` for a record that this version does not understand."""
        commits: dict[str, LoggedCommit] = {}
        edits: dict[str, LoggedEdit] = {}
        batches: dict[str, LoggedBatch] = {}
        for record in records:
            payload: Any = record.payload
            try:
                if record.kind == COMMIT:
                    commits[payload["id"]] = _commit(record, payload)
                elif record.kind == INTENT and payload["what"] == EDIT:
                    edits[payload["id"]] = _edit(record, payload, commits, edits.get(payload["id"]))
                elif record.kind == INTENT and payload["what"] == BATCH:
                    batches[payload["id"]] = _batch(record, payload, commits)
                elif record.kind == OUTCOME:
                    _note_outcome(payload, edits, batches)
            except (KeyError, TypeError, ValueError, InvalidValue) as problem:
                raise InvalidFile(
                    f"record {record.sequence} of the journal is not one that this version understands",
                    hint="It may have been written by a newer one.",
                    details=repr(problem),
                ) from problem
        return cls(commits, edits, batches)

    def open(self, place: Place) -> Iterator[LoggedEdit]:
        return (edit for edit in self.edits.values() if edit.is_open and edit.commit.place == place)

    def open_batches(self, place: Place) -> Iterator[LoggedBatch]:
        return (batch for batch in self.batches.values() if batch.is_open and batch.commit.place == place)

    def has_open(self, place: Place) -> bool:
        return any(True for _ in self.open(place)) or any(True for _ in self.open_batches(place))

    def of_commit(self, commit: str) -> tuple[LoggedEdit, ...]:
        return tuple(edit for edit in self.edits.values() if edit.commit.id == commit)

    def undone(self, id_: str) -> bool:
        """Whether it was taken back, and that was not taken back again."""
        return any(edit.undoes == id_ and edit.was_applied and not self.undone(edit.id) for edit in self.edits.values())


def commit_payload(id_: str, place: Place, edits: int) -> dict[str, object]:
    return {
        "id": id_,
        "edits": edits,
        "identity": place.identity,
        "endpoint": place.endpoint,
        "region": place.region,
    }


def about_edit(commit: str, edit: Edit, write: GuardedWrite, undoes: str) -> dict[str, object]:
    """What an intent says beside the request: what was changed, with the values before and after.

    Of a new item and of a deletion only what the request itself does not say: most often nothing.
    """
    said = {change.path for change in _said_by(edit.kind, write)}
    return {
        "what": EDIT,
        "commit": commit,
        "kind": edit.kind,
        "undoes": undoes,
        "changes": [
            [
                list(change.path.names),
                change.before and to_dynamodb(change.before),
                change.after and to_dynamodb(change.after),
            ]
            for change in edit.changes
            if change.path not in said
        ],
    }


def _said_by(kind: EditKind, write: GuardedWrite) -> tuple[Change, ...]:
    """The changes that a request is read from, where it holds a whole item."""
    match write:
        case GuardedPut() if kind == "new":
            return tuple(Change(AttributePath((name,)), None, value) for name, value in write.item.items())
        case GuardedDelete():
            key = {AttributePath((name,)): value for name, value in write.key.items()}
            return tuple(Change(path, value, None) for path, value in {**key, **write.expected}.items())
        case _:
            return ()


def _commit(record: JournalRecord, payload: Any) -> LoggedCommit:
    place = Place(payload["identity"], payload["endpoint"], payload["region"])
    return LoggedCommit(payload["id"], record.at, place, payload["edits"])


def _edit(
    record: JournalRecord, payload: Any, commits: Mapping[str, LoggedCommit], earlier: LoggedEdit | None
) -> LoggedEdit:
    write = write_from_json(payload)
    return LoggedEdit(
        id=payload["id"],
        at=earlier.at if earlier else record.at,
        commit=commits[payload["commit"]],
        kind=payload["kind"],
        write=write,
        changes=_said_by(payload["kind"], write) + tuple(_change(*noted) for noted in payload["changes"]),
        undoes=payload["undoes"],
        tries=payload["try"],
    )


def _change(names: list[str], before: Any, after: Any) -> Change:
    return Change(
        AttributePath(tuple(names)),
        None if before is None else from_dynamodb(before),
        None if after is None else from_dynamodb(after),
    )


def _batch(record: JournalRecord, payload: Any, commits: Mapping[str, LoggedCommit]) -> LoggedBatch:
    writes = tuple(map(plain_from_json, payload["writes"]))
    return LoggedBatch(payload["id"], record.at, commits[payload["commit"]], payload["table"], writes)


def _note_outcome(payload: Any, edits: dict[str, LoggedEdit], batches: dict[str, LoggedBatch]) -> None:
    id_, outcome, why = payload["id"], payload["outcome"], payload["why"]
    if id_ in edits:
        edits[id_] = replace(edits[id_], outcome=outcome, why=why, left=payload.get("left"))
    elif id_ in batches:
        batches[id_] = replace(batches[id_], outcome=outcome, why=why, left_out=len(payload.get("left_out", ())))
