"""What a range of a sort key takes in, or leaves out, that whoever typed it may not mean."""

from __future__ import annotations

from collections.abc import Iterable

from dynodesk.domain.reads import SortCondition
from dynodesk.domain.values import String


def range_remark(condition: SortCondition, seen: Iterable[str]) -> str:
    """A remark on a range of texts, from the values of the sort key that were met in the table; "" where none fits.

    Texts have the order of their bytes: what goes on after the upper end lies above it, and what a key begins with,
    as `POST#`, does not bound a range that is open at one side.
    """
    low, high = condition.low, condition.high
    if not isinstance(low, String):
        return ""
    match condition.operator:
        case "between" if isinstance(high, String):
            return _above(high.text, seen)
        case "<=":
            return _above(low.text, seen) or _other_kind(low.text, seen, below=True)
        case "<":
            return _other_kind(low.text, seen, below=True)
        case ">" | ">=":
            return _other_kind(low.text, seen, below=False)
        case _:
            return ""


def _above(end: str, seen: Iterable[str]) -> str:
    longer = next((text for text in seen if text.startswith(end) and text != end), None)
    if not end or longer is None:
        return ""
    return f"{longer} goes on after {end}: it lies above it, and is not in this range"


def _other_kind(end: str, seen: Iterable[str], *, below: bool) -> str:
    kind, sign, _ = end.partition("#")
    if not sign:
        return ""
    for text in seen:
        if not text.startswith(f"{kind}#") and (text < end) == below:
            return f"{text} is in this range too. For {kind}# alone: begins_with, or between"
    return ""
