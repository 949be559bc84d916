"""`dynodesk transact`: transactions, and other requests that people compose, run from files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, interruptible, say
from dynodesk.cli.repairing import APPROVED, FORM
from dynodesk.cli.request_reports import show_rehearsal, show_report
from dynodesk.cli.request_texts import Said, say_all, text_of
from dynodesk.cli.sending import Prepared, approve, prepare, refuse_new_items, say_plan
from dynodesk.composing import words
from dynodesk.composing.desk import RequestDesk
from dynodesk.composing.running import RunReport, report_left_open
from dynodesk.domain.actions import actions_of, is_read
from dynodesk.domain.capacity import Meter
from dynodesk.domain.composition import Draft, draft_of, read_pasted
from dynodesk.domain.drafts import WITH_TOKEN
from dynodesk.domain.errors import InvalidExpression, InvalidRequest
from dynodesk.domain.mirror import mirror
from dynodesk.domain.progress import Ticket
from dynodesk.domain.recipe_guesses import versions_written
from dynodesk.wiring import Workspace, rehearsal_desk, request_desk


@click.command()
@click.argument("file", metavar="[FILE|-]", required=False, type=click.Path(path_type=Path))
@connection_options
@APPROVED
@click.option("--token", metavar="TOKEN", help="In place of the ClientRequestToken of the file, or of a new one.")
@click.option("--create", "may_create", is_flag=True, help="Updates may make items where there are none.")
@click.option("--rehearse", is_flag=True, help="Try it on copies of its items, on this computer. Nothing is sent.")
@click.option("--mirror", "is_mirrored", is_flag=True, help="Take what the file does back: what it adds is taken away.")
@click.option("--again", metavar="RUN", help="Send a run of the journal again, with its token, in place of a FILE.")
@FORM
def transact(
    file: Path | None,
    place: Place,
    approved: tuple[str, ...],
    token: str | None,
    may_create: bool,
    rehearse: bool,
    is_mirrored: bool,
    again: str | None,
    form: str,
) -> int:
    """Check and run a transaction, or a request for one item: all of it is done, or nothing.

    FILE has a request as JSON of the API, a command of the AWS CLI, a call of boto3, or a statement of PartiQL. What
    it will do is printed first. To write it takes --yes TABLE for each table, or the name typed on a terminal. Each
    write is in the journal before it is sent.

    With a ClientRequestToken in the FILE, or --token, a script that is run twice within ten minutes counts once. Else
    each run has a new token, which is printed.

    Exit codes: 0 done, 1 refused by a condition, 2 usage, or not a request that can be sent, 3 cannot connect or not
    allowed, 4 nothing was written, as others were in the way or capacity was missing, 5 not known whether it was
    written, 130 interrupted before anything was sent.
    """
    if (file is None) == (again is None):
        raise click.UsageError("Give a FILE, or --again with the RUN that is to be sent again.")
    if again is not None:
        if token is not None or may_create or rehearse or is_mirrored:
            raise click.UsageError("--again sends what was sent before: no other option changes it.")
        return _again(again, place, approved, form)
    text = text_of(file or Path("-"))
    try:
        draft = read_pasted(text)
    except InvalidExpression as problem:
        say_all([Said.of_problem(problem, text)])
        return ExitCode.USAGE
    of_token = "from the file" if draft.token and draft.token in text else "new"
    if token is not None:
        if draft.operation not in WITH_TOKEN:
            raise InvalidRequest(f"{draft.operation} has no token", hint="Leave --token out.")
        draft, of_token = replace(draft, token=token), "as given"
    if may_create:
        draft = _creating(draft)
    with interruptible() as ticket, place.opened(ticket, to_write=not rehearse) as workspace:
        desk = request_desk(workspace, Meter(workspace.meter))
        prepared = prepare(draft, workspace, desk, ticket)
        if is_mirrored:
            prepared = _mirrored(prepared, token, workspace, desk, ticket)
            of_token = "new" if token is None else "as given"
        has_token = bool(prepared.checked.draft.token) and not is_read(prepared.request)
        say_plan(prepared, workspace, place, f"token {prepared.checked.draft.token}, {of_token}" if has_token else "")
        if rehearse:
            rehearsal = rehearsal_desk(workspace, Meter(workspace.meter)).rehearse(prepared.request, ticket)
            return show_rehearsal(rehearsal, prepared.tables, form)
        if not is_read(prepared.request):
            refuse_new_items(prepared)
            approve(words.tables_of(prepared.request), approved, workspace, ticket)
        report = desk.run(prepared.request, ticket, say)
    return show_report(report, prepared.tables, desk, form)


def _creating(draft: Draft) -> Draft:
    return replace(draft, actions=tuple(replace(action, may_create=True) for action in draft.actions))


def _mirrored(
    prepared: Prepared, token: str | None, workspace: Workspace, desk: RequestDesk, ticket: Ticket
) -> Prepared:
    """What takes the request back, as it would have been done some time ago: what it found then is not known."""
    request = mirror(prepared.request, prepared.tables, rising=versions_written(prepared.request))
    draft = draft_of(request if token is None else replace(request, token=token))
    return prepare(draft, workspace, desk, ticket)


def _again(run: str, place: Place, approved: tuple[str, ...], form: str) -> ExitCode:
    with interruptible() as ticket, place.opened(ticket, to_write=True) as workspace:
        desk = request_desk(workspace, Meter(workspace.meter))
        report = _report_of(run, desk)
        tables = {
            name: workspace.catalog.describe(name, ticket)
            for name in dict.fromkeys(action.table for action in actions_of(report.request))
        }
        if why := desk.why_not_again(report):
            raise InvalidRequest(why, hint="Nothing was sent.")
        left = int(desk.seconds_left(report))
        say(f"{report.request.operation} of {report.started}, for {left // 60}:{left % 60:02} more with its token")
        approve(words.tables_of(report.request), approved, workspace, ticket)
        report = desk.send_again(report, ticket, say)
    return show_report(report, tables, desk, form)


def _report_of(run: str, desk: RequestDesk) -> RunReport:
    log = desk.log()
    logged = log.runs.get(run)
    if logged is None:
        known = ", ".join(one.id for one in log.open(desk.place)) or "none"
        raise InvalidRequest(f"the journal has no run {run} of a request", hint=f"Not known what became of: {known}.")
    if logged.place != desk.place:
        where = " · ".join(part for part in (logged.place.identity, logged.place.endpoint, logged.place.region) if part)
        raise InvalidRequest(f"the run {run} was sent to {where}", hint="Open that connection. Nothing was sent.")
    return report_left_open(logged)
