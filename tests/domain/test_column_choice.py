"""Columns as somebody wants them: keys first and always there, whatever was chosen or written."""

from __future__ import annotations

import json

from dynodesk.domain.column_choice import ColumnChoice

USUAL, KEYS = ("PK", "SK", "a", "b", "c"), ("PK", "SK")


def test_no_choice_is_the_usual_order() -> None:
    assert ColumnChoice().shown(USUAL, KEYS) == [*USUAL]


def test_keys_stand_first_and_are_never_hidden() -> None:
    choice = ColumnChoice(("c", "SK", "a", "gone"), frozenset({"SK", "b", "gone"}))
    assert choice.arranged(USUAL, KEYS) == ["PK", "SK", "c", "a", "b"]
    assert choice.shown(USUAL, KEYS) == ["PK", "SK", "c", "a"]


def test_a_column_is_hidden_and_shown_again() -> None:
    hidden = ColumnChoice().showing("b", shown=False)
    assert hidden.shown(USUAL, KEYS) == ["PK", "SK", "a", "c"]
    assert hidden.showing("b", shown=True) == ColumnChoice()


def test_written_and_read_again_it_is_the_same() -> None:
    choice = ColumnChoice(("c", "naïve\u202e"), frozenset({"b", "a"}))
    assert ColumnChoice.from_json(json.loads(json.dumps(choice.to_json()))) == choice


def test_what_makes_no_sense_is_no_choice() -> None:
    nonsense: list[object] = [None, [], {}, {"order": 1, "hidden": {"a": 1}}]
    for written in nonsense:
        assert ColumnChoice.from_json(written) == ColumnChoice()
    assert ColumnChoice.from_json({"order": ["a", 1]}) == ColumnChoice(("a",))
