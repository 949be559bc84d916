"""What ends a sweep, what it asks for, and what changes the digest of a pass."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.bulk import RawPage
from dynodesk.domain.capacity import Consumed, Meter
from dynodesk.domain.children import Children
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.errors import DamagedReply, InvalidRequest, Throttled
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.measures import Measure
from dynodesk.domain.pacing import BudgetSpent, Limits, Pace
from dynodesk.domain.patterns import KeyPattern, Pattern
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.reads import ReadPlan, ScanPlan
from dynodesk.domain.sweeping import SweptRule, TableSweeper
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Item, Number, String
from dynodesk.wiring import SANDBOX_PROFILE, open_workspace
from dynodesk.workbench.sweeping import SEGMENTS, DuckSweeper, forget
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.plain_sweep import PlainSweeper
from tests.helpers.small_tables import NAMES, SOCIAL, like, post, social_items
from tests.workbench.sweeps import MemoryRawPages

NOW = 1_800_000_000.0


def pattern(**attributes: str) -> KeyPattern:
    return KeyPattern({name: Pattern.parse(text) for name, text in attributes.items()})


LIKES = TallyRule(
    *("likes", "Social", SOCIAL.key_schema, pattern(PK="POST#{post}", SK="META"), AttributePath(("likeTally",))),
    Children("Social", SOCIAL.key_schema, pattern(PK="POST#{post}", SK="LIKE#USER#{user}")),
)
NAMED = TallyRule(
    *("names", "Names", NAMES.key_schema, pattern(id="{post}"), AttributePath(("likes",)), LIKES.children),
    version="rev",
)


SEATS = TallyRule(
    *(
        "seats",
        "Workspaces",
        KeySchema((KeyAttribute("id", "S"),)),
        pattern(id="{of}"),
        AttributePath(("memberCount",)),
    ),
    Children(
        *("Members", KeySchema((KeyAttribute("workspace", "S"),), (KeyAttribute("member", "S"),))),
        pattern(workspace="{of}", member="{who}"),
        where=parse_where("attribute_not_exists(deletedAt)"),
    ),
)


class Ending(MemoryRawPages):
    """Does something before each page of the second segment but the first."""

    def __init__(self, reader: MemoryReader, meter: Meter, end: Callable[[], object]) -> None:
        super().__init__(reader)
        self._meter, self._do_end = meter, end

    def raw_pages(
        self, plan: ReadPlan, ticket: Ticket, *, start: str | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[RawPage]:
        for i, page in enumerate(super().raw_pages(plan, ticket, start=start, segment=segment, segments=segments)):
            if segment == 1 and i:
                self._do_end()
            self._meter.called((Consumed("Scan", plan.table, "", Decimal(1)),))
            yield page


def a_table(*items: Item) -> MemoryReader:
    reader = MemoryReader(SOCIAL, NAMES)
    reader.put("Social", *items)
    return reader


def many() -> MemoryReader:
    return a_table(*(like("a91f", f"user {i}", i) for i in range(100)))


def sweep(sweeper: TableSweeper, rule: TallyRule = LIKES, *, pace: Pace | None = None) -> list[SweptRule]:
    pace = pace or Pace(Meter(), Limits(), SystemClock())
    return list(sweeper.sweep([rule], pace, Ticket(), everyone=False, now=NOW))


def refuse() -> None:
    raise Throttled("the table is busy")


def test_what_the_reader_raises_ends_the_sweep_whatever_has_arrived() -> None:
    with pytest.raises(Throttled):
        sweep(DuckSweeper(Ending(many(), Meter(), refuse), "here"))


def test_a_spent_budget_ends_the_sweep() -> None:
    meter = Meter()
    sweeper = DuckSweeper(Ending(many(), meter, lambda: None), "here")
    with pytest.raises(BudgetSpent):
        sweep(sweeper, pace=Pace(meter, Limits(max_units=Decimal(5)), SystemClock()))
    assert 5 <= sweeper.pages < 25


def test_cancelling_ends_the_sweep() -> None:
    ticket = Ticket()
    sweeper = DuckSweeper(Ending(many(), Meter(), ticket.cancel), "here")
    with pytest.raises(Cancelled):
        list(sweeper.sweep([LIKES], Pace(Meter(), Limits(), SystemClock()), ticket, everyone=False, now=NOW))


def test_a_sweep_that_was_ended_is_taken_up_where_it_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    reader = many()
    reader.put("Social", *social_items())
    whole = DuckSweeper(MemoryRawPages(reader), "here")
    expected = sweep(whole)
    meter = Meter()
    first = DuckSweeper(Ending(reader, meter, lambda: None), "here", folder)
    with pytest.raises(BudgetSpent):
        sweep(first, pace=Pace(meter, Limits(max_units=Decimal(9)), SystemClock()))
    with pytest.raises(InvalidRequest, match="read from something else"):
        sweep(DuckSweeper(MemoryRawPages(reader), "elsewhere", folder))
    later = datetime.now(UTC)
    second = DuckSweeper(MemoryRawPages(reader), "here", folder)
    assert sweep(second) == expected
    (swept,) = sweep(second)
    assert datetime.fromisoformat(swept.since) < later
    assert first.pages + second.pages <= whole.pages + SEGMENTS
    third = DuckSweeper(MemoryRawPages(reader), "here", folder)
    assert (sweep(third), third.pages) == (expected, 0)
    with pytest.raises(InvalidRequest, match="read from something else"):
        sweep(DuckSweeper(MemoryRawPages(reader), "here", folder), replace(LIKES, version="rev"))
    forget(folder)
    assert not folder.exists()


class OneItem:
    def __init__(self, item: object) -> None:
        self._text = json.dumps(item).encode()

    def raw_pages(
        self, _plan: ReadPlan, _ticket: Ticket, *, start: str | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[RawPage]:
        assert start is None
        here = [self._text] if segment == segments - 1 else []
        yield RawPage.of(here, scanned=1, cursor=None, units=Decimal(1), received="2026-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"PK": {"S": "POST#1"}}, "key attribute SK is missing"),
        ({"PK": {"S": "POST#1"}, "SK": {"N": "1"}}, "key attribute SK is a Number"),
        ({"PK": {"S": "POST#1"}, "SK": {"S": "META"}, "likeTally": {"X": "1"}}, "'X' is not a type"),
    ],
)
def test_an_item_that_is_none_of_the_table_ends_the_sweep(item: object, problem: str) -> None:
    with pytest.raises(DamagedReply, match=problem):
        sweep(DuckSweeper(OneItem(item), "here"))


def test_only_what_the_rules_look_at_is_asked_for() -> None:
    reader = a_table(*social_items())
    reader.put("Names", {"id": String("a91f"), "likes": Number("3"), "more": String("x")})
    pages = MemoryRawPages(reader)
    sweeper = DuckSweeper(pages, "here")
    (found,) = sweep(sweeper, NAMED)
    assert [parent.captures for parent in found.off] == [{"post": "b002"}, {"post": "c310"}]
    assert found.parents == 3
    assert set(pages.plans) == {
        ScanPlan("Names", attributes=("id", "likes", "rev")),
        ScanPlan("Social", attributes=("PK", "SK")),
    }
    assert sweeper.pages >= 8


def test_rules_come_as_soon_as_their_tables_are_read() -> None:
    pages = MemoryRawPages(a_table(*social_items()))
    found = DuckSweeper(pages, "here").sweep(
        [NAMED, LIKES], Pace(Meter(), Limits(), SystemClock()), Ticket(), everyone=False, now=NOW
    )
    assert next(found).rule is NAMED
    assert next(found).rule is LIKES
    found = DuckSweeper(pages, "here").sweep(
        [LIKES, NAMED], Pace(Meter(), Limits(), SystemClock()), Ticket(), everyone=False, now=NOW
    )
    pages.plans.clear()
    assert next(found).rule is LIKES
    assert {plan.table for plan in pages.plans} == {"Social"}
    found.close()


def digest(rule: TallyRule, *items: Item, contents: bool = False) -> str:
    sweeper = DuckSweeper(MemoryRawPages(a_table(post("a91f", 3), *items)), "here")
    asked = [(rule, {"post": "nobody"}), (rule, {"post": "a91f"})]
    nobody, found = sweeper.pass_over(
        asked, Pace(Meter(), Limits(), SystemClock()), Ticket(), contents=contents, now=NOW
    )
    assert nobody.amount == 0
    assert nobody.digest != found.digest
    assert found.tally is None
    return found.digest


def test_the_digest_tells_children_apart() -> None:
    first, second, third = (like("a91f", user, 100) for user in ("0a", "7c20", "ff"))
    assert digest(LIKES, first, second) == digest(LIKES, second, first, like("b002", "ff", 1))
    assert (
        len({digest(LIKES, *some) for some in ([first, second], [first, third], [first], [first, second, third])}) == 4
    )


def test_the_digest_sees_what_the_rule_looks_at() -> None:
    first, later = like("a91f", "0a", 100), like("a91f", "0a", 200)
    assert digest(LIKES, first) == digest(LIKES, later)
    assert digest(LIKES, first, contents=True) != digest(LIKES, later, contents=True)
    backwards = dict(list(first.items())[::-1])
    assert digest(LIKES, first, contents=True) == digest(LIKES, backwards, contents=True)
    reacted = [like("a91f", "0a", 100, reactions=order) for order in (("heart", "clap"), ("clap", "heart"), ("clap",))]
    assert len({digest(LIKES, one, contents=True) for one in reacted}) == 2
    assert digest(LIKES, reacted[0], contents=True) == digest(LIKES, reacted[1], contents=True)
    measured = replace(LIKES, measure=Measure.parse("sum(likedAt)"))
    assert digest(measured, first) != digest(measured, later)
    filtered = replace(LIKES, children=replace(LIKES.children, where=parse_where("likedAt < 1000")))
    assert digest(filtered, first) != digest(filtered, later)
    assert digest(filtered, first) == digest(filtered, first, like("a91f", "7c20", 1000))


def test_a_difference_is_held_against_the_tolerance_in_all_its_digits() -> None:
    rule = replace(LIKES, tolerance=Decimal(10**30))
    parents = [{**post(name, 0), "likeTally": Number(str(tally))} for name, tally in (("a", 10**30), ("b", 10**30 + 1))]
    (found,) = sweep(DuckSweeper(MemoryRawPages(a_table(*parents)), "here"), rule)
    assert [parent.captures for parent in found.off] == [{"post": "b"}]


def test_numbers_of_all_lengths_are_summed_exactly() -> None:
    texts = ["9" * 38, "1E-120", "0.1", "-12.50", "99999999999999999999", "1.00000000001"]
    children = [{**like("a91f", text, 1), "amount": Number(text)} for text in texts]
    rule = replace(LIKES, measure=Measure.parse("sum(amount)"))
    (found,) = sweep(DuckSweeper(MemoryRawPages(a_table(post("a91f", 3), *children)), "here"), rule)
    (parent,) = found.off
    assert Fraction(parent.amount) == sum(map(Fraction, texts))


@pytest.mark.parametrize("odd", ["0.00000000001", "1E20", "-1e-5", "1.0000000000000"])
def test_a_number_that_the_engine_leaves_out_is_not_left_out(odd: str) -> None:
    children = [{**like("a91f", text, 1), "amount": Number(text)} for text in ("3", odd)]
    rule = replace(LIKES, measure=Measure.parse("sum(amount)"))
    (found,) = sweep(DuckSweeper(MemoryRawPages(a_table(post("a91f", 3), *children)), "here"), rule)
    assert [Fraction(Decimal(parent.amount)) for parent in found.off] == [3 + Fraction(odd)]


def test_real_replies_give_what_the_plain_way_finds(sandbox: str) -> None:
    workspace = open_workspace(SANDBOX_PROFILE, Ticket(), sandbox_url=sandbox)
    meter = Meter(workspace.meter)
    try:
        rules = [
            replace(LIKES, children=replace(LIKES.children, pattern=pattern(PK="POST#{post}", SK="LIKE#{user}"))),
            SEATS,
        ]
        pace = Pace(meter, Limits(), SystemClock())
        sweeper = workspace.new_sweeper(meter)
        found = list(sweeper.sweep(rules, pace, Ticket(), everyone=False, now=NOW))
        plain = PlainSweeper(workspace.reader)
        expected = list(plain.sweep(rules, pace, Ticket(), everyone=False, now=NOW))
        passed = sweeper.pass_over(
            [(rules[1], parent.captures) for parent in found[1].off], pace, Ticket(), contents=False, now=NOW
        )
    finally:
        workspace.close()
    assert found == expected
    assert all(one.off for one in found)
    assert [parent.amount for parent in passed] == [parent.amount for parent in found[1].off]
    assert meter.total > 0
    assert meter.calls >= sweeper.pages
