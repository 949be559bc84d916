"""All that is done with repairs at one connection: planned, applied, taken back, and cleared up after a crash."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from dynodesk.domain.findings import Report
from dynodesk.domain.ports import TableCatalog
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import (
    KeptJournal,
    Place,
    RepairPlan,
    RepairReport,
    RepairResult,
    RulesText,
)
from dynodesk.domain.sensitive import SensitiveAttributes, SensitiveJournal
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.writing import Hands
from dynodesk.reconcile.ledger import Ledger, LoggedWrite
from dynodesk.reconcile.planning import Planner, RepairLimits, check_plan, rules_of
from dynodesk.reconcile.repair import RepairRun, Sight, made_before
from dynodesk.reconcile.undo import Resolved, UndoResult, resolve_open, to_undo, undo


@dataclass(frozen=True, slots=True)
class RepairDesk:
    """Whoever uses it to write holds the lock on repairs meanwhile."""

    place: Place
    catalog: TableCatalog
    sight: Sight
    hands: Hands
    journal: KeptJournal

    def plan(self, report: Report, rules: Sequence[TallyRule], source: RulesText, ticket: Ticket) -> RepairPlan:
        """What of a run's findings can be repaired, and how. `source` is the text that the rules were read from.

        Reads the tables' descriptions, and the parents of rules with a marker. Raises what reading raises.
        """
        tables = {name: self.catalog.describe(name, ticket) for name in sorted({rule.table for rule in rules})}
        planner = Planner(self.sight.reader, self.place, tables)
        return planner.plan(report, rules, source, self.sight.clock.utc(), ticket)

    def check(self, plan: RepairPlan, approved: frozenset[str], limits: RepairLimits, ticket: Ticket) -> None:
        """Raises `InvalidRequest` with everything that keeps a plan from being applied here and now."""
        tables: dict[str, TableInfo] = {}
        if plan.place == self.place:
            tables = {name: self.catalog.describe(name, ticket) for name in plan.tables}
        check_plan(plan, self.place, tables, self.sight.clock.utc(), approved, limits)

    def new_rules(self, plan: RepairPlan) -> tuple[str, ...]:
        """The plan's rules that were never applied before as they are now: their requests are to be read first."""
        known = Ledger.of(self.journal.records()).known_rules
        return tuple(name for name, hash_ in plan.rule_hashes.items() if hash_ not in known)

    def apply(
        self, plan: RepairPlan, ticket: Ticket, told: Callable[[RepairResult], object] | None = None
    ) -> RepairReport:
        """Carry out a plan that was checked. `told` is called with each result as soon as it is known.

        Raises `InvalidRules` where its rules do not fit the tables any more, `DynodeskError` where nothing was begun.
        """
        rules = self._rules(plan.rules, frozenset(plan.rule_hashes), ticket)
        made = made_before(plan, Ledger.of(self.journal.records()))
        sensitive = SensitiveAttributes()
        sensitive.add(rules.values())
        hands = replace(self.hands, journal=SensitiveJournal(self.journal, sensitive))
        return RepairRun(plan, rules, self.sight, hands, made).report(ticket, told)

    def undo(self, repair_ids: Sequence[str], approved: frozenset[str], ticket: Ticket) -> tuple[UndoResult, ...]:
        """Take repairs back, one after the other. Raises `InvalidRequest` before anything is written."""
        ledger = Ledger.of(self.journal.records())
        repairs = [to_undo(ledger, repair_id, self.place, approved) for repair_id in repair_ids]
        return tuple(undo(repair, self.hands, ticket) for repair in repairs)

    def resolve(self, ticket: Ticket) -> tuple[Resolved, ...]:
        """Find out what became of writes whose program ended before it could note it. Belongs before all others."""
        ledger = Ledger.of(self.journal.records())

        def rules(write: LoggedWrite) -> Mapping[str, TallyRule]:
            return self._rules(write.run.rules, frozenset({write.rule}), ticket)

        return tuple(resolve_open(ledger, self.place, rules, self.sight, self.hands, ticket))

    def _rules(self, source: RulesText, names: frozenset[str], ticket: Ticket) -> dict[str, TallyRule]:
        return rules_of(
            source,
            names,
            lambda table: self.catalog.describe(table, ticket),
            lambda table: self.catalog.time_to_live(table, ticket),
        )
