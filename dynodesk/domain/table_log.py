"""What the journal holds of changes of tables: each with its request and its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dynodesk.domain.errors import InvalidFile
from dynodesk.domain.repairs import JournalRecord, Place
from dynodesk.domain.table_work import INTENT, OUTCOME


@dataclass(frozen=True, slots=True)
class LoggedChange:
    id: str
    at: str
    """When it was about to be sent: UTC, ISO 8601."""
    place: Place
    what: str
    """In words, as "create index"."""
    table: str
    index: str
    """"" for what is done to the table itself."""
    operation: str
    parameters: Mapping[str, Any]
    """As JSON of the API, exactly as they were sent."""
    outcome: str = ""
    """As it was noted last; "": nothing was."""
    why: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it may have been made, and the journal does not say."""
        return self.outcome in {"", "unknown", "unclear"}

    @property
    def state(self) -> str:
        return self.outcome or "sent, outcome unknown"


@dataclass(frozen=True, slots=True)
class TableLog:
    changes: Mapping[str, LoggedChange] = field(default_factory=dict)
    """By id, in the order in which they were sent."""

    @classmethod
    def of(cls, records: Iterable[JournalRecord]) -> TableLog:
        """Raises `InvalidFile` for a record that this version does not understand."""
        changes: dict[str, LoggedChange] = {}
        for record in records:
            payload: Any = record.payload
            try:
                if record.kind == INTENT:
                    changes[payload["id"]] = LoggedChange(
                        payload["id"],
                        record.at,
                        Place(payload["identity"], payload["endpoint"], payload["region"]),
                        payload["what"],
                        payload["table"],
                        payload["index"],
                        payload["operation"],
                        payload["request"],
                    )
                elif record.kind == OUTCOME and payload["id"] in changes:
                    noted = {"outcome": payload["outcome"], "why": payload["why"]}
                    changes[payload["id"]] = replace(changes[payload["id"]], **noted)
            except (KeyError, TypeError) as problem:
                raise InvalidFile(
                    f"record {record.sequence} of the journal is not one that this version understands",
                    hint="It may have been written by a newer one.",
                    details=repr(problem),
                ) from problem
        return cls(changes)
