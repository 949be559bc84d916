"""Plans as files: what a person reads before anything is written, and what is applied afterwards, word for word."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from dynodesk.domain.errors import DynodeskError, InvalidFile
from dynodesk.domain.findings import Proof
from dynodesk.domain.item_json import from_dynamodb, item_from_dynamodb, item_to_dynamodb, read_json, to_dynamodb
from dynodesk.domain.repairs import LeftOut, Place, PlannedRepair, RepairPlan, RulesText, TableStamp
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Number, plain_digits
from dynodesk.domain.write_requests import request_json
from dynodesk.domain.writes import update_from_json, update_to_json
from dynodesk.reconcile.planning import canonical_hash

VERSION = 1
"""Of the file: fields may be added to it, none renamed or removed."""


def plan_text(plan: RepairPlan) -> str:
    content = _content(plan)
    return json.dumps({**content, "hash": canonical_hash(content)}, indent=2, ensure_ascii=False) + "\n"


def plan_hash(plan: RepairPlan) -> str:
    return canonical_hash(_content(plan))


def read_plan(text: str, source: str) -> RepairPlan:
    """Raises `InvalidFile` where this is no plan, or not the one that was written."""
    content = read_json(text, source)
    damaged = InvalidFile(f"{source} is not a repair plan", hint="`dynodesk reconcile … --plan` writes one.")
    if not isinstance(content, dict) or str(content.get("version")) != str(VERSION):
        raise damaged
    try:
        plan = _plan(content)
        understood = plan_text(plan)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, DynodeskError) as problem:
        raise damaged from problem
    # Made anew from what was understood: what is sent is what the file shows.
    if understood != text:
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
        created=_moment(content["created"]),
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


def _moment(found: object) -> str:
    text = _text(found)
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError(f"{text} is a time of nowhere")
    return text


def _text(found: object) -> str:
    if not isinstance(found, str):
        raise TypeError(f"{found!r} is no text")
    return found
