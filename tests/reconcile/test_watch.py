"""What a watch says of writes as a stream shows them: nothing of right ones, and of each wrong one what it is."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynodesk.domain.children import Children
from dynodesk.domain.streams import StreamPart
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Item, Number, String, StringSet
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.notices import Notice
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.watch import Watch, why_not_watched
from tests.helpers.social import SOCIAL, key, no_time_to_live
from tests.reconcile.streamed import T0, Script, notices, parts

W = 5.0
RULES = """\
version = 1
[[tally]]
name = "likes"
table = "Social"
parent = { PK = "POST#{post}", SK = "META" }
attribute = "likeTally"
children = { PK = "POST#{post}", SK = "LIKE#{user}" }
wait = "5s"
"""


def rules(more: str = "", text: str = RULES) -> tuple[TallyRule, ...]:
    return bind_rules(parse_rules(text + more, "rules.toml"), lambda _table: SOCIAL, no_time_to_live)


LIKES = rules()


def post(tally: int = 10, name: str = "1", likes: int = 10) -> dict[tuple[str, str], Item]:
    """A post and its likes, as they were before anything is written."""
    there: dict[tuple[str, str], Item] = {
        (f"POST#{name}", f"LIKE#old{i}"): key(f"POST#{name}", f"LIKE#old{i}") for i in range(likes)
    }
    there[f"POST#{name}", "META"] = {**key(f"POST#{name}", "META"), "likeTally": Number(str(tally))}
    return there


def only(said: list[Notice]) -> Notice:
    (notice,) = said
    return notice


def like(script: Script, at: float, user: str, tally_after: float = 0.0, partition: str = "POST#1") -> None:
    script.put(at, partition, f"LIKE#{user}")
    script.add(at + tally_after, partition, 1)


# Right writers


@st.composite
def right_writes(draw: st.DrawFn, partition: str = "POST#1") -> Script:
    """Transactions, two calls in either order, and a consumer that writes sums; overlapping as they like."""
    script = Script()
    number = draw(st.integers(0, 14))
    for i in range(number):
        at = T0 + draw(st.floats(0, 60, width=32))
        late = draw(st.floats(0, W, width=32))
        match draw(st.sampled_from(["transaction", "child first", "tally first", "unlike", "consumer"])):
            case "transaction":
                for child in range(draw(st.integers(1, 3))):
                    script.put(at + draw(st.floats(0, 1, width=32)), partition, f"LIKE#t{i}-{child}")
                    script.add(at + draw(st.floats(0, 1, width=32)), partition, 1)
            case "child first":
                like(script, at, f"c{i}", late, partition)
            case "tally first":
                script.add(at, partition, 1)
                script.put(at + late, partition, f"LIKE#f{i}")
            case "unlike" if i < 10:
                script.delete(at, partition, f"LIKE#old{i}")
                script.add(at + late, partition, -1)
            case _:
                liked, unliked = draw(st.integers(0, 3)), draw(st.integers(0, 2))
                for child in range(liked + unliked):
                    script.put(at, partition, f"LIKE#s{i}-{child}")
                for child in range(unliked):
                    script.delete(at + 0.5, partition, f"LIKE#s{i}-{child}")
                script.add(at + late, partition, liked)
    return script


@settings(max_examples=40)
@given(right_writes(), st.integers(1, 5), st.integers(), st.floats(-10, 70))
def test_right_writers_in_any_order(script: Script, shards: int, seed: int, begins: float) -> None:
    assert notices(LIKES, script, items=post(), shards=shards, seed=seed, since=-math.inf) == []
    assert notices(LIKES, script, items=post(), shards=shards, seed=seed, since=T0 + begins) == []


@settings(max_examples=40)
@given(right_writes(), st.integers(1, 5), st.integers(), st.floats(0, 60), st.floats(0, 20))
def test_a_gap_is_no_reason_to_say_anything_else(
    script: Script, shards: int, seed: int, begins: float, lasts: float
) -> None:
    """Whatever is lost in between: of the changes around it nothing is claimed."""
    records = script.records(post())
    begin, end = T0 + begins, T0 + begins + lasts
    watch = Watch(LIKES)
    said: list[Notice] = []
    lost = ""
    for part in parts(
        [record for record in records if not begin <= record.at <= end],
        shards=shards,
        chance=random.Random(seed),
        known_from=-math.inf,
    ):
        if not lost and part.read_to >= begin:
            lost = "trimmed"
            part = replace(part, lost=lost)  # noqa: PLW2901  (the first part that has read so far)
        # What comes after a gap is handed over only once the gap is known.
        said += watch.take(replace(part, known_from=end + 1) if lost else part)
        if not lost and any(record.at > end for record in part.records):
            return
    assert [notice.kind for notice in said if notice.kind != "gap"] == []


# Wrong ones


def child_alone(script: Script, at: float) -> None:
    script.put(at, "POST#1", "LIKE#wrong")


def deleted_alone(script: Script, at: float) -> None:
    script.delete(at, "POST#1", "LIKE#old9")


def expired(script: Script, at: float) -> None:
    script.delete(at, "POST#1", "LIKE#old9", by_ttl=True)


def counted_twice(script: Script, at: float) -> None:
    like(script, at, "wrong")
    script.add(at + 1, "POST#1", 1)


def counted_off_twice(script: Script, at: float) -> None:
    script.delete(at, "POST#1", "LIKE#old9")
    script.add(at, "POST#1", -1)
    script.add(at + 1, "POST#1", -1)


def set_to_an_old_number(script: Script, at: float) -> None:
    """Read-modify-write: in the same transaction as the child, with a number from long ago."""
    script.put(at, "POST#1", "LIKE#wrong")
    script.set(at, "POST#1", 3)


def set_by_hand(script: Script, at: float) -> None:
    script.set(at, "POST#1", 500)


def counted_by_two(script: Script, at: float) -> None:
    script.put(at, "POST#1", "LIKE#wrong")
    script.add(at, "POST#1", 2)


WRONG: list[tuple[Callable[[Script, float], None], str, int, str]] = [
    (child_alone, "child alone", -1, "LIKE#wrong"),
    (deleted_alone, "child alone", 1, "LIKE#old9"),
    (expired, "expired", 1, "LIKE#old9"),
    (counted_twice, "tally alone", 1, "META"),
    (counted_off_twice, "tally alone", -1, "META"),
    (set_to_an_old_number, "jump", -8, "META"),
    (set_by_hand, "jump", 490, "META"),
    (counted_by_two, "jump", 1, "META"),
]


@pytest.mark.parametrize(("bug", "kind", "drift", "sort"), WRONG, ids=[row[0].__name__ for row in WRONG])
def test_each_wrong_writer_alone(bug: Callable[[Script, float], None], kind: str, drift: int, sort: str) -> None:
    script = Script()
    bug(script, T0)
    for seed in range(20):
        notice = only(notices(LIKES, script, items=post(), seed=seed))
        assert (notice.kind, notice.rule, notice.drift) == (kind, "likes", Decimal(drift))
        assert notice.item == key("POST#1", sort)
        assert notice.parent == key("POST#1", "META")
        assert T0 <= notice.at <= T0 + 1
        assert notice.cause


@pytest.mark.parametrize(("bug", "kind", "drift", "sort"), WRONG[:5], ids=[row[0].__name__ for row in WRONG[:5]])
@settings(max_examples=40)
@given(other=right_writes("POST#2"), seed=st.integers(), shards=st.integers(1, 5))
def test_each_wrong_writer_beside_right_ones(
    bug: Callable[[Script, float], None], kind: str, drift: int, sort: str, other: Script, seed: int, shards: int
) -> None:
    script = Script(list(other.writes))
    bug(script, T0 + 30)
    notice = only(notices(LIKES, script, items=post() | post(name="2"), seed=seed, shards=shards))
    assert (notice.kind, notice.drift, notice.item) == (kind, Decimal(drift), key("POST#1", sort))


@pytest.mark.parametrize(("bug", "drift"), [(child_alone, -1), (counted_twice, 1), (set_by_hand, 490)])
@settings(max_examples=40)
@given(script=right_writes(), seed=st.integers())
def test_a_wrong_write_among_right_ones_of_the_same_post(
    bug: Callable[[Script, float], None], drift: int, script: Script, seed: int
) -> None:
    """Which one it was may be hard to tell; by how much the tally is off afterwards is not."""
    if bug is set_by_hand:
        script.add(T0 + 30, "POST#1", drift)
    else:
        bug(script, T0 + 30)
    said = notices(LIKES, script, items=post(), seed=seed)
    assert sum(notice.drift or 0 for notice in said) == drift


def test_the_item_is_named_also_on_a_busy_parent() -> None:
    script = Script()
    script.put(T0 + 10, "POST#1", "LIKE#wrong")
    for i in range(20):
        like(script, T0 + 3 * i, f"u{i}")
    notice = only(notices(LIKES, script, items=post()))
    assert notice.item == key("POST#1", "LIKE#wrong")
    assert notice.what == "added, and likeTally did not follow within 5 s"


def test_nothing_is_said_before_its_time() -> None:
    script = Script()
    child_alone(script, T0)
    watch = Watch(LIKES)
    (record,) = script.records(post())
    assert watch.take(StreamPart("Social", (record,), T0 + W, 0, -math.inf)) == ()
    assert watch.open == 1
    assert watch.take(StreamPart("Social", (), T0 + W + 3, 0, -math.inf)) == ()
    assert len(watch.take(StreamPart("Social", (), T0 + W + 6, 0, -math.inf))) == 1


def test_a_shorter_time() -> None:
    script = Script()
    like(script, T0, "slow", tally_after=20)
    patient = (replace(LIKES[0], wait=30.0),)
    assert notices(patient, script, items=post()) == []
    said = notices(patient, script, items=post(), within=1)
    assert [notice.kind for notice in said] == ["child alone", "tally alone"]


def test_what_was_half_done_at_the_beginning_is_not_known() -> None:
    script = Script()
    like(script, T0, "early", tally_after=4)
    watch = Watch(LIKES)
    for part in parts(script.records(post())[1:], shards=1, chance=random.Random(1), known_from=T0 + 1):
        assert watch.take(part) == ()
    assert watch.unknown == 1


def test_lost_records_are_told() -> None:
    said = Watch(LIKES).take(StreamPart("Social", (), T0, 0, T0, "records are gone"))
    assert [(notice.kind, notice.what, notice.item) for notice in said] == [("gap", "records are gone", None)]


# What shows at once


def test_below_zero() -> None:
    script = Script()
    script.add(T0, "POST#1", -1)
    watch = Watch(LIKES)
    (record,) = script.records(post(tally=0, likes=0))
    first = only(list(watch.take(StreamPart("Social", (record,), T0, 0, -math.inf))))
    assert (first.kind, first.what) == ("below zero", "likeTally went from 0 to -1")
    later = only(list(watch.take(StreamPart("Social", (), T0 + 100, 0, -math.inf))))
    assert later.kind == "tally alone"


def test_a_tally_that_becomes_text() -> None:
    script = Script()
    script.write(T0, "POST#1", "META", lambda old: {**(old or {}), "likeTally": String("11")})
    notice = only(notices(LIKES, script, items=post()))
    assert (notice.kind, notice.what) == ("no number", "likeTally became a String (11)")


def test_a_tally_that_is_put_over() -> None:
    script = Script()
    script.put(T0, "POST#1", "META", {"title": String("new")})
    notice = only(notices(LIKES, script, items=post()))
    assert (notice.kind, notice.what) == ("no number", "likeTally was removed")
    counted = only(notices(rules('missing = "zero"\n'), script, items=post()))
    assert (counted.kind, counted.drift) == ("jump", Decimal(-10))


# The parent comes and goes


def test_a_parent_deleted_with_its_children_in_any_order() -> None:
    for seed in range(20):
        chance = random.Random(seed)
        script = Script()
        script.delete(T0 + chance.uniform(0, 3), "POST#1", "META")
        for i in range(10):
            script.delete(T0 + chance.uniform(0, 4), "POST#1", f"LIKE#old{i}")
        assert notices(LIKES, script, items=post(), seed=seed) == []


def test_a_parent_deleted_without_its_children() -> None:
    script = Script()
    script.delete(T0, "POST#1", "META")
    for i in range(7):
        script.delete(T0 + 1, "POST#1", f"LIKE#old{i}")
    notice = only(notices(LIKES, script, items=post()))
    assert notice.kind == "orphans"
    assert "children worth 3 were not deleted" in notice.what


def test_children_that_follow_their_parent_much_later() -> None:
    script = Script()
    script.delete(T0, "POST#1", "META")
    script.delete(T0 + 1000, "POST#1", "LIKE#old0")
    assert [notice.kind for notice in notices(LIKES, script, items=post())] == ["orphans"]


def test_a_new_parent_begins_at_nothing() -> None:
    script = Script()
    script.put(T0, "POST#1", "META", {"likeTally": Number("0")})
    like(script, T0 + 1, "first")
    assert notices(LIKES, script) == []


# Other rules


def test_a_condition_decides_what_counts() -> None:
    counted = rules('where = "attribute_not_exists(deletedAt)"\n')
    script = Script()
    gone: Item = {**key("POST#1", "LIKE#old0"), "deletedAt": Number("1")}
    script.write(T0, "POST#1", "LIKE#old0", lambda _old: gone)
    notice = only(notices(counted, script, items=post()))
    assert (notice.kind, notice.drift) == ("child alone", Decimal(1))
    assert notice.what.startswith("changed what it counts by -1")
    script.add(T0 + 1, "POST#1", -1)
    assert notices(counted, script, items=post()) == []
    assert only(notices(LIKES, script, items=post())).kind == "tally alone"


def test_a_sum_of_amounts() -> None:
    sums = rules('measure = "sum(amount)"\n')
    script = Script()
    script.put(T0, "POST#1", "LIKE#a", {"amount": Number("0.1")})
    script.put(T0, "POST#1", "LIKE#b", {"amount": Number("1E+20")})
    script.write(T0, "POST#1", "META", lambda old: {**(old or {}), "likeTally": Number("100000000000000000010.1")})
    assert notices(sums, script, items=post()) == []
    script.put(T0 + 2, "POST#1", "LIKE#b", {"amount": Number("7")})
    notice = only(notices(sums, script, items=post()))
    assert (notice.kind, notice.drift) == ("child alone", Decimal(99999999999999999993))


def test_a_size_is_on_the_parent_itself() -> None:
    sizes = rules(
        text=RULES.replace('children = { PK = "POST#{post}", SK = "LIKE#{user}" }', 'measure = "size(members)"')
    )
    script = Script()
    for at, names, tally in ((0, ("a",), 1), (10, ("a", "b"), 2), (20, ("a", "b", "c"), 2)):
        script.put(T0 + at, "POST#1", "META", {"members": StringSet(names), "likeTally": Number(str(tally))})
    notice = only(notices(sizes, script))
    assert (notice.kind, notice.drift) == ("child alone", Decimal(-1))


def test_a_tally_in_shards() -> None:
    text = """\
version = 1
[[tally]]
name = "plays"
table = "Social"
parent = { PK = "VID#{video}", SK = "TOTAL#{shard}" }
attribute = "likeTally"
sum_of = "shards"
children = { PK = "VID#{video}", SK = "PLAY#{id}" }
wait = "5s"
"""
    script = Script()
    for shard, by in ((0, 3), (1, -1)):
        script.put(T0, "VID#1", f"TOTAL#{shard}", {"likeTally": Number(str(by))})
    script.put(T0, "VID#1", "PLAY#1")
    script.put(T0, "VID#1", "PLAY#2")
    assert notices(rules(text=text), script) == []
    script.put(T0 + 60, "VID#1", "PLAY#3")
    assert only(notices(rules(text=text), script)).parent == {"PK": String("VID#1")}


def test_children_in_another_table() -> None:
    """The tally's table may be read later than that of the children: nothing is missing before both are."""
    (rule,) = LIKES
    elsewhere = replace(rule, children=replace(rule.children, table="Likes"))
    assert isinstance(elsewhere.children, Children)
    script = Script()
    script.put(T0, "POST#1", "LIKE#a")
    watch = Watch((elsewhere,))
    (record,) = script.records()
    assert watch.take(StreamPart("Likes", (record,), T0 + 100, 0, -math.inf)) == ()
    script = Script()
    script.add(T0 + 2, "POST#1", 1)
    (answer,) = script.records(post())
    assert watch.take(StreamPart("Social", (answer,), T0 + 100, 0, -math.inf)) == ()
    assert watch.open == 0


def test_what_cannot_be_followed() -> None:
    (distinct,) = rules('measure = "distinct(user)"\n')
    assert why_not_watched(distinct)
    assert Watch((distinct,)).tables == frozenset()
    assert why_not_watched(LIKES[0]) == ""
