"""One short text for whole items, equal for equal ones: however a set is ordered or a number is spelled."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b

from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.values import BinarySet, Item, List, Map, Number, NumberSet, StringSet, Value


def digest_of(items: Iterable[Item]) -> str:
    digest = new_digest()
    for item in items:
        feed(digest, item)
    return digest.hexdigest()


def new_digest() -> blake2b:
    return blake2b(digest_size=16)


def feed(digest: blake2b, item: Item) -> None:
    # Two replies may give a set in different orders; an item is the same whatever the order.
    stable = {name: to_dynamodb(_in_one_form(value)) for name, value in item.items()}
    digest.update(json.dumps(stable, sort_keys=True, separators=(",", ":")).encode("ascii"))
    digest.update(b"\n")


def _in_one_form(value: Value) -> Value:
    match value:
        case Number():
            return Number(value.canonical)
        case StringSet(members):
            return StringSet(tuple(sorted(members)))
        case NumberSet(numbers):
            return NumberSet(tuple(Number(text) for text in sorted(number.canonical for number in numbers)))
        case BinarySet(blobs):
            return BinarySet(tuple(sorted(blobs)))
        case List(elements):
            return List(tuple(map(_in_one_form, elements)))
        case Map(entries):
            return Map({name: _in_one_form(entry) for name, entry in entries.items()})
        case _:
            return value
