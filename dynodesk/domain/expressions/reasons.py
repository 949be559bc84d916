"""Why an item meets a condition, or does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynodesk.domain.expressions.conditions import And, Condition, Not, Or, Size
from dynodesk.domain.expressions.nodes import DocumentPath
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.item_json import readable
from dynodesk.domain.values import Item, type_word

LONGEST_VALUE = 60
"""Characters of a value that are shown."""


@dataclass(frozen=True, slots=True)
class Reason:
    """What one term of a condition, without AND, OR and NOT, says of an item."""

    term: Condition
    holds: bool
    found: tuple[tuple[str, str], ...]
    """Of each path and size in it, its text and what is there: `("likes", "Number 41")`, `("gone", "missing")`."""


def reasons(condition: Condition, item: Item) -> tuple[Reason, ...]:
    """The terms that decide it: of an AND that fails those that fail, of an OR that holds those that hold."""
    return tuple(
        Reason(term, term.holds(item), tuple(dict.fromkeys(_found(term, item)))) for term in _deciding(condition, item)
    )


def _deciding(condition: Condition, item: Item) -> Iterator[Condition]:
    match condition:
        case And(terms) | Or(terms):
            holds = condition.holds(item)
            for term in terms:
                # An AND that holds, and an OR that fails, is decided by all of its terms.
                if term.holds(item) == holds:
                    yield from _deciding(term, item)
        case Not(inner):
            yield from _deciding(inner, item)
        case _:
            yield condition


def _found(term: Condition, item: Item) -> Iterator[tuple[str, str]]:
    for part in term.walk():
        if isinstance(part, DocumentPath | Size):
            value = part.find(item)
            shown = "missing"
            if value is not None:
                text = readable(value)
                text = text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
                shown = f"{type_word(value)} {text}"
            yield part.text(WRITTEN_OUT), shown
