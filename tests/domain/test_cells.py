"""Cells: one short line for every value that may have been stored, and the exact text for copying."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dynodesk.domain.cells import (
    MAX_SHOWN,
    byte_text,
    cell_kind,
    cell_text,
    exact_text,
    shorter_number,
    sort_key,
    visible,
)
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
    numbers,
)

TEXTS = st.text(max_size=12)
"""Any text, with halves of surrogate pairs."""
BLOBS = st.binary(max_size=8)
SCALARS = st.one_of(
    st.builds(String, TEXTS),
    st.builds(Number, st.one_of(st.integers().map(str), TEXTS)),
    st.builds(Binary, BLOBS),
    st.builds(Boolean, st.booleans()),
    st.just(Null()),
    st.builds(StringSet, st.lists(TEXTS, max_size=4).map(tuple)),
    st.builds(NumberSet, st.lists(st.builds(Number, TEXTS), max_size=4).map(tuple)),
    st.builds(BinarySet, st.lists(BLOBS, max_size=4).map(tuple)),
)
VALUES: st.SearchStrategy[Value] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.builds(List, st.lists(inner, max_size=4).map(tuple)),
        st.builds(Map, st.dictionaries(TEXTS, inner, max_size=4)),
    ),
    max_leaves=12,
)


@given(VALUES)
@example(Number(""))
def test_every_value_has_one_line_that_can_be_seen(value: Value) -> None:
    text = cell_text(value)
    assert text
    assert len(text.splitlines()) == 1
    assert not any(char in text for char in "\0\r\n\t\u202e\u2066\u200b")
    assert cell_kind(value) in {"S", "N", "B", "set", "map", "bool", "null", "empty"}
    exact_text(value)


@given(st.lists(VALUES, max_size=6))
def test_values_of_any_types_can_be_put_in_order(values: list[Value]) -> None:
    assert len(sorted(values, key=sort_key)) == len(values)


@pytest.mark.parametrize(
    "digits",
    ["9223372036854775807", "9223372036854775808", "18446744073709551616", "1" + 30 * "0", "0.1", "12.30", "-0",
     "99999999999999999999999999999999999999", "9.9999999999999999999999999999999999999E+125"],
)  # fmt: skip
def test_numbers_are_shown_and_copied_as_stored(digits: str) -> None:
    assert cell_text(Number(digits)) == digits
    assert exact_text(Number(digits)) == digits


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (String(""), "empty", '""'),
        (Null(), "null", "NULL"),
        (Boolean(truth := False), "bool", "false"),
        (Boolean(not truth), "bool", "true"),
        (StringSet(("clap", "heart")), "set", "{clap, heart}"),
        (numbers(["1", "2.50"]), "set", "{1, 2.50}"),
        (BinarySet((b"\0\1",)), "set", "{2 B 0001}"),
        (Binary(b"\x9f\x3c\x51\xe0\x07"), "B", "5 B 9f3c 51e0 07"),
        (Binary(b""), "B", "0 B"),
        (List((Number("1"), String("a"), Null())), "map", '[1, "a", NULL]'),
        (Map({"app": String("web"), "on": Boolean(value=True)}), "map", '{app: "web", on: true}'),
        (Map({}), "map", "{}"),
    ],
)
def test_kinds_and_lines(value: Value, kind: str, text: str) -> None:
    assert (cell_kind(value), cell_text(value)) == (kind, text)


def test_large_values_are_cut_in_cells_only() -> None:
    long = String("x" * 100_000)
    assert cell_text(long) == "x" * MAX_SHOWN + "…"
    assert exact_text(long) == long.text
    spaces = String("a" + " " * 1000 + "b")
    assert cell_text(spaces) == "a" + " " * (MAX_SHOWN - 1) + "…", "where it is cut is not its end"
    deep = Map({f"name {i}": String("y" * 1000) for i in range(1000)})
    assert len(cell_text(deep)) == MAX_SHOWN + 1


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain", "plain"),
        ("a\0b", "a␀b"),
        ("one\ntwo", "one⏎two"),
        ("a\tb", "a⇥b"),
        ("\x1b[31m", "␛[31m"),
        ("see\u00a0you", "see⟨U+00A0⟩you"),
        ("\u202eabc", "⟨U+202E⟩abc"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("\ud800", "⟨U+D800⟩"),
        ("日本\u3000語", "日本\u3000語"),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"),  # one picture of two, seen as such
        ("USER#a\u200db", "USER#a⟨U+200D⟩b"),
        ("<b>bold</b>", "<b>bold</b>"),
        (" a b  ", "␠a b␠␠"),
        ("  ", "␠␠"),
        (" \n", "␠⏎"),
        ("USER#a\u3164", "USER#a⟨U+3164⟩"),
        ("\u115f\u1160\uffa0\u2800", "⟨U+115F⟩⟨U+1160⟩⟨U+FFA0⟩⟨U+2800⟩"),
        ("caf\u00e9", "caf\u00e9"),
        ("cafe\u0301", "cafe⟨U+0301⟩"),
        ("\u212b", "⟨U+212B⟩"),  # the sign of the unit, which looks like the letter
        ("\uac00", "\uac00"),
        ("\u1100\u1161", "\u1100⟨U+1161⟩"),
        ("\u2066x\u2069\u200e\u061c", "⟨U+2066⟩x⟨U+2069⟩⟨U+200E⟩⟨U+061C⟩"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),  # as a picture, which is seen
        ("\u2764\ufe0e", "\u2764⟨U+FE0E⟩"),
        ("a\ufe0f\u034f\U000e0100", "a⟨U+FE0F⟩⟨U+034F⟩⟨U+E0100⟩"),
        ("\u00ad\ufeff\u2060", "⟨U+00AD⟩⟨U+FEFF⟩⟨U+2060⟩"),
    ],
)
def test_marks_stand_for_what_cannot_be_seen(text: str, seen: str) -> None:
    assert visible(text) == seen
    assert exact_text(String(text)) == text


@pytest.mark.parametrize("code", [*range(0x2000, 0x2070), *range(0xFE00, 0xFE10), 0xAD, 0x61C, 0x34F, 0x180E, 0xFEFF])
def test_no_character_that_nobody_sees_is_left_unseen(code: int) -> None:
    seen = visible(f"a{chr(code)}b")
    assert chr(code) not in seen or (chr(code).isprintable() and unicodedata.category(chr(code))[0] in "LNPS")


@given(st.text(max_size=8))
def test_two_spellings_of_one_text_never_look_the_same(text: str) -> None:
    composed, taken_apart = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    assert (visible(composed) == visible(taken_apart)) == (composed == taken_apart)


@pytest.mark.parametrize(
    ("number", "short"),
    [
        ("3" + "0" * 45, "3E+45"),
        ("-200000000000000009153" + "0" * 40, "-2.00000000000000009153E+60"),
        ("0." + "0" * 60 + "15", "1.5E-61"),
        ("1" * 38, ""),
        ("1234567.89", ""),
        ("3E+45", ""),
        ("0", ""),
        ("0" * 50, "0E+0"),
        ("NaN", ""),
    ],
)
def test_numbers_of_many_zeros_have_a_shorter_form(number: str, short: str) -> None:
    assert shorter_number(Number(number)) == short
    assert not short or Number(short) == Number(number)
    assert shorter_number(String(number)) == ""


def test_order_of_a_column() -> None:
    texts = ["Z", "a", "z", "é", "｡", "𐀂"]
    assert sorted(map(String, reversed(texts)), key=sort_key) == list(map(String, texts))
    by_value = ["-5", "0.5", "1", "9", "10", "100"]
    assert [n.text for n in sorted(map(Number, ["10", "9", "100", "-5", "0.5", "1"]), key=sort_key)] == by_value


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KB"), (409_600, "400.0 KB"),
     (5 * 1024**3, "5.0 GB"), (3 * 1024**4, "3.0 TB")],
)  # fmt: skip
def test_bytes_in_words(count: int, text: str) -> None:
    assert byte_text(count) == text
