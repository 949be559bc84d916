"""Edits written: each in one guarded request, several at once, and what became of every one."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Literal, get_args

from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import Busy, DynodeskError, InvalidRequest, InvalidValue, Throttled
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.values import Item
from dynodesk.domain.writes import GuardedWrite
from dynodesk.domain.writing import OUTCOME, Hands, StoppedBetweenTries, Write, Written, left_as
from dynodesk.editing.log import COMMIT, COMMIT_END, about_edit, commit_payload
from dynodesk.editing.requests import guarded_write

AT_ONCE = 4
"""Edits that are on their way at the same time: each is of another item, so that their order does not matter."""

READ_BACK = "no answer came; read back, the item is as the edit makes it"

EditOutcome = Literal["applied", "lost race", "refused", "unknown", "not tried"]
EDIT_OUTCOMES: tuple[EditOutcome, ...] = get_args(EditOutcome)

EDIT_MEANINGS: Mapping[EditOutcome, str] = {
    "applied": "Written, as it was shown.",
    "lost race": "The item is not as it was read any more: nothing was written.",
    "refused": "The service, or the journal, refused: nothing was written.",
    "unknown": "Sent, and whether it was applied could not be found out.",
    "not tried": "The commit ended before it: nothing was written.",
}


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    id: str
    """Names the write in the journal."""
    edit: Edit
    write: GuardedWrite
    """Exactly what is sent."""
    undoes: str = ""
    """The id of the write that it takes back."""


@dataclass(frozen=True, slots=True)
class CommitPlan:
    id: str
    edits: tuple[PlannedEdit, ...]

    @property
    def units(self) -> int:
        """Write units on the tables themselves; each index that is touched takes its own."""
        return sum(planned.edit.units for planned in self.edits)


def plan_commit(edits: Iterable[Edit], undoes: Iterable[str] = ()) -> CommitPlan:
    """The exact requests. `undoes` has the id of the write that each edit takes back, if they do.

    Raises `InvalidRequest` for two edits of one item or one key, and what `guarded_write` raises.
    """
    id_ = uuid.uuid4().hex[:12]
    taken: set[tuple[str, object]] = set()
    planned = []
    undone = [*undoes]
    for number, edit in enumerate(edits):
        places = {(edit.table, edit.identity), (edit.table, edit.target or edit.identity)}
        if places & taken:
            raise InvalidRequest(f"two edits are of the item {edit.title}")
        taken |= places
        write_id = f"{id_}-{number}"
        write = guarded_write(edit, write_id)
        write.check()
        planned.append(PlannedEdit(write_id, edit, write, undone[number] if undone else ""))
    return CommitPlan(id_, tuple(planned))


@dataclass(frozen=True, slots=True)
class EditResult:
    planned: PlannedEdit
    outcome: EditOutcome
    reason: str = ""
    tries: int = 0
    """Requests sent."""
    seen: Item | None = None
    """The item as it is now, where it was applied; as it was found, where the race was lost. None: there is none."""
    at_target: bool = False
    """Of a move that lost its race: `seen` is an item that has the new key already."""


@dataclass(frozen=True, slots=True)
class CommitReport:
    commit: str
    started: str
    ended: str
    """UTC, ISO 8601."""
    stopped: str | None
    """Why it ended before its end, if it did."""
    results: tuple[EditResult, ...]
    """One for each edit, in the plan's order."""

    @property
    def is_done(self) -> bool:
        return all(result.outcome == "applied" for result in self.results)

    def of(self, outcome: EditOutcome) -> tuple[EditResult, ...]:
        return tuple(result for result in self.results if result.outcome == outcome)

    @property
    def not_tried(self) -> tuple[Edit, ...]:
        """What a commit that was stopped has left to do."""
        return tuple(result.planned.edit for result in self.of("not tried"))


def commit(
    plan: CommitPlan,
    place: Place,
    hands: Hands,
    ticket: Ticket,
    told: Callable[[EditResult], object] | None = None,
) -> CommitReport:
    """Write them all. `told` is called with each result as soon as it is known, on the thread that called this.

    Cancelling ends it between two writes: what is on its way is brought to its end first. So does an error that the
    next edit would meet as well. Raises `DynodeskError` where the journal does not take the commit: then nothing was
    written.
    """
    hands.journal.append(COMMIT, commit_payload(plan.id, place, len(plan.edits)))
    run = _Run(plan, hands, ticket, told)
    started = hands.clock.utc()
    run.go()
    results = tuple(
        run.results.get(planned.id) or EditResult(planned, "not tried", f"the commit ended before it: {run.stopped}")
        for planned in plan.edits
    )
    try:
        hands.journal.append(COMMIT_END, {"id": plan.id, "stopped": run.stopped})
    except DynodeskError as fault:
        run.stopped = run.stopped or f"{fault.message} [{fault.code}]"
    return CommitReport(plan.id, started, hands.clock.utc(), run.stopped, results)


@dataclass(slots=True)
class _Run:
    plan: CommitPlan
    hands: Hands
    ticket: Ticket
    told: Callable[[EditResult], object] | None
    results: dict[str, EditResult] = field(default_factory=dict)
    stopped: str | None = None

    def go(self) -> None:
        waiting = iter(self.plan.edits)
        running: set[Future[tuple[EditResult, DynodeskError | None]]] = set()
        with ThreadPoolExecutor(min(AT_ONCE, len(self.plan.edits) or 1), "commit") as threads:
            while True:
                while len(running) < AT_ONCE and self._goes_on() and (planned := next(waiting, None)) is not None:
                    running.add(threads.submit(self._write, planned))
                if not running:
                    return
                over, running = wait(running, return_when=FIRST_COMPLETED)
                for future in over:
                    self._note(*future.result())

    def _goes_on(self) -> bool:
        if self.stopped is None:
            try:
                self.ticket.wait_while_paused()
                self.ticket.checkpoint(Progress(len(self.results), len(self.plan.edits), "Writing"))
            except Cancelled:
                self.stopped = "cancelled"
        return self.stopped is None

    def _note(self, result: EditResult, fault: DynodeskError | None) -> None:
        self.results[result.planned.id] = result
        if self.told is not None:
            self.told(result)
        if self.stopped is None and fault is not None and not isinstance(fault, OF_ONE_ITEM):
            self.stopped = f"{fault.message} [{fault.code}]"

    def _write(self, planned: PlannedEdit) -> tuple[EditResult, DynodeskError | None]:
        try:
            about = about_edit(self.plan.id, planned.edit, planned.write, planned.undoes)
            written = self.hands.write(Write(planned.id, planned.write, about=about), self.ticket)
        except StoppedBetweenTries as stop:
            outcome: EditOutcome = "unknown" if stop.is_doubtful else "not tried"
            return EditResult(planned, outcome, "stopped between two tries"), None
        if written.ending == "likely":
            written = settle(self.hands, planned.id, written)
        result = EditResult(
            planned, outcome_of(written), written.reason, written.tries, written.seen, written.at_target
        )
        return result, written.fault


OF_ONE_ITEM = (InvalidRequest, InvalidValue, Busy, Throttled)
"""Errors that say nothing of the next edit."""


def settle(hands: Hands, id_: str, written: Written) -> Written:
    """An item that looks as the edit makes it is what the person wants, whoever's request made it so."""
    payload = {"id": id_, "try": written.tries, "outcome": "settled", "why": READ_BACK, **left_as(written)}
    try:
        hands.journal.append(OUTCOME, payload)
    except DynodeskError as fault:
        return Written("unknown", f"{READ_BACK}, and the journal could not say so: {fault}", written.tries)
    return Written("settled", READ_BACK, written.tries, written.seen)


def outcome_of(written: Written) -> EditOutcome:
    match written.ending:
        case "applied" | "settled":
            return "applied"
        case "lost race":  # with a fault: not to another version, but to others who kept the service busy
            return "lost race" if written.fault is None else "refused"
        case "not applied":  # of a program that was killed: nobody sends it again
            return "not tried"
        case "refused":
            return "refused"
        case "unknown" | "unclear" | "likely":
            return "unknown"
