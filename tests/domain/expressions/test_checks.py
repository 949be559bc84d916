"""What is said of a request's expressions before they are sent: the place, the reason and the fix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.expressions import (
    Placeholders,
    Remark,
    RequestExpressions,
    check_request,
    parse_changes,
    parse_condition,
    parse_paths,
    parse_where,
)
from dynodesk.domain.expressions.nodes import NOWHERE
from dynodesk.domain.expressions.remarks import Part, Severity
from dynodesk.domain.expressions.reserved import RESERVED_WORDS
from dynodesk.domain.item_json import from_plain
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Number, NumberSet, String, StringSet, Value
from tests.domain.expressions.generated import Generator

TABLE = TableInfo(
    "social",
    KeySchema((KeyAttribute("pk", "S"),), (KeyAttribute("sk", "S"),)),
    (
        IndexInfo(
            "by-score", "GSI", KeySchema((KeyAttribute("g", "S"),), (KeyAttribute("score", "N"),)), Projection("ALL")
        ),
        IndexInfo(
            "by-place",
            "GSI",
            KeySchema(
                (KeyAttribute("country", "S"), KeyAttribute("city", "S")),
                (KeyAttribute("year", "N"), KeyAttribute("month", "N")),
            ),
            Projection("KEYS_ONLY"),
        ),
    ),
)


def request(part: Part, text: str, **others: str) -> RequestExpressions:
    """A request with the expressions that stand here with names and values written out."""
    placeholders = Placeholders()
    match part:
        case "UpdateExpression":
            written = parse_changes(text).text(placeholders)
        case "ProjectionExpression":
            written = parse_paths(text).text(placeholders)
        case _:
            written = parse_where(text).text(placeholders)
    texts = {FIELDS[part]: written}
    for field, other in others.items():
        texts[field] = parse_where(other).text(placeholders)
    return RequestExpressions(**texts, names=placeholders.names, values=placeholders.values)


FIELDS: dict[Part, str] = {
    "KeyConditionExpression": "key_condition",
    "FilterExpression": "filter",
    "ConditionExpression": "condition",
    "UpdateExpression": "update",
    "ProjectionExpression": "projection",
}


def only(remarks: tuple[Remark, ...], severity: Severity = "error") -> Remark:
    found = [remark for remark in remarks if remark.severity == severity]
    assert len(found) == 1, remarks
    return found[0]


def marked(remark: Remark, text: str) -> str:
    return text[remark.span.offset : remark.span.end]


class TestTexts:
    @pytest.mark.parametrize(
        ("text", "message", "place", "fix", "corrected"),
        [
            ("n = :n AND", "missing at the end", "", "", None),
            ("n == :n", "missing before '='", "=", "", None),
            ("n = 5", "cannot be written out", "5", ":value", None),
            ("n = 'x'", "in quotes", "'x'", ":value", None),
            ('"n" = :n', "in quotes", '"n"', "#name", None),
            ("Begins_With(n, :n)", "no function Begins_With", "Begins_With", "small letters", None),
            ("n = :missing", ":missing stands for no value", ":missing", "ExpressionAttributeValues", None),
            ("#missing = :n", "#missing stands for no name", "#missing", "ExpressionAttributeNames", None),
            ("status = :n", "status is a reserved word", "status", "alias #status", "#status = :n"),
            ("a.Name = :n", "Name is a reserved word", "Name", "alias #Name", "a.#Name = :n"),
            ("taken.#n = :n", "", "", "", None),
            ("_version = :n", "_version starts with an underscore", "_version", "#_version", "#_version = :n"),
            ("user-id = :n", "'-'", "-", "", None),
            ("2nd = :n", "cannot start with a digit", "2nd", "#name", None),
            ("((n = :n))", "redundant parentheses", "((n = :n))", "One pair", "(n = :n)"),
            ("((n)) = :n", "redundant parentheses", "((n))", "One pair", "(n) = :n"),
            ("NOT ((n = :n) )", "redundant parentheses", "((n = :n) )", "One pair", "NOT (n = :n)"),
        ],
    )
    def test_of_a_condition(self, text: str, message: str, place: str, fix: str, corrected: str | None) -> None:
        names = {"#n": "x"} if "#n " in text else {}
        remarks = check_request(RequestExpressions(condition=text, names=names, values={":n": Number("1")}))
        if not message:
            assert remarks == ()
            return
        remark = next(remark for remark in remarks if remark.part == "ConditionExpression")
        assert remark.severity == "error"
        assert message in remark.message
        assert fix in remark.fix
        assert marked(remark, text) == place
        if corrected is None:
            assert remark.applied_to(text) == text
            return
        assert remark.applied_to(text) == corrected
        fixed = RequestExpressions(condition=corrected, names=dict(remark.names), values={":n": Number("1")})
        assert check_request(fixed) == ()

    def test_every_reserved_word_needs_an_alias(self) -> None:
        assert len(RESERVED_WORDS) == 573
        assert {"STATUS", "NAME", "COUNT", "SIZE", "TTL", "DATA", "ABORT", "ZONE"} <= RESERVED_WORDS
        for word in RESERVED_WORDS:
            text = f"a.{word.lower()} = b"
            remark = only(check_request(RequestExpressions(condition=text)))
            assert marked(remark, text) == word.lower()

    def test_an_alias_is_not_given_twice(self) -> None:
        taken = RequestExpressions(condition="status = #status", names={"#status": "other"})
        remark = only(check_request(taken))
        assert (remark.replacement, remark.names) == ("#n0", {"#n0": "status"})
        known = RequestExpressions(condition="status = #other.#s", names={"#s": "status", "#other": "other"})
        remark = only(check_request(known))
        assert (remark.replacement, remark.names) == ("#s", {})

    def test_length_is_counted_in_bytes(self) -> None:
        def of(length: int) -> tuple[Remark, ...]:
            alias = "#" + "a" * (length - len("# = b"))
            return check_request(RequestExpressions(filter=f"{alias} = b", names={alias: "x"}))

        assert of(4096) == ()
        remark = only(of(4097))
        assert "4097 bytes; there may be 4096" in remark.message
        assert (remark.span.offset, remark.span.length) == (4096, 1)

    def test_three_hundred_operators(self) -> None:
        def of(count: int) -> tuple[Remark, ...]:
            return check_request(RequestExpressions(filter=" OR ".join(["a<b"] * count)))

        assert of(150) == ()  # each with its OR, but the last
        remark = only(of(151))
        assert "301 operators and functions; there may be 300" in remark.message
        update = "SET " + ", ".join(f"a{number}=b+c" for number in range(301))
        assert "301 operators" in only(check_request(RequestExpressions(update=update))).message

    def test_a_hundred_values_of_in(self) -> None:
        def of(count: int) -> tuple[Remark, ...]:
            return check_request(RequestExpressions(filter=f"a IN ({', '.join(['b'] * count)})"))

        assert of(100) == ()
        assert "IN has 101 values; there may be 100" in only(of(101)).message


class TestPlaceholders:
    def test_unused_ones_are_named(self) -> None:
        remarks = check_request(
            RequestExpressions(filter="n = :a", names={"#x": "y"}, values={":a": Number("1"), ":b": Number("2")})
        )
        assert [(remark.part, remark.unused, remark.span) for remark in remarks] == [
            ("ExpressionAttributeNames", "#x", NOWHERE),
            ("ExpressionAttributeValues", ":b", NOWHERE),
        ]

    def test_one_used_in_any_expression_is_used(self) -> None:
        assert (
            check_request(
                RequestExpressions(
                    key_condition="#k = :k",
                    filter="#f > :f",
                    projection="#p",
                    names={"#k": "k", "#f": "f", "#p": "p"},
                    values={":k": String("k"), ":f": Number("1")},
                )
            )
            == ()
        )

    def test_what_an_unreadable_expression_uses_is_not_known(self) -> None:
        remarks = check_request(RequestExpressions(filter="a = ! :b", values={":b": Number("1")}))
        assert "'!' has no meaning" in only(remarks).message

    @pytest.mark.parametrize(
        ("names", "values"), [({"s": "x"}, {}), ({"#a-b": "x"}, {}), ({}, {"v": String("")}), ({}, {":": String("")})]
    )
    def test_a_placeholder_has_its_sign(self, names: Mapping[str, str], values: Mapping[str, Value]) -> None:
        assert "is no placeholder" in only(check_request(RequestExpressions(names=names, values=values))).message

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            (StringSet(()), "an empty set"),
            (NumberSet((Number("1"), Number("1.0"))), "the same member twice"),
            (Number("1" * 39), "39 significant digits"),
            (Number("1E126"), "outside the range"),
            (Number("NaN"), "is not a number"),
            (String("\ud800"), "surrogate"),
        ],
    )
    def test_a_value_that_cannot_be_stored_is_marked_where_it_is_used(self, value: Value, message: str) -> None:
        text = "a = :w OR a = :v OR b = :v"
        remark = only(check_request(RequestExpressions(filter=text, values={":v": value, ":w": Number("1")})))
        assert message in remark.message
        assert (remark.part, remark.span.offset, remark.span.length) == ("FilterExpression", text.index(":v"), 2)

    def test_names(self) -> None:
        names = {"#a": "", "#b": "x" * 65536, "#c": "\udc00", "#d": "x" * 65535}
        remarks = check_request(RequestExpressions(projection="#d, #a, #b, #c", names=names))
        assert [(remark.severity, remark.span.offset) for remark in remarks] == [("error", n) for n in (4, 8, 12)]
        assert remarks[0].message == "#a: an attribute has an empty name"
        assert remarks[1].message.endswith("is longer than 65535 bytes")
        assert "surrogate" in remarks[2].message

    def test_two_megabytes(self) -> None:
        values: dict[str, Value] = {f":v{number}": String("x" * 300_000) for number in range(7)}
        text = " OR ".join(f"a = {placeholder}" for placeholder in values)
        remark = only(check_request(RequestExpressions(filter=text, values=values)))
        assert "2100000 bytes; there may be 2097152" in remark.message


class TestConditions:
    @pytest.mark.parametrize(
        ("text", "message", "place", "fix"),
        [
            ("a < TRUE", "< does not work on a Boolean", ":v0", "have an order"),
            ("a >= {\"L\": []}", ">= does not work on a List", ":v0", ""),
            ("a BETWEEN NULL AND NULL", "BETWEEN does not work on a Null", ":v0", ""),
            ("a BETWEEN 5 AND 1", "the lower end is above", ":v0 AND :v1", "Turn them round"),
            ("a BETWEEN '10' AND 9", "different types: String and Number", ":v0 AND :v1", ""),
            ("begins_with(a, 20)", "begins_with does not work on a Number", ":v0", "BETWEEN"),
            ("begins_with(a, TRUE)", "begins_with does not work on a Boolean", ":v0", ""),
            ("begins_with(size(a), 'x')", "begins_with does not work on a size", "size(#n0)", "BETWEEN"),
            ("size(5) = 1", "a Number has no size", ":v0", ""),
            ("a = a", "compared with itself", "#n0 = #n0", ""),
            ("contains(a.b, a.b)", "compared with itself", "contains(#n0.#n1, #n0.#n1)", ""),
        ],
    )  # fmt: skip
    def test_types_that_do_not_go_together(self, text: str, message: str, place: str, fix: str) -> None:
        asked = request("FilterExpression", text)
        remark = next(iter(check_request(asked)))
        assert remark.severity == "error"
        assert message in remark.message
        assert fix in remark.fix
        assert marked(remark, asked.filter) == place

    def test_ends_are_turned_round(self) -> None:
        asked = request("FilterExpression", "a BETWEEN 'b' AND 'a' AND c = 1")
        remark = only(check_request(asked))
        corrected = replace(asked, filter=remark.applied_to(asked.filter))
        assert check_request(corrected) == ()
        assert parse_condition(corrected.filter, asked.names, asked.values) == parse_where(
            "a BETWEEN 'a' AND 'b' AND c = 1"
        )

    @pytest.mark.parametrize(
        ("text", "message", "place"),
        [
            ("n < 9", "n is N in 2 items, S in 1, missing in 1: only a Number compares", "#n0"),
            ("n BETWEEN 1 AND 9", "only a Number compares", "#n0"),
            ("'9' > n", "only a String compares", "#n0"),
            ("code = 7", "code is S in 4 items: only a Number equals", "#n0"),
            ("n <> 9", "also holds where there is no Number: ", "#n0"),
            ("begins_with(n, 'x')", "only a String begins", "#n0"),
            ("contains(tags, 5)", "tags is SS in 4 items: it holds no Number", ":v0"),
            ("contains(n, 5)", "it holds no Number", ":v0"),
            ("gone = NULL", "not where gone is missing", "#n0 = :v0"),
            ("size(tags) = '1'", "a size is a Number and never a String", ":v0"),
        ],
    )
    def test_what_the_items_say(self, text: str, message: str, place: str) -> None:
        items = [
            from_plain('{"n": 0, "code": "7", "tags": {"$stringSet": ["5"]}}'),
            from_plain('{"n": 5, "code": "8", "tags": {"$stringSet": ["5"]}}'),
            from_plain('{"n": "0", "code": "9", "tags": {"$stringSet": ["5"]}}'),
            from_plain('{"code": "x", "tags": {"$stringSet": ["5"]}}'),
        ]
        asked = request("FilterExpression", text)
        remark = only(check_request(asked, items=items), "warning")
        assert message in remark.message
        assert marked(remark, asked.filter) == place

    @pytest.mark.parametrize(
        "text", ["n = 5", "n <> 5", "contains(tags, 'x')", "contains(l, 5)", "begins_with(s, 'x')"]
    )
    def test_nothing_is_said_where_the_types_fit(self, text: str) -> None:
        item = from_plain('{"n": 5, "s": "xy", "tags": {"$stringSet": ["x"]}, "l": ["5"]}')
        assert check_request(request("FilterExpression", text), items=[item]) == ()


class TestKeys:
    @pytest.mark.parametrize(
        "text",
        [
            "pk = 'u1'",
            "pk = 'u1' AND sk = 'POST#1'",
            "pk = 'u1' AND sk <= 'POST#1'",
            "sk BETWEEN 'a' AND 'b' AND pk = 'u1'",
            "pk = 'u1' AND begins_with(sk, 'POST#')",
            "'u1' = pk AND 'a' <= sk",
            "(pk = 'u1') AND (sk > 'a')",
        ],
    )
    def test_key_conditions_of_the_table(self, text: str) -> None:
        assert check_request(request("KeyConditionExpression", text), TABLE) == ()

    @pytest.mark.parametrize(
        "text",
        [
            "country = 'NL' AND city = 'X'",
            "country = 'NL' AND city = 'X' AND year > 2000",
            "country = 'NL' AND city = 'X' AND year = 2000 AND month BETWEEN 1 AND 3",
        ],
    )
    def test_key_conditions_of_several_attributes(self, text: str) -> None:
        assert check_request(request("KeyConditionExpression", text), TABLE, index="by-place") == ()

    @pytest.mark.parametrize(
        ("text", "index", "message", "place", "fix"),
        [
            ("sk = 'a'", None, "a Query needs pk = a value", "#n0 = :v0", "Scan"),
            ("pk = 'u' AND likes > 5", None, "likes is no key attribute here", "#n1", "filter"),
            ("pk = 'u' AND sk.x = 'a'", None, "nothing inside it", "#n1.#n2", ""),
            ("pk > 'u'", None, "it takes =, not >", "#n0 > :v0", ""),
            ("pk = 'u' AND sk > 'a' AND sk < 'b'", None, "sk has two conditions", "#n1 < :v2", "BETWEEN"),
            ("pk = 'u' OR pk = 'v'", None, "has no OR", "#n0 = :v0 OR #n0 = :v1", "one Query for each"),
            ("pk IN ('u', 'v')", None, "has no IN", "#n0 IN (:v0, :v1)", ""),
            ("pk = 'u' AND NOT sk = 'a'", None, "has no NOT", "NOT #n1 = :v1", ""),
            ("pk = 'u' AND sk <> 'a'", None, "a key condition compares", "#n1 <> :v1", "filter"),
            ("pk = 'u' AND contains(sk, 'a')", None, "a key condition compares", "contains(#n1, :v1)", ""),
            ("pk = 'u' AND sk = pk", None, "a key condition compares", "#n1 = #n0", ""),
            ("pk = 'u' AND sk = 5", None, "sk has type S, this is a Number", ":v1", ""),
            ("pk = ''", None, "a key cannot be empty", ":v0", ""),
            ("g = 'x' AND begins_with(score, 'x')", "by-score", "score is a Number", ":v1", "BETWEEN"),
            ("g = 'x' AND begins_with(score, 5)", "by-score", "begins_with does not work", ":v1", "BETWEEN"),
            ("country = 'x'", "by-place", "a Query needs city", "#n0 = :v0", ""),
            ("country = 'x' AND city = 'y' AND month = 1", "by-place", "month comes after year", "#n2 = :v2", ""),
            (
                "country = 'x' AND city = 'y' AND year > 1 AND month = 1",
                "by-place",
                "year takes = where month after it",
                "#n2 > :v2",
                "",
            ),
        ],
    )
    def test_what_a_query_does_not_take(self, text: str, index: str | None, message: str, place: str, fix: str) -> None:
        asked = request("KeyConditionExpression", text)
        remarks = check_request(asked, TABLE, index=index)
        remark = next(remark for remark in remarks if message in remark.message)
        assert remark.severity == "error"
        assert fix in remark.fix
        assert marked(remark, asked.key_condition) == place

    def test_keys_in_the_filter_of_a_query(self) -> None:
        asked = request("KeyConditionExpression", "pk = 'u'", filter="size(sk) > 3 AND likes > 5")
        remark = only(check_request(asked, TABLE))
        assert "sk is a key attribute here" in remark.message
        assert "Move it to the key condition" in remark.fix
        assert marked(remark, asked.filter) == "#n1"
        assert check_request(asked, TABLE, index="by-score") != ()  # other keys there, and pk is none of them
        assert check_request(request("FilterExpression", "size(sk) > 3"), TABLE) == ()  # a Scan

    def test_an_index_that_is_not_there(self) -> None:
        with pytest.raises(InvalidValue, match="has no index nowhere"):
            check_request(request("KeyConditionExpression", "pk = 'u'"), TABLE, index="nowhere")


class TestUpdates:
    @pytest.mark.parametrize(
        ("text", "message", "place", "fix"),
        [
            ("SET sk = 'x'", "sk is part of the key", "#n0", "in one transaction"),
            ("REMOVE pk", "pk is part of the key", "#n0", ""),
            ("SET m = 1 REMOVE m.k", "m and m.k lie within each other", "#n0.#n1", "two updates"),
            ("SET m = 1, m = 2", "m and m are changed in one update", "#n0", ""),
            ("SET m.k = 1, m[0] = 2", "for a map and for a list", "#n0[0]", ""),
            ("ADD title 'x'", "ADD takes a Number or a set, not a String", ":v0", "SET replaces"),
            ("DELETE tags 'x'", "DELETE takes a set, not a String", ":v0", "REMOVE"),
            ("SET n = n + 'x'", "+ takes numbers, this is a String", ":v0", ""),
            ("SET n = list_append(l, 5)", "list_append takes lists, this is a Number", ":v0", ""),
            ("SET n = list_append(list_append(a, b), c)", "within list_append", "list_append(#n1, #n2)", ""),
            ("SET n = list_append(a, b) - 1", "list_append gives a List", "list_append(#n1, #n2)", ""),
            ("SET g = 5", "key of the index by-score with type S, this is a Number", ":v0", "out of the index"),
            ("SET g = NULL", "this is a Null", ":v0", ""),
            ("SET g = ''", "a key cannot be empty", ":v0", ""),
            ('ADD score {"NS": ["1"]}', "with type N, this is a Number set", ":v0", ""),
        ],
    )
    def test_what_no_item_makes_right(self, text: str, message: str, place: str, fix: str) -> None:
        asked = request("UpdateExpression", text, condition="attribute_exists(pk)")
        remark = only(check_request(asked, TABLE, in_transaction=True))
        assert message in remark.message
        assert fix in remark.fix
        assert marked(remark, asked.update) == place

    @pytest.mark.parametrize("text", ["REMOVE g", "SET g = 'x', score = 5, a = 1", "SET g.x = 5", "SET g = other"])
    def test_what_an_index_allows(self, text: str) -> None:
        asked = request("UpdateExpression", text, condition="attribute_exists(pk)")
        assert check_request(asked, TABLE, in_transaction=True) == ()

    @pytest.mark.parametrize(
        ("text", "condition", "makes_one"),
        [
            ("SET cnt = 3", None, True),
            ("ADD cnt 3", None, True),
            ("SET cnt = 3", "attribute_not_exists(locked)", True),
            ("SET cnt = 3", "cnt <> 5", True),
            ("SET cnt = 3", "attribute_exists(sk)", False),
            ("SET cnt = 3", "cnt = 2", False),
            ("SET cnt = 3", "attribute_exists(sk) AND cnt <> 5", False),
            ("REMOVE cnt", None, False),
            ('DELETE tags {"SS": ["x"]}', None, False),
            ("SET cnt = cnt + 3", None, False),
            ("SET m.n = 3", None, False),
        ],
    )
    def test_an_item_that_the_update_would_make(self, text: str, condition: str | None, makes_one: bool) -> None:
        others = {} if condition is None else {"condition": condition}
        asked = request("UpdateExpression", text, **others)
        found = [remark for remark in check_request(asked, TABLE) if "makes one of the key" in remark.message]
        assert bool(found) == makes_one
        for remark in found:
            assert (remark.severity, remark.part) == ("warning", "ConditionExpression")
            guarded = replace(
                asked, condition=remark.applied_to(asked.condition), names={**asked.names, **remark.names}
            )
            again = check_request(guarded, TABLE, in_transaction=True)
            assert again == ()
            assert not parse_condition(guarded.condition, guarded.names, guarded.values).holds({})

    @pytest.mark.parametrize(
        ("text", "condition", "counts_twice"),
        [
            ("ADD likes 1", None, True),
            ("SET likes = likes + 1", None, True),
            ("SET likes = if_not_exists(likes, 0) + 1", "attribute_exists(pk)", True),
            ("SET likes = likes + 1", "likes = 41", False),
            ("SET likes = likes + 1, version = 8", "version = 7", False),
            ("SET likes = likes + 1, version = 8", "attribute_exists(pk) AND 7 = version", False),
            ("ADD likes 1 SET likedBy = 'u1'", "attribute_not_exists(likedBy)", False),
            ("ADD likes 1", "attribute_exists(likes)", True),
            ("ADD likes 1", "likes < 100", True),
            ("ADD likes 1", "likes = 41 OR likes = 42", True),
            ("ADD likes 1", "version = 7", True),
            ("SET likes = 42", None, False),
            ('ADD tags {"SS": ["x"]}', None, False),
            ("SET total = likes + 1", None, False),
        ],
    )
    def test_a_count_that_a_lost_reply_doubles(self, text: str, condition: str | None, counts_twice: bool) -> None:
        others = {} if condition is None else {"condition": condition}
        asked = request("UpdateExpression", text, **others)
        assert any("counts twice" in remark.message for remark in check_request(asked)) == counts_twice
        assert check_request(asked, in_transaction=True) == ()

    def test_nested_paths_of_add_and_delete(self) -> None:
        asked = request("UpdateExpression", 'ADD stats.likes 1 DELETE m.tags {"SS": ["x"]}')
        remarks = check_request(asked, in_transaction=True)
        assert [remark.message for remark in remarks] == [
            "ADD is documented for top-level attributes only",
            "DELETE is documented for top-level attributes only",
        ]
        assert "SET #n0.#n1 = #n0.#n1 + …" in remarks[0].fix

    @pytest.mark.parametrize(
        ("text", "message", "place"),
        [
            ("ADD title 1", "refused for 1 of 2 items looked at: title is a String", "#n0"),
            ("ADD m.n 1", "refused for 2 of 2 items looked at: m.n leads through", "#n0.#n1"),
            ("SET n = n + 1", "refused for 2 of 2 items looked at: n is not in the item", "#n0"),
            ("SET l[9] = 'x'", "ends before index 9 in 1 of 2 items looked at: it is appended", "#n0[9]"),
            ("REMOVE l[0], l[2]", "all indexes are those of l before the update", "#n0[0]"),
            ("REMOVE l[9]", "ends before index 9 in 1 of 2 items looked at: nothing is removed there", "#n0[9]"),
        ],
    )
    def test_what_the_items_say(self, text: str, message: str, place: str) -> None:
        long = ", ".join(map(str, range(12)))
        items = [from_plain('{"title": "x", "l": [1, 2, 3]}'), from_plain(f'{{"l": [{long}]}}')]
        asked = request("UpdateExpression", text)
        remarks = check_request(asked, items=items, in_transaction=True)
        remark = next(remark for remark in remarks if message in remark.message)
        assert remark.severity == "warning"
        assert marked(remark, asked.update) == place


class TestProjections:
    def test_paths_within_each_other(self) -> None:
        asked = request("ProjectionExpression", "a, b.c, b.c[0]")
        remark = only(check_request(asked))
        assert "b.c and b.c[0] lie within each other" in remark.message
        assert marked(remark, asked.projection) == "#n1.#n2[0]"
        assert check_request(request("ProjectionExpression", 'a.b, a.c, "a.b", l[0], l[1]')) == ()


def test_what_is_right_has_no_errors() -> None:
    for seed in range(150):
        assert errors_of_valid(Random(seed)) == []


def errors_of_valid(random: Random) -> list[Remark]:
    """The errors found in a random request that the service takes: there should be none."""
    placeholders = Placeholders()
    generator = Generator(random, hostile=False)
    condition, update = generator.valid_condition(), generator.valid_update()
    asked = RequestExpressions(
        condition=condition.text(placeholders),
        update=update.text(placeholders),
        names=placeholders.names,
        values=placeholders.values,
    )
    return [remark for remark in check_request(asked, TABLE) if remark.severity == "error"]
