"""Tally rules: the number on the parent, and the Query that finds the children and no others."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.children import Children
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.patterns import KeyPattern, Pattern
from dynodesk.domain.reads import QueryPlan, SortCondition
from dynodesk.domain.tables import Key, KeyAttribute, KeySchema, KeyType
from dynodesk.domain.tallies import DEFAULT_WAIT, Tally, TallyRule
from dynodesk.domain.values import Binary, Item, KeyValue, List, Map, Null, Number, NumberSet, String, Value


def schema(partition: KeyType = "S", sort: KeyType | None = "S") -> KeySchema:
    return KeySchema((KeyAttribute("PK", partition),), (KeyAttribute("SK", sort),) if sort else ())


def keys(partition: str, sort: str | None = None) -> KeyPattern:
    patterns = {"PK": Pattern.parse(partition)}
    return KeyPattern(patterns if sort is None else patterns | {"SK": Pattern.parse(sort)})


def rule(
    parent: KeyPattern, children: KeyPattern, attribute: str = "likes", key_schema: KeySchema | None = None
) -> TallyRule:
    keys = key_schema or schema()
    return TallyRule(
        "likes", "Social", keys, parent, AttributePath.parse(attribute), Children("Social", keys, children)
    )


LIKES = rule(keys("POST#{post}", "META"), keys("POST#{post}", "LIKE#{user}"))
COMMENTS = rule(keys("USERS", "u#{id}"), keys("USERS", "u#{id}#c{n}"))
EDGES = rule(keys("USER#{user}", "META"), keys("TARGET#{user}"))
BY_NUMBER = rule(keys("{id}", "0"), keys("{id}", "{n}"), key_schema=schema("N", "N"))


IDS = st.text("1#c", min_size=1, max_size=3)
OTHERS: list[Key] = [
    {"PK": String(partition), "SK": String(sort)}
    for partition in ("POST#1", "USERS", "TARGET#1")
    for sort in ("META", "LIKE#", "u#1", "u#1#c")
]


class TestAttributePath:
    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("likes", ("likes",)),
            ("stats.likes", ("stats", "likes")),
            (r"stats\.likes", ("stats.likes",)),
            (r"a\\.b", ("a\\", "b")),
            (r"a\b", (r"a\b",)),
            ("a\\", ("a\\",)),
            ("a[0].#n :v", ("a[0]", "#n :v")),
            ("é.💙", ("é", "💙")),
        ],
    )
    def test_names(self, text: str, names: tuple[str, ...]) -> None:
        assert AttributePath.parse(text).names == names

    @pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b"])
    def test_an_empty_name_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="empty name"):
            AttributePath.parse(text)

    @given(st.lists(st.text("ab.\\#é", min_size=1, max_size=4), min_size=1, max_size=3))
    @example(["\\", "."])
    @example(["a\\."])
    def test_what_it_prints_it_reads(self, names: list[str]) -> None:
        path = AttributePath(tuple(names))
        assert AttributePath.parse(str(path)) == path

    def test_a_dot_in_a_name_is_not_a_step(self) -> None:
        item: Item = {"a.b": Number("1"), "a": Map({"b": Number("2"), "b.c": Number("3")})}
        found = {
            text: AttributePath.parse(text).find(item) for text in (r"a\.b", "a.b", r"a.b\.c", "a.b.c", "c", "c.d")
        }
        assert found == {
            r"a\.b": Number("1"),
            "a.b": Number("2"),
            r"a.b\.c": Number("3"),
            "a.b.c": None,
            "c": None,
            "c.d": None,
        }


class TestTally:
    @pytest.mark.parametrize(
        ("stored", "number", "reason"),
        [
            (Number("10"), "10", ""),
            (Number("10.0"), "10", ""),
            (Number("1E1"), "10", ""),
            (Number("-3"), "-3", ""),
            (Number("1.5"), "1.5", ""),
            (Number("9007199254740993"), "9007199254740993", ""),
            (Number("1" * 38), "1" * 38, ""),
            (Number("1" * 39), "1" * 39, ""),
            (Number("NaN"), None, "likes is a Number that no count can be compared with"),
            (Number("1E9999"), None, "likes is a Number that no count can be compared with"),
            (String("10"), None, "likes is a String, the rule needs a Number"),
            (Null(), None, "likes is a Null, the rule needs a Number"),
            (NumberSet((Number("1"),)), None, "likes is a Number set, the rule needs a Number"),
            (List((Number("1"),)), None, "likes is a List, the rule needs a Number"),
            (Binary(b"1"), None, "likes is a Binary, the rule needs a Number"),
        ],
    )
    def test_what_it_counts_as(self, stored: Value, number: str | None, reason: str) -> None:
        expected = None if number is None else Decimal(number)
        assert LIKES.tally({"likes": stored}) == Tally(stored, expected, reason)

    def test_missing_is_reported_or_zero(self) -> None:
        assert LIKES.tally({"like": Number("1")}) == Tally(None, None, "likes is missing")
        assert replace(LIKES, missing="zero").tally({}) == Tally(None, Decimal(0), "likes is missing")

    def test_a_missing_step_is_a_missing_tally(self) -> None:
        nested = replace(LIKES, attribute=AttributePath.parse("stats.likes"))
        assert nested.tally({"stats": String("x")}).reason == "stats.likes is missing"
        assert nested.tally({"stats": Map({"likes": Number("4")})}).number == 4

    def test_waits_grow_with_what_a_writer_may_leave_under_way(self) -> None:
        assert DEFAULT_WAIT["transaction"] < DEFAULT_WAIT["two-step"] < DEFAULT_WAIT["async"]


class TestChildrenOf:
    @pytest.mark.parametrize(
        ("of", "captures", "partition", "condition"),
        [
            (LIKES, {"post": "1"}, String("POST#1"), SortCondition("begins_with", String("LIKE#"))),
            (COMMENTS, {"id": "1"}, String("USERS"), SortCondition("begins_with", String("u#1#c"))),
            (EDGES, {"user": "7"}, String("TARGET#7"), None),
            (BY_NUMBER, {"id": "0"}, Number("0"), None),
            (
                rule(keys("{a}", "META"), keys("{a}", "0"), key_schema=schema("S", "N")),
                {"a": "x"},
                String("x"),
                SortCondition("=", Number("0")),
            ),
            (
                rule(keys("{a}", "META"), keys("C#{a}", "ONE")),
                {"a": "x"},
                String("C#x"),
                SortCondition("=", String("ONE")),
            ),
            (rule(keys("{a}", "META"), keys("{a}", "{n}#c")), {"a": "x"}, String("x"), None),
            (rule(keys("{a}"), keys("C#{a}"), key_schema=schema(sort=None)), {"a": "x"}, String("C#x"), None),
        ],
    )
    def test_the_query(
        self, of: TallyRule, captures: dict[str, str], partition: KeyValue, condition: SortCondition | None
    ) -> None:
        assert of.children.queries(captures)[0] == QueryPlan(
            "Social", {"PK": partition}, sort=condition, sort_name="SK" if condition else "", consistent=True
        )

    @given(st.sampled_from([LIKES, COMMENTS, EDGES]), IDS, st.lists(st.tuples(IDS, IDS), max_size=12))
    def test_it_finds_the_children_and_no_others(self, of: TallyRule, one: str, made: list[tuple[str, str]]) -> None:
        """Among keys that are all alike, Query and pattern find what a look at every item finds."""
        (name,) = of.parent.captures
        parent = {name: one}
        try:
            of.parent_key(parent)
        except InvalidValue:
            assume(False)
        items = [child(of, joined, other) for joined, other in made] + OTHERS
        returned = [item for item in items if answers(of.children.queries(parent)[0], item)]
        counted = [item for item in returned if of.child_captures(item, parent) is not None]
        assert counted == [item for item in items if (of.child_captures(item) or {}).get(name) == one]


def child(of: TallyRule, joined: str, other: str) -> Key:
    captures = dict.fromkeys(of.children.pattern.captures, other) | dict.fromkeys(of.parent.captures, joined)
    filled = {name: String(pattern.fill(captures)) for name, pattern in of.children.pattern.attributes.items()}
    return {"SK": String(other)} | filled


def answers(plan: QueryPlan, item: Key) -> bool:
    """What the service does with a Query, written down anew."""
    if any(item[name] != value for name, value in plan.partition.items()):
        return False
    if plan.sort is None:
        return True
    value, wanted = item[plan.sort_name], plan.sort.low
    if plan.sort.operator == "begins_with":
        assert isinstance(value, String)
        assert isinstance(wanted, String)
        return value.text.startswith(wanted.text)
    assert plan.sort.operator == "="
    return value == wanted


class TestJoin:
    def test_a_parent_and_its_children(self) -> None:
        meta: Item = {"PK": String("POST#a91f"), "SK": String("META"), "likes": Number("1")}
        like: Item = {"PK": String("POST#a91f"), "SK": String("LIKE#USER#7c20")}
        assert LIKES.parent_captures(meta) == {"post": "a91f"}
        assert LIKES.parent_captures(like) is None
        assert LIKES.child_captures(like) == {"post": "a91f", "user": "USER#7c20"}
        assert LIKES.child_captures(like, {"post": "a91f"}) == {"post": "a91f", "user": "USER#7c20"}
        assert LIKES.child_captures(like, {"post": "a91"}) is None
        assert LIKES.child_captures(meta) is None

    def test_a_number_is_not_the_text_of_it(self) -> None:
        assert LIKES.parent_captures({"PK": Number("1"), "SK": String("META")}) is None
        assert BY_NUMBER.parent_captures({"PK": Number("1E1"), "SK": Number("0.0")}) == {"id": "10"}
        assert BY_NUMBER.parent_key({"id": "10"}) == {"PK": Number("10"), "SK": Number("0")}

    @pytest.mark.parametrize(
        ("of", "captures", "said"),
        [
            (COMMENTS, {"id": "1#c2"}, "id is '1#c2'"),
            (rule(keys("USERS", "u#{id}"), keys("USERS", "{id}##{n}")), {"id": "1#"}, "id is '1#'"),
            (BY_NUMBER, {"id": "1.0"}, "id is '1.0'"),
            (BY_NUMBER, {"id": "x"}, "not a number"),
            (LIKES, {"post": "k" * 2048}, "at most 2048"),
            (rule(keys("{a}#{b}", "META"), keys("C#{a}", "{b}#{n}")), {"a": "1#2", "b": "3"}, "a is '1#2'"),
        ],
    )
    def test_a_parent_that_would_be_taken_for_another_is_refused(
        self, of: TallyRule, captures: dict[str, str], said: str
    ) -> None:
        with pytest.raises(InvalidValue) as refused:
            of.parent_key(captures)
        assert said in refused.value.message

    @pytest.mark.parametrize("post", ["1", "1#LIKE#2", " a|b/c%d:e\"f'g\\h\ni\tj\0 ", "é", "e\u0301", "{post}", "💙"])
    def test_odd_keys_are_joined(self, post: str) -> None:
        key = LIKES.parent_key({"post": post})
        assert key == {"PK": String(f"POST#{post}"), "SK": String("META")}
        assert LIKES.parent_captures(key) == {"post": post}
        like: Item = {"PK": String(f"POST#{post}"), "SK": String("LIKE#u")}
        assert answers(
            LIKES.children.queries({"post": post})[0], {"PK": String(f"POST#{post}"), "SK": String("LIKE#u")}
        )
        assert LIKES.child_captures(like, {"post": post}) == {"post": post, "user": "u"}
