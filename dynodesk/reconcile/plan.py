"""What a run will read, before it reads anything: an estimate from the rules, the tables' sizes and the scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from dynodesk.domain.capacity import READ_UNIT_BYTES, Consistency, read_units
from dynodesk.domain.clock import duration
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.tallies import Tally, TallyRule
from dynodesk.domain.tries import Pause, Waited
from dynodesk.domain.values import plain_digits
from dynodesk.reconcile.confirm import (
    Confirmation,
    CountChildren,
    Counted,
    ParentSeen,
    Protocol,
    ReadParent,
    Wait,
)
from dynodesk.reconcile.run import Scope


@dataclass(frozen=True, slots=True)
class TableScan:
    """One Scan of a table, by the table's size and item count. None: the service reports none."""

    table: str
    units: Decimal | None
    items: int | None
    times: int = 1
    """How often it is made."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What it takes to confirm one parent that nobody disturbs."""

    parent_reads: int
    passes: int
    waits: tuple[float, ...]
    """Seconds, in order."""
    units: Decimal
    """Read units if all children fit into one unit; each further unit of children costs one more a pass."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will read and wait for. All figures are estimates; `what` and `cost` are its words."""

    scans: tuple[TableScan, ...]
    shared: tuple[TableScan, ...]
    """Strongly consistent Scans that count the children behind a global secondary index, for all suspects at once."""
    chosen: int | None
    """Parents to read by their keys, without a sweep; None where the tables are swept."""
    everyone: bool
    if_off: tuple[Effort, ...]
    """One for each rule: a parent whose tally does not match."""
    if_right: tuple[Effort, ...]
    """One for each rule: a parent whose tally matches."""

    @property
    def what(self) -> str:
        """The operations: `1 Scan of Social`, `Query per parent, 3 parents`."""
        if self.chosen is not None:
            return f"Query per parent, {self.chosen:,} parent{'' if self.chosen == 1 else 's'}"
        names = [scan.table for scan in self.scans]
        if len(names) == 1:
            return f"1 Scan of {names[0]}"
        return f"{len(names)} Scans, of {', '.join(names[:-1])} and {names[-1]}"

    @property
    def cost(self) -> str:
        """Units and waits: `about 73 RCU (…) · then about 8 RCU a suspect · waits 1 s + 2 s, side by side · …`."""
        passes = max(effort.passes for effort in self.if_off)
        return " · ".join(
            [
                *self._scan_words(),
                self._confirming_words(),
                *self._shared_words(),
                self._wait_words(),
                f"+{passes} RCU for each further {READ_UNIT_BYTES // 1024} KB of children",
            ]
        )

    def _scan_words(self) -> Iterator[str]:
        if not self.scans:
            return
        known = [scan.units for scan in self.scans if scan.units is not None]
        if known:
            yield f"about {_units(sum(known, Decimal(0)))} RCU (size as of up to 6 h ago)"
        for scan in self.scans:
            if scan.units is None:
                items = "" if scan.items is None else f", about {scan.items:,} items"
                whose = f" of {scan.table}" if len(self.scans) > 1 else ""
                yield f"size{whose} not reported{items}"

    def _shared_words(self) -> Iterator[str]:
        for scan in self.shared:
            cost = "size not reported" if scan.units is None else f"about {_units(scan.units * scan.times)} RCU"
            yield f"{scan.times} strong Scans of {scan.table} where an index's children are off ({cost})"

    def _confirming_words(self) -> str:
        off, right = _span(self.if_off), _span(self.if_right)
        if self.chosen is not None:
            return f"about {right} RCU each, {off} where it is off"
        if self.everyone:
            return f"then about {right} RCU a parent, {off} where it is off"
        return f"then about {off} RCU a suspect"

    def _wait_words(self) -> str:
        longest = max((effort.waits for effort in self.if_off), key=sum)
        return f"waits {' + '.join(map(duration, longest))}, side by side" if longest else "waits for nothing"


def plan_run(rules: Sequence[TallyRule], tables: Mapping[str, TableInfo], scope: Scope) -> Plan:
    """The plan for a run of at least one rule. `tables` has the tables of all of them by name."""
    swept = sorted({name for rule in rules for name in rule.tables}) if scope.chosen is None else ()
    if_off = tuple(_effort(rule, tables[rule.table], off=True) for rule in rules)
    return Plan(
        scans=tuple(
            TableScan(name, _scan_units(tables[name], "eventual"), tables[name].item_count_estimate) for name in swept
        ),
        shared=() if scope.chosen is not None else tuple(_shared(rules, if_off, tables)),
        chosen=None if scope.chosen is None else len(scope.chosen),
        everyone=scope.everyone,
        if_off=if_off,
        if_right=tuple(_effort(rule, tables[rule.table], off=False) for rule in rules),
    )


def _shared(
    rules: Sequence[TallyRule], efforts: Sequence[Effort], tables: Mapping[str, TableInfo]
) -> Iterator[TableScan]:
    passes: dict[str, int] = {}
    for rule, effort in zip(rules, efforts, strict=True):
        if not rule.children.is_consistent:
            name = rule.children.table
            passes[name] = max(effort.passes, passes.get(name, 0))
    for name, times in passes.items():
        yield TableScan(name, _scan_units(tables[name], "strong"), tables[name].item_count_estimate, times)


def _scan_units(table: TableInfo, consistency: Consistency) -> Decimal | None:
    # A size of 0 is no size: new tables have it for hours, and some emulators for ever.
    return read_units(table.size_bytes_estimate, consistency) if table.size_bytes_estimate else None


def _effort(rule: TallyRule, table: TableInfo, *, off: bool) -> Effort:
    """Goes through the protocol with a parent that stands still, and notes what it asks for."""
    parent = ParentSeen(Tally(None, Decimal(1 if off else 0)), Decimal(1) if rule.version else None)
    reads = passes = 0
    waits: list[float] = []
    state = Confirmation(Protocol.of(rule))
    while True:
        reply: ParentSeen | Counted | Waited
        match state.request:
            case ReadParent():
                reads += 1
                reply = parent
            case CountChildren():
                passes += 1
                reply = Counted(0, "")
            case Wait(seconds):
                waits.append(seconds)
                reply = Waited()
            case Pause():  # only a disturbed try pauses
                reply = Waited()
        after = state.after(reply)
        if not isinstance(after, Confirmation):
            break
        state = after
    units = reads * read_units(_average_size(table), "transactional") + passes * read_units(0, "strong")
    return Effort(reads, passes, tuple(waits), units)


def _average_size(table: TableInfo) -> int:
    """Bytes of an item, as good a guess as any for a parent; 0 where the service reports none."""
    return (table.size_bytes_estimate or 0) // (table.item_count_estimate or 1)


def _span(efforts: Sequence[Effort]) -> str:
    units = [effort.units for effort in efforts]
    least, most = _units(min(units)), _units(max(units))
    return least if least == most else f"{least} to {most}"


def _units(units: Decimal) -> str:
    return f"{int(units):,}" if units % 1 == 0 else plain_digits(units)
