"""Changed copies of items: values put in and taken out at document paths, all at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions.nodes import DocumentPath, Step
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.values import Item, List, Map, Value

Leaf = tuple[DocumentPath, Value | None]
Changes = dict[Step, "Leaf | Changes"]
"""By the first step of their paths, then the next one, down to what stands there in the end; None is nothing."""


def changed(item: Item, leaves: Iterable[Leaf]) -> dict[str, Value]:
    """The item with these values at these paths. No path is within another one, and indexes are those of the item.

    Raises `InvalidExpression` where a path leads through what is not there.
    """
    changes: Changes = {}
    for path, value in leaves:
        inside = changes
        for step in path.steps[:-1]:
            match inside.setdefault(step, {}):
                case dict() as deeper:
                    inside = deeper
                case _:
                    raise AssertionError(f"{path} is within another one")
        inside[path.steps[-1]] = (path, value)
    return _changed_entries(item, changes)


def _changed_entries(entries: Mapping[str, Value], changes: Changes) -> dict[str, Value]:
    result = dict(entries)
    for name, change in changes.items():
        if not isinstance(name, str):
            raise _no_way(changes)
        if isinstance(change, dict):
            result[name] = _changed_within(entries.get(name), change)
        elif change[1] is None:
            result.pop(name, None)
        else:
            result[name] = change[1]
    return result


def _changed_elements(elements: tuple[Value, ...], changes: Changes) -> tuple[Value, ...]:
    result: dict[int, Value | None] = dict(enumerate(elements))
    for index, change in changes.items():
        if not isinstance(index, int):
            raise _no_way(changes)
        result[index] = _changed_within(result.get(index), change) if isinstance(change, dict) else change[1]
    return tuple(value for _, value in sorted(result.items(), key=lambda entry: entry[0]) if value is not None)


def _changed_within(value: Value | None, changes: Changes) -> Value:
    match value:
        case Map(entries):
            return Map(_changed_entries(entries, changes))
        case List(elements):
            return List(_changed_elements(elements, changes))
        case _:
            raise _no_way(changes)


def _no_way(changes: Changes) -> InvalidExpression:
    change = next(iter(changes.values()))
    while isinstance(change, dict):
        change = next(iter(change.values()))
    path = change[0]
    return InvalidExpression(
        f"{path.text(WRITTEN_OUT)} leads through what is not in the item",
        hint="Set the map or list around it first, in an update of its own.",
        offset=path.span.offset,
        length=path.span.length,
    )
