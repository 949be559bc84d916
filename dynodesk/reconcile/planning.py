"""Plans: which findings of a run can be repaired and how, as a file that a person reads before it is applied."""

from __future__ import annotations

import hashlib
import json
import tomllib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.errors import DynodeskError, InvalidFile, InvalidRequest
from dynodesk.domain.findings import DRIFT, UNDECIDED, Finding, Proof, Report
from dynodesk.domain.item_json import (
    from_dynamodb,
    item_from_dynamodb,
    item_to_dynamodb,
    read_json,
    readable_key,
    to_dynamodb,
)
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
from dynodesk.domain.values import Number, String, Value, plain_digits
from dynodesk.domain.writes import GuardedUpdate, request_json, update_from_json, update_to_json
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.rules import parse_rules

VERSION = 1
"""Of the file: fields may be added to it, none renamed or removed."""
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
        table["name"]: _hash({**table, **{field: value for field, value in given.items() if value is not None}})
        for table in tomllib.loads(source.text)["tally"]
    }


# --------------------------------------------------------------------------------------------------------- making one


@dataclass(frozen=True, slots=True)
class Planner:
    """Makes plans for one connection. Reads a parent only where its rule has a marker."""

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
    ) -> Sequence[Value | None | LeftOut]:
        """What the marker attribute of each parent holds, or why the parent cannot be marked."""
        if rule.marker is None or not findings:
            return [None] * len(findings)
        items = self.reader.batch_get(rule.table, [finding.parent for finding in findings], ticket, consistent=True)
        markers: list[Value | None | LeftOut] = []
        for finding, item in zip(findings, items, strict=True):
            marker = item.get(rule.marker) if item else None
            if item is None:
                markers.append(LeftOut(rule.name, finding.parent, "the parent was deleted since"))
            elif marker is None or isinstance(marker, String):
                markers.append(marker)
            else:
                why = f"{rule.marker}, the rule's marker, holds something that no repair wrote"
                markers.append(LeftOut(rule.name, finding.parent, why))
        return markers


def why_not(finding: Finding, rule: TallyRule) -> str:
    """Why a finding that is off cannot be repaired; "" where it can."""
    match finding.verdict:
        case "exact":
            pass
        case "probable" if rule.repairs == "probable":
            pass
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
        verdict="exact" if finding.verdict == "exact" else "probable",
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


# ---------------------------------------------------------------------------------------------------------- as a file


def plan_text(plan: RepairPlan) -> str:
    content = _content(plan)
    return json.dumps({**content, "hash": _hash(content)}, indent=2, ensure_ascii=False) + "\n"


def plan_hash(plan: RepairPlan) -> str:
    return _hash(_content(plan))


def read_plan(text: str, source: str) -> RepairPlan:
    """Raises `InvalidFile` where this is no plan, or not the one that was written."""
    content = read_json(text, source)
    damaged = InvalidFile(f"{source} is not a repair plan", hint="`dynodesk reconcile … --plan` writes one.")
    if not isinstance(content, dict) or str(content.get("version")) != str(VERSION):
        raise damaged
    try:
        plan = _plan(content)
    except (KeyError, TypeError, ValueError, AttributeError, DynodeskError) as problem:
        raise damaged from problem
    # Made anew from what was understood: what is sent is what the file shows.
    if plan_text(plan) != text:
        raise InvalidFile(f"{source} was changed after it was made", hint="Make a new plan: it has to be as it was.")
    return plan


def _content(plan: RepairPlan) -> dict[str, Any]:
    return {
        "version": VERSION,
        "plan": plan.id,
        "created": plan.created,
        "run": plan.run,
        "identity": plan.place.identity,
        "endpoint": plan.place.endpoint,
        "region": plan.place.region,
        "tables": [{"name": name, "arn": stamp.arn, "created": stamp.created} for name, stamp in plan.tables.items()],
        "rules": source_to_json(plan.rules),
        "rule_hashes": dict(plan.rule_hashes),
        "repairs": [_repair_json(repair) for repair in plan.repairs],
        "left_out": [
            {"rule": left.rule, "parent": item_to_dynamodb(left.key), "reason": left.reason} for left in plan.left_out
        ],
    }


def _repair_json(repair: PlannedRepair) -> dict[str, Any]:
    version = repair.proof.version
    return {
        "id": repair.id,
        "rule": repair.rule,
        "table": repair.table,
        "parent": item_to_dynamodb(repair.key),
        "evidence": repair.verdict,
        "confirmed": repair.confirmed,
        "stored": None if repair.stored is None else repair.stored.text,
        "real": plain_digits(repair.real),
        "drift": plain_digits(repair.drift),
        "parent_version": None if version is None else plain_digits(version),
        "parent_digest": repair.proof.fingerprint,
        "children_digest": repair.proof.digest,
        "marker": None if repair.marker_seen is None else to_dynamodb(repair.marker_seen),
        "update": update_to_json(repair.update),
        "request": request_json(repair.update),
    }


def _plan(content: dict[str, Any]) -> RepairPlan:
    return RepairPlan(
        id=_text(content["plan"]),
        created=_text(content["created"]),
        run=_text(content["run"]),
        place=Place(_text(content["identity"]), _text(content["endpoint"]), _text(content["region"])),
        tables={_text(table["name"]): TableStamp(table["arn"], table["created"]) for table in content["tables"]},
        rules=source_from_json(content["rules"]),
        rule_hashes={name: _text(value) for name, value in content["rule_hashes"].items()},
        repairs=tuple(map(_repair, content["repairs"])),
        left_out=tuple(
            LeftOut(_text(left["rule"]), _key(left["parent"]), _text(left["reason"])) for left in content["left_out"]
        ),
    )


def _repair(found: dict[str, Any]) -> PlannedRepair:
    version = found["parent_version"]
    return PlannedRepair(
        id=_text(found["id"]),
        rule=_text(found["rule"]),
        table=_text(found["table"]),
        key=_key(found["parent"]),
        verdict="exact" if found["evidence"] == "exact" else "probable",
        stored=None if found["stored"] is None else Number.parse(found["stored"]),
        real=Number.parse(found["real"]).value,
        drift=Number.parse(found["drift"]).value,
        proof=Proof(
            None if version is None else Number.parse(version).value,
            _text(found["parent_digest"]),
            _text(found["children_digest"]),
        ),
        marker_seen=None if found["marker"] is None else from_dynamodb(found["marker"]),
        confirmed=_text(found["confirmed"]),
        update=update_from_json(found["update"]),
    )


def source_to_json(source: RulesText) -> dict[str, Any]:
    def text(seconds: float | None) -> str | None:
        return None if seconds is None else repr(seconds)

    return {"file": source.file, "text": source.text, "wait": text(source.wait), "settle": text(source.settle)}


def source_from_json(found: Mapping[str, Any]) -> RulesText:
    def seconds(text: str | None) -> float | None:
        return None if text is None else float(text)

    return RulesText(_text(found["file"]), _text(found["text"]), seconds(found["wait"]), seconds(found["settle"]))


def _key(found: object) -> Key:
    key: Any = item_from_dynamodb(found)
    return dict(key)


def _text(found: object) -> str:
    if not isinstance(found, str):
        raise TypeError(f"{found!r} is no text")
    return found


def _hash(content: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":"), default=str).encode()).hexdigest()


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
    if approved - set(plan.tables):
        yield f"it does not write to {', '.join(sorted(approved - set(plan.tables)))}, which was approved"
    if len(plan.repairs) > limits.max_repairs:
        yield f"it has {len(plan.repairs):,} repairs, and {limits.max_repairs:,} are allowed: raise --max-repairs"
    large = [repair for repair in plan.repairs if _is_large(repair, limits)]
    if large:
        worst = large[-1]
        yield (
            f"{len(large):,} of its repairs are larger than allowed, up to {worst.words} for "
            f"{readable_key(worst.key)}: raise --max-delta"
        )


def _is_large(repair: PlannedRepair, limits: RepairLimits) -> bool:
    size = repair.drift.copy_abs()
    if limits.max_delta is not None:
        return size > limits.max_delta
    stored = Decimal(0) if repair.stored is None else repair.stored.value.copy_abs()
    return size > USUAL_DELTA and size > stored * USUAL_SHARE
