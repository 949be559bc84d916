"""Repairs: what is planned, what became of each, and the words used for it everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol, get_args

from dynodesk.domain.findings import Proof, signed
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.tables import Key
from dynodesk.domain.tallies import Repairs
from dynodesk.domain.values import Number, Value, plain_digits
from dynodesk.domain.writes import GuardedUpdate

PLAN_SECONDS = 15 * 60
"""A plan older than this is not applied: what it rests on is too long ago."""
WAVES = (1, 5, 25, 100)
"""Repairs that are made before what they did is looked at; the last number is that of all further waves."""

# ----------------------------------------------------------------------------------------------------------- planned


@dataclass(frozen=True, slots=True)
class RulesText:
    """Rules as they were run: the text of the file, and what was given in place of its times."""

    file: str
    text: str
    wait: float | None = None
    settle: float | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a plan holds, and nowhere else."""

    identity: str
    endpoint: str
    region: str


@dataclass(frozen=True, slots=True)
class TableStamp:
    """Tells a table from one of the same name that was made after it was deleted."""

    arn: str
    created: str


@dataclass(frozen=True, slots=True)
class PlannedRepair:
    id: str
    """Names the repair in the journal, and is what its marker holds."""
    rule: str
    table: str
    key: Key
    verdict: Repairs
    stored: Number | None
    """None: the tally is missing, and stands for zero."""
    real: Decimal
    drift: Decimal
    """Stored minus real, as in findings: what is taken away."""
    proof: Proof
    marker_seen: Value | None
    """What the rule's marker attribute held when the plan was made."""
    confirmed: str
    """When the drift was last confirmed: UTC, ISO 8601."""
    update: GuardedUpdate
    """As it would be sent if nothing moved since."""

    @property
    def parent_text(self) -> str:
        return readable_key(self.key)

    @property
    def words(self) -> str:
        """`41 → 37 (-4)`."""
        before = "missing" if self.stored is None else self.stored.text
        return f"{before} → {plain_digits(self.real)} ({signed(self.drift.copy_negate())})"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A finding that is off and is not repaired, and why."""

    rule: str
    key: Key
    reason: str


@dataclass(frozen=True, slots=True)
class RepairPlan:
    id: str
    created: str
    """UTC, ISO 8601."""
    run: str
    """The run whose findings it is about."""
    place: Place
    tables: Mapping[str, TableStamp]
    rules: RulesText
    rule_hashes: Mapping[str, str]
    """Of each rule with a repair: the hash of what it says."""
    repairs: tuple[PlannedRepair, ...]
    left_out: tuple[LeftOut, ...]


# ------------------------------------------------------------------------------------------------------------ applied

RepairOutcome = Literal[
    "repaired",
    "settled",
    "not needed",
    "changed",
    "busy",
    "lost race",
    "not tried",
    "unread",
    "refused",
    "unknown",
    "unverified",
    "not verified",
    "not held",
]
REPAIR_OUTCOMES: tuple[RepairOutcome, ...] = get_args(RepairOutcome)

REPAIR_MEANINGS: Mapping[RepairOutcome, str] = {
    "repaired": "Written once, and right when it was counted again.",
    "settled": "Right when it was counted again: by a request without an answer, or by another program's just like it.",
    "not needed": "Right, or gone, when it was looked at again: nothing was written.",
    "changed": "The drift is not the planned one any more: nothing was written.",
    "busy": "Changed every time it was looked at: nothing was written.",
    "lost race": "A writer was faster each time: nothing was written.",
    "not tried": "The run ended before it: nothing was written.",
    "unread": "It could not be read again: nothing was written.",
    "refused": "The service, or the journal, refused: nothing was written.",
    "unknown": "Sent, and whether it was applied could not be found out.",
    "unverified": "Written once, and whether it is right since was not seen.",
    "not verified": "Written once, and not right when it was counted again.",
    "not held": "Right after the repair, and off again later: a writer sets this tally to values of its own.",
}

SURPRISES: frozenset[RepairOutcome] = frozenset({"unread", "refused", "unknown", "not verified", "not held"})
"""Outcomes that nobody planned with: the first of them ends the run."""
WRITTEN: frozenset[RepairOutcome] = frozenset({"repaired", "unverified", "not verified", "not held"})
DONE: frozenset[RepairOutcome] = frozenset({"repaired", "settled", "not needed"})


@dataclass(frozen=True, slots=True)
class RepairResult:
    repair: PlannedRepair
    outcome: RepairOutcome
    reason: str = ""
    tries: int = 0
    """Requests sent."""
    held: bool | None = None
    """Whether it was right once more when everything in flight at the repair had ended; None: not looked at."""


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What became of a plan."""

    run: str
    plan: str
    started: str
    ended: str
    stopped: str | None
    """Why the run ended before its end, if it did."""
    results: tuple[RepairResult, ...]
    """One for each planned repair, in the plan's order."""

    @property
    def is_done(self) -> bool:
        return all(result.outcome in DONE for result in self.results)

    @property
    def found_drift(self) -> bool:
        """Whether a repair did not do what it should have done."""
        return any(result.outcome in {"not verified", "not held"} for result in self.results)


# ------------------------------------------------------------------------------------------------------- the journal


class JournalRecord(Protocol):
    @property
    def sequence(self) -> int: ...

    @property
    def at(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def payload(self) -> Mapping[str, object]: ...


class Recorder(Protocol):
    """The journal as the engine sees it."""

    def append(self, kind: str, payload: Mapping[str, object]) -> object:
        """Adds a record; it is on the disk when this returns. Raises `DynodeskError` where it is not."""


class KeptJournal(Recorder, Protocol):
    def records(self) -> Sequence[JournalRecord]:
        """All of them. Raises `DynodeskError` where they are not what was written."""
