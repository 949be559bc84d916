from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.reports.characters import json_text, visible

ANY_TEXT = st.text(st.characters())
"""Halves of surrogate pairs included."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("POST#a91f / META", "POST#a91f / META"),
        ("é 日本語 ❤ 😀", "é 日本語 ❤ 😀"),
        ("a\0b\tc\r\nd\x1b[0m\x7f", "a␀b␉c␍␊d␛[0m␡"),
        ("user\u202egpj.exe", "user⟨U+202E⟩gpj.exe"),
        ("a\u200b\u00a0\u3000\ufeff", "a⟨U+200B⟩⟨U+00A0⟩⟨U+3000⟩⟨U+FEFF⟩"),
        ("\u3164\u115f\u2800", "⟨U+3164⟩⟨U+115F⟩⟨U+2800⟩"),
        ("\x85\u2028\ud800\U000e0041", "⟨U+0085⟩⟨U+2028⟩⟨U+D800⟩⟨U+E0041⟩"),
    ],
)
def test_what_cannot_be_seen_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ANY_TEXT)
def test_any_text_becomes_one_printable_line_that_can_be_encoded(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert visible(shown) == shown
    shown.encode()


@given(st.recursive(ANY_TEXT | st.integers() | st.booleans() | st.none(), st.lists, max_leaves=8))
def test_json_is_printable_and_the_same_value(decoded: object) -> None:
    text = json_text(decoded)
    assert text.isprintable()
    text.encode()
    assert json.loads(text) == decoded


def test_json_keeps_what_can_be_read() -> None:
    assert json_text({"é": "日本語 \u202e \U000e0041"}) == '{"é": "日本語 \\u202e \\udb40\\udc41"}'
