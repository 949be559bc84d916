"""What to read, and what came back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from dynodesk.domain.errors import InvalidRequest, InvalidValue
from dynodesk.domain.expressions import Condition
from dynodesk.domain.tables import Key, KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import (
    MAX_PARTITION_KEY_BYTES,
    MAX_SORT_KEY_BYTES,
    Item,
    KeyValue,
    Number,
    check_key,
    order,
    type_tag,
    type_word,
)

SortOperator = Literal["=", "<", "<=", ">", ">=", "between", "begins_with"]
SORT_OPERATORS: tuple[SortOperator, ...] = ("=", "<", "<=", ">", ">=", "between", "begins_with")


MAX_TRANSACTION_ITEMS = 100
"""Items of one transactional read (API Reference, TransactGetItems)."""
MAX_SEGMENTS = 1_000_000
"""Segments of one parallel Scan (API Reference, Scan)."""


@dataclass(frozen=True, slots=True)
class SortCondition:
    """A condition on one sort key attribute; of a key with several, on the last one that a Query says anything of."""

    operator: SortOperator
    low: KeyValue
    high: KeyValue | None = None
    """The upper end of `between`, which includes both ends."""

    @property
    def is_reversed(self) -> bool:
        """Whether the lower end is above the upper one, which the service refuses."""
        return self.high is not None and order(self.low) > order(self.high)


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """One item collection of a table or index, or a range of it."""

    table: str
    partition: Key
    """Every partition key attribute with its value."""
    sort: SortCondition | None = None
    sort_name: str = ""
    """The sort key attribute that `sort` is about."""
    index: str | None = None
    consistent: bool = False
    descending: bool = False
    page_limit: int | None = None
    """Items read (not returned) per page; None leaves it to the service's 1 MB."""
    attributes: tuple[str, ...] = ()
    """Attributes to return; empty: all that the table or index has. It does not lower the cost."""
    filter: Condition | None = None
    """What an item has to meet to be returned. It is read, and paid for, either way."""
    sort_equals: Key = field(default_factory=dict)
    """Of a sort key with several attributes, those before `sort_name`, each with the value that it has to have."""
    by_key: bool = False
    """The one item of a base table that has this whole key, read as GetItem. It takes no filter."""


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """A whole table or index."""

    table: str
    index: str | None = None
    consistent: bool = False
    page_limit: int | None = None
    attributes: tuple[str, ...] = ()
    filter: Condition | None = None
    segments: int = 1
    """In so many parts, read side by side."""
    segment: int | None = None
    """The one part, from 0, that is read; None: all of them."""


ReadPlan = QueryPlan | ScanPlan


@dataclass(frozen=True, slots=True)
class Page:
    """One reply of a Query or Scan, proven whole.

    `cursor` is where the next page starts. A page without items may have one: only None means the read is complete.
    """

    items: tuple[Item, ...]
    scanned: int
    """Items read before any filter."""
    cursor: Key | None
    units: Decimal | None
    """Read units as the service counted them; None where it does not say."""
    seconds: float
    """How long the reply took."""
    segment: int = 0
    """Of a Scan in several segments, the one that it belongs to."""


def check_plan(plan: ReadPlan, table: TableInfo) -> None:
    """Raises `InvalidRequest` for what the service would refuse, or answer in another sense; `InvalidValue` for a value
    that no key has.
    """
    if plan.index is not None:
        index = table.index(plan.index)
        if index is None:
            raise InvalidRequest(f"{table.name} has no index {plan.index}", hint=table.indexes_in_words)
        if plan.consistent and not index.allows_consistent_read:
            raise InvalidRequest(
                f"{plan.index} is a global secondary index: it has no consistent reads",
                hint="Read the base table, or switch consistent read off.",
            )
        if lacking := unprojected(plan.attributes, table, plan.index):
            raise InvalidRequest(
                f"{plan.index} does not project {', '.join(lacking)}", hint="Leave them out, or read the base table."
            )
    if isinstance(plan, QueryPlan):
        _check_query(plan, table.schema_of(plan.index))
        _check_values(plan, table.schema_of(plan.index))
        if plan.filter is not None and (keys := plan.filter.attributes & set(table.schema_of(plan.index).names)):
            raise InvalidRequest(
                f"a Query's filter may not look at its key: {', '.join(sorted(keys))}",
                hint="Write it as a condition on the sort key, or run a Scan.",
            )
    elif not 1 <= plan.segments <= MAX_SEGMENTS or not (plan.segment is None or 0 <= plan.segment < plan.segments):
        raise InvalidRequest(f"a Scan has 1 to {MAX_SEGMENTS:,} segments, counted from 0")
    if plan.page_limit is not None and plan.page_limit < 1:
        raise InvalidRequest("the limit is the number of items to read and must be at least 1")


def unprojected(attributes: Iterable[str], table: TableInfo, index: str | None) -> tuple[str, ...]:
    """Those that a read of the index may not ask for: a local one fetches from the table what it has no copy of."""
    found = None if index is None else table.index(index)
    if index is None or found is None or found.kind == "LSI":
        return ()
    return tuple(name for name in attributes if not table.projects(index, name))


def chosen_partitions(schema: KeySchema, lines: Iterable[str]) -> tuple[Key, ...]:
    """Partition keys as typed, one a line, each once; the values of a key of several attributes are parted by tabs.

    Blank lines are skipped, and no other space is: it may belong to a value. Raises `InvalidRequest` that names the
    line.
    """
    found: dict[tuple[KeyValue, ...], Key] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        texts = line.split("\t") if len(schema.partition) > 1 else [line]
        if len(texts) != len(schema.partition):
            names = ", ".join(attribute.name for attribute in schema.partition)
            raise InvalidRequest(f"line {number}: the partition key is {names}", hint="Part their values by tabs.")
        key: dict[str, KeyValue] = {}
        for attribute, text in zip(schema.partition, texts, strict=True):
            try:
                key[attribute.name] = attribute.value(text)
                check_key(key[attribute.name], attribute.name, MAX_PARTITION_KEY_BYTES)
            except InvalidValue as problem:
                raise InvalidRequest(f"line {number}: {problem.message}", hint=problem.hint) from None
        found.setdefault(tuple(key.values()), key)
    return tuple(found.values())


def _check_query(plan: QueryPlan, schema: KeySchema) -> None:
    wanted = tuple(attribute.name for attribute in schema.partition)
    if set(plan.partition) != set(wanted):
        raise InvalidRequest(f"a Query needs a value for each of: {', '.join(wanted)}", hint="Or run a Scan.")
    sort_names = tuple(attribute.name for attribute in schema.sort)
    if plan.sort is not None:
        if plan.sort_name not in sort_names:
            raise InvalidRequest(f"{plan.sort_name or 'nothing'} is not a sort key here")
        if plan.sort.operator == "begins_with" and isinstance(plan.sort.low, Number):
            raise InvalidRequest("begins_with does not work on a Number", hint="Use between.")
        if (plan.sort.operator == "between") != (plan.sort.high is not None):
            raise InvalidRequest("between takes two values, every other operator one")
        if plan.sort.is_reversed:
            raise InvalidRequest(f"{plan.sort_name}: the lower end is above the upper one", hint="Turn them round.")
    before = sort_names[: sort_names.index(plan.sort_name)] if plan.sort is not None else ()
    if set(plan.sort_equals) != set(before):
        raise InvalidRequest(
            f"a sort key is asked for from left to right, = for all but the last: {', '.join(sort_names)}"
        )
    if plan.by_key:
        whole = plan.sort is None if not schema.sort else plan.sort is not None and plan.sort.operator == "="
        if plan.index is not None or plan.filter is not None or not whole:
            raise InvalidRequest("GetItem takes the whole key of a table, and no filter", hint="Run a Query.")


def _check_values(plan: QueryPlan, schema: KeySchema) -> None:
    for attribute in schema.partition:
        _check_value(plan.partition[attribute.name], attribute, MAX_PARTITION_KEY_BYTES)
    for attribute in schema.sort:
        asked = [plan.sort_equals.get(attribute.name)]
        if plan.sort is not None and attribute.name == plan.sort_name:
            asked = [plan.sort.low, plan.sort.high]
        for value in asked:
            if value is not None:
                _check_value(value, attribute, MAX_SORT_KEY_BYTES)


def _check_value(value: KeyValue, attribute: KeyAttribute, limit: int) -> None:
    if type_tag(value) != attribute.type:
        raise InvalidRequest(f"{attribute.name} is of type {attribute.type}, this is a {type_word(value)}")
    check_key(value, attribute.name, limit)
