"""Values as they are typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.typed_values import base64_typed, hex_typed, typed, value_typed
from dynodesk.domain.values import Binary, Null, Number, String, Value
from tests.domain.strategies import blobs, texts


@given(st.one_of(texts.map(String), blobs.map(Binary)))
def test_what_is_shown_in_a_field_is_the_value_when_typed(value: Value) -> None:
    assert value_typed(typed(value), value) == value


@pytest.mark.parametrize("text", ["30.40", "1E3", "-0.5", "1203456789012345679"])
def test_digits_stay_as_typed(text: str) -> None:
    found = value_typed(text, Number("0"))
    assert isinstance(found, Number)
    assert found.text == text


@pytest.mark.parametrize("text", ["7 ", " 7", "", "NaN", "Infinity", "1,5", "1_0", "１"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="not a number"):
        value_typed(text, Number("0"))


def test_hexadecimal_and_base64_may_have_blanks_and_nothing_else() -> None:
    assert hex_typed("00ff 10\n2A") == Binary(b"\x00\xff\x10\x2a")
    assert base64_typed("AAH/\nAA==") == Binary(b"\x00\x01\xff\x00")
    for text in ("0", "0g", "0x00", "é0"):
        with pytest.raises(InvalidValue):
            hex_typed(text)
    for text in ("A", "AB==", "AA=", "AAH_", "A-=="):
        with pytest.raises(InvalidValue, match="not base64"):
            base64_typed(text)


def test_other_types_are_not_typed() -> None:
    assert typed(Null()) == ""
    with pytest.raises(InvalidValue):
        value_typed("x", Null())
