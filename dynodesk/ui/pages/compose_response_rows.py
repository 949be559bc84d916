"""What became of a composed request, as a banner, rows and sentences. Nothing is Qt's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from dynodesk.composing import words
from dynodesk.composing.effects import left_by
from dynodesk.composing.running import RunReport
from dynodesk.domain.actions import Action, CheckAction, GetAction, PutAction, actions_of, is_read
from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.capacity import Consumed
from dynodesk.domain.cells import visible
from dynodesk.domain.composed import ActionReason, Done, Refused
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import InvalidExpression, InvalidValue, explanation
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.reading import units_text
from dynodesk.domain.recipes import sharded_total
from dynodesk.domain.values import Item
from dynodesk.ui.dialogs.commit_rows import changes_words
from dynodesk.ui.messages import Kind
from dynodesk.ui.pages.reconcile_rows import Column
from dynodesk.ui.theme import Cell, Row

REASONS = (Column("Action", 176), Column("Reason", 176), Column("Old item", 160))
CHANGES = (Column("Action", 176), Column("What changed", 300))
FOUND = (Column("Item", 176), Column("Attributes", 300))
MOST_SHOWN = 500
"""Items of a page that are shown: more of them would hold the window up."""
NOT_SHOWN = "not returned"
NO_ITEM = "no such item"
MAY_BE = "It may or may not have been written."
SEND_AGAIN = "Send it again: with its token it is done once, however often it is sent."
LOOK = "Nothing is sent again by itself. Look at the items before you write again."


@dataclass(frozen=True, slots=True)
class Line:
    """One action, or one item that was found."""

    row: Row
    why: str = ""
    """What there is to say of it, in sentences."""
    title: str = ""
    item: Item | None = None
    """What opening it shows; None: there is nothing to show."""
    before: Item | None = None
    """What the item is marked against."""
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Response:
    kind: Kind
    title: str
    line: str
    columns: Sequence[Column] = ()
    lines: Sequence[Line] = ()
    chosen: int = 0
    """The line that matters most."""
    facts: str = ""
    """`12:06:18.402 · 4 WCU · 21 ms`."""
    units: str = ""
    """Of each table and index; "" where there is only one."""
    may_look: bool = False
    """Whether it helps to read the items once more."""


def response_of(report: RunReport, tables: words.Tables) -> Response:
    titles = words.titles(report.request, tables)
    facts, units = facts_of(report), units_of(report)
    match report.result, report.outcome:
        case Refused() as refused, _:
            return _refused(report, refused, titles, tables, facts, units)
        case Done() as done, _ if _is_read(report):
            return _found(report, done, titles, tables, facts, units)
        case _, "done":
            lines = _changes(report, titles, tables)
            title = "Done: everything was written." if len(titles) > 1 else "Done: it was written."
            if report.result is None:
                title = f"{report.title}."
            return Response(
                "notice", title, words.sentences(words.begun(report.reason)), CHANGES, lines, 0, facts, units
            )
        case _, "unknown":
            said = words.sentences(words.begun(report.reason), MAY_BE)
            lines = _changes(report, titles, tables) if report.after is not None else []
            return Response("warning", f"{report.title}.", said, CHANGES, lines, 0, facts, units, may_look=True)
        case _, "refused":
            return Response(
                "error", "Refused: nothing was written.", words.sentences(words.begun(report.reason)), facts=facts
            )
        case _:
            said = words.sentences(
                *(explanation(report.error) if report.error is not None else (words.begun(report.reason),))
            )
            nothing = "nothing was read" if _is_read(report) else "nothing was written"
            return Response("error", f"{report.title}: {nothing}.", said, facts=facts)


def _is_read(report: RunReport) -> bool:
    try:
        return is_read(report.request)
    except InvalidExpression:  # a statement that is none was never sent
        return False


# ------------------------------------------------------------------------------------------------------------ refused


def _refused(
    report: RunReport, refused: Refused, titles: Sequence[str], tables: words.Tables, facts: str, units: str
) -> Response:
    actions: tuple[Action | None, ...] = actions_of(report.request) or (None,) * len(titles)
    lines = [
        _reason_line(at, title, action, reason, report, tables)
        for at, (title, action, reason) in enumerate(zip(titles, actions, refused.reasons, strict=False))
    ]
    causes = [at for at, reason in enumerate(refused.reasons) if reason.code != "None"]
    chosen = causes[0] if causes else 0
    head = "Cancelled" if len(titles) > 1 or report.request.operation.startswith("Transact") else "Refused"
    nothing = "nothing was read" if _is_read(report) else "nothing was written"
    others = f" {len(causes) - 1:,} more {'is' if len(causes) == 2 else 'are'} in the list." if len(causes) > 1 else ""
    cause = f"{titles[chosen]}: {words.meaning(refused.reasons[chosen].code)}.{others}" if causes else ""
    return Response("error", f"{head}: {nothing}.", cause, REASONS, lines, chosen, facts, units)


def _reason_line(
    at: int, title: str, action: Action | None, reason: ActionReason, report: RunReport, tables: words.Tables
) -> Line:
    is_cause = reason.code != "None"
    is_condition = reason.code == "ConditionalCheckFailed"
    keys = _keys(action, tables)
    if reason.found is not None:
        old = Cell(words.item_line(reason.found, (*keys, *_same(action, reason.found))), "S")
    elif is_condition and report.before is not None and report.before[at] is None:
        old = Cell(NO_ITEM, "text", ink="muted")  # it would have been returned
    else:
        old = Cell(NOT_SHOWN, "text", ink="muted")
    cells = (
        Cell(f"{at + 1}  {title}", "S"),
        Cell(reason.code, "text", ink="danger" if is_cause else "text2"),
        old,
    )
    item = reason.found
    if item is None and report.before is not None and at < len(report.before):
        item = report.before[at]
    said = [f"{reason.code}: {words.meaning(reason.code)}."]
    if is_condition:
        judged = reason.found if reason.found is not None else {} if old.text == NO_ITEM else None
        guard = None if action is None else words.guard_of(action)
        said += [f"{why}." for why in words.why_words(guard, judged)]
    elif is_cause and reason.message:
        said.append(words.sentences(words.begun(reason.message)))
    return Line(Row(cells), " ".join(said), _whole(action, title, tables), item, item, keys)


def _same(action: Action | None, found: Item) -> tuple[str, ...]:
    """What the item that is put would have left as it is: the others say more of the one that is there."""
    item = action.item if isinstance(action, PutAction) else {}
    return tuple(name for name, value in item.items() if found.get(name) == value)


# --------------------------------------------------------------------------------------------------------------- done


def _changes(report: RunReport, titles: Sequence[str], tables: words.Tables) -> list[Line]:
    """A line for each action, with what became of its item, as far as it is known."""
    actions, before, after = actions_of(report.request), _before(report), _after(report)
    if not actions:
        return [Line(_row(at, title, Cell("written", "text", ink="text2"))) for at, title in enumerate(titles)]
    lines = []
    for at, (title, action) in enumerate(zip(titles, actions, strict=True)):
        keys = _keys(action, tables)
        if before is None or after is None:
            said = Cell(words.change_words(action), "S", ink="text2")
            lines.append(Line(_row(at, title, said), "", _whole(action, title, tables), None, None, keys))
            continue
        old, new = before[at], after[at]
        row, why = _change_row(at, title, action, old, new, tables), ""
        if report.outcome == "unknown":
            why = "As it was read back."
        shown = old if new is None else new
        lines.append(Line(row, why, _whole(action, title, tables), shown, shown if new is None else old, keys))
    return lines


def _change_row(at: int, title: str, action: Action, old: Item | None, new: Item | None, tables: words.Tables) -> Row:
    key = words.key_of(action, tables)
    if isinstance(action, CheckAction):
        return _row(at, title, Cell("as it was: only looked at", "text", ink="muted"))
    if old == new or key is None or (old is None and new is None):
        return _row(at, title, Cell("nothing changed", "text", ink="muted"))
    edit = Edit(action.table, key, old, new)
    return _row(at, title, Cell(changes_words(edit), "S"), staged=edit.kind)


def _row(at: int, title: str, said: Cell, staged: str = "") -> Row:
    return Row((Cell(f"{at + 1}  {title}", "S"), said), staged=staged)


def _before(report: RunReport) -> tuple[Item | None, ...] | None:
    if report.before is not None:
        return report.before
    if isinstance(report.result, Done) and report.request.operation in {"PutItem", "DeleteItem"}:
        return report.result.items
    return None


def _after(report: RunReport) -> tuple[Item | None, ...] | None:
    """As they were read; where they were not, as the request leaves those that were there."""
    if report.after is not None:
        return report.after
    if isinstance(report.result, Done) and report.request.operation == "UpdateItem":
        return report.result.items
    before = _before(report)
    if before is None or report.outcome != "done":
        return None
    try:
        return left_by(report.request, before)
    except InvalidExpression:  # somebody else changed it in between
        return None


# -------------------------------------------------------------------------------------------------------------- found


def _found(
    report: RunReport, done: Done, titles: Sequence[str], tables: words.Tables, facts: str, units: str
) -> Response:
    actions = actions_of(report.request)
    lines = []
    for at, item in enumerate(done.items[:MOST_SHOWN]):
        action = actions[at] if actions else None
        title = titles[at] if len(titles) == len(done.items) else ""
        keys = _keys(action, tables)
        cell = Cell(NO_ITEM, "text", ink="muted") if item is None else Cell(words.item_line(item, keys) or "empty", "S")
        lines.append(
            Line(_row(at, title, cell), "", _whole(action, title or f"Item {at + 1}", tables), item, item, keys)
        )
    found = sum(item is not None for item in done.items)
    asked = f" of {len(done.items):,}" if found < len(done.items) else ""
    title = f"{found:,}{asked} {'item' if len(done.items) == 1 else 'items'} found."
    cut = f"The first {MOST_SHOWN:,} are shown; copy gives all." if len(done.items) > MOST_SHOWN else ""
    more = "There are more than these: this is one page of them." if done.goes_on else ""
    at_once = "As of one instant." if report.request.operation == "TransactGetItems" else ""
    said = words.sentences(at_once, cut, more, _sum_words(report, done))
    return Response("notice", title, said, FOUND, lines, 0, facts, units)


def _sum_words(report: RunReport, done: Done) -> str:
    """Of the shards of a counter, of which the same attribute and nothing else is read, their sum; "" else."""
    read = {action.projection for action in actions_of(report.request) if isinstance(action, GetAction)}
    if len(done.items) < 2 or len(read) != 1:
        return ""
    (projection,) = read
    if projection is None or len(projection.paths) != 1:
        return ""
    steps = projection.paths[0].steps
    path = AttributePath(tuple(step for step in steps if isinstance(step, str)))
    if len(path.names) < len(steps) or not any(item is not None and path.find(item) is not None for item in done.items):
        return ""
    try:
        return f"In all, {path} is {sharded_total(done.items, str(path))}"
    except InvalidValue:  # not a counter
        return ""


def _keys(action: Action | None, tables: words.Tables) -> tuple[str, ...]:
    if action is None:
        return ()
    info = tables.get(action.table)
    return () if info is None else info.key_schema.names


def _whole(action: Action | None, title: str, tables: words.Tables) -> str:
    return title if action is None else words.whole_title(action, tables)


# -------------------------------------------------------------------------------------------------------------- facts


def facts_of(report: RunReport) -> str:
    """`12:06:18.402 · 4 WCU · 21 ms`, the time of day as the computer's clock has it."""
    time = datetime.fromisoformat(report.ended).astimezone()
    parts = [time.strftime("%H:%M:%S.") + f"{time.microsecond // 1000:03}"]
    if report.result is not None and report.result.consumed:  # of a cancelled transaction the service says nothing
        parts.append(f"{units_text(sum((one.units for one in report.result.consumed), Decimal(0)))} {_unit(report)}")
    seconds = report.seconds if report.result is None else report.result.seconds
    parts.append(f"{seconds * 1000:,.0f} ms" if seconds < 10 else f"{seconds:,.0f} s")
    if report.tries > 1:
        parts.append(f"{report.tries:,} tries")
    return " · ".join(parts)


def units_of(report: RunReport) -> str:
    """`Social 3 WCU, Social.GSI1 1 WCU`; "" where there is only one part."""
    parts: dict[tuple[str, str], Decimal] = {}
    consumed: Sequence[Consumed] = () if report.result is None else report.result.consumed
    for one in consumed:
        parts[one.table, one.index] = parts.get((one.table, one.index), Decimal(0)) + one.units
    if len(parts) < 2:
        return ""
    return ", ".join(
        f"{visible(f'{table}.{index}' if index else table)} {units_text(units)} {_unit(report)}"
        for (table, index), units in parts.items()
    )


def _unit(report: RunReport) -> str:
    return "RCU" if _is_read(report) else "WCU"


def copied_json(report: RunReport) -> dict[str, Any]:
    """All that is known of it, for the clipboard: items in DynamoDB JSON."""
    found: dict[str, Any] = {
        "Operation": report.request.operation,
        "Outcome": report.title,
        "Ended": report.ended,
        "RequestIds": list(report.request_ids),
    }
    if report.reason:
        found["Reason"] = report.reason
    if report.error is not None:
        found["Error"] = {"Code": report.error.code, "Message": " ".join(explanation(report.error))}
    match report.result:
        case Done(items, goes_on=goes_on):
            found["Items"] = list(map(_json, items))
            if goes_on:
                found["HasMore"] = True
        case Refused(reasons):
            found["CancellationReasons"] = [
                {"Code": one.code, "Message": one.message, "Item": _json(one.found)} for one in reasons
            ]
        case None:
            pass
    if report.before is not None:
        found["ItemsBefore"] = list(map(_json, report.before))
    if report.after is not None:
        found["ItemsAfter"] = list(map(_json, report.after))
    if report.result is not None:
        found["ConsumedCapacity"] = [
            {"TableName": one.table, **({"IndexName": one.index} if one.index else {}), "CapacityUnits": str(one.units)}
            for one in report.result.consumed
        ]
    return found


def _json(item: Item | None) -> dict[str, Any] | None:
    return None if item is None else item_to_dynamodb(item)
