"""`dynodesk repair`: plans applied, repairs taken back, and the journal of both."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, interruptible, say
from dynodesk.cli.output import print_result
from dynodesk.composing.log import LoggedRequest, RequestLog
from dynodesk.domain.batches import batch_json
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import InvalidFile
from dynodesk.domain.findings import signed
from dynodesk.domain.item_json import item_to_dynamodb, to_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import RepairPlan, RepairReport, RepairResult
from dynodesk.domain.values import plain_digits
from dynodesk.domain.write_requests import request_json
from dynodesk.editing.log import EditLog, LoggedBatch, LoggedEdit
from dynodesk.reconcile.desk import RepairDesk
from dynodesk.reconcile.ledger import Ledger, LoggedWrite
from dynodesk.reconcile.plan_files import read_plan
from dynodesk.reconcile.planning import USUAL_COUNT, USUAL_DELTA, USUAL_SHARE, RepairLimits
from dynodesk.reconcile.undo import UndoResult
from dynodesk.wiring import open_journal, repair_desk, repair_lock, repairing, request_desk

MAX_PLAN_BYTES = 64 * 1024 * 1024

APPROVED = click.option(
    "--yes", "approved", metavar="TABLE", multiple=True, help="The table that may be written to. May be given again."
)
FORM = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")


class _Amount(click.ParamType[Decimal]):
    name = "amount"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        if not value.isdecimal() or not value.isascii():
            self.fail(f"{value} is not a whole number", param, ctx)
        return Decimal(value)


@click.group()
def repair() -> None:
    """Repair tallies that a run found to be wrong. Everything is in a journal, and can be taken back."""


@repair.command()
@click.argument("plan_file", metavar="PLAN.json", type=click.Path(path_type=Path))
@connection_options
@APPROVED
@click.option("--first", is_flag=True, help="The requests have been read: apply rules never applied before.")
@click.option(
    "--max-delta",
    type=_Amount(),
    metavar="N",
    help=f"Allow changes up to N. By default up to {USUAL_DELTA}, or {USUAL_SHARE:.0%} of what is stored.",
)
@click.option("--max-repairs", type=click.IntRange(1), default=USUAL_COUNT, show_default=True, help="Allow so many.")
@FORM
def apply(
    plan_file: Path,
    place: Place,
    approved: tuple[str, ...],
    first: bool,
    max_delta: Decimal | None,
    max_repairs: int,
    form: str,
) -> int:
    """Apply a plan that `dynodesk reconcile … --plan` made: confirm each repair again, write it once, count again.

    A plan with a rule that was never applied before is printed and not applied, unless --first says that it was read.
    The first surprise ends the run.

    Exit codes: 0 all repaired, 1 a repair that is not right afterwards, 2 a plan that is not applied, 3 cannot connect
    or not allowed, 4 not all repaired, 130 interrupted.
    """
    plan = read_plan(_text_of(plan_file), plan_file.name)
    with interruptible() as ticket, place.opened(ticket, to_write=True) as workspace, repairing(workspace):
        desk = repair_desk(workspace, Meter(workspace.meter))
        _resolve(desk, ticket)
        desk.check(plan, frozenset(approved), RepairLimits(max_delta, max_repairs), ticket)
        new = desk.new_rules(plan)
        if new and not first:
            print_result(_requests(plan), {"requests": [request_json(repair.update) for repair in plan.repairs]}, form)
            say(f"nothing was written: {', '.join(new)} was never applied before as it is now")
            say("read the requests, then give --first")
            return ExitCode.INCOMPLETE
        report = desk.apply(plan, ticket, _narrate)
        interrupted = ticket.cancelled
    print_result(_report_lines(report), _report_json(report), form)
    if report.stopped:
        say(f"stopped: {report.stopped}")
    if interrupted:
        return ExitCode.INTERRUPTED
    if report.found_drift:
        wrong = [result for result in report.results if result.outcome in {"not verified", "not held"}]
        say(f"to take them back: dynodesk repair undo {' '.join(result.repair.id for result in wrong)} …")
        return ExitCode.DRIFT
    return ExitCode.OK if report.is_done else ExitCode.INCOMPLETE


@repair.command()
@click.argument("repair_ids", metavar="REPAIR_ID...", nargs=-1, required=True)
@connection_options
@APPROVED
@FORM
def undo(repair_ids: tuple[str, ...], place: Place, approved: tuple[str, ...], form: str) -> int:
    """Take repairs back: what each took from its tally is given back, once.

    With a marker that is right however often the tally was written since; without one it is done only as long as
    nobody wrote the parent.

    Exit codes: 0 all undone, 2 not to be undone here, 3 cannot connect or not allowed, 4 not all undone.
    """
    with interruptible() as ticket, place.opened(ticket, to_write=True) as workspace, repairing(workspace):
        desk = repair_desk(workspace, Meter(workspace.meter))
        _resolve(desk, ticket)
        results = desk.undo(tuple(dict.fromkeys(repair_ids)), frozenset(approved), ticket)
    print_result(_undo_lines(results), {"results": [_undo_json(result) for result in results]}, form)
    return ExitCode.OK if all(result.outcome == "undone" for result in results) else ExitCode.INCOMPLETE


@repair.command()
@connection_options
@FORM
def resolve(place: Place, form: str) -> int:
    """Find out what became of writes whose program was killed before it could note it. Nothing is written.

    Requests of `dynodesk transact` and `update` are named; what they did is for people to find out.

    `apply` and `undo` do this by themselves, before anything else.

    Exit codes: 0 nothing is open any more, 3 cannot connect or not allowed, 4 something could not be read.
    """
    with interruptible() as ticket, place.opened(ticket) as workspace, repair_lock():
        resolved = repair_desk(workspace, Meter(workspace.meter)).resolve(ticket)
        requests = request_desk(workspace, Meter(workspace.meter))
        for run in requests.log().open(requests.place):
            then = f"`dynodesk transact --again {run.id}`" if run.token else "look at what it writes"
            say(f"not known: request {run.id} of {run.at}, {run.operation}: {then}")
    lines = [f"{one.outcome:12} {one.write.id:18} {one.write.parent_text} · {one.reason}" for one in resolved]
    found = [{**_logged_json(one.write), "outcome": one.outcome, "why": one.reason} for one in resolved]
    print_result(lines or ["nothing was left open"], {"results": found}, form)
    return ExitCode.INCOMPLETE if any(one.outcome == "unknown" for one in resolved) else ExitCode.OK


@repair.command()
@click.option("--verify", is_flag=True, help="Only check that the journal is what was written to it.")
@FORM
def log(verify: bool, form: str) -> int:
    """What the journal of this computer holds: every write, what became of it, and what took it back.

    Values that a rule calls sensitive are in the journal, and not in what is printed.

    Exit codes: 0 the journal is whole, 1 it was changed.
    """
    contents = open_journal().read()
    state = {
        "records": len(contents.records),
        "head": contents.head,
        "broken": None if contents.broken is None else str(contents.broken),
        "torn_bytes": len(contents.torn),
    }
    records = () if verify else contents.shown().records
    writes = list(Ledger.of(records).writes.values())
    edits, requests = EditLog.of(records), RequestLog.of(records)
    dated = [(write.at, _logged_line(write)) for write in writes]
    dated += [(edit.at, _edit_line(edit)) for edit in edits.edits.values()]
    dated += [(batch.at, _batch_line(batch)) for batch in edits.batches.values()]
    dated += [(run.at, _request_line(run)) for run in requests.runs.values()]
    lines = [line for _, line in sorted(dated, key=lambda entry: entry[0])]
    whole = "whole" if contents.broken is None else f"CHANGED at {contents.broken}"
    lines.append(f"{len(contents.records):,} records, {whole} · last record {contents.head}")
    if contents.torn:
        lines.append(f"{len(contents.torn)} bytes of a line that was never finished: a program ended while it wrote")
    content = {
        **state,
        "writes": [_logged_json(write) for write in writes],
        "edits": [_edit_json(edit) for edit in edits.edits.values()],
        "batches": [_batch_json(batch) for batch in edits.batches.values()],
        "requests": [_request_json(run) for run in requests.runs.values()],
    }
    print_result(lines, content, form)
    return ExitCode.OK if contents.broken is None else ExitCode.DRIFT


# -------------------------------------------------------------------------------------------------------- in and out


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_PLAN_BYTES + 1)
        if len(data) <= MAX_PLAN_BYTES:
            return data.decode("utf-8")
    except OSError as problem:
        raise InvalidFile(f"{path} cannot be read: {problem.strerror or problem}") from problem
    except UnicodeDecodeError as problem:
        raise InvalidFile(f"{path} is not UTF-8: it is no repair plan") from problem
    raise InvalidFile(f"{path} is larger than a plan can be")


def _resolve(desk: RepairDesk, ticket: Ticket) -> None:
    for one in desk.resolve(ticket):
        say(f"left open by an earlier program: {one.write.id} of {one.write.parent_text}: {one.outcome}, {one.reason}")


def _narrate(result: RepairResult) -> None:
    if result.outcome != "unverified":
        say(f"{result.outcome}: {result.repair.parent_text} {result.repair.words}{_because(result.reason)}")


def _because(reason: str) -> str:
    return f" · {reason}" if reason else ""


def _requests(plan: RepairPlan) -> Iterator[str]:
    for planned in plan.repairs:
        yield f"{planned.parent_text}  {planned.words}"
        yield "  " + json.dumps(request_json(planned.update), ensure_ascii=False)


def _report_lines(report: RepairReport) -> Iterator[str]:
    counts = Counter(result.outcome for result in report.results)
    yield f"{len(report.results):,} planned: " + (
        ", ".join(f"{count:,} {outcome}" for outcome, count in counts.items()) or "nothing to do"
    )
    for result in report.results:
        planned = result.repair
        held = ", held" if result.held else ""
        yield (
            f"{result.outcome + held:16} {planned.id}  {planned.parent_text}  {planned.words}{_because(result.reason)}"
        )


def _report_json(report: RepairReport) -> dict[str, Any]:
    return {
        "run": report.run,
        "plan": report.plan,
        "started": report.started,
        "ended": report.ended,
        "stopped": report.stopped,
        "results": [
            {
                "id": result.repair.id,
                "rule": result.repair.rule,
                "table": result.repair.table,
                "parent": item_to_dynamodb(result.repair.key),
                "stored": None if result.repair.stored is None else result.repair.stored.text,
                "real": plain_digits(result.repair.real),
                "delta": plain_digits(result.repair.drift.copy_negate()),
                "outcome": result.outcome,
                "held": result.held,
                "tries": result.tries,
                "reason": result.reason or None,
            }
            for result in report.results
        ],
    }


def _undo_lines(results: Iterable[UndoResult]) -> Iterator[str]:
    for result in results:
        change = signed(result.repair.drift.value)
        yield f"{result.outcome:12} {result.repair.id}  {result.repair.parent_text}  {change}{_because(result.reason)}"


def _undo_json(result: UndoResult) -> dict[str, Any]:
    return {**_logged_json(result.repair), "outcome": result.outcome, "reason": result.reason or None}


def _logged_line(write: LoggedWrite) -> str:
    change = write.drift.value if write.what == "undo" else write.drift.value.copy_negate()
    where = f"{write.update.table}  {write.parent_text}"
    return f"{write.at}  {write.what:6} {write.id}  {where}  {signed(change)}  {write.state}"


def _logged_json(write: LoggedWrite) -> dict[str, Any]:
    return {
        "id": write.id,
        "at": write.at,
        "what": write.what,
        "run": write.run.id,
        "rule": write.rule,
        "table": write.update.table,
        "parent": item_to_dynamodb(write.update.key),
        "drift": write.drift.text,
        "outcome": write.outcome or None,
        "why": write.why or None,
        "checks": list(write.checks),
    }


def _edit_line(edit: LoggedEdit) -> str:
    paths = ", ".join(str(change.path) for change in edit.changes[:3]) + (", …" if len(edit.changes) > 3 else "")
    return f"{edit.at}  {edit.kind:6} {edit.id}  {edit.write.table}  {edit.title}  {paths}  {edit.state}"


def _edit_json(edit: LoggedEdit) -> dict[str, Any]:
    return {
        "id": edit.id,
        "at": edit.at,
        "what": edit.kind,
        "commit": edit.commit.id,
        "undoes": edit.undoes or None,
        "table": edit.write.table,
        "key": item_to_dynamodb(edit.write.key),
        "changes": [
            {
                "path": str(change.path),
                "before": change.before and to_dynamodb(change.before),
                "after": change.after and to_dynamodb(change.after),
            }
            for change in edit.changes
        ],
        "operation": edit.write.operation,
        "request": request_json(edit.write),
        "outcome": edit.outcome or None,
        "why": edit.why or None,
    }


def _batch_line(batch: LoggedBatch) -> str:
    left = f", {batch.left_out} left out" if batch.left_out else ""
    return f"{batch.at}  batch  {batch.id}  {batch.table}  {len(batch.writes)} writes{left}  {batch.state}"


def _batch_json(batch: LoggedBatch) -> dict[str, Any]:
    return {
        "id": batch.id,
        "at": batch.at,
        "commit": batch.commit.id,
        "table": batch.table,
        "request": batch_json(batch.table, batch.writes),
        "left_out": batch.left_out,
        "outcome": batch.outcome or None,
        "why": batch.why or None,
    }


def _request_line(run: LoggedRequest) -> str:
    where = " · ".join(part for part in (run.place.endpoint, run.place.region) if part)
    return f"{run.at}  request {run.id}  {run.operation}  {where}  {run.state}"


def _request_json(run: LoggedRequest) -> dict[str, Any]:
    return {
        "id": run.id,
        "at": run.at,
        "operation": run.operation,
        "request": run.parameters,
        "tries": run.tries,
        "outcome": run.outcome or None,
        "why": run.why or None,
    }
