"""The one request that makes an edit: only what changed, and only where the item is as it was read."""

from __future__ import annotations

from collections.abc import Iterable

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.edits import Change, Edit
from dynodesk.domain.expressions.check_texts import MAX_EXPRESSION_BYTES, MAX_OPERATORS
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, Number, Value
from dynodesk.domain.write_requests import expressions
from dynodesk.domain.writes import (
    Expected,
    GuardedDelete,
    GuardedMove,
    GuardedPut,
    GuardedUpdate,
    GuardedWrite,
)

MAX_TERMS = MAX_OPERATORS // 2
"""Terms of a condition: each has one operator or function, and an AND stands between two."""

_FIRST_TERM, _MISSING_TERM, _EQUAL_TERM = map(
    len, ("attribute_exists(#n999)", " AND attribute_not_exists(#n999)", " AND #n999 = :v999")
)
"""Bytes of a term of a condition, at most."""


def guarded_write(edit: Edit, token: str) -> GuardedWrite:
    """The request, with what it does not guard named in it. `token` goes with a move. Raises `InvalidValue` where a
    moved item has no key.
    """
    if edit.before is None:
        return GuardedPut(edit.table, edit.key, edit.after or {})
    if edit.after is None:
        return _deletion(edit.table, edit.key, edit.before)
    if edit.kind == "moved":
        put = GuardedPut(edit.table, edit.new_key, edit.after)
        return GuardedMove(put, _deletion(edit.table, edit.key, edit.before), token)
    exact = _update(edit, edit.changes)
    if _fits(exact) and all(all(path.names) for path in exact.expected):
        return exact
    # By whole attributes: what is in a map is replaced together, on condition that all of it is as it was.
    whole = _update(edit, tuple(_of_attributes(edit, edit.before, edit.after)))
    if _fits(whole):
        return whole
    expected, unguarded = _most(whole.expected)
    partly = GuardedUpdate(edit.table, edit.key, expected, put=whole.put, remove=whole.remove, unguarded=unguarded)
    if _fits(partly):
        return partly
    # More changes than one update takes. What was changed is guarded first.
    rest = {path: value for path, value in _as_read(edit.before, edit.key).items() if path not in whole.expected}
    expected, unguarded = _most({**whole.expected, **rest})
    return GuardedPut(edit.table, edit.key, edit.after, expected, unguarded)


def _update(edit: Edit, changes: Iterable[Change]) -> GuardedUpdate:
    expected: dict[AttributePath, Value | None] = {}
    put: dict[AttributePath, Value] = {}
    remove: list[AttributePath] = []
    within: dict[AttributePath, None] = {}
    for change in changes:
        expected[change.path] = change.before
        if change.after is None:
            remove.append(change.path)
        else:
            put[change.path] = change.after
        if change.before is None and len(change.path.names) > 1:
            within[AttributePath(change.path.names[:-1])] = None
    return GuardedUpdate(edit.table, edit.key, expected, put=put, remove=tuple(remove), within=tuple(within))


def _of_attributes(edit: Edit, before: Item, after: Item) -> Iterable[Change]:
    for name in dict.fromkeys(change.path.names[0] for change in edit.changes):
        yield Change(AttributePath((name,)), before.get(name), after.get(name))


def _deletion(table: str, key: Key, before: Item) -> GuardedDelete:
    expected, unguarded = _most(_as_read(before, key))
    return GuardedDelete(table, key, expected, unguarded)


def _as_read(item: Item, key: Key) -> dict[AttributePath, Value | None]:
    """All attributes but the key's, numbers first: versions and counts are what a writer changes."""
    names = sorted((name for name in item if name not in key), key=lambda name: not isinstance(item[name], Number))
    return {AttributePath((name,)): item[name] for name in names}


def _most(expected: Expected) -> tuple[Expected, tuple[str, ...]]:
    """As many as a condition takes beside the one that the item exists, and the names of the others."""
    kept: dict[AttributePath, Value | None] = {}
    room = MAX_EXPRESSION_BYTES - _FIRST_TERM
    for path, value in expected.items():
        room -= _MISSING_TERM if value is None else _EQUAL_TERM
        if room < 0 or len(kept) == MAX_TERMS - 1:
            break
        kept[path] = value
    return kept, tuple(path.names[0] for path in expected if path not in kept)


def _fits(update: GuardedUpdate) -> bool:
    terms, changes = 1 + len(update.expected) + len(update.within), len(update.put) + len(update.remove)
    if terms > MAX_TERMS or changes > MAX_OPERATORS:
        return False
    words = expressions(update)
    return all(len(text.encode()) <= MAX_EXPRESSION_BYTES for text in (words.update, words.condition))
