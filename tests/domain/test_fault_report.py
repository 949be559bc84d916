"""A report names kinds and places, and quotes nothing."""

from __future__ import annotations

import json
from typing import TypeVar

import pytest

from dynodesk.domain.errors import DamagedReply
from dynodesk.domain.fault_report import described, fault_report, place_of

CANARY = "an item's value"


E = TypeVar("E", bound=BaseException)


def raised(error: E) -> E:
    local = CANARY  # noqa: F841  (a report would show it if it showed local variables)
    with pytest.raises(type(error)) as caught:
        raise error
    return caught.value


def broken() -> BaseException:
    """Three deep, with values in words, arguments and local variables."""

    def fail() -> None:
        try:
            json.loads(f'{{"{CANARY}')
        except ValueError as inner:
            raise KeyError(CANARY) from inner

    def go_on() -> None:
        try:
            fail()
        except KeyError:
            raise RuntimeError(CANARY, {CANARY: CANARY})  # noqa: B904  (what came before is told without it)

    with pytest.raises(RuntimeError) as caught:
        go_on()
    return caught.value


def test_every_error_of_a_chain_is_told_with_its_frames_and_without_values() -> None:
    report = fault_report(broken())
    assert CANARY not in report
    kinds = [line for line in report.splitlines() if not line.startswith("    ")]
    assert kinds == ["RuntimeError", "because of:", "KeyError", "because of:", "JSONDecodeError"]
    assert "    test_fault_report.py:" in report
    assert " go_on" in report
    assert "decoder.py:" in report
    assert "/home" not in report


def test_a_group_is_told_part_by_part() -> None:
    report = fault_report(raised(ExceptionGroup(CANARY, [raised(ValueError(CANARY)), raised(KeyError(CANARY))])))
    assert CANARY not in report
    assert report.count("one of which:") == 2


def test_errors_that_cause_each_other_end() -> None:
    one, other = raised(ValueError()), raised(KeyError())
    one.__cause__, other.__cause__ = other, one
    assert fault_report(one).count("because of:") == 1


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (KeyError(CANARY), "KeyError"),
        (ValueError(CANARY), "ValueError"),
        (AssertionError(CANARY), "AssertionError"),
        (
            AttributeError("'Page' object has no attribute 'rows'"),
            "AttributeError: 'Page' object has no attribute 'rows'",
        ),
        (OSError(28, "No space left on device", "/somewhere/secret.json"), "OSError: No space left on device"),
        (DamagedReply(CANARY, details="Query, request 7"), "DamagedReply [damaged-reply] (Query, request 7)"),
        (DamagedReply(CANARY), "DamagedReply [damaged-reply]"),
    ],
)
def test_words_stay_only_where_they_can_name_nothing_but_code(error: Exception, line: str) -> None:
    assert described(error) == line


def test_a_class_derived_from_one_that_names_code_is_not_trusted() -> None:
    class Refined(TypeError):
        pass

    assert described(Refined(CANARY)) == "Refined"


def test_the_place_is_where_it_was_raised() -> None:
    assert place_of(raised(ValueError())).startswith("test_fault_report.py, line ")
    assert place_of(ValueError()) == ""
