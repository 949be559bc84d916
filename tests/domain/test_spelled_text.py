"""Texts that are edited without loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.spelled_text import LONGEST_LINE, spelled, unspelled
from tests.domain.strategies import texts

NASTY = "a\r\nb\rc\u00a0d\u2028e\u2029f\x00\x07\x7f\t\\n\ufeff\u200b\u202eg\ufffc\U000e0001"


@given(st.one_of(texts, st.text(alphabet=NASTY)), st.booleans())
def test_every_text_comes_back(text: str, lines: bool) -> None:
    shown = spelled(text, lines=lines)
    assert unspelled(shown) == text
    assert shown.replace("\n", "").isprintable()
    assert lines or "\n" not in shown


@given(st.text(alphabet="a\\\n\r\u00a0", max_size=10), st.integers(1, 3), st.integers(0, 5))
def test_long_lines_go_on_after_a_backslash(text: str, times: int, more: int) -> None:
    long = text * (LONGEST_LINE * times // 4) + "b" * more
    shown = spelled(long, lines=True)
    assert unspelled(shown) == long
    assert max(map(len, shown.split("\n"))) <= 6 * LONGEST_LINE + 1


def test_what_can_be_seen_stands_for_itself() -> None:
    assert spelled("Ünïcödé 💙 two words") == "Ünïcödé 💙 two words"
    assert spelled("a\r\nb\u00a0c\\d") == r"a\r\nb\u00a0c\\d"
    assert spelled("a\r\nb", lines=True) == "a\\r\nb"


@pytest.mark.parametrize(
    ("typed", "at"), [("a\\", 1), (r"\d", 0), (r"ok \u12", 3), (r"\ud800", 0), (r"\U00110000", 0), (r"\\\x", 2)]
)
def test_a_backslash_that_begins_nothing_is_refused_at_its_place(typed: str, at: int) -> None:
    with pytest.raises(InvalidValue) as raised:
        unspelled(typed)
    assert raised.value.position == at
    assert "backslash" in raised.value.hint
