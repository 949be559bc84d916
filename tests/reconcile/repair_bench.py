"""A table in memory with drift in it, and everything that plans and makes repairs, in virtual time."""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal

from dynodesk.domain.capacity import Meter
from dynodesk.domain.pacing import Limits, Pace
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place, RepairPlan, RepairReport, RepairResult, RulesText
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item, Number, String, Value
from dynodesk.domain.writing import Hands
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.desk import RepairDesk
from dynodesk.reconcile.planning import RepairLimits
from dynodesk.reconcile.repair import Sight
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.run import Origin, Run, Scope
from tests.helpers.memory_journal import MemoryJournal
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.memory_writer import MemoryWriter
from tests.helpers.plain_sweep import PlainSweeper
from tests.helpers.social import SOCIAL, key, likes, no_time_to_live, social
from tests.helpers.virtual_clock import VirtualClock

RULE = """\
version = 1
[[tally]]
name = "post likes"
table = "Social"
parent = { PK = "POST#{post}", SK = "META" }
attribute = "likeTally"
children = { PK = "POST#{post}", SK = "LIKE#{user}" }
"""
VERSION, MARKER = 'version = "rev"\n', 'marker = "_repaired"\nrepairs = "probable"\n'
GUARDS = {"version": VERSION, "marker": MARKER, "both": VERSION + MARKER}

HERE = Place("arn:aws:iam::1:user/ann", "memory", "nowhere")
MADE = replace(SOCIAL, arn="arn:aws:dynamodb:nowhere:1:table/Social", created="2025-01-01T00:00:00Z")


class MemoryCatalog:
    def __init__(self) -> None:
        self.table = MADE

    def table_names(self, ticket: Ticket) -> tuple[str, ...]:
        return (self.table.name,)

    def describe(self, table: str, ticket: Ticket) -> TableInfo:
        return self.table

    def time_to_live(self, table: str, ticket: Ticket) -> str | None:
        return None


class Bench:
    def __init__(self, *items: Item, guard: str = VERSION, more: str = "", rule: str = RULE) -> None:
        self.source = RulesText("rules.toml", rule + guard + more)
        self.reader = social(*map(dict, items))
        self.writer = MemoryWriter(self.reader)
        self.journal = MemoryJournal()
        self.catalog = MemoryCatalog()
        self.clock = VirtualClock()
        self.ticket = Ticket()
        self.told: list[RepairResult] = []
        self.rules = bind_rules(
            parse_rules(self.source.text, self.source.file), lambda _: self.catalog.table, no_time_to_live
        )
        self.desk = self.new_desk()

    def new_desk(self, reader: MemoryReader | None = None, place: Place = HERE) -> RepairDesk:
        """Of another program, or of this one after it was started again."""
        reader = reader or self.reader
        pace = Pace(Meter(), Limits(), self.clock)
        sight = Sight(reader, PlainSweeper(reader), pace, self.clock, random.Random(1))
        hands = Hands(reader, self.writer, self.journal, self.clock, random.Random(2))
        return RepairDesk(place, self.catalog, sight, hands, self.journal)

    def plan(self, desk: RepairDesk | None = None) -> RepairPlan:
        meter = Meter()
        run = Run(
            self.rules,
            Scope(),
            self.reader,
            PlainSweeper(self.reader),
            meter,
            Origin(HERE.identity, HERE.endpoint, HERE.region, "rules.toml"),
            clock=self.clock,
            chance=random.Random(3),
        )
        report = run.report(self.ticket)
        return (desk or self.desk).plan(report, self.rules, self.source, self.ticket)

    def check(self, plan: RepairPlan, approved: str = "Social", limits: RepairLimits | None = None) -> None:
        self.desk.check(plan, frozenset(approved.split()), limits or RepairLimits(), self.ticket)

    def apply(self, plan: RepairPlan | None = None) -> RepairReport:
        return self.desk.apply(plan or self.plan(), self.ticket, self.told.append)

    # -- the table

    def parent(self, name: str) -> Item:
        item = self.reader.get("Social", _key(name))
        assert item is not None
        return item

    def tally(self, name: str) -> Decimal:
        value = self.parent(name)["likeTally"]
        assert isinstance(value, Number)
        return value.value

    def change(self, name: str, **values: Value) -> None:
        self.reader.put("Social", {**self.parent(name), **values})

    def like(self, name: str, user: str) -> None:
        """As a correct writer does it, all at once."""
        self.reader.put("Social", key(f"POST#{name}", f"LIKE#{user}"))
        self._moved(name, 1)

    def unlike(self, name: str, user: str) -> None:
        self.reader.delete("Social", _key(name, f"LIKE#{user}"))
        self._moved(name, -1)

    def _moved(self, name: str, by: int) -> None:
        parent = self.parent(name)
        changed = {**parent, "likeTally": Number(str(self.tally(name) + by))}
        if isinstance(version := parent.get("rev"), Number):
            changed["rev"] = Number(str(version.value + 1))
        self.reader.put("Social", changed)


def _key(name: str, sort: str = "META") -> dict[str, String]:
    return {"PK": String(f"POST#{name}"), "SK": String(sort)}


def drifted(name: str, stored: int, real: int, **more: Value) -> list[Item]:
    parent = {**key(f"POST#{name}", "META"), "likeTally": Number(str(stored)), "rev": Number("7"), **more}
    return [parent, *likes(name, real)]
