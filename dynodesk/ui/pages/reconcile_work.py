"""What the Reconcile page does in the background: read a rules file, run it, write a report. Nothing here is Qt's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.errors import DynodeskError, InvalidRequest
from dynodesk.domain.findings import Finding, Report
from dynodesk.domain.pacing import Limits
from dynodesk.domain.past_runs import PastRun, account_of
from dynodesk.domain.ports import TableCatalog
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.repairs import RulesText
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.choosing import choose_parents
from dynodesk.reconcile.plan import Plan, plan_run
from dynodesk.reconcile.planning import rule_hashes
from dynodesk.reconcile.rules import parse_rules, rules_text
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.reports.writers import FORMATS, render
from dynodesk.store.paths import write_private
from dynodesk.ui.shell import Workspace
from dynodesk.wiring import run_history

MOST_TYPED = 1_000
"""Parents that the page takes as typed; more of them are better kept in a file."""


NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class LoadedRules:
    """A rules file that fits its tables, as of the moment it was read."""

    path: Path
    text: str
    rules: tuple[TallyRule, ...]
    tables: dict[str, TableInfo]

    def named(self, names: Collection[str]) -> tuple[TallyRule, ...]:
        return tuple(rule for rule in self.rules if rule.name in names)


@dataclass(frozen=True, slots=True)
class Wish:
    """What the form asks for: which rules, and which parents. `parents` is None for the whole table."""

    names: frozenset[str]
    parents: tuple[str, ...] | None = None
    everyone: bool = False
    limits: Limits = NO_LIMITS

    @property
    def names_files(self) -> bool:
        """Whether parents are kept in files, which are read at the start of a run."""
        return any(line.startswith("@") for line in self.parents or ())


class ParentsRefused(Exception):
    """The parents as typed cannot be looked for: to be said at their field, nothing was read."""

    def __init__(self, error: DynodeskError) -> None:
        super().__init__(error.message)
        self.error = error


def load_rules(path: Path, catalog: TableCatalog, ticket: Ticket) -> LoadedRules:
    """Reads the file and asks each table what it is; no item is read. Raises what `parse_rules` and the catalog do."""
    tables: dict[str, TableInfo] = {}

    def describe(table: str) -> TableInfo:
        ticket.checkpoint(Progress(len(tables), note=f"Describe {table}"))
        tables[table] = catalog.describe(table, ticket)
        return tables[table]

    text = rules_text(path)
    drafts = parse_rules(text, str(path))
    rules = bind_rules(drafts, describe, lambda table: catalog.time_to_live(table, ticket))
    return LoadedRules(path, text, rules, tables)


def scope_of(wish: Wish, rules: Sequence[TallyRule]) -> Scope:
    """Raises `ParentsRefused` for typed parents that fit no rule, and where there are none."""
    if wish.parents is None:
        return Scope(everyone=wish.everyone)
    try:
        if not wish.parents:
            raise InvalidRequest("No parent is named", hint="Write one a line, or choose the whole table.")
        if len(wish.parents) > MOST_TYPED:
            raise InvalidRequest(
                f"{len(wish.parents):,} lines: at most {MOST_TYPED:,} are typed here",
                hint="Keep them in a file and write @ with its path.",
            )
        return Scope(choose_parents(wish.parents, rules))
    except DynodeskError as error:
        raise ParentsRefused(error) from error


def plan_of(wish: Wish, loaded: LoadedRules) -> Plan:
    """Raises `ParentsRefused`. `wish` names at least one rule."""
    rules = loaded.named(wish.names)
    return plan_run(rules, loaded.tables, scope_of(wish, rules))


def run_rules(
    loaded: LoadedRules,
    wish: Wish,
    workspace: Workspace,
    meter: Meter,
    found: Callable[[Finding], object],
    ticket: Ticket,
) -> Report:
    """Runs the rules that the wish names, and keeps what they found. `meter` counts this run alone."""
    rules = loaded.named(wish.names)
    scope = scope_of(wish, rules)
    origin = Origin(workspace.identity, workspace.endpoint, workspace.region, loaded.path.name)
    reader, sweeper = workspace.new_reader(meter), workspace.new_sweeper(meter)
    run = Run(rules, scope, reader, sweeper, meter, origin, clock=SystemClock(), limits=wish.limits)
    report = run.report(ticket, found)
    return run_history().remember(report, rule_hashes(RulesText(str(loaded.path), loaded.text)))


def history_of(loaded: LoadedRules, workspace: Workspace, ticket: Ticket) -> dict[str, list[PastRun]]:
    """What earlier runs of each rule found at this connection, oldest first. Raises `FileNotWritten`."""
    ticket.checkpoint()
    hashes = rule_hashes(RulesText(str(loaded.path), loaded.text))
    kept = run_history().of(hashes.values())
    place = (workspace.endpoint, workspace.region, account_of(workspace.identity))
    here = [run for run in kept if (run.where.endpoint, run.where.region, run.where.account) == place]
    return {
        rule.name: [run for run in here if (run.where.rule_hash, run.where.table) == (hashes[rule.name], rule.table)]
        for rule in loaded.rules
    }


def write_report(report: Report, path: Path, form: str, ticket: Ticket) -> Path:
    """Writes the whole report or nothing: what was there before stays until the new file is complete.

    A file name that ends in another form of a report is taken at its word. Raises `FileNotWritten`.
    """
    ending = path.suffix.lower().removeprefix(".")
    data = render(report, ending if ending in FORMATS else form)
    ticket.checkpoint()
    write_private(path, data)
    return path
