"""Plans: which findings of a run can be repaired and how, and whether a plan still holds."""

from __future__ import annotations

import hashlib
import json
import tomllib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.findings import DRIFT, UNDECIDED, Finding, Proof, Report
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import (
    PLAN_SECONDS,
    LeftOut,
    Place,
    PlannedRepair,
    RepairPlan,
    RulesText,
    TableStamp,
)
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Map, Number, String, Value, plain_digits
from dynodesk.domain.writes import GuardedUpdate
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.rules import parse_rules

USUAL_DELTA, USUAL_SHARE, USUAL_COUNT = Decimal(100), Decimal("0.1"), 1000
"""A repair that takes away or adds more than this, and more than this share of what is stored, is allowed only on
purpose; so are more repairs than this in one plan."""

# -------------------------------------------------------------------------------------------------------- the rules


def rules_of(
    source: RulesText,
    names: frozenset[str],
    describe: Callable[[str], TableInfo],
    time_to_live: Callable[[str], str | None],
) -> dict[str, TallyRule]:
    """The rules with these names, as they were run. Raises what `parse_rules` and `bind_rules` raise."""
    drafts = [draft for draft in parse_rules(source.text, source.file) if draft.name in names]
    rules = bind_rules(drafts, describe, time_to_live)
    return {rule.name: with_times(rule, source.wait, source.settle) for rule in rules}


def with_times(rule: TallyRule, wait: float | None, settle: float | None) -> TallyRule:
    """The rule with other times where they are given."""
    return replace(rule, wait=rule.wait if wait is None else wait, settle=rule.settle if settle is None else settle)


def rule_hashes(source: RulesText) -> dict[str, str]:
    """For each rule the hash of what it says, however it is spaced and whatever stands beside it in the file."""
    given = {"wait": source.wait, "settle": source.settle}
    return {
        table["name"]: canonical_hash(
            {**table, **{field: value for field, value in given.items() if value is not None}}
        )
        for table in tomllib.loads(source.text)["tally"]
    }


def canonical_hash(content: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":"), default=str).encode()).hexdigest()


# --------------------------------------------------------------------------------------------------------- making one


@dataclass(frozen=True, slots=True)
class Planner:
    """Makes plans for one connection. Reads a parent only where its rule has a marker, or a missing tally a map."""

    reader: ItemReader
    place: Place
    tables: Mapping[str, TableInfo]
    """Each rule's table by its name."""

    def plan(
        self, report: Report, rules: Sequence[TallyRule], source: RulesText, created: str, ticket: Ticket
    ) -> RepairPlan:
        """Raises what `ItemReader` raises."""
        by_name = {rule.name: rule for rule in rules}
        left_out: list[LeftOut] = []
        repairs: list[PlannedRepair] = []
        for rule in rules:
            findings = []
            for finding in report.findings:
                if finding.rule != rule.name or finding.verdict not in DRIFT | UNDECIDED:
                    continue
                why = why_not(finding, rule)
                if why:
                    left_out.append(LeftOut(rule.name, finding.parent, why))
                else:
                    findings.append(finding)
            for finding, marker in zip(findings, self._markers(findings, rule, ticket), strict=True):
                if isinstance(marker, LeftOut):
                    left_out.append(marker)
                elif finding.proof is not None and finding.drift is not None and finding.real is not None:
                    repairs.append(_planned(finding, rule, marker, finding.proof, finding.drift, Decimal(finding.real)))
        repairs.sort(key=lambda repair: repair.drift.copy_abs())  # what is tried first is the smallest
        hashes = rule_hashes(source)
        names = {repair.rule for repair in repairs}
        tables = {by_name[name].table for name in names}
        return RepairPlan(
            id=uuid.uuid4().hex[:12],
            created=created,
            run=report.run_id,
            place=self.place,
            tables={name: stamp_of(self.tables[name]) for name in sorted(tables)},
            rules=source,
            rule_hashes={name: hashes[name] for name in sorted(names)},
            repairs=tuple(repairs),
            left_out=tuple(left_out),
        )

    def _markers(
        self, findings: Sequence[Finding], rule: TallyRule, ticket: Ticket
    ) -> Sequence[Value | LeftOut | None]:
        """What the marker attribute of each parent holds, or why the parent cannot be written."""
        outer = rule.attribute.names[:-1]
        lacks_map = outer and any(finding.stored is None for finding in findings)
        if not findings or (rule.marker is None and not lacks_map):
            return [None] * len(findings)
        items = self.reader.batch_get(rule.table, [finding.parent for finding in findings], ticket, consistent=True)
        markers: list[Value | LeftOut | None] = []
        for finding, item in zip(findings, items, strict=True):
            marker = item.get(rule.marker) if item and rule.marker else None
            if item is None:
                markers.append(LeftOut(rule.name, finding.parent, "the parent was deleted since"))
            elif outer and finding.stored is None and not isinstance(AttributePath(outer).find(item), Map):
                why = f"{rule.attribute} is missing, and so is the map that it belongs into"
                markers.append(LeftOut(rule.name, finding.parent, why))
            elif marker is None or isinstance(marker, String):
                markers.append(marker)
            else:
                why = f"{rule.marker}, the rule's marker, holds something that no repair wrote"
                markers.append(LeftOut(rule.name, finding.parent, why))
        return markers


def why_not(finding: Finding, rule: TallyRule) -> str:
    """Why a finding that is off cannot be repaired; "" where it can."""
    match finding.verdict:
        case "exact" if not finding.evidence.witnessed:
            pass
        case "exact" | "probable" if rule.repairs == "probable":
            pass
        case "exact":
            return (
                "only the stream shows that it is exact, a repair is confirmed without it, and the rule does not say "
                'repairs = "probable"'
            )
        case "probable" if rule.marker is None:
            return 'the drift is probable only: it takes a version, or a marker and repairs = "probable" in the rule'
        case "probable":
            return 'the drift is probable only, and the rule does not say repairs = "probable"'
        case "bounded":
            return "the size of the drift is known as a range only"
        case "orphans":
            return "there is no parent to write to"
        case "incomparable":
            return finding.reason or "there is no number to compare"
        case _:
            return "not confirmed"
    if finding.proof is None:
        return "not confirmed in this run"
    if rule.is_sharded:
        return "the tally is spread over several items, and which of them is wrong is not known"
    if finding.proof.version is None and rule.marker is None:
        return "the parent has no version and the rule no marker: a repair could be made twice"
    return ""


def _planned(
    finding: Finding, rule: TallyRule, marker: Value | None, proof: Proof, drift: Decimal, real: Decimal
) -> PlannedRepair:
    repair_id = uuid.uuid4().hex[:12]
    stored = finding.stored if isinstance(finding.stored, Number) else None
    return PlannedRepair(
        id=repair_id,
        rule=rule.name,
        table=rule.table,
        key=finding.parent,
        verdict="exact" if finding.verdict == "exact" and not finding.evidence.witnessed else "probable",
        stored=stored,
        real=real,
        drift=drift,
        proof=proof,
        marker_seen=marker,
        confirmed=finding.evidence.looks[-1].at,
        update=repair_update(rule, repair_id, finding.parent, stored, drift, proof.version, marker),
    )


def repair_update(
    rule: TallyRule,
    repair_id: str,
    key: Key,
    stored: Number | None,
    drift: Decimal,
    version: Decimal | None,
    marker: Value | None,
) -> GuardedUpdate:
    """Takes `drift` from the tally, if tally, version and marker are what they were.

    A tally that is missing is set to what was counted. The version rises as with every write of the parent.
    """
    expected: dict[AttributePath, Value | None] = {rule.attribute: stored}
    add: dict[AttributePath, Number] = {}
    put: dict[AttributePath, Value] = {}
    change = Number(plain_digits(drift.copy_negate()))
    if stored is None:
        put[rule.attribute] = change
    else:
        add[rule.attribute] = change
    if rule.version is not None and version is not None:
        path = AttributePath((rule.version,))
        expected[path] = Number(plain_digits(version))
        add[path] = Number("1")
    if rule.marker is not None:
        path = AttributePath((rule.marker,))
        expected[path] = marker
        put[path] = String(repair_id)
    return GuardedUpdate(rule.table, key, expected, add, put)


def marker_path(rule: TallyRule) -> AttributePath | None:
    return None if rule.marker is None else AttributePath((rule.marker,))


def stamp_of(table: TableInfo) -> TableStamp:
    return TableStamp(table.arn, table.created)


# ---------------------------------------------------------------------------------------------------- before applying


@dataclass(frozen=True, slots=True)
class RepairLimits:
    """What is allowed without being asked for. `max_delta` None: the usual amount, or the usual share."""

    max_delta: Decimal | None = None
    max_repairs: int = USUAL_COUNT


def check_plan(
    plan: RepairPlan,
    place: Place,
    tables: Mapping[str, TableInfo],
    now: str,
    approved: frozenset[str],
    limits: RepairLimits,
) -> None:
    """Raises `InvalidRequest` with everything that keeps the plan from being applied here and now."""
    problems = list(_problems(plan, place, tables, now, approved, limits))
    if problems:
        raise InvalidRequest("The plan is not applied: " + "; ".join(problems), hint="Nothing was written.")


def _problems(
    plan: RepairPlan,
    place: Place,
    tables: Mapping[str, TableInfo],
    now: str,
    approved: frozenset[str],
    limits: RepairLimits,
) -> Iterator[str]:
    age = (datetime.fromisoformat(now) - datetime.fromisoformat(plan.created)).total_seconds()
    if age > PLAN_SECONDS:
        yield f"it is {age / 60:.0f} minutes old, and what it rests on holds for {PLAN_SECONDS // 60}: make a new one"
    elif age < -60:
        yield "it was made in the future, by this computer's clock"
    for what, planned, here in (
        ("account", plan.place.identity, place.identity),
        ("endpoint", plan.place.endpoint, place.endpoint),
        ("Region", plan.place.region, place.region),
    ):
        if planned != here:
            yield f"it is for the {what} {planned or '(none)'}, and this is {here or '(none)'}"
    for name, stamp in plan.tables.items():
        if name in tables and stamp_of(tables[name]) != stamp:
            yield f"{name} is not the table that was looked at: it was made again since"
    missing = [name for name in plan.tables if name not in approved]
    if missing:
        yield f"it writes to {', '.join(missing)}: name the table with --yes to approve it"
    if plan.repairs and approved - set(plan.tables):
        yield f"it does not write to {', '.join(sorted(approved - set(plan.tables)))}, which was approved"
    if len(plan.repairs) > limits.max_repairs:
        yield f"it has {len(plan.repairs):,} repairs, and {limits.max_repairs:,} are allowed: raise --max-repairs"
    large = [repair for repair in plan.repairs if is_large(repair, limits)]
    if large:
        worst = large[-1]
        yield (
            f"{len(large):,} of its repairs are larger than allowed, up to {worst.words} for "
            f"{readable_key(worst.key)}: raise --max-delta"
        )


def is_large(repair: PlannedRepair, limits: RepairLimits) -> bool:
    """Whether it changes more than is allowed."""
    size = repair.drift.copy_abs()
    if limits.max_delta is not None:
        return size > limits.max_delta
    stored = Decimal(0) if repair.stored is None else repair.stored.value.copy_abs()
    return size > USUAL_DELTA and size > stored * USUAL_SHARE
