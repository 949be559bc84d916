"""The journal read back: each guarded write with what is known of it, and those whose end nobody noted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.errors import InvalidFile, InvalidValue
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.repairs import JournalRecord, Place, RepairPlan, RulesText
from dynodesk.domain.values import Number
from dynodesk.domain.writes import GuardedUpdate, update_from_json
from dynodesk.domain.writing import INTENT, OUTCOME
from dynodesk.reconcile.plan_files import plan_hash, source_from_json, source_to_json

RUN, CHECK, END = "repair run", "repair check", "repair end"
"""Kinds of records: a plan that is applied from here on, what was seen of a repair afterwards, the end of the plan."""

What = Literal["repair", "undo"]


@dataclass(frozen=True, slots=True)
class LoggedRun:
    id: str
    at: str
    plan: str
    place: Place
    rules: RulesText
    rule_hashes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LoggedWrite:
    """One repair, or the undoing of one. An undoing has the id of its repair after `undo:`."""

    id: str
    at: str
    what: What
    run: LoggedRun
    rule: str
    tally: AttributePath
    version: AttributePath | None
    marker: AttributePath | None
    update: GuardedUpdate
    """As it was sent, the last time."""
    drift: Number
    """Stored minus real, before the repair."""
    tries: int = 1
    outcome: str = ""
    """As noted for the last try; "": none was."""
    why: str = ""
    checks: tuple[str, ...] = ()
    """Verdicts on the tally after the repair, in order."""

    @property
    def is_open(self) -> bool:
        """Whether it may have been applied, and the journal does not say."""
        return self.outcome in {"", "unknown"}

    @property
    def parent_text(self) -> str:
        return readable_key(self.update.key)

    @property
    def state(self) -> str:
        """In words: `applied, then ok`."""
        words = self.outcome or "sent, outcome unknown"
        return f"{words}, then {', '.join(self.checks)}" if self.checks else words


@dataclass(frozen=True, slots=True)
class Ledger:
    runs: Mapping[str, LoggedRun] = field(default_factory=dict)
    writes: Mapping[str, LoggedWrite] = field(default_factory=dict)
    """By id, in the order of their first try."""

    @classmethod
    def of(cls, records: Iterable[JournalRecord]) -> Ledger:
        """Raises `InvalidFile` for a record that this version does not understand."""
        runs: dict[str, LoggedRun] = {}
        writes: dict[str, LoggedWrite] = {}
        for record in records:
            payload: Any = record.payload
            try:
                if record.kind == RUN:
                    runs[payload["id"]] = _run(record, payload)
                elif record.kind == INTENT and payload["what"] in {"repair", "undo"}:
                    writes[payload["id"]] = _write(record, payload, runs, writes.get(payload["id"]))
                elif record.kind in {OUTCOME, CHECK} and payload["id"] in writes:
                    writes[payload["id"]] = _went_on(writes[payload["id"]], record.kind, payload)
            except (KeyError, TypeError, ValueError, InvalidValue) as problem:
                raise InvalidFile(
                    f"record {record.sequence} of the journal is not one that this version understands",
                    hint="It may have been written by a newer one.",
                    details=repr(problem),
                ) from problem
        return cls(runs, writes)

    def open(self, place: Place) -> Iterator[LoggedWrite]:
        return (write for write in self.writes.values() if write.is_open and write.run.place == place)

    @property
    def known_rules(self) -> frozenset[str]:
        """Hashes of the rules that were applied before."""
        return frozenset(hash_ for run in self.runs.values() for hash_ in run.rule_hashes.values())

    def undone(self, repair_id: str) -> bool:
        undo = self.writes.get(f"undo:{repair_id}")
        return undo is not None and undo.outcome in {"applied", "settled"}


def run_payload(run_id: str, plan: RepairPlan) -> dict[str, object]:
    return {
        "id": run_id,
        "plan": plan.id,
        "plan_hash": plan_hash(plan),
        "repairs": len(plan.repairs),
        "identity": plan.place.identity,
        "endpoint": plan.place.endpoint,
        "region": plan.place.region,
        "rules": source_to_json(plan.rules),
        "rule_hashes": dict(plan.rule_hashes),
    }


def about(
    what: What,
    run_id: str,
    rule: str,
    tally: AttributePath,
    version: AttributePath | None,
    drift: Number,
) -> dict[str, object]:
    """What an intent says beside the update."""
    return {
        "what": what,
        "run": run_id,
        "rule": rule,
        "tally": list(tally.names),
        "version": version and list(version.names),
        "drift": drift.text,
    }


def _run(record: JournalRecord, payload: Any) -> LoggedRun:
    return LoggedRun(
        payload["id"],
        record.at,
        payload["plan"],
        Place(payload["identity"], payload["endpoint"], payload["region"]),
        source_from_json(payload["rules"]),
        payload["rule_hashes"],
    )


def _write(
    record: JournalRecord, payload: Any, runs: Mapping[str, LoggedRun], earlier: LoggedWrite | None
) -> LoggedWrite:
    return LoggedWrite(
        id=payload["id"],
        at=earlier.at if earlier else record.at,
        what=payload["what"],
        run=runs[payload["run"]],
        rule=payload["rule"],
        tally=AttributePath(tuple(payload["tally"])),
        version=_path(payload["version"]),
        marker=_path(payload["marker"]),
        update=update_from_json(payload["update"]),
        drift=Number.parse(payload["drift"]),
        tries=payload["try"],
    )


def _path(names: list[str] | None) -> AttributePath | None:
    return None if names is None else AttributePath(tuple(names))


def _went_on(write: LoggedWrite, kind: str, payload: Any) -> LoggedWrite:
    if kind == CHECK:
        return replace(write, checks=(*write.checks, payload["verdict"]))
    return replace(write, outcome=payload["outcome"], why=payload["why"])
