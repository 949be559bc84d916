"""What the dialogs about repairs do in the background: plan, apply, take back, read the journal. Nothing is Qt's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from dynodesk.domain.access import Access
from dynodesk.domain.capacity import Meter
from dynodesk.domain.findings import Finding, Report
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.repairs import RepairPlan, RepairReport, RepairResult, RulesText
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.desk import RepairDesk
from dynodesk.reconcile.ledger import Ledger
from dynodesk.reconcile.plan_files import plan_hash, plan_text
from dynodesk.reconcile.planning import RepairLimits
from dynodesk.reconcile.undo import Resolved, UndoResult
from dynodesk.store.journal import Contents, Journal
from dynodesk.store.paths import write_private


@dataclass(frozen=True, slots=True)
class RepairTools:
    """What it takes to repair at one connection."""

    access: Access
    desk: Callable[[Meter], RepairDesk]
    """Slow when it is first called: for worker threads."""
    held: Callable[[], AbstractContextManager[None]]
    """To be held while anything is written. Raises `ReadOnly`, and `FileNotWritten` where another program repairs."""
    journal: Callable[[], Journal]
    meter: Meter

    @property
    def profile(self) -> Profile:
        return self.access.profile

    @property
    def new_desk(self) -> RepairDesk:
        return self.desk(Meter(self.meter))


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, and what has to be known before it is applied."""

    plan: RepairPlan
    hash: str
    new_rules: tuple[str, ...]
    """Rules never applied before as they are: their requests are to be read first."""


@dataclass(frozen=True, slots=True)
class Applied:
    report: RepairReport
    resolved: tuple[Resolved, ...]
    """What became of writes that an earlier program had left open."""


@dataclass(frozen=True, slots=True)
class Undone:
    results: tuple[UndoResult, ...]
    resolved: tuple[Resolved, ...]


@dataclass(frozen=True, slots=True)
class Logged:
    """The journal as it is now."""

    contents: Contents
    ledger: Ledger
    """Of the records before the first that was changed, where one was."""
    path: Path


def plan_repairs(
    tools: RepairTools,
    report: Report,
    findings: Collection[Finding],
    rules: Sequence[TallyRule],
    source: RulesText,
    ticket: Ticket,
) -> Planned:
    """A plan for these findings of a report. Raises what `RepairDesk.plan` raises."""
    ticket.checkpoint(Progress(0, note="Planning"))
    chosen = {id(finding) for finding in findings}
    parts = tuple(
        replace(rule, findings=tuple(finding for finding in rule.findings if id(finding) in chosen))
        for rule in report.rules
    )
    desk = tools.new_desk
    plan = desk.plan(replace(report, rules=parts), rules, source, ticket)
    return Planned(plan, plan_hash(plan), desk.new_rules(plan))


def apply_plan(
    tools: RepairTools,
    plan: RepairPlan,
    approved: frozenset[str],
    limits: RepairLimits,
    told: Callable[[RepairResult], object],
    ticket: Ticket,
) -> Applied:
    """Raises `InvalidRequest` where the plan may not be applied, and what `RepairDesk.apply` raises."""
    with tools.held():
        desk = tools.new_desk
        resolved = desk.resolve(ticket)
        desk.check(plan, approved, limits, ticket)
        return Applied(desk.apply(plan, ticket, told), resolved)


def undo_repairs(tools: RepairTools, repair_ids: Sequence[str], approved: frozenset[str], ticket: Ticket) -> Undone:
    """Raises `InvalidRequest` where one of them cannot be taken back: then none is."""
    with tools.held():
        desk = tools.new_desk
        resolved = desk.resolve(ticket)
        return Undone(desk.undo(repair_ids, approved, ticket), resolved)


def read_journal(journal: Journal, ticket: Ticket) -> Logged:
    """Raises `FileNotWritten` where it cannot be opened, `InvalidFile` where a newer version wrote it."""
    contents = journal.read()
    ticket.checkpoint()
    return Logged(contents, Ledger.of(contents.records), journal.path)


def save_plan(plan: RepairPlan, path: Path, ticket: Ticket) -> Path:
    """Raises `FileNotWritten`."""
    ticket.checkpoint()
    write_private(path, plan_text(plan).encode())
    return path


def seconds_old(plan: RepairPlan) -> float:
    return (datetime.now(UTC) - datetime.fromisoformat(plan.created)).total_seconds()


def resolved_words(resolved: Sequence[Resolved]) -> str:
    """What an earlier program had left open, in a sentence; "" where it left nothing."""
    return " ".join(
        f"Left open by an earlier program: {one.write.parent_text}, {one.outcome}: {one.reason}." for one in resolved
    )
