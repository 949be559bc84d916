"""`dynodesk reconcile` and `dynodesk rules`."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

import click

from dynodesk.cli.brake import braked_by
from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, explain, interruptible, say
from dynodesk.cli.numbers import NumberRange, Units
from dynodesk.cli.output import write_bytes
from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.findings import UNDECIDED, Report
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.pacing import Limits
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import RepairPlan, RulesText
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.choosing import choose_parents
from dynodesk.reconcile.drafts import RuleDraft
from dynodesk.reconcile.plan_files import plan_text
from dynodesk.reconcile.planning import rule_hashes, with_times
from dynodesk.reconcile.rule_reader import LONGEST_WAIT
from dynodesk.reconcile.rules import parse_rules, read_rules, rules_text
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.reconcile.witness import Witness
from dynodesk.reports.wording import counted
from dynodesk.reports.writers import form_of, render
from dynodesk.store.paths import FileNotWritten, private_folder, write_private
from dynodesk.wiring import Workspace, repair_desk, run_history

UNITS = Units()
SECONDS = NumberRange(0, LONGEST_WAIT)
FILE = click.Path(path_type=Path)


@click.command()
@click.argument("rules_file", metavar="RULES.toml", type=FILE)
@connection_options
@click.option("--rule", "names", metavar="NAME", multiple=True, help="Only this rule. May be given again.")
@click.option("--parent", "parents", metavar="KEY", multiple=True, help="Only this parent. May be given again.")
@click.option("--confirm-all", is_flag=True, help="Confirm every parent, also those that look right.")
@click.option("--wait", type=SECONDS, metavar="SECONDS", help="Overrides wait of every rule.")
@click.option("--settle", type=SECONDS, metavar="SECONDS", help="Overrides settle of every rule.")
@click.option("--max-units", type=UNITS, metavar="UNITS", help="End the run after so many read units.")
@click.option("--rate", type=UNITS, metavar="UNITS", help="Read at most so many units a second.")
@click.option(
    "--report", "files", metavar="FILE", multiple=True, type=FILE, help=".html, .pdf, .xlsx, .csv, .json or .md."
)
@click.option("--plan", "plan_file", metavar="PLAN.json", type=FILE, help="Write a plan of repairs, to be applied.")
@click.option(
    "--later", "later_file", metavar="FILE", type=FILE, help="List parents without a verdict, for --parent @FILE."
)
@click.option(
    "--resume", "kept", metavar="FOLDER", type=FILE, help="Keep the sweep there, and take up what is kept already."
)
@click.option("--witness", "with_witness", is_flag=True, help="Read streams: drift is exact where nobody wrote.")
@click.option("--brake", metavar="FILE", type=FILE, help="Pause as long as this file exists.")
@click.option("--history/--no-history", "keeps_history", default=True, help="Keep what was found for `rules history`.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
def reconcile(
    rules_file: Path,
    place: Place,
    names: tuple[str, ...],
    parents: tuple[str, ...],
    confirm_all: bool,
    wait: float | None,
    settle: float | None,
    max_units: Decimal | None,
    rate: Decimal | None,
    files: tuple[Path, ...],
    plan_file: Path | None,
    later_file: Path | None,
    kept: Path | None,
    with_witness: bool,
    brake: Path | None,
    keeps_history: bool,
    form: str,
) -> int:
    """Find tallies that do not match their children. Nothing is written to any table.

    KEY is a parent's key as DynamoDB JSON, the captures of its rule (post=a91f), or @FILE with one of these a line.

    Exit codes: 0 nothing off, 1 drift found, 2 usage or an invalid rules file, 3 cannot connect or not allowed,
    4 incomplete, 130 interrupted. A run that did not look at everything never exits 0.
    """
    forms = _forms(files)
    _check_place(plan_file, "plan")
    _check_place(later_file, "list")
    _check_apart([*files, *(file for file in (plan_file, later_file, rules_file) if file is not None)])
    if kept is not None and os.path.isfile(kept):  # noqa: PTH113  (Path.is_file raises where it may not look)
        raise InvalidRequest(f"{kept} is a file: a sweep is kept in a folder of its own")
    if kept is not None and not kept.is_dir():
        private_folder(kept)
    text = rules_text(rules_file)
    drafts = chosen_rules(parse_rules(text, str(rules_file)), names)
    with interruptible() as ticket, place.opened(ticket) as workspace:
        rules = bound(drafts, workspace, ticket)
        rules = tuple(with_times(rule, wait, settle) for rule in rules)
        chosen = choose_parents(parents, rules) if parents else None
        meter = Meter(workspace.meter)
        run = Run(
            rules,
            Scope(chosen, everyone=confirm_all),
            workspace.new_reader(meter),
            workspace.new_sweeper(meter, kept),
            meter,
            _origin(workspace, rules_file),
            clock=SystemClock(),
            limits=Limits(max_units, rate),
            witness=_witness(rules, workspace, ticket) if with_witness else None,
        )
        with braked_by(brake, ticket):
            report = run.report(ticket)
        if kept is not None and report.stopped is None:
            from dynodesk.workbench.sweeping import forget  # noqa: PLC0415  (loads the engine, which others need not)

            forget(kept)
        interrupted = ticket.cancelled
        plan = None
        if plan_file is not None and not interrupted:
            source = RulesText(str(rules_file), text, wait, settle)
            plan = repair_desk(workspace, meter).plan(report, rules, source, ticket)
    if keeps_history:
        report = run_history().remember(report, rule_hashes(RulesText(str(rules_file), text)))
    all_written = _write_files(report, forms)
    if plan is not None and plan_file is not None:
        all_written = _write_plan(plan, plan_file) and all_written
    if later_file is not None:
        all_written = _write_later(report, later_file) and all_written
    write_bytes(render(report, form))
    if report.stopped:
        say(f"stopped: {report.stopped}")
    if interrupted:
        return ExitCode.INTERRUPTED
    return exit_code_of_report(report) if all_written else ExitCode.INCOMPLETE


def _forms(files: Iterable[Path]) -> dict[Path, str]:
    """Form by file. Raises `InvalidRequest` where one cannot be written: known before the run, not after it."""
    forms = {path: form_of(path) for path in files}
    for path in forms:
        _check_place(path, "report")
    return forms


def _check_apart(paths: Sequence[Path]) -> None:
    """Raises `InvalidRequest` where one file would be written over another."""
    places = [os.path.normcase(os.path.realpath(path)) for path in paths]
    for place, path in zip(places, paths, strict=True):
        if places.count(place) > 1:
            raise InvalidRequest(f"{path} is named for two things: each has a file of its own")


def _check_place(path: Path | None, what: str) -> None:
    if path is None:
        return
    if not os.path.isdir(path.parent):  # noqa: PTH112  (Path.is_dir raises where a folder may not be looked into)
        raise InvalidRequest(f"there is no folder {path.parent} for the {what}", hint="Make it first.")
    if os.path.isdir(path):  # noqa: PTH112
        raise InvalidRequest(f"{path} is a folder: the {what} needs the name of a file")


def _write_plan(plan: RepairPlan, path: Path) -> bool:
    """Whether it was written."""
    try:
        write_private(path, plan_text(plan).encode())
    except FileNotWritten as problem:
        explain(problem)
        return False
    say(f"plan of {counted(len(plan.repairs), 'repair')} written to {path}")
    for left, count in Counter(f"{left.rule}: {left.reason}" for left in plan.left_out).items():
        say(f"not in the plan: {count} of {left}")
    return True


def _write_later(report: Report, path: Path) -> bool:
    """The parents without a verdict, one a line, as --parent @FILE takes them. Whether they were written."""
    left = [finding for finding in report.findings if finding.verdict in UNDECIDED]
    keys = dict.fromkeys(json.dumps(item_to_dynamodb(finding.parent), ensure_ascii=False) for finding in left)
    try:
        write_private(path, "".join(f"{key}\n" for key in keys).encode())
    except FileNotWritten as problem:
        explain(problem)
        return False
    say(f"{counted(len(keys), 'parent')} left for later in {path}")
    return True


def _write_files(report: Report, forms: Mapping[Path, str]) -> bool:
    """Whether all were written. What keeps one from it keeps nobody from the others, nor from the result on stdout."""
    all_written = True
    for path, form in forms.items():
        try:
            write_private(path, render(report, form))
        except FileNotWritten as problem:
            explain(problem)
            all_written = False
        else:
            say(f"report written to {path}")
    return all_written


def exit_code_of_report(report: Report) -> ExitCode:
    if report.undecided or report.compared_nothing:
        return ExitCode.INCOMPLETE
    return ExitCode.DRIFT if report.found_drift else ExitCode.OK


def chosen_rules(drafts: tuple[RuleDraft, ...], names: tuple[str, ...]) -> tuple[RuleDraft, ...]:
    known = {draft.name: draft for draft in drafts}
    for name in names:
        if name not in known:
            raise InvalidRequest(f'the rules file has no rule "{name}"', hint=f"It has: {', '.join(known)}.")
    return tuple(draft for draft in drafts if not names or draft.name in names)


def bound(drafts: Sequence[RuleDraft], workspace: Workspace, ticket: Ticket) -> tuple[TallyRule, ...]:
    catalog = workspace.catalog
    return bind_rules(
        drafts, lambda table: catalog.describe(table, ticket), lambda table: catalog.time_to_live(table, ticket)
    )


def _witness(rules: Sequence[TallyRule], workspace: Workspace, ticket: Ticket) -> Witness:
    names = frozenset(name for rule in rules for name in rule.tables)
    tables = {name: workspace.catalog.describe(name, ticket) for name in sorted(names)}
    return Witness(rules, tables, workspace.new_stream_reader(Meter(workspace.meter)), SystemClock())


def _origin(workspace: Workspace, rules_file: Path) -> Origin:
    return Origin(workspace.identity, workspace.endpoint, workspace.region, rules_file.name)


@click.group()
def rules() -> None:
    """Work with rules files."""


@rules.command()
@click.argument("rules_file", metavar="RULES.toml", type=FILE)
@connection_options
def check(rules_file: Path, place: Place) -> int:
    """Check a rules file; with a connection, against its tables too. No item is read."""
    drafts = read_rules(rules_file)
    against = "not checked against tables: no connection was given"
    if place.is_given:
        with interruptible() as ticket, place.opened(ticket) as workspace:
            bound(drafts, workspace, ticket)
        against = "they fit their tables" if len(drafts) > 1 else "it fits its tables"
    click.echo(f"{counted(len(drafts), 'rule')} without mistakes; {against}")
    return ExitCode.OK
