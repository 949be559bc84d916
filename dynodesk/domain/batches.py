"""Puts and deletions without a condition, many in one request: only where somebody said that none is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dynodesk.domain.collections import Identity, identity
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.item_json import from_dynamodb, item_to_dynamodb, readable_key, to_dynamodb
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, KeyValue, Value, item_size
from dynodesk.domain.writes import ItemWriter

MAX_BATCH = 25  # API Reference, BatchWriteItem
MAX_BATCH_BYTES = 16 * 1024 * 1024  # same page


@dataclass(frozen=True, slots=True)
class PlainWrite:
    """A put, whatever is there, or a deletion, whether there is anything or not."""

    key: Key
    item: Item | None = None
    """None: the item is deleted."""

    @property
    def identity(self) -> Identity:
        return identity(self.key, self.key)


class BatchWriter(Protocol):
    def write_batch(self, table: str, writes: Sequence[PlainWrite]) -> tuple[PlainWrite, ...]:
        """Send them once. Those that the service left out: they are not written, and to be sent again.

        Raises `OutcomeUnknown` where each may or may not have been written. Every other error means that nothing was
        written, `InvalidRequest` for what `check_batch` refuses among them.
        """


class TableWriter(ItemWriter, BatchWriter, Protocol):
    """Both ways to write."""


def batches(writes: Iterable[PlainWrite]) -> Iterator[tuple[PlainWrite, ...]]:
    """In portions that one request takes. Raises `InvalidRequest` for a key that occurs twice in all of them."""
    portion: list[PlainWrite] = []
    room, seen = MAX_BATCH_BYTES, set[Identity]()
    for write in writes:
        if write.identity in seen:
            raise InvalidRequest(f"{readable_key(write.key)} is written twice: what would be left is not certain")
        seen.add(write.identity)
        size = item_size(write.item or write.key)
        if portion and (len(portion) == MAX_BATCH or size > room):
            yield tuple(portion)
            portion, room = [], MAX_BATCH_BYTES
        portion.append(write)
        room -= size
    if portion:
        yield tuple(portion)


def check_batch(writes: Sequence[PlainWrite]) -> None:
    """Raises `InvalidRequest` where one request does not take them, or one key occurs twice."""
    if len(tuple(batches(writes))) != 1:
        raise InvalidRequest(f"a batch has 1 to {MAX_BATCH} writes and at most {MAX_BATCH_BYTES} bytes")


def batch_json(table: str, writes: Sequence[PlainWrite]) -> dict[str, Any]:
    """The BatchWriteItem request as DynamoDB JSON, as other tools send it."""
    return batch_request(table, writes, to_dynamodb)


def batch_request(table: str, writes: Sequence[PlainWrite], encode: Callable[[Value], Any]) -> dict[str, Any]:
    """The parameters of the request, its values as `encode` makes them. Raises `InvalidRequest` as `check_batch`."""
    check_batch(writes)

    def encoded(item: Item) -> dict[str, Any]:
        return {name: encode(value) for name, value in item.items()}

    requests = [
        {"DeleteRequest": {"Key": encoded(write.key)}}
        if write.item is None
        else {"PutRequest": {"Item": encoded(write.item)}}
        for write in writes
    ]
    return {"RequestItems": {table: requests}}


# --------------------------------------------------------------------------------------------------------- for files


def plain_to_json(write: PlainWrite) -> dict[str, Any]:
    item = None if write.item is None else item_to_dynamodb(write.item)
    return {"key": item_to_dynamodb(write.key), "item": item}


def plain_from_json(found: Mapping[str, Any]) -> PlainWrite:
    """Raises `InvalidValue`, `KeyError`, `TypeError` or `ValueError` for what `plain_to_json` did not make."""
    key = {name: from_dynamodb(value) for name, value in found["key"].items()}
    item = found["item"]
    return PlainWrite(
        {name: value for name, value in key.items() if isinstance(value, KeyValue)},
        None if item is None else {name: from_dynamodb(value) for name, value in item.items()},
    )
