"""What the journal holds of composed requests: each run with its outcome, and those whose outcome nobody noted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from dynodesk.domain.action_json import parameters_json
from dynodesk.domain.action_reading import request_from_json
from dynodesk.domain.actions import ComposedRequest
from dynodesk.domain.errors import DynodeskError, InvalidFile
from dynodesk.domain.repairs import JournalRecord, Place
from dynodesk.domain.writing import INTENT, OUTCOME

REQUEST = "request"
"""What an intent is of: one composed request, as it is sent."""


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    id: str
    at: str
    """When it was about to be sent for the first time: UTC, ISO 8601."""
    place: Place
    operation: str
    parameters: Mapping[str, Any]
    """As DynamoDB JSON, exactly as they were sent."""
    tries: int
    outcome: str = ""
    """As noted for the last try; "": none was."""
    why: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it may have been applied, and the journal does not say."""
        return self.outcome in {"", "unknown"}

    @property
    def state(self) -> str:
        return self.outcome or "sent, outcome unknown"

    @property
    def token(self) -> str:
        """ "" where it has none."""
        return str(self.parameters.get("ClientRequestToken", ""))

    @property
    def request(self) -> ComposedRequest:
        """As it was composed, to be sent again to the letter.

        Raises `InvalidFile` where what it is made into here would not be sent in the same words.
        """
        try:
            request = request_from_json(self.operation, self.parameters)
            is_same = parameters_json(request) == self.parameters
        except DynodeskError as problem:
            raise self._not_ours(problem.message) from problem
        if not is_same:
            raise self._not_ours("it would be sent in other words")
        return request

    def _not_ours(self, why: str) -> InvalidFile:
        return InvalidFile(
            f"the request {self.id} of the journal is not one that this version understands: {why}",
            hint="It may have been written by another one.",
        )


@dataclass(frozen=True, slots=True)
class RequestLog:
    runs: Mapping[str, LoggedRequest] = field(default_factory=dict)
    """By id, in the order of their first try."""

    @classmethod
    def of(cls, records: Iterable[JournalRecord]) -> RequestLog:
        """Raises `InvalidFile` for a record that this version does not understand."""
        runs: dict[str, LoggedRequest] = {}
        for record in records:
            payload: Any = record.payload
            try:
                if record.kind == INTENT and payload["what"] == REQUEST:
                    runs[payload["id"]] = _intent(record, payload, runs)
                elif record.kind == OUTCOME and payload["id"] in runs:
                    noted = {"outcome": payload["outcome"], "why": payload["why"]}
                    runs[payload["id"]] = replace(runs[payload["id"]], **noted)
            except (KeyError, TypeError) as problem:
                raise InvalidFile(
                    f"record {record.sequence} of the journal is not one that this version understands",
                    hint="It may have been written by a newer one.",
                    details=repr(problem),
                ) from problem
        return cls(runs)

    def open(self, place: Place) -> Iterator[LoggedRequest]:
        return (run for run in self.runs.values() if run.is_open and run.place == place)


def intent_payload(id_: str, number: int, request: ComposedRequest, place: Place) -> dict[str, object]:
    """What is noted before a try. Of a second one, which sends the same, only that it is one."""
    payload: dict[str, object] = {"what": REQUEST, "id": id_, "try": number}
    if number > 1:
        return payload
    return {**payload, "operation": request.operation, "request": parameters_json(request), **asdict(place)}


def outcome_payload(id_: str, number: int, outcome: str, why: str = "") -> dict[str, object]:
    return {"id": id_, "try": number, "outcome": outcome, "why": why}


def _intent(record: JournalRecord, payload: Any, runs: Mapping[str, LoggedRequest]) -> LoggedRequest:
    if payload["try"] > 1:
        return replace(runs[payload["id"]], tries=payload["try"], outcome="", why="")
    place = Place(payload["identity"], payload["endpoint"], payload["region"])
    return LoggedRequest(payload["id"], record.at, place, payload["operation"], payload["request"], payload["try"])
