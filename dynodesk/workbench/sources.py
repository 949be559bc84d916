"""Where the items of a set come from: parts, each of them read page by page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from dynodesk.domain.bulk import Provenance, RawPage, RawPageReader
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.item_json import readable
from dynodesk.domain.plan_json import plan_from_json, plan_to_json
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, check_plan
from dynodesk.domain.tables import TableInfo
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
        plans = [plan_to_json(plan) for plan in self.plans]
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
    return tuple(plan_from_json(plan) for plan in json.loads(identity).get("plans", []))
