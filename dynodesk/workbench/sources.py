"""Where the items of a set come from: parts, each of them read page by page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from dynodesk.domain.bulk import Provenance, RawPage, RawPageReader
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.item_json import from_dynamodb, readable, to_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition, check_plan
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Binary, KeyValue, Number, String
from dynodesk.workbench.sets import KeyColumn


class Source(Protocol):
    @property
    def origin(self) -> Provenance:
        """What is said of the set, before anything is read."""

    @property
    def identity(self) -> str:
        """JSON text. Differs where other items might come; a load is taken up again for the same only."""

    @property
    def keys(self) -> Sequence[KeyColumn]: ...
    @property
    def parts(self) -> int: ...
    @property
    def at_once(self) -> int:
        """How many parts are read at the same time."""

    @property
    def costs_units(self) -> bool:
        """Whether a page that has arrived is worth keeping: to read it again is paid for again."""

    @property
    def may_repeat(self) -> bool:
        """Whether an item may come more than once: the one that comes last then stands."""

    def check(self) -> None:
        """Raises a `DynodeskError` for what cannot be one set."""

    def pages(self, part: int, parts: int, ticket: Ticket, start: str | None) -> Iterator[RawPage]:
        """The pages of one of `parts` from the cursor `start` on. Raises what `RawPageReader` raises."""


@dataclass(frozen=True, slots=True)
class TableSource:
    """A table or index as a connection gives it."""

    plans: Sequence[ReadPlan]
    """One Scan, or Queries of the same table and index."""
    info: TableInfo
    endpoint: str
    reader: RawPageReader
    segments: int = 1
    """Parts of a Scan that are read at the same time; for Queries, how many at the same time."""

    costs_units = True
    may_repeat = True

    @property
    def words(self) -> str:
        first = self.plans[0]
        where = first.table if first.index is None else f"{first.table}, index {first.index}"
        if first.filter is not None:
            where += f" where {first.filter}"
        if isinstance(first, ScanPlan):
            return f"Scan of {where}"
        key = ", ".join(f"{name} {readable(value)}" for name, value in first.partition.items())
        words = (
            f"Query of {where}, {key}" if len(self.plans) == 1 else f"Query of {len(self.plans)} collections of {where}"
        )
        sorts = {plan.sort for plan in self.plans if isinstance(plan, QueryPlan)}
        if first.sort is None or len(sorts) > 1:
            return words
        ends = [value for value in (first.sort.low, first.sort.high) if value is not None]
        return f"{words}, {first.sort_name} {first.sort.operator} {' and '.join(map(readable, ends))}"

    @property
    def origin(self) -> Provenance:
        first = self.plans[0]
        return Provenance(
            source=self.words,
            endpoint=self.endpoint,
            table=first.table,
            index=first.index,
            consistent=first.consistent,
            segments=self._segments,
            first_page="",
            last_page="",
            pages=0,
            items=0,
            units=Decimal(0),
            complete=False,
            why_partial="not finished",
        )

    @property
    def identity(self) -> str:
        """Differs where anything but the number of threads does; a table made anew is another one."""
        plans = [_plan_to_json(plan) for plan in self.plans]
        return json.dumps(
            {"endpoint": self.endpoint, "arn": self.info.arn, "created": self.info.created, "plans": plans}
        )

    @property
    def keys(self) -> tuple[KeyColumn, ...]:
        of_table = self.info.key_schema.attributes
        attributes = dict.fromkeys((*of_table, *self.info.schema_of(self.plans[0].index).attributes))
        return tuple(KeyColumn(a.name, a.type, f"k{i}", a in of_table) for i, a in enumerate(attributes))

    @property
    def parts(self) -> int:
        return self.segments if self._is_scan else len(self.plans)

    @property
    def at_once(self) -> int:
        return self.segments

    def check(self) -> None:
        """Raises `InvalidRequest` for what is not one set."""
        if not self.plans or len({(p.table, p.index, p.consistent, type(p)) for p in self.plans}) != 1:
            raise InvalidRequest("a set is read from one table or index, in one way")
        if self._is_scan and len(self.plans) > 1:
            raise InvalidRequest("one Scan reads all of a table")
        for plan in self.plans:
            check_plan(plan, self.info)

    def pages(self, part: int, parts: int, ticket: Ticket, start: str | None) -> Iterator[RawPage]:
        if self._is_scan:
            return self.reader.raw_pages(self.plans[0], ticket, start=start, segment=part, segments=parts)
        return self.reader.raw_pages(self.plans[part], ticket, start=start)

    @property
    def _is_scan(self) -> bool:
        return isinstance(self.plans[0], ScanPlan)

    @property
    def _segments(self) -> int:
        return self.segments if self._is_scan else 1


def plans_of(identity: str) -> tuple[ReadPlan, ...]:
    """The plans of a `TableSource` from its identity, to take its load up again; none for another source."""
    return tuple(_plan_from_json(plan) for plan in json.loads(identity).get("plans", []))


def _plan_to_json(plan: ReadPlan) -> dict[str, Any]:
    written: dict[str, Any] = {"table": plan.table, "index": plan.index, "consistent": plan.consistent}
    if plan.filter is not None:
        written["where"] = str(plan.filter)
    if plan.attributes:
        written["attributes"] = list(plan.attributes)
    if isinstance(plan, QueryPlan):
        written["partition"] = {name: to_dynamodb(value) for name, value in plan.partition.items()}
        if plan.sort is not None:
            ends = [to_dynamodb(end) for end in (plan.sort.low, plan.sort.high) if end is not None]
            written["sort"] = [plan.sort_name, plan.sort.operator, *ends]
        if plan.descending:  # a cursor is of one direction
            written["descending"] = True
    return written


def _plan_from_json(written: dict[str, Any]) -> ReadPlan:
    table, index, consistent = written["table"], written["index"], written["consistent"]
    attributes = tuple(written.get("attributes", ()))
    where = parse_where(written["where"]) if "where" in written else None
    if "partition" not in written:
        return ScanPlan(table, index, consistent, attributes=attributes, filter=where)
    sort_name, operator, *ends = written.get("sort", ["", None])
    low, high = ([_key_value(end) for end in ends] + [None, None])[:2]
    return QueryPlan(
        table,
        {name: _key_value(value) for name, value in written["partition"].items()},
        None if low is None else SortCondition(operator, low, high),
        sort_name,
        index,
        consistent,
        written.get("descending", False),
        attributes=attributes,
        filter=where,
    )


def _key_value(tagged: object) -> KeyValue:
    value = from_dynamodb(tagged)
    if not isinstance(value, String | Number | Binary):
        raise InvalidRequest("a set's plan names a key that is none")
    return value
