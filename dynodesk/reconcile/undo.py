"""Taking repairs back, and finding out what became of writes that a program left behind when it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.errors import DynodeskError, InvalidRequest
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import EXACT, Number, String, Value, plain_digits
from dynodesk.domain.writes import GuardedUpdate
from dynodesk.domain.writing import OUTCOME, Hands, Write, Written
from dynodesk.reconcile.confirm import Conclusion
from dynodesk.reconcile.ledger import Ledger, LoggedWrite, about
from dynodesk.reconcile.looking import Suspect
from dynodesk.reconcile.repair import COUNTED, Sight, is_settled

UndoOutcome = Literal["undone", "not undone", "unknown"]


@dataclass(frozen=True, slots=True)
class UndoResult:
    repair: LoggedWrite
    outcome: UndoOutcome
    reason: str = ""


def to_undo(ledger: Ledger, repair_id: str, place: Place, approved: frozenset[str]) -> LoggedWrite:
    """The repair with this id. Raises `InvalidRequest` where it cannot be taken back here."""
    repair = ledger.writes.get(repair_id)
    if repair is None or repair.what != "repair":
        raise InvalidRequest(f"the journal has no repair {repair_id}", hint="`dynodesk repair log` lists them.")
    if repair.run.place != place:
        where = repair.run.place
        raise InvalidRequest(
            f"repair {repair_id} was made at {where.endpoint} in {where.region} as {where.identity or 'nobody'}",
            hint="Connect there.",
        )
    if repair.update.table not in approved:
        raise InvalidRequest(
            f"repair {repair_id} is one of {repair.update.table}, which was not approved",
            hint=f"Give --yes {repair.update.table}.",
        )
    if ledger.undone(repair_id):
        raise InvalidRequest(f"repair {repair_id} was undone before")
    if repair.is_open or repair.outcome == "unclear":
        raise InvalidRequest(
            f"whether repair {repair_id} was applied is not known: {repair.state}",
            hint="Count its parent anew: where the tally is off, make a new plan.",
        )
    if repair.outcome not in {"applied", "settled"}:
        raise InvalidRequest(f"repair {repair_id} was not applied: {repair.state}", hint="There is nothing to undo.")
    return repair


def undo(repair: LoggedWrite, hands: Hands, ticket: Ticket) -> UndoResult:
    """Gives the tally back what the repair took, once, however often it was written since.

    Without a marker only as long as nobody wrote the parent since. Raises `Cancelled` between two tries.
    """
    said = about("undo", repair.run.id, repair.rule, repair.tally, repair.version, repair.drift)
    written = hands.write(Write(f"undo:{repair.id}", undo_update(repair), repair.marker, said), ticket)
    match written.ending:
        case "applied" | "settled":
            return UndoResult(repair, "undone", written.reason)
        case "lost race":
            since = "the repair's marker is gone" if repair.marker else "the parent was written since"
            return UndoResult(repair, "not undone", f"{since}: {written.reason}")
        case "refused" | "not applied":
            return UndoResult(repair, "not undone", written.reason)
        case "likely" | "unknown" | "unclear":
            return UndoResult(repair, "unknown", written.reason)


def undo_update(repair: LoggedWrite) -> GuardedUpdate:
    """The inverse of a repair."""
    update = repair.update
    expected: dict[AttributePath, Value | None] = {}
    add = {repair.tally: repair.drift}
    put: dict[AttributePath, Value] = {}
    if repair.version is not None:
        add[repair.version] = Number("1")
    if repair.marker is not None:
        expected[repair.marker] = String(repair.id)
        put[repair.marker] = String(f"undo:{repair.id}")
    else:
        for path, number in update.add.items():
            before = update.expected[path]
            if isinstance(before, Number):
                expected[path] = Number(plain_digits(EXACT.add(before.value, number.value)))
        if repair.tally in update.put:  # it was missing
            expected[repair.tally] = update.put[repair.tally]
    return GuardedUpdate(update.table, update.key, expected, add, put)


# ----------------------------------------------------------------------------------------------------------- left open


@dataclass(frozen=True, slots=True)
class Resolved:
    write: LoggedWrite
    outcome: str
    """`applied`, `not applied`, `settled` where what it was to do is done by it or by a write just like it, `unclear`
    where nothing will ever tell, `unknown` where nothing could be read now."""
    reason: str


def resolve_open(
    ledger: Ledger,
    place: Place,
    rules_of: Callable[[LoggedWrite], Mapping[str, TallyRule]],
    sight: Sight,
    hands: Hands,
    ticket: Ticket,
) -> Iterator[Resolved]:
    """What became of the writes at this place whose outcome the journal does not say. Reads; sends nothing again.

    `rules_of` gives the rules that a write was made by, as its run had them. Raises `Cancelled`, and `DynodeskError`
    where the journal does not take the outcome.
    """
    for write in ledger.open(place):
        written = hands.write(Write.left_open(write.id, write.update, write.marker, write.tries), ticket)
        if written.ending == "likely":
            written = _counted(write, written, rules_of, sight, hands, ticket)
        outcome = "unknown" if written.ending == "likely" else written.ending
        yield Resolved(write, outcome, written.reason)


def _counted(
    write: LoggedWrite,
    written: Written,
    rules_of: Callable[[LoggedWrite], Mapping[str, TallyRule]],
    sight: Sight,
    hands: Hands,
    ticket: Ticket,
) -> Written:
    """With the children counted: the only way to know where there is no marker."""
    try:
        rule = rules_of(write)[write.rule]
        captures = rule.parent_captures(write.update.key) or {}
        (confirmed,) = sight.confirmed([Suspect(rule, captures, write.update.key)], ticket)
    except DynodeskError as fault:
        return Written("likely", f"{written.reason}, and its children could not be counted: {fault.message}")
    drift_if_applied = Decimal(0) if write.what == "repair" else write.drift.value
    if not is_settled(confirmed.outcome, drift_if_applied=drift_if_applied):
        verdict = confirmed.outcome.verdict if isinstance(confirmed.outcome, Conclusion) else "unread"
        return Written("likely", f"{written.reason}; counted again: {verdict}")
    hands.journal.append(OUTCOME, {"id": write.id, "try": write.tries, "outcome": "settled", "why": COUNTED})
    return Written("settled", COUNTED)
