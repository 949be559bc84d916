"""Values of the ten types: exact numbers, sizes, order, and what the service would refuse."""

from __future__ import annotations

import itertools
import re
from decimal import ROUND_HALF_EVEN, Context, Decimal, Inexact

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.values import (
    EXACT,
    Binary,
    BinarySet,
    Boolean,
    Item,
    KeyValue,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
    check,
    check_item,
    check_key,
    item_size,
    numbers,
    order,
    plain_digits,
    size,
    type_tag,
    type_word,
)
from tests.domain.strategies import decimals, items, spellings, stored_numbers, texts, values
from tests.domain.strategies import numbers as any_number

LARGEST = "9.9999999999999999999999999999999999999E125"
PI_38 = "3.1415926535897932384626433832795028841"
WIDE = Context(prec=400, rounding=ROUND_HALF_EVEN, traps=[Inexact])


def refusal(number: str) -> InvalidValue:
    with pytest.raises(InvalidValue) as refused:
        Number.parse(number)
    return refused.value


class TestNumberTexts:
    @pytest.mark.parametrize(
        ("text", "stored"),
        [
            ("0", "0"),
            ("-0", "0"),
            ("0.000", "0"),
            ("0E+5", "0"),
            ("0e999999999999999999999999", "0"),
            ("+5", "5"),
            ("007", "7"),
            ("0.10", "0.1"),
            ("30.40", "30.4"),
            ("0.1", "0.1"),
            ("1e3", "1000"),
            ("1e5", "100000"),
            ("1.5E2", "150"),
            ("1.0", "1"),
            ("5.", "5"),
            (".5", "0.5"),
            ("-.5e-1", "-0.05"),
            ("1203456789012345679", "1203456789012345679"),
            ("72057594037927937123", "72057594037927937123"),
            ("9007199254740993", "9007199254740993"),
            (PI_38, PI_38),
            ("1" + "0" * 40, "1" + "0" * 40),
            ("12345678901234560000000000000000000000000", "12345678901234560000000000000000000000000"),
            (
                "0." + "0" * 20 + "12345678901234567890123456789012345678",
                "0." + "0" * 20 + "12345678901234567890123456789012345678",
            ),
            ("1.00000000000000007629E+50", "100000000000000007629" + "0" * 30),
            (LARGEST, "9" * 38 + "0" * 88),
            ("-" + LARGEST, "-" + "9" * 38 + "0" * 88),
            ("1E-130", "0." + "0" * 129 + "1"),
            ("100E-132", "0." + "0" * 129 + "1"),
        ],
    )
    def test_what_is_taken_and_stored(self, text: str, stored: str) -> None:
        number = Number.parse(text)
        assert number.text == str(number) == text
        assert number.canonical == stored
        assert number == Number(stored)

    @pytest.mark.parametrize(
        ("text", "position"),
        [
            ("NaN", 0),
            ("nan", 0),
            ("Infinity", 0),
            ("-Infinity", 1),
            ("1_000", 1),
            ("0x10", 1),
            ("1,5", 1),
            ("1 000", 1),
            (" 1", 0),
            ("7 ", 1),
            ("1\n", 1),
            ("１２", 0),
            ("٣", 0),
            ("1.2.3", 3),
            ("1e5x", 3),
            ("1e1.5", 3),
            ("--1", 1),
            ("e5", 0),
            ("-.e5", 2),
            ("1\x00", 1),
        ],
    )
    def test_what_is_no_number_is_refused_with_the_place(self, text: str, position: int) -> None:
        refused = refusal(text)
        assert refused.position == position
        assert f"(character {position + 1})" in refused.message
        assert repr(text) in refused.message

    @pytest.mark.parametrize("text", ["", "-", "+", ".", "-.", "1e", "1e+", "1.5E-"])
    def test_what_ends_too_early(self, text: str) -> None:
        refused = refusal(text)
        assert refused.position == len(text)
        assert "ends too early" in refused.message

    @pytest.mark.parametrize(
        "text", ["1" * 39, "123456789012345678901234567890123456789", "0." + "1" * 39, "-" + "1" * 39]
    )
    def test_39_digits_are_refused_and_never_rounded(self, text: str) -> None:
        assert "39 significant digits" in refusal(text).message
        assert "38" in refusal(text).message
        assert Number(text).canonical == text

    @pytest.mark.parametrize(
        "text",
        ["1E126", "-1E126", "10" + "0" * 125, "1E-131", "-1E-131", "0." + "0" * 130 + "1", "1E999", "9E" + "9" * 5000],
    )
    def test_what_is_out_of_range_is_refused(self, text: str) -> None:
        refused = refusal(text)
        assert "outside the range" in refused.message
        assert "1E-130" in refused.hint
        assert len(refused.message) < 120

    def test_a_long_number_does_not_fill_the_message(self) -> None:
        assert len(refusal("1" * 10_000).message) < 150
        assert len(refusal("x" * 10_000).message) < 150

    @given(st.text(st.sampled_from("0123456789.eE+-_ x\n٣"), max_size=8))
    @example("1e")
    @example(".")
    def test_the_grammar_is_that_of_the_reference(self, text: str) -> None:
        reference = re.compile(r"\A[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)
        in_range = reference.match(text) and (not Decimal(text) or -130 <= Decimal(text).adjusted() <= 125)
        if in_range:
            assert Number.parse(text).value == Decimal(text)
        else:
            position = refusal(text).position
            assert position is None or 0 <= position <= len(text)


class TestNumberValues:
    @given(decimals(), st.data())
    def test_every_spelling_is_the_same_number(self, value: Decimal, data: st.DataObject) -> None:
        one, other = (Number(data.draw(spellings(st.just(value)))) for _ in range(2))
        one.check()
        assert one == other
        assert hash(one) == hash(other)
        assert one.value == value
        assert one.canonical == other.canonical
        assert not one < other
        assert size(one) == size(other)

    @given(any_number, any_number)
    def test_equality_and_order_are_those_of_the_values(self, one: Number, other: Number) -> None:
        assert (one == other) == (one.value == other.value)
        assert (one < other) == (one.value < other.value)

    @given(stored_numbers)
    def test_the_canonical_text_is_the_same_number_and_stays(self, number: Number) -> None:
        canonical = Number(number.canonical)
        assert canonical == number
        assert hash(canonical) == hash(number)
        assert canonical.canonical == canonical.text
        if number.is_valid:
            assert re.fullmatch(r"0|-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?", canonical.text)

    @given(any_number, any_number)
    def test_sums_and_differences_are_exact(self, one: Number, other: Number) -> None:
        assert EXACT.subtract(one.value, other.value) == WIDE.subtract(one.value, other.value)
        assert EXACT.add(EXACT.subtract(one.value, other.value), other.value) == one.value

    def test_the_ends_of_the_range_can_be_subtracted(self) -> None:
        difference = EXACT.subtract(Number(LARGEST).value, Number("1E-130").value)
        assert plain_digits(difference) == "9" * 37 + "8" + "9" * 88 + "." + "9" * 130

    @pytest.mark.parametrize("text", ["NaN", "1_000", "", "Infinity", "1E126", "1E999999999999999999999", "1" * 101])
    def test_what_cannot_be_computed_with_equals_itself_only(self, text: str) -> None:
        number = Number(text)
        assert not number.is_valid
        assert number == Number(text)
        assert hash(number) == hash(Number(text))
        assert number != Number("0")
        assert number.canonical == text
        with pytest.raises(InvalidValue, match="cannot be computed with"):
            _ = number.value

    def test_a_number_is_no_text_and_no_decimal(self) -> None:
        assert Number("1") != String("1")
        assert Number("1") != Decimal(1)

    @pytest.mark.parametrize(
        ("value", "text"),
        [("1E+2", "100"), ("1.50", "1.5"), ("-0.0100", "-0.01"), ("0E+3", "0"), ("100", "100"), ("1E-3", "0.001")],
    )
    def test_plain_digits(self, value: str, text: str) -> None:
        assert plain_digits(Decimal(value)) == text


class TestEquality:
    def test_sets_are_equal_in_any_order_and_keep_theirs(self) -> None:
        one, other = StringSet(("b", "a")), StringSet(("a", "b"))
        assert one == other
        assert hash(one) == hash(other)
        assert one.members == ("b", "a")
        assert NumberSet((Number("1"), Number("2.0"))) == NumberSet((Number("2"), Number("1.0")))
        assert BinarySet((b"a", b"b")) == BinarySet((b"b", b"a"))

    def test_a_member_too_many_is_a_difference(self) -> None:
        assert StringSet(("a", "a")) != StringSet(("a",))
        assert NumberSet((Number("1"), Number("1.0"))) != NumberSet((Number("1"),))

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (StringSet(("a",)), List((String("a"),))),
            (StringSet(("1",)), NumberSet((Number("1"),))),
            (String("1"), Number("1")),
            (String(""), Null()),
            (Binary(b"a"), String("a")),
            (Boolean(True), Number("1")),
            (List(()), Map({})),
            (String("é"), String("e\u0301")),
            (String("a\u200db"), String("ab")),
        ],
    )
    def test_types_and_texts_are_kept_apart(self, one: Value, other: Value) -> None:
        assert one != other

    @given(values)
    def test_equal_values_have_equal_hashes(self, value: Value) -> None:
        assert len({value, value}) == 1

    def test_every_type_has_its_tag_and_word(self) -> None:
        all_types: list[Value] = [
            String(""), Number("0"), Binary(b""), Boolean(False), Null(), StringSet(()), NumberSet(()), BinarySet(()),
            List(()), Map({}),
        ]  # fmt: skip
        assert " ".join(map(type_tag, all_types)) == "S N B BOOL NULL SS NS BS L M"
        assert type_word(NumberSet(())) == "Number set"


class TestOrder:
    @given(texts, texts)
    @example("\uff61", "\U00010002")
    @example("", "\0")
    def test_strings_sort_by_their_bytes(self, one: str, other: str) -> None:
        assert (order(String(one)) < order(String(other))) == (one.encode() < other.encode())

    def test_characters_beyond_the_first_plane_come_last(self) -> None:
        keys = ["Z", "a", "z", "é", "\uff61", "\U00010002"]
        assert all(order(String(one)) < order(String(other)) for one, other in itertools.pairwise(keys))

    def test_numbers_sort_by_value(self) -> None:
        texts = ["10", "9", "100", "-5", "0.5", "1"]
        assert sorted(texts, key=lambda text: order(Number(text))) == ["-5", "0.5", "1", "9", "10", "100"]

    def test_binary_sorts_by_unsigned_bytes(self) -> None:
        blobs = [b"", b"\x00", b"\x00\x01", b"\x7f", b"\x80", b"\xff"]
        assert all(order(Binary(one)) < order(Binary(other)) for one, other in itertools.pairwise(blobs))

    def test_keys_of_all_types_can_be_sorted_together(self) -> None:
        keys: list[KeyValue] = [Number("2"), Number("10"), String("1"), Binary(b"\0"), Number("NaN"), Number("x")]
        for shuffled in itertools.permutations(keys):
            assert sorted(shuffled, key=order) == keys


class TestSize:
    @pytest.mark.parametrize(
        ("value", "bytes_counted"),
        [
            (String(""), 0),
            (String("abc"), 3),
            (String("é"), 2),
            (String("日本"), 6),
            (String("💙"), 4),
            (Binary(b""), 0),
            (Binary(b"\0\1\2"), 3),
            (Boolean(False), 1),
            (Null(), 1),
            (Number("0"), 1),
            (Number("5"), 2),
            (Number("27"), 2),
            (Number("-27"), 3),
            (Number("2700"), 2),
            (Number("0.0027"), 2),
            (Number("123"), 3),
            (Number("1234"), 3),
            (Number("1.5"), 3),
            (Number("1" * 38), 20),
            (Number("-" + PI_38), 21),
            (StringSet(("a", "bc")), 3),
            (NumberSet((Number("27"), Number("-5"))), 5),
            (BinarySet((b"a", b"bc")), 3),
            (List(()), 3),
            (Map({}), 3),
            (List((String("abc"), Null())), 3 + (1 + 3) + (1 + 1)),
            (Map({"ab": String("c"), "é": List(())}), 3 + (1 + 2 + 1) + (1 + 2 + 3)),
            (String("\ud800"), 3),
        ],
    )
    def test_by_the_documented_rules(self, value: Value, bytes_counted: int) -> None:
        assert size(value) == bytes_counted

    def test_an_item_counts_its_names(self) -> None:
        assert item_size({"PK": String("POST#1"), "SK": String("META"), "likes": Number("41")}) == 8 + 6 + 7

    @given(any_number)
    def test_a_number_takes_half_a_byte_a_digit(self, number: Number) -> None:
        digits = len(number.canonical.replace("-", "").replace(".", "").strip("0"))
        assert (digits + 1) // 2 <= size(number) <= min(21, digits // 2 + 3)

    @given(items)
    def test_every_item_has_a_size(self, item: Item) -> None:
        assert item_size(item) >= sum(len(name.encode()) for name in item)


def nested(levels: int) -> Value:
    value: Value = String("leaf")
    for level in range(levels - 1):
        value = List((value,)) if level % 2 else Map({"n": value})
    return value


class TestChecks:
    @pytest.mark.parametrize(
        "value",
        [
            String(""),
            Binary(b""),
            List(()),
            Map({}),
            List((String(""),)),
            Null(),
            nested(32),
            numbers(["1", "2"]),
            String("\u202e\u200d\0"),
            Binary(bytes(range(256))),
        ],
    )
    def test_taken(self, value: Value) -> None:
        check_item({"pk": String("x"), "v": value})

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            (StringSet(()), "v: an empty set"),
            (Map({"s": NumberSet(())}), "v.s: an empty set"),
            (List((String("a"), BinarySet(()))), "v[1]: an empty set"),
            (StringSet(("a", "a")), "v: a set holds the same member twice"),
            (NumberSet((Number("1"), Number("1.0"))), "v: a set holds the same member twice"),
            (NumberSet((Number("NaN"),)), "v: 'NaN' is not a number"),
            (Number("1" * 39), "39 significant digits"),
            (Map({"deep": List((Number("1E126"),))}), "v.deep[0]: 1E126 is outside the range"),
            (String("a\ud800"), "v: character 2 is half of a surrogate pair"),
            (StringSet(("a", "\udc00")), "v: character 1 is half of a surrogate pair"),
            (Map({"": Null()}), "v: an attribute has an empty name"),
            (Map({"\ud800": Null()}), "v: an attribute name: character 1 is half"),
            (nested(33), "nested deeper than 32 levels"),
        ],
    )
    def test_refused_with_the_path(self, value: Value, said: str) -> None:
        with pytest.raises(InvalidValue) as refused:
            check_item({"pk": String("x"), "v": value})
        assert said in refused.value.message

    def test_an_empty_set_comes_with_a_way_out(self) -> None:
        with pytest.raises(InvalidValue) as refused:
            check(StringSet(()))
        assert "empty list" in refused.value.hint

    @pytest.mark.parametrize(
        ("name", "said"), [("", "empty name"), ("n" * 65_536, "longer than 65535 bytes"), ("é" * 32_768, "longer")]
    )
    def test_names(self, name: str, said: str) -> None:
        with pytest.raises(InvalidValue, match=said):
            check_item({name: Null()})
        check_item({"n" * 65_535: Null()})

    def test_an_item_may_have_400_kb_to_the_byte(self) -> None:
        def item(length: int) -> Item:
            return {"pk": String("x"), "é": String("日" * 10), "big": String("b" * length), "small": Number("1")}

        rest = item_size(item(0))
        check_item(item(400 * 1024 - rest))
        with pytest.raises(InvalidValue) as refused:
            check_item(item(400 * 1024 - rest + 1))
        assert "409601 bytes" in refused.value.message
        assert refused.value.hint == "Largest attributes: big, é, small."

    @pytest.mark.parametrize(
        ("value", "limit", "fits"),
        [
            (String("k"), 2048, True),
            (String("k" * 2048), 2048, True),
            (String("k" * 2049), 2048, False),
            (String("é" * 512), 1024, True),
            (String("é" * 512 + "k"), 1024, False),
            (Binary(b"k" * 1024), 1024, True),
            (Binary(b"k" * 1025), 1024, False),
            (String(""), 1024, False),
            (Binary(b""), 1024, False),
            (Number("0"), 1024, True),
            (Number("NaN"), 1024, False),
            (Null(), 1024, False),
            (Boolean(True), 1024, False),
            (StringSet(("a",)), 1024, False),
            (String("\ud800"), 1024, False),
            (String(" a#b|c/d%e:f\"g'h\\i\nj\tk\0 "), 1024, True),
        ],
    )
    def test_keys(self, value: Value, limit: int, *, fits: bool) -> None:
        if fits:
            check_key(value, "SK", limit)
            return
        with pytest.raises(InvalidValue, match="key attribute SK"):
            check_key(value, "SK", limit)
