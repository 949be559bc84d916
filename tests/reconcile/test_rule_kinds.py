"""Every kind of tally, from the text of its rule to the report: tables in memory, virtual time."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from functools import partial

import pytest

from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import InvalidRequest, InvalidRules, TableMissing
from dynodesk.domain.findings import Report
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import IndexInfo, Key, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Item, List, Map, Number, String, StringSet, Value
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.choosing import choose_parents
from dynodesk.reconcile.looking import child_keys
from dynodesk.reconcile.proofs import prove_too_low
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.reports.wording import headline
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.plain_sweep import PlainSweeper
from tests.helpers.virtual_clock import VirtualClock

PROJECTED = Projection("KEYS_ONLY")
TWO_KEYS = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
TABLES = {
    table.name: table
    for table in (
        TableInfo(
            "Social",
            TWO_KEYS,
            (
                IndexInfo("GSI1", "GSI", KeySchema((KeyAttribute("G1", "S"),), (KeyAttribute("G2", "S"),)), PROJECTED),
                IndexInfo("Local", "LSI", KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("L", "S"),)), PROJECTED),
            ),
        ),
        TableInfo("Workspaces", KeySchema((KeyAttribute("id", "S"),))),
        TableInfo("Members", KeySchema((KeyAttribute("workspace", "S"),), (KeyAttribute("member", "S"),))),
        TableInfo("Stats", TWO_KEYS),
        TableInfo(
            "Numbers",
            KeySchema((KeyAttribute("id", "N"),), (KeyAttribute("n", "N"),)),
            (IndexInfo("ByG", "GSI", KeySchema((KeyAttribute("g", "S"),)), Projection("ALL")),),
        ),
    )
}
EXPIRES = {"Members": "until"}
Given = Mapping[str, Value | int | str]


class World:
    """Tables, one or more rules, and the runs over them."""

    def __init__(self, rules: str, **items: list[Given]) -> None:
        self.reader = MemoryReader(*TABLES.values())
        for table, given in items.items():
            for item in given:
                self.put(table, item)
        self.rules = bound(rules)
        self.clock = VirtualClock()

    def put(self, table: str, item: Given) -> None:
        self.reader.put(table, {name: _value(value) for name, value in item.items()})

    def run(self, *parents: str, everyone: bool = False) -> Report:
        chosen = choose_parents(parents, self.rules) if parents else None
        sweeper = PlainSweeper(self.reader)
        run = Run(
            self.rules, Scope(chosen, everyone=everyone), self.reader, sweeper, Meter(),
            Origin("", "memory", "nowhere", "rules.toml"), clock=self.clock, chance=random.Random(1),
        )  # fmt: skip
        return run.report(Ticket())

    def found(self, *parents: str) -> list[tuple[str, str, str, str, str]]:
        report = self.run(*parents)
        return [(f.verdict, f.parent_text, f.stored_text, f.real_text, f.drift_text) for f in report.findings]


def _value(value: Value | int | str) -> Value:
    match value:
        case int():
            return Number(str(value))
        case str():
            return String(value)
        case _:
            return value


def bound(rules: str) -> tuple[TallyRule, ...]:
    return bind_rules(parse_rules("version = 1\n" + rules, "rules.toml"), TABLES.__getitem__, EXPIRES.get)


MEMBERS = """
[[tally]]
name = "seats"
table = "Workspaces"
parent = { id = "{ws}" }
attribute = "memberCount"
children = { table = "Members", workspace = "{ws}", member = "{m}" }
version = "rev"
"""


def test_children_in_another_table() -> None:
    world = World(
        MEMBERS,
        Workspaces=[{"id": "a", "memberCount": 2, "rev": 1}, {"id": "b", "memberCount": 1, "rev": 1}],
        Members=[
            {"workspace": "a", "member": "1"},
            {"workspace": "b", "member": "1"},
            {"workspace": "b", "member": "2"},
            {"workspace": "gone", "member": "1"},
        ],
    )
    assert world.found() == [
        ("exact", "a", "2", "1", "+1"),
        ("exact", "b", "1", "2", "-1"),
        ("orphans", "gone", "", "1", ""),
    ]
    assert world.found("ws=a") == [("exact", "a", "2", "1", "+1")]
    assert world.run().rules[0].parents == 3


def test_a_condition_says_which_children_count() -> None:
    world = World(
        MEMBERS + "where = \"attribute_not_exists(deletedAt) AND role <> 'guest'\"",
        Workspaces=[{"id": "a", "memberCount": 2, "rev": 1}, {"id": "b", "memberCount": 2, "rev": 1}],
        Members=[
            {"workspace": "a", "member": "1"},  # without a role: not a guest
            {"workspace": "a", "member": "2", "role": "admin"},
            {"workspace": "a", "member": "3", "role": "guest"},
            {"workspace": "a", "member": "4", "deletedAt": 1},
            {"workspace": "b", "member": "1", "deletedAt": 1},
        ],
    )
    assert world.found() == [("exact", "b", "2", "0", "+2")]


def test_expired_children_count_unless_the_rule_says_otherwise() -> None:
    members: list[Given] = [
        {"workspace": "a", "member": "1", "until": 1},  # longer ago than Time to Live looks
        {"workspace": "a", "member": "2", "until": 1735689000},  # in 2025, before the clock of this test
        {"workspace": "a", "member": "3", "until": 99999999999},
        {"workspace": "a", "member": "4", "until": "1"},  # no Number: never expires
    ]
    workspaces: list[Given] = [{"id": "a", "memberCount": 4, "rev": 1}]
    assert World(MEMBERS, Workspaces=workspaces, Members=members).found() == []
    world = World(MEMBERS + 'expired = "ignore"', Workspaces=workspaces, Members=members)
    world.clock = VirtualClock()
    assert world.found() == [("exact", "a", "4", "3", "+1")]


FOLLOWERS = """
[[tally]]
name = "followers"
table = "Social"
parent = { PK = "USER#{user}", SK = "META" }
attribute = "followerCount"
children = { index = "GSI1", G1 = "TARGET#{user}", G2 = "ACTOR#{actor}" }
version = "rev"
"""


def _follow(actor: str, target: str) -> Given:
    return {"PK": f"ACTOR#{actor}", "SK": f"TARGET#{target}", "G1": f"TARGET#{target}", "G2": f"ACTOR#{actor}"}


def _user(name: str, followers: int, rev: int = 1) -> Given:
    return {"PK": f"USER#{name}", "SK": "META", "followerCount": followers, "rev": rev}


def test_children_behind_an_index_are_counted_in_the_table() -> None:
    world = World(
        FOLLOWERS,
        Social=[_user("a", 2), _user("b", 2), _user("c", 0), _follow("b", "a"), _follow("c", "a"), _follow("a", "b")],
    )
    assert world.found() == [("exact", "USER#b / META", "2", "1", "+1")]
    scans = [plan for plan, _ in world.reader.asked if type(plan).__name__ == "ScanPlan"]
    assert [(plan.index, plan.consistent) for plan in scans] == [(None, False), (None, True), (None, True)]


def test_all_suspects_share_the_scans_that_confirm_them() -> None:
    world = World(FOLLOWERS, Social=[_user(f"u{i}", 1) for i in range(30)])
    assert len(world.found()) == 30
    assert len([plan for plan, _ in world.reader.asked if type(plan).__name__ == "ScanPlan"]) == 3


def test_an_index_alone_proves_nothing() -> None:
    world = World(FOLLOWERS, Social=[_user("a", 1), _user("b", 2), _follow("b", "a"), _follow("a", "b")])
    assert world.found("user=a", "user=b") == [("suspect", "USER#b / META", "2", "1", "+1")]
    report = world.run("user=b")
    assert report.undecided
    assert "through index GSI1 only" in report.findings[0].reason


def test_an_index_is_looked_through_without_a_pattern_for_its_sort_key() -> None:
    by_parent = FOLLOWERS.replace(', G2 = "ACTOR#{actor}"', "")
    world = World(by_parent, Social=[_user("a", 1), _user("b", 2), _follow("b", "a"), _follow("a", "b")])
    assert world.found("user=a", "user=b") == [("suspect", "USER#b / META", "2", "1", "+1")]


def test_what_a_sparse_index_lacks_is_counted_still() -> None:
    by_parent = FOLLOWERS.replace(', G2 = "ACTOR#{actor}"', "")
    world = World(
        by_parent,
        Social=[_user("a", 2), _follow("b", "a"), {"PK": "ACTOR#x", "SK": "TARGET#a", "G1": "TARGET#a"}],
    )
    assert world.found() == []


def test_a_local_index_is_read_consistently() -> None:
    rule = """
[[tally]]
name = "open tasks"
table = "Social"
parent = { PK = "LIST#{list}", SK = "META" }
attribute = "open"
children = { index = "Local", PK = "LIST#{list}", L = "OPEN#{task}" }
version = "rev"
"""
    world = World(
        rule,
        Social=[
            {"PK": "LIST#1", "SK": "META", "open": 3, "rev": 1},
            {"PK": "LIST#1", "SK": "TASK#1", "L": "OPEN#1"},
            {"PK": "LIST#1", "SK": "TASK#2", "L": "OPEN#1"},  # the same index key: told apart by the table's
            {"PK": "LIST#1", "SK": "TASK#3", "L": "DONE#3"},
        ],
    )
    assert world.found() == [("exact", "LIST#1 / META", "3", "2", "+1")]
    assert any(plan.index == "Local" and plan.consistent for plan, _ in world.reader.asked)


def test_what_a_local_index_lacks_is_no_child_in_it() -> None:
    rule = """
[[tally]]
name = "tasks"
table = "Social"
parent = { PK = "LIST#{list}", SK = "META" }
attribute = "tasks"
children = { index = "Local", PK = "LIST#{list}" }
version = "rev"
"""
    world = World(
        rule,
        Social=[
            *({"PK": f"LIST#{n}", "SK": "META", "tasks": n, "rev": 1} for n in (1, 2)),
            *({"PK": f"LIST#{n}", "SK": "TASK#1", "L": "OPEN#1"} for n in (1, 2)),
            *({"PK": f"LIST#{n}", "SK": "TASK#2"} for n in (1, 2)),
        ],
    )
    assert world.found() == [("exact", "LIST#2 / META", "2", "1", "+1")]
    assert world.found("list=1", "list=2") == [("exact", "LIST#2 / META", "2", "1", "+1")]


PLAYS = """
[[tally]]
name = "plays"
table = "Stats"
parent = { PK = "VID#{video}", SK = "STATS#TOTAL#{shard}" }
attribute = "play_count"
sum_of = "shards"
children = { PK = "VID#{video}", SK = "PLAY#{id}" }
version = "rev"
"""


def _shard(video: str, shard: int, count: int) -> Given:
    return {"PK": f"VID#{video}", "SK": f"STATS#TOTAL#{shard}", "play_count": count, "rev": 1}


def test_a_tally_that_is_the_sum_of_shards_in_one_partition() -> None:
    plays = [{"PK": f"VID#{video}", "SK": f"PLAY#{i}"} for video in "abx" for i in range(3)]
    world = World(PLAYS, Stats=[_shard("a", 0, 1), _shard("a", 1, 2), _shard("b", 0, 4), _shard("b", 7, 0), *plays])
    assert world.found() == [("exact", "VID#b", "4", "3", "+1"), ("orphans", "VID#x", "", "3", "")]
    assert any("they spread no writes" in note for note in world.run().notes)
    for chosen in ("video=b", '{"PK": {"S": "VID#b"}}'):
        assert world.found(chosen) == [("exact", "VID#b", "4", "3", "+1")]


def test_a_shard_that_comes_while_it_is_counted_is_no_drift() -> None:
    world = World(PLAYS, Stats=[_shard("a", 0, 2), {"PK": "VID#a", "SK": "PLAY#1"}])
    world.clock.at(10, partial(world.put, "Stats", _shard("a", 1, -1)))
    assert world.found() == []


SPREAD = """
[[tally]]
name = "views"
table = "Stats"
parent = { PK = "VID#{video}#{shard}", SK = "STATS" }
attribute = "play_count"
sum_of = "shards"
shards = 3
children = { PK = "VID#{video}#{shard}", SK = "VIEW#{id}" }
version = "rev"
"""


def test_shards_in_partitions_of_their_own_with_their_children() -> None:
    items: list[Given] = [
        {"PK": f"VID#{video}#{shard}", "SK": "STATS", "play_count": 2, "rev": 1} for video in "ab" for shard in range(3)
    ]
    items += [{"PK": f"VID#a#{i % 3}", "SK": f"VIEW#{i}"} for i in range(6)]
    items += [{"PK": f"VID#b#{i % 3}", "SK": f"VIEW#{i}"} for i in range(5)]
    items += [{"PK": "VID#b#9", "SK": "VIEW#6"}]  # in no shard that there is
    assert World(SPREAD, Stats=items).found() == [("exact", "VID#b", "6", "5", "+1")]


@pytest.mark.parametrize(
    ("parent", "item", "key"),
    [
        ('PK = "S#{shard}#{video}", SK = "STATS"', {"PK": "S#0#a", "SK": "STATS"}, "S#*#a / STATS"),
        ('PK = "S#{shard}", SK = "VID#{video}"', {"PK": "S#0", "SK": "VID#a"}, "S#* / VID#a"),
        ('PK = "STATS", SK = "VID#{video}#{shard}"', {"PK": "STATS", "SK": "VID#a#0"}, "STATS / VID#a#*"),
    ],
)
def test_sharded_parents_are_told_apart_wherever_the_shard_stands(parent: str, item: Given, key: str) -> None:
    rule = SPREAD.replace('PK = "VID#{video}#{shard}", SK = "STATS"', parent, 1)
    assert parent in rule
    item = {**item, "play_count": 2, "rev": 1}
    b = {name: value.replace("a", "b") if isinstance(value, str) else value for name, value in item.items()}
    world = World(rule, Stats=[item, b, {"PK": "VID#b#2", "SK": "VIEW#1"}])
    assert [found[:4] for found in world.found()] == [
        ("exact", key, "2", "0"),
        ("exact", key.replace("a", "b"), "2", "1"),
    ]
    written = json.dumps(item_to_dynamodb(world.run().findings[0].parent))
    assert [found[1] for found in world.found(written)] == [key]


ALL_SHARDS = """
[[tally]]
name = "all"
table = "Numbers"
parent = { id = "{shard}", n = "0" }
attribute = "count"
sum_of = "shards"
shards = 2
children = { table = "Members", workspace = "all" }
version = "rev"
"""


def test_shards_that_are_the_whole_partition_key() -> None:
    world = World(ALL_SHARDS, Numbers=[{"id": i, "n": 0, "count": 1, "rev": 1} for i in range(3)])
    assert world.found() == [("exact", "0", "2", "0", "+2")]


def test_a_missing_shard_counts_as_nothing_and_a_broken_one_is_named() -> None:
    items: list[Given] = [
        {"PK": "VID#a#0", "SK": "STATS", "play_count": 1, "rev": 1},
        {"PK": "VID#a#2", "SK": "VIEW#1"},
    ]
    assert World(SPREAD, Stats=items).found() == []
    items.append({"PK": "VID#a#1", "SK": "STATS", "play_count": "1", "rev": 1})
    (finding,) = World(SPREAD, Stats=items).run().findings
    assert (finding.verdict, finding.reason) == (
        "incomparable",
        "a shard: play_count is a String, the rule needs a Number",
    )


ORDERS = """
[[tally]]
name = "revenue"
table = "Social"
parent = { PK = "SHOP#{shop}", SK = "META" }
attribute = "totals.revenue"
children = { PK = "SHOP#{shop}", SK = "ORDER#{id}" }
version = "rev"
"""


def _shop(name: str, revenue: str) -> Given:
    return {"PK": f"SHOP#{name}", "SK": "META", "totals": Map({"revenue": Number(revenue)}), "rev": 1}


def _order(shop: str, number: int, amount: Value, who: str = "x") -> Given:
    return {"PK": f"SHOP#{shop}", "SK": f"ORDER#{number}", "amount": amount, "who": who}


def test_a_sum_keeps_every_digit() -> None:
    many = "12345678901234567890123456789012345678"
    world = World(
        ORDERS + 'measure = "sum(amount)"',
        Social=[
            _shop("a", "0.3"), _order("a", 1, Number("0.1")), _order("a", 2, Number("0.2")),
            _shop("b", many), _order("b", 1, Number(many)), _order("b", 2, Number("0.001")),
            _shop("c", "2.50"), _order("c", 1, Number("2.5")),
        ],
    )  # fmt: skip
    assert world.found() == [("exact", "SHOP#b / META", many, many + ".001", "-0.001")]


def test_a_sum_over_something_else_than_numbers_compares_with_nothing() -> None:
    world = World(ORDERS + 'measure = "sum(amount)"', Social=[_shop("a", "1"), _order("a", 1, String("1"))])
    (finding,) = world.run().findings
    assert (finding.verdict, finding.real) == ("incomparable", None)
    assert finding.reason == "amount of a child is a String, the rule needs a Number"
    world = World(ORDERS + 'measure = "sum(price)"', Social=[_shop("a", "1"), _order("a", 1, Number("1"))])
    assert world.run().findings[0].reason == "a child has no price"


def test_a_value_that_changes_between_two_passes_is_no_drift() -> None:
    world = World(ORDERS + 'measure = "sum(amount)"', Social=[_shop("a", "5"), _order("a", 1, Number("7"))])
    for second in range(5, 2000, 10):
        world.clock.at(second, partial(world.put, "Social", _order("a", 1, Number(str(7 + second)))))
    assert [found[0] for found in world.found()] == ["busy"]


@pytest.mark.parametrize(("measure", "real"), [("distinct(who)", "2"), ("distinct(id)", "3")])
def test_what_differs_is_counted_once(measure: str, real: str) -> None:
    orders = [_order("a", number, Number("1"), who) for number, who in enumerate(["x", "y", "x"])]
    world = World(ORDERS + f'measure = "{measure}"', Social=[_shop("a", "9"), *orders])
    assert [found[3] for found in world.found()] == [real]


def test_what_is_in_doubled_braces_is_no_capture() -> None:
    rule = ORDERS.replace("ORDER#{id}", "ORDER#{{who}}#{id}") + 'measure = "distinct(who)"'
    assert rule.count("{{who}}") == 1
    orders = [{**_order("a", n, Number("1"), who), "SK": f"ORDER#{{who}}#{n}"} for n, who in enumerate("xyx")]
    assert [found[3] for found in World(rule, Social=[_shop("a", "9"), *orders]).found()] == ["2"]


def test_equal_numbers_are_one_however_they_are_spelled() -> None:
    orders = [_order("a", 1, Number("1.0")), _order("a", 2, Number("1")), _order("a", 3, String("1"))]
    world = World(ORDERS + 'measure = "distinct(amount)"', Social=[_shop("a", "0"), *orders])
    assert [found[3] for found in world.found()] == ["2"]


@pytest.mark.parametrize(
    ("members", "count", "found"),
    [
        (StringSet(("a", "b")), 2, []),
        (StringSet(("a", "b")), 3, [("exact", "TEAM#1 / META", "3", "2", "+1")]),
        (List((String("a"),)), 1, []),
        (Map({"a": Number("1"), "b": Number("2")}), 1, [("exact", "TEAM#1 / META", "1", "2", "-1")]),
        (String("abc"), 3, [("incomparable", "TEAM#1 / META", "3", "", "")]),
    ],
)
def test_the_size_of_a_set_on_the_parent_itself(members: Value, count: int, found: list[object]) -> None:
    rule = """
[[tally]]
name = "team size"
table = "Social"
parent = { PK = "TEAM#{team}", SK = "META" }
attribute = "count"
measure = "size(members)"
version = "rev"
"""
    team: Given = {"PK": "TEAM#1", "SK": "META", "count": count, "members": members, "rev": 1}
    assert World(rule, Social=[team]).found() == found
    without: Given = {"PK": "TEAM#2", "SK": "META", "count": 0, "rev": 1}
    assert World(rule, Social=[without]).found() == []


def test_a_tolerated_difference_is_no_drift() -> None:
    workspaces: list[Given] = [{"id": name, "memberCount": count, "rev": 1} for name, count in (("a", 2), ("b", -2))]
    world = World(MEMBERS + "tolerance = 2", Workspaces=[*workspaces, {"id": "c", "memberCount": 3, "rev": 1}])
    assert world.found() == [("exact", "c", "3", "0", "+3")]
    assert world.found("ws=a") == []
    assert any("up to 2 are not called drift" in note for note in world.run().notes)


def test_several_rules_over_one_parent_share_one_scan() -> None:
    users = """
[[tally]]
name = "following"
table = "Social"
parent = { PK = "USER#{user}", SK = "META" }
attribute = "followingCount"
children = { PK = "ACTOR#{user}", SK = "TARGET#{target}" }
version = "rev"
siblings = ["followers"]
"""
    world = World(FOLLOWERS + users, Social=[{**_user("a", 0), "followingCount": 0}])
    assert world.found() == []
    assert len(world.reader.asked) == 1


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (MEMBERS.replace('"Members"', '"Nowhere"'), "there is no table Nowhere"),
        (MEMBERS.replace("member = ", "seat = "), "children.seat is not a key attribute"),
        (
            MEMBERS.replace('workspace = "{ws}"', 'workspace = "{m}"').replace('= "{m}" }', '= "{ws}" }'),
            "{m} in the part",
        ),
        (FOLLOWERS.replace("GSI1", "GSI9"), "Social has no index GSI9"),
        (FOLLOWERS.replace("G1 =", "PK ="), "children.PK is not a key attribute"),
        (FOLLOWERS.replace('G1 = "TARGET#{user}", ', ""), "not in its children's key"),
        (FOLLOWERS + 'expired = "ignore"', "Social has no Time to Live"),
        (SPREAD.replace("shards = 3\n", ""), "does not say which there are"),
        (SPREAD.replace("VID#{video}#{shard}", "{shard}#{video}").replace("= 3", '= ["a#b"]'), "'a#b' would be read"),
        (ALL_SHARDS.replace("= 2", '= ["1", "01"]'), "shard '01' would be read otherwise from the key of parent"),
        (ALL_SHARDS.replace("= 2", '= ["a"]'), "shard 'a' would be read otherwise"),
        (PLAYS.replace('VID#{video}", SK = "PLAY', 'VID#{video}#{shard}", SK = "PLAY'), "does not say which"),
    ],
)
def test_what_does_not_fit_the_tables_is_named(rule: str, words: str) -> None:
    def describe(table: str) -> TableInfo:
        if table not in TABLES:
            raise TableMissing(table)
        return TABLES[table]

    with pytest.raises(InvalidRules) as raised:
        bind_rules(parse_rules("version = 1\n" + rule, "rules.toml"), describe, EXPIRES.get)
    assert any(words in str(problem) for problem in raised.value.problems), raised.value.problems


WITHOUT_VERSION = MEMBERS.replace('version = "rev"\n', "")


def _workspace(name: str, count: int, members: int) -> tuple[list[Given], list[Given]]:
    return [{"id": name, "memberCount": count}], [{"workspace": name, "member": f"{i:03}"} for i in range(members)]


@pytest.mark.parametrize(
    ("count", "members", "high"), [(2, 4, "-2"), (4, 2, "None"), (98, 99, "-1"), (98, 100, "None")]
)
def test_too_few_is_proven_at_one_instant_for_up_to_99_children(count: int, members: int, high: str) -> None:
    workspaces, items = _workspace("a", count, members)
    (finding,) = World(WITHOUT_VERSION, Workspaces=workspaces, Members=items).run().findings
    assert (finding.verdict, str(finding.high)) == ("probable", high)
    assert (f"it is at least {members - count} too low" in finding.reason) == (high != "None")


def test_a_proof_that_cannot_be_read_takes_nothing_from_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    workspaces, items = _workspace("a", 1, 4)
    world = World(WITHOUT_VERSION, Workspaces=workspaces, Members=items)
    transact_get = world.reader.transact_get

    def of_few(asked: Sequence[tuple[str, Key]], ticket: Ticket) -> tuple[Item | None, ...]:
        if len(asked) > 1:
            raise InvalidRequest("more than 4 MB in a transaction")
        return transact_get(asked, ticket)

    monkeypatch.setattr(world.reader, "transact_get", of_few)
    (finding,) = world.run().findings
    assert (finding.verdict, finding.drift_text, finding.high) == ("probable", "-3", None)
    assert finding.evidence.looks[-1].result == "could not be read: more than 4 MB in a transaction"


def test_a_child_taken_away_before_the_proof_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    workspaces, items = _workspace("a", 1, 4)
    world = World(WITHOUT_VERSION, Workspaces=workspaces, Members=items)
    (suspect,) = choose_parents(["ws=a"], world.rules)
    assert len(list(child_keys(world.reader, suspect, Ticket(), now=0))) == 4
    transact_get = world.reader.transact_get

    def after_a_delete(asked: Sequence[tuple[str, Key]], ticket: Ticket) -> tuple[Item | None, ...]:
        world.reader.delete("Members", asked[-1][1])
        return transact_get(asked, ticket)

    monkeypatch.setattr(world.reader, "transact_get", after_a_delete)
    proofs = [prove_too_low(world.reader, suspect, Ticket(), now=0) for _ in range(3)]
    assert [None if proof is None else proof.drift for proof in proofs] == [-2, -1, None]


def test_a_name_that_no_parent_has_is_not_blamed_on_the_application() -> None:
    wrong = MEMBERS.replace("memberCount", "memberKount")
    workspaces: list[Given] = [{"id": name, "memberCount": 2, "rev": 1} for name in "ab"]
    report = World(wrong, Workspaces=workspaces).run()
    assert "seats: no parent of 2 has memberKount: is the name right?" in report.notes
    assert [(finding.verdict, finding.causes) for finding in report.findings] == [("incomparable", ())] * 2
    some: list[Given] = [*workspaces, {"id": "c", "memberKount": 0, "rev": 1}]
    assert [len(finding.causes) for finding in World(wrong, Workspaces=some).run().findings] == [1, 1]


def test_a_mistyped_parent_is_not_healthy() -> None:
    report = World(MEMBERS, Workspaces=[{"id": "a", "memberCount": 0, "rev": 1}]).run("ws=zzzz")
    assert [finding.verdict for finding in report.findings] == ["gone"]
    assert report.compared_nothing
    assert headline(report) == "Nothing was compared: 1 parent does not exist"


@pytest.mark.parametrize("more", ['measure = "sum(weight)"', "where = 'attribute_not_exists(gone)'"])
def test_what_an_index_has_no_copy_of_is_not_missing(more: str) -> None:
    edges: list[Given] = [{**_follow("b", "a"), "weight": 1}, {**_follow("c", "a"), "gone": 1, "weight": 0}]
    world = World(FOLLOWERS + more, Social=[_user("a", 1), *edges])
    (finding,) = world.run("user=a").findings
    assert (finding.verdict, finding.real) == ("suspect", None)
    assert finding.reason.startswith(
        f"the index carries no copy of {'weight' if 'weight' in more else 'gone'}; counted"
    )
    assert world.found() == []  # the table has it


def test_what_an_index_cannot_measure_is_not_right() -> None:
    """A sum over something else than numbers has no amount, whatever the part of it that was added up comes to."""
    heavy: list[Given] = [
        {"id": Number("1"), "n": Number("2"), "g": "a", "w": 2},
        {"id": 1, "n": 3, "g": "a", "w": "x"},
    ]
    rule = """
[[tally]]
name = "weights"
table = "Workspaces"
parent = { id = "{a}" }
attribute = "total"
children = { table = "Numbers", index = "ByG", g = "{a}" }
measure = "sum(w)"
"""
    (finding,) = World(rule, Workspaces=[{"id": "a", "total": 2}], Numbers=heavy).run("a=a").findings
    assert (finding.verdict, finding.real) == ("suspect", None)
    assert finding.reason.startswith("w of a child is a String, the rule needs a Number; counted through index ByG")


@pytest.mark.parametrize("version", ['version = "rev"', ""])
def test_a_local_index_is_asked_for_what_it_has_no_copy_of(version: str) -> None:
    rule = f"""
[[tally]]
name = "open tasks"
table = "Social"
parent = {{ PK = "LIST#{{list}}", SK = "META" }}
attribute = "open"
children = {{ index = "Local", PK = "LIST#{{list}}", L = "OPEN#{{task}}" }}
where = "attribute_not_exists(gone)"
{version}
"""
    tasks: list[Given] = [{"PK": "LIST#1", "SK": f"TASK#{n}", "L": f"OPEN#{n}"} for n in range(3)]
    tasks[0] = {**tasks[0], "gone": 1}
    world = World(rule, Social=[{"PK": "LIST#1", "SK": "META", "open": 2, "rev": 1}, *tasks])
    assert world.found("list=1") == []
    assert world.run(everyone=True).findings == ()


def test_what_looks_right_through_an_index_is_said_to_do_no_more() -> None:
    report = World(FOLLOWERS, Social=[_user("a", 1), _follow("b", "a")]).run("user=a")
    assert report.findings == ()
    assert any("a parent that looks right may have drifted" in note for note in report.notes)


def test_each_table_is_asked_once_for_its_time_to_live() -> None:
    asked: list[str] = []

    def time_to_live(table: str) -> str | None:
        asked.append(table)
        return None

    other = FOLLOWERS.replace("followers", "followers too")
    bind_rules(parse_rules("version = 1\n" + FOLLOWERS + other, "rules.toml"), TABLES.__getitem__, time_to_live)
    assert asked == ["Social"]
