"""What came of composed requests that the command line sent or rehearsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

from dynodesk.cli.diagnostics import ExitCode, exit_code_of, explain, say
from dynodesk.cli.output import item_line, print_result
from dynodesk.composing import words
from dynodesk.composing.desk import RequestDesk
from dynodesk.composing.rehearsal import Rehearsal
from dynodesk.composing.running import RunReport, what_can_be_done
from dynodesk.domain.actions import Action, CheckAction, actions_of, is_read
from dynodesk.domain.cells import cell_text, visible
from dynodesk.domain.composed import ActionReason, Done, Refused
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import DynodeskError, InvalidRequest
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.reading import units_text
from dynodesk.domain.values import Item, Value


def show_report(
    report: RunReport, tables: words.Tables, desk: RequestDesk, form: str, *, returns: bool = False
) -> ExitCode:
    """Prints what became of a request; the exit code that says it. `returns`: of a write the items as they are then."""
    read = is_read(report.request)
    items = _items(report, returns=returns)
    if form == "json":
        print_result((), report_json(report), form)
    elif items is not None:
        for item in items:
            click.echo("null" if item is None else item_line(item, "json"))
        if facts := _facts(report):
            say(facts)
        if isinstance(report.result, Done) and report.result.goes_on:
            say("there is more: this is one page")
    elif report.result is not None or report.outcome in {"done", "unknown"}:
        print_result(_report_lines(report, tables), {}, form)
    if report.error is not None:
        explain(report.error)
    if report.outcome == "not sent":
        say("Nothing was sent.")
    elif report.outcome == "refused" and report.error is not None:
        say("Nothing was read." if read else "Nothing was written.")
    elif report.outcome == "unknown":
        say(what_can_be_done(report, desk.clock))
        if report.token and desk.seconds_left(report):
            say(f"to send it again: dynodesk transact --again {report.id} …")
        else:
            say("to look at an item: dynodesk query TABLE --partition VALUE --sort '= VALUE' --consistent …")
    return exit_code_for(report)


def _items(report: RunReport, *, returns: bool) -> tuple[Item | None, ...] | None:
    """What is printed as items, and nothing else of it; None: it is no matter of items."""
    if is_read(report.request):
        return report.result.items if isinstance(report.result, Done) else None
    return report.after if returns and report.outcome == "done" else None


def exit_code_for(report: RunReport) -> ExitCode:
    match report.outcome, report.result, report.error:
        case "done", _, _:
            return ExitCode.OK
        case "unknown", _, _:
            return ExitCode.UNKNOWN
        case _, Refused() as refused, _:
            return ExitCode.INCOMPLETE if refused.will_pass else ExitCode.REFUSED
        case _, _, DynodeskError() as error:
            return exit_code_of(error)
        case _:
            return ExitCode.INCOMPLETE


def _report_lines(report: RunReport, tables: words.Tables) -> Iterator[str]:
    titles = words.titles(report.request, tables)
    if isinstance(report.result, Refused):
        is_transaction = report.request.operation not in {"PutItem", "UpdateItem", "DeleteItem", "ExecuteStatement"}
        nothing = "nothing was read" if is_read(report.request) else "nothing was written"
        yield f"{'Cancelled' if is_transaction else 'Refused'}: {nothing} · {_facts(report)}".removesuffix(" · ")
        for at, reason in enumerate(report.result.reasons):
            if reason.code != "None":
                yield from _reason_lines(at, titles[at], report, reason)
        return
    yield f"{report.title} · {_facts(report)}"
    if report.reason:
        yield f"  {words.begun(report.reason)}"
    actions = actions_of(report.request)
    for at, title in enumerate(titles):
        changed = "" if not actions else _changes(actions[at], at, report, tables)
        yield f"  {at + 1}  {title}{': ' if changed else ''}{changed}"


def _reason_lines(at: int, title: str, report: RunReport, reason: ActionReason) -> Iterator[str]:
    yield f"  action {at + 1}, {title}: {reason.code}: {words.meaning(reason.code)}"
    actions = actions_of(report.request)
    if reason.message and reason.code != "ConditionalCheckFailed":
        yield f"     {reason.message}"
    if not actions:
        return
    found = reason.found
    is_gone = found is None and report.before is not None and report.before[at] is None
    if reason.code == "ConditionalCheckFailed":
        for why in words.why_words(words.guard_of(actions[at]), {} if is_gone else found):
            yield f"     {why}"
    if found is not None:
        yield f"     it is: {words.item_line(found)}"
    elif is_gone:
        yield "     there is no such item"


def _changes(action: Action, at: int, report: RunReport, tables: words.Tables) -> str:
    if report.before is None or report.after is None:
        return words.change_words(action)
    return change_words(action, report.before[at], report.after[at], tables)


def change_words(action: Action, before: Item | None, after: Item | None, tables: words.Tables) -> str:
    """`likes 41 → 42`."""
    key = words.key_of(action, tables)
    if isinstance(action, CheckAction):
        return "only looked at"
    if key is None or before == after:
        return "nothing changed"
    if after is None:
        return f"deleted, it was {words.item_line(before or {}, tuple(key))}"
    if before is None:
        return f"new, {words.item_line(after, tuple(key))}"
    changes = Edit(action.table, key, before, after).changes
    return ", ".join(
        f"{visible(str(one.path))} {_shown(one.before, 'missing')} → {_shown(one.after, 'removed')}" for one in changes
    )


def _shown(value: Value | None, missing: str) -> str:
    return missing if value is None else cell_text(value)


def _facts(report: RunReport) -> str:
    unit = "RCU" if is_read(report.request) else "WCU"
    consumed = () if report.result is None else report.result.consumed
    parts = [
        f"{units_text(one.units)} {unit} {visible(f'{one.table}.{one.index}' if one.index else one.table)}"
        for one in consumed
    ]
    parts += [f"{report.tries:,} tries"] if report.tries > 1 else []
    parts += [] if is_read(report.request) else [f"run {report.id}"]
    return " · ".join(parts)


def report_json(report: RunReport) -> dict[str, Any]:
    """Items as DynamoDB JSON, one for each action; actions count from 1."""
    result, error = report.result, report.error
    return {
        "run": report.id,
        "operation": report.request.operation,
        "token": report.token or None,
        "token_until": report.token_until or None,
        "outcome": report.outcome,
        "reason": report.reason or None,
        "error": None if error is None else {"code": error.code, "message": error.message},
        "reasons": [
            {"action": at, "code": one.code, "message": one.message, "item": _item_json(one.found)}
            for at, one in enumerate(result.reasons if isinstance(result, Refused) else (), 1)
        ],
        "items": [_item_json(item) for item in result.items] if isinstance(result, Done) else None,
        "has_more": isinstance(result, Done) and result.goes_on,
        "before": _items_json(report.before),
        "after": _items_json(report.after),
        "consumed": [
            {"table": one.table, "index": one.index or None, "units": units_text(one.units)}
            for one in (() if result is None else result.consumed)
        ],
        "tries": report.tries,
        "request_ids": list(report.request_ids),
        "started": report.started,
        "ended": report.ended,
    }


def _items_json(items: Iterable[Item | None] | None) -> list[dict[str, Any] | None] | None:
    return None if items is None else [_item_json(item) for item in items]


def _item_json(item: Item | None) -> dict[str, Any] | None:
    return None if item is None else item_to_dynamodb(item)


# ------------------------------------------------------------------------------------------------- rehearsal


def show_rehearsal(rehearsal: Rehearsal, tables: words.Tables, form: str) -> ExitCode:
    """What the request would do, tried on copies."""
    print_result(_rehearsal_lines(rehearsal, tables), _rehearsal_json(rehearsal), form)
    if rehearsal.disagreement:
        say(rehearsal.disagreement)
    return ExitCode.OK if rehearsal.is_done else ExitCode.REFUSED


def _rehearsal_lines(rehearsal: Rehearsal, tables: words.Tables) -> Iterator[str]:
    titles = words.titles(rehearsal.request, tables)
    outcome = rehearsal.outcome
    if isinstance(outcome, Done):
        yield "It would be done. Nothing was sent: it was tried on copies."
    else:
        yield "It would be refused. Nothing was sent: it was tried on copies."
    if isinstance(outcome, InvalidRequest):
        yield f"  {words.begun(outcome.message)}"
        return
    reasons = outcome.reasons if isinstance(outcome, Refused) else ()
    for at, item in enumerate(rehearsal.items):
        if not reasons:
            yield f"  {at + 1}  {titles[at]}: {change_words(item.action, item.before, item.after, tables)}"
        elif reasons[at].code != "None":
            yield f"  action {at + 1}, {titles[at]}: {reasons[at].code}: {words.meaning(reasons[at].code)}"
            for why in words.why_words(words.guard_of(item.action), item.before or {}):
                yield f"     {why}"


def _rehearsal_json(rehearsal: Rehearsal) -> dict[str, Any]:
    outcome = rehearsal.outcome
    return {
        "outcome": "done" if rehearsal.is_done else "refused",
        "error": {"code": outcome.code, "message": outcome.message} if isinstance(outcome, InvalidRequest) else None,
        "reasons": [
            {"action": at, "code": one.code, "message": one.message, "item": _item_json(one.found)}
            for at, one in enumerate(outcome.reasons if isinstance(outcome, Refused) else (), 1)
        ],
        "before": _items_json(item.before for item in rehearsal.items),
        "after": _items_json(item.after for item in rehearsal.items),
        "disagreement": rehearsal.disagreement or None,
    }
