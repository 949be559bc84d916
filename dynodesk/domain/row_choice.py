"""What is asked of loaded rows: which are shown, in what order, grouped or flat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from dynodesk.domain.collections import Entry
from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions import Condition, parse_where
from dynodesk.domain.text_search import Sought

Passes = Callable[[Entry], bool]


@dataclass(frozen=True, slots=True)
class Sorting:
    attribute: str
    descending: bool = False


@dataclass(frozen=True)
class RowFilter:
    """Which loaded rows are shown: those that meet a condition, or those with a text in any attribute."""

    text: str
    condition: Condition | None
    """None: `text` is looked for as it is."""

    @cached_property
    def _sought(self) -> Sought:
        return Sought(self.text)

    @property
    def kind(self) -> Literal["condition", "text"]:
        return "text" if self.condition is None else "condition"

    def passes(self, entry: Entry) -> bool:
        return self._sought.is_in_any(entry.item) if self.condition is None else self.condition.holds(entry.item)


def read_filter(text: str) -> RowFilter | None:
    """What is typed into a filter: a condition where it reads as one, else a text to look for; None where empty."""
    if not text.strip():
        return None
    try:
        return RowFilter(text, parse_where(text))
    except InvalidExpression:
        return RowFilter(text, None)


@dataclass(frozen=True)
class Wish:
    """How loaded rows are to be shown."""

    grouped: bool
    sorting: Sorting | None = None
    """None: in the order read."""
    filter: RowFilter | None = None

    @property
    def passes(self) -> Passes | None:
        return None if self.filter is None else self.filter.passes
