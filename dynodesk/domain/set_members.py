"""Members of sets, compared as the service compares them."""

from __future__ import annotations

from typing import TypeVar

from dynodesk.domain.values import BinarySet, NumberSet, StringSet, Value

Member = TypeVar("Member")
AnySet = StringSet | NumberSet | BinarySet


def members_without(members: AnySet, old: Value) -> AnySet | None:
    """The members that are not in the old set; None where there is none."""
    match members, old:
        case StringSet(texts), StringSet(known):
            new = _new(texts, known)
            return StringSet(new) if new else None
        case NumberSet(numbers), NumberSet(known_numbers):
            new_numbers = _new(numbers, known_numbers)
            return NumberSet(new_numbers) if new_numbers else None
        case BinarySet(blobs), BinarySet(known_blobs):
            new_blobs = _new(blobs, known_blobs)
            return BinarySet(new_blobs) if new_blobs else None
        case _:
            return members


def members_in_both(members: AnySet, old: Value) -> AnySet | None:
    """The members that are in the old set; None where there is none."""
    outside = members_without(members, old)
    return members if outside is None else members_without(members, outside)


def _new(members: tuple[Member, ...], known: tuple[Member, ...]) -> tuple[Member, ...]:
    seen = frozenset(known)
    return tuple(member for member in members if member not in seen)
