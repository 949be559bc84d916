"""The stream as a witness: it makes exact what was probable, or withdraws it, or keeps silent."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import Throttled
from dynodesk.domain.findings import Finding, Report
from dynodesk.domain.progress import Ticket
from dynodesk.domain.streams import StreamRecord
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo, TableStream
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.tries import MAX_TRIES
from dynodesk.domain.values import Item
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.planning import why_not
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.reconcile.witness import PATIENCE, Witness
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.memory_streams import MemoryStreams
from tests.helpers.plain_sweep import PlainSweeper
from tests.helpers.social import RULES, SCHEMA, SOCIAL, follows, key, no_time_to_live, social, user
from tests.helpers.virtual_clock import VirtualClock

STREAMED = replace(SOCIAL, stream=TableStream("arn:of:the:stream", "KEYS_ONLY"))


class World:
    """Two users who follow three others each; the tally of one says five."""

    def __init__(self, info: TableInfo = STREAMED) -> None:
        self.clock = VirtualClock()
        self.streams = MemoryStreams(self.clock)
        self.reader: MemoryReader = social(user("u1", 5), *follows("u1", 3), user("u2", 3), *follows("u2", 3))
        rules = bind_rules(parse_rules(RULES, "rules.toml"), lambda _table: SOCIAL, no_time_to_live)
        self.rule: TallyRule = rules[1]
        self.witness = Witness((self.rule,), {"Social": info}, self.streams, self.clock)

    def run(self, witness: Witness | None) -> Report:
        meter = Meter()
        return Run(
            (self.rule,),
            Scope(),
            self.reader,
            PlainSweeper(self.reader),
            meter,
            Origin("", "memory", "nowhere", "rules.toml"),
            clock=self.clock,
            chance=random.Random(1),
            witness=witness,
        ).report(Ticket())

    def finding(self, witness: Witness | None) -> Finding:
        (finding,) = self.run(witness).findings
        return finding

    def toggle(self, actor: str, target: str = "TARGET#extra") -> None:
        """A child comes and goes between two looks: none of them sees it."""
        item: Item = key(f"ACTOR#{actor}", target)
        place = SCHEMA.key_of(item)
        self.reader.put("Social", item)
        self.streams.write("Social", StreamRecord("INSERT", place, None, None, 0))
        self.reader.delete("Social", place)
        self.streams.write("Social", StreamRecord("REMOVE", place, None, None, 0))


def said(finding: Finding) -> list[str]:
    return [look.result for look in finding.evidence.looks if look.what == "Stream witness"]


def test_without_a_witness_it_is_probable() -> None:
    finding = World().finding(None)
    assert (finding.verdict, finding.evidence.witnessed) == ("probable", False)


def test_nobody_wrote() -> None:
    world = World()
    finding = world.finding(world.witness)
    assert (finding.verdict, finding.drift, finding.evidence.witnessed) == ("exact", Decimal(2), True)
    assert finding.evidence.summary == "3 strong passes, stream witness"
    assert said(finding) == ["no record of parent or children from before the first look until after the last"]
    assert finding.reason == ""


def test_somebody_wrote_in_between() -> None:
    world = World()
    world.clock.at(20, lambda: world.toggle("u1"))
    finding = world.finding(world.witness)
    assert finding.verdict == "exact"
    assert len(said(finding)) == 2
    assert "withdrawn" in said(finding)[0]
    assert finding.evidence.tries == 2


def test_somebody_always_writes() -> None:
    world = World()
    for second in range(1, 5000, 10):
        world.clock.at(second, lambda: world.toggle("u1"))
    finding = world.finding(world.witness)
    assert (finding.verdict, finding.evidence.tries) == ("busy", MAX_TRIES)


def test_writes_to_others_disturb_nobody() -> None:
    world = World()
    for second in range(1, 200, 5):
        world.clock.at(second, lambda: world.toggle("u2"))
    finding = world.finding(world.witness)
    assert finding.evidence.tries == 1
    assert finding.verdict == "exact"


def test_a_record_that_comes_late() -> None:
    """Written before the last look, read long after it: the verdict waits for it."""
    world = World()
    world.streams.lag = 30
    world.clock.at(60, lambda: world.toggle("u1"))
    finding = world.finding(world.witness)
    assert "withdrawn" in said(finding)[0]


def fails(world: World) -> None:
    world.streams.fault = Throttled("too many readers")


def loses(world: World) -> None:
    world.streams.lost = "records are gone"


def falls_behind(world: World) -> None:
    world.streams.lag = 10 * PATIENCE


@pytest.mark.parametrize("trouble", [fails, loses, falls_behind])
def test_a_stream_that_cannot_tell(trouble: Callable[[World], None]) -> None:
    world = World()
    world.clock.at(20, lambda: trouble(world))
    finding = world.finding(world.witness)
    assert (finding.verdict, finding.evidence.witnessed) == ("probable", False)
    assert said(finding) in ([], ["it cannot tell whether anybody wrote"])


def test_a_table_without_a_stream() -> None:
    world = World(SOCIAL)
    report = world.run(world.witness)
    assert [finding.verdict for finding in report.findings] == ["probable"]
    assert "No stream witness for Social: it has no stream" in report.notes
    assert world.streams.opened == 0


def test_children_behind_an_index_need_images() -> None:
    index = IndexInfo("GSI1", "GSI", KeySchema((KeyAttribute("G", "S"),)), Projection("ALL"))
    rule = World().rule
    behind = replace(rule, children=replace(rule.children, index=index))
    clock = VirtualClock()
    witness = Witness((behind,), {"Social": STREAMED}, MemoryStreams(clock), clock)
    assert not witness.covers(behind)
    assert "KEYS_ONLY" in next(iter(witness.notes))


def test_a_repair_is_confirmed_without_the_stream() -> None:
    world = World()
    finding = world.finding(world.witness)
    marked = replace(world.rule, marker="_reconciled")
    assert "confirmed without it" in why_not(finding, marked)
    assert why_not(finding, replace(marked, repairs="probable")) == ""
