"""What a table is: its keys, its indexes, what they project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dynodesk.domain.errors import DynodeskError, InvalidValue
from dynodesk.domain.values import (
    MAX_PARTITION_KEY_BYTES,
    MAX_SORT_KEY_BYTES,
    Binary,
    Item,
    KeyValue,
    Number,
    String,
    Value,
    check_key,
    type_word,
)

KeyType = Literal["S", "N", "B"]
Key = Mapping[str, KeyValue]
"""A key as attribute name to value, partition key first."""


@dataclass(frozen=True, slots=True)
class KeyAttribute:
    name: str
    type: KeyType

    def value(self, text: str) -> KeyValue:
        """A key value of this attribute from text as typed. Raises `InvalidValue`."""
        match self.type:
            case "S":
                return String(text)
            case "N":
                return Number.parse(text)
            case "B":
                try:
                    return Binary(bytes.fromhex(text))
                except ValueError:
                    raise InvalidValue(f"{self.name} is binary: give it as hexadecimal digits") from None

    def is_in(self, item: Item) -> bool:
        """Whether an item has the attribute, of this type: an index holds none without."""
        return isinstance(item.get(self.name), _KEY_CLASSES[self.type])


@dataclass(frozen=True, slots=True)
class KeySchema:
    """Partition and sort key attributes in order. A base table has at most one of each; a GSI up to four of each."""

    partition: tuple[KeyAttribute, ...]
    sort: tuple[KeyAttribute, ...] = ()

    @property
    def attributes(self) -> tuple[KeyAttribute, ...]:
        return self.partition + self.sort

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    def key_of(self, item: Item) -> dict[str, KeyValue]:
        """The key of an item that has it. Raises `InvalidValue` where an attribute is missing or of another type."""
        key: dict[str, KeyValue] = {}
        for attribute in self.attributes:
            value = item.get(attribute.name)
            if not isinstance(value, _KEY_CLASSES[attribute.type]):
                found = "missing" if value is None else f"a {type_word(value)}"
                raise InvalidValue(f"key attribute {attribute.name} is {found}, the table says {attribute.type}")
            key[attribute.name] = value
        return key

    def check(self, key: Mapping[str, Value]) -> None:
        """Raises `InvalidValue` where `key` is not exactly a key of this schema that the service would take."""
        if set(key) != set(self.names):
            raise InvalidValue(f"the key has {', '.join(key) or 'nothing'}; the table's is {', '.join(self.names)}")
        self.key_of(key)
        for attribute in self.attributes:
            limit = MAX_PARTITION_KEY_BYTES if attribute in self.partition else MAX_SORT_KEY_BYTES
            check_key(key[attribute.name], attribute.name, limit)


_KEY_CLASSES: dict[KeyType, type[KeyValue]] = {"S": String, "N": Number, "B": Binary}


@dataclass(frozen=True, slots=True)
class Projection:
    kind: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    included: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Throughput:
    """Capacity units a second: what is provisioned, or at most taken on demand. None: no limit of its own."""

    read: int | None
    write: int | None


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """An index, as it is or as it shall be. The estimates are as old as those of its table."""

    name: str
    kind: Literal["GSI", "LSI"]
    key_schema: KeySchema
    projection: Projection
    status: str = "ACTIVE"
    throughput: Throughput | None = None
    """Of a global index: provisioned, or the most on demand, as its table is billed. A local one uses its table's."""
    is_backfilling: bool = False
    """The items that were there before it are being copied into it."""
    item_count_estimate: int | None = None
    size_bytes_estimate: int | None = None

    @property
    def allows_consistent_read(self) -> bool:
        return self.kind == "LSI"


@dataclass(frozen=True, slots=True)
class TableStream:
    """The stream of a table that is switched on now."""

    arn: str
    view: str
    """What its records carry: KEYS_ONLY, NEW_IMAGE, OLD_IMAGE or NEW_AND_OLD_IMAGES."""


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table as DescribeTable gives it. The estimates are up to about six hours old: shown so, never counted with."""

    name: str
    key_schema: KeySchema
    indexes: tuple[IndexInfo, ...] = ()
    status: str = "ACTIVE"
    arn: str = ""
    created: str = ""
    item_count_estimate: int | None = None
    size_bytes_estimate: int | None = None
    billing: str = ""
    """PAY_PER_REQUEST or PROVISIONED; "" where it is not known."""
    stream: TableStream | None = None
    throughput: Throughput | None = None
    """Provisioned, or the most on demand, as `billing` says."""
    table_class: str = "STANDARD"
    is_protected: bool = False
    """Whether it cannot be deleted until that is switched off."""
    id: str = ""
    """Tells it from a table of the same name made before or after."""

    def index(self, name: str) -> IndexInfo | None:
        return next((index for index in self.indexes if index.name == name), None)

    @property
    def indexes_in_words(self) -> str:
        """For somebody who asked for one that is not there."""
        return f"It has: {', '.join(index.name for index in self.indexes)}." if self.indexes else "It has no index."

    def schema_of(self, index: str | None) -> KeySchema:
        """Raises `InvalidValue` where there is no such index."""
        if index is None:
            return self.key_schema
        found = self.index(index)
        if found is None:
            raise InvalidValue(f"{self.name} has no index {index}", hint=self.indexes_in_words)
        return found.key_schema

    def projects(self, index: str, attribute: str) -> bool:
        """Whether the index carries a copy of the attribute."""
        found = self.index(index)
        if found is None or found.projection.kind == "ALL":
            return found is not None
        return (
            attribute in self.key_schema.names
            or attribute in found.key_schema.names
            or attribute in found.projection.included
        )


@dataclass(frozen=True, slots=True)
class TimeToLive:
    attribute: str
    """The attribute whose time makes an item expire; "" where none is set."""
    status: str
    """ENABLED, ENABLING, DISABLING or DISABLED."""

    @property
    def expires_items(self) -> bool:
        return self.status in {"ENABLED", "ENABLING"}


@dataclass(frozen=True, slots=True)
class Recovery:
    """Point-in-time recovery. The ends of its period are UTC, ISO 8601; "" where it is off."""

    status: str
    earliest: str = ""
    latest: str = ""


@dataclass(frozen=True, slots=True)
class TableDetails:
    """All that can be asked about a table. A part that was refused is the refusal."""

    info: TableInfo | DynodeskError
    time_to_live: TimeToLive | DynodeskError
    recovery: Recovery | DynodeskError
