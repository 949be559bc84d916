"""What was asked of the tables of a connection: the history of it, and what was saved under a name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from dynodesk.domain.cells import exact_text
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.item_json import from_dynamodb, to_dynamodb
from dynodesk.domain.plan_json import plan_from_json, plan_to_json
from dynodesk.domain.reads import QueryPlan, ReadPlan
from dynodesk.domain.statements import Select, as_select
from dynodesk.domain.values import Value

MOST_HISTORY = 200
"""Queries that the history holds; older ones go."""
LONGEST_NAME = 100
"""Characters."""

Query = ReadPlan | Select


@dataclass(frozen=True, slots=True)
class KeptQuery:
    query: Query
    time: str
    """When it was run last or saved, in UTC: `2026-11-30T18:45:05+00:00`."""
    name: str = ""
    """What it was saved under; "" in the history."""

    @property
    def local_time(self) -> str:
        """In the time zone of this computer: `2026-11-30 19:45`."""
        return datetime.fromisoformat(self.time).astimezone().strftime("%Y-%m-%d %H:%M")


@dataclass(frozen=True, slots=True)
class Queries:
    """All that is kept for one connection. Changes give another one."""

    saved: tuple[KeptQuery, ...] = ()
    """By name."""
    history: tuple[KeptQuery, ...] = ()
    """The newest first, none twice."""
    keeps: bool = True
    """Whether what is run is added to the history."""

    def with_run(self, query: Query, time: str) -> Queries:
        if not self.keeps:
            return self
        others = [kept for kept in self.history if kept.query != query]
        return replace(self, history=(KeptQuery(query, time), *others[: MOST_HISTORY - 1]))

    def with_saved(self, query: Query, name: str, time: str) -> Queries:
        """Raises `InvalidRequest` for a name that is none, or that another query has."""
        name = self._free_name(name, self.saved)
        return replace(self, saved=_by_name((*self.saved, KeptQuery(query, time, name))))

    def with_name(self, kept: KeptQuery, name: str) -> Queries:
        """A saved query under another name. Raises as `with_saved` does."""
        others = [other for other in self.saved if other != kept]
        name = self._free_name(name, others)
        return replace(self, saved=_by_name((*others, replace(kept, name=name))))

    def without(self, kept: KeptQuery) -> Queries:
        """One saved query, or one of the history, taken out."""
        return replace(
            self,
            saved=tuple(other for other in self.saved if other != kept),
            history=tuple(other for other in self.history if other != kept),
        )

    @staticmethod
    def _free_name(name: str, others: Iterable[KeptQuery]) -> str:
        name = " ".join(name.split())
        if not name or len(name) > LONGEST_NAME:
            raise InvalidRequest(f"a name has 1 to {LONGEST_NAME} characters")
        taken = next((other.name for other in others if other.name.casefold() == name.casefold()), "")
        if taken:
            raise InvalidRequest(f"{taken} is the name of another saved query", hint="Choose another one.")
        return name


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _by_name(saved: Iterable[KeptQuery]) -> tuple[KeptQuery, ...]:
    return tuple(sorted(saved, key=lambda kept: kept.name.casefold()))


# ------------------------------------------------------------------------------------------------------------- words


def operation_of(query: Query) -> str:
    if isinstance(query, Select):
        return "PartiQL"
    if isinstance(query, QueryPlan):
        return "GetItem" if query.by_key else "Query"
    return "Scan"


def place_of(query: Query) -> str:
    """The table, with the index where it is read through one."""
    return f"{query.table} · {query.index}" if query.index else query.table


def query_words(query: Query) -> str:
    """What a query asks for, on one line, besides its operation and place."""
    if isinstance(query, Select):
        values = f" · {_listed(query.parameters)}" if query.parameters else ""
        return " ".join(query.text.split()) + values + (" · consistent" if query.consistent else "")
    parts: list[str] = []
    if isinstance(query, QueryPlan):
        parts += [f"{name} = {exact_text(value)}" for name, value in {**query.partition, **query.sort_equals}.items()]
        if query.sort is not None:
            ends = [exact_text(end) for end in (query.sort.low, query.sort.high) if end is not None]
            parts.append(f"{query.sort_name} {query.sort.operator} {' and '.join(ends)}")
    if query.filter is not None:
        parts.append(f"where {query.filter}")
    if query.attributes:
        parts.append(f"only {', '.join(query.attributes)}")
    if isinstance(query, QueryPlan) and query.descending:
        parts.append("descending")
    if query.consistent:
        parts.append("consistent")
    return " · ".join(parts) or "all items"


def _listed(values: Iterable[Value]) -> str:
    return ", ".join(exact_text(value) for value in values)


# -------------------------------------------------------------------------------------------------------------- JSON


def kept_to_json(kept: KeptQuery) -> dict[str, object]:
    written: dict[str, object] = {"time": kept.time}
    if kept.name:
        written["name"] = kept.name
    if isinstance(kept.query, Select):
        written["statement"] = kept.query.text
        written["parameters"] = [to_dynamodb(value) for value in kept.query.parameters]
        written["consistent"] = kept.query.consistent
    else:
        written["plan"] = plan_to_json(kept.query)
    return written


def kept_from_json(written: object) -> KeptQuery:
    """What `kept_to_json` wrote. Raises `DynodeskError`, `ValueError` or `TypeError` for others."""
    if not isinstance(written, dict):
        raise TypeError("not an object")
    time, name = written.get("time"), written.get("name", "")
    if not isinstance(time, str) or not isinstance(name, str):
        raise TypeError("no time or no name")
    if datetime.fromisoformat(time).tzinfo is None or len(name) > LONGEST_NAME:
        raise ValueError("no such time or no such name")
    if "statement" not in written:
        return KeptQuery(plan_from_json(written.get("plan")), time, name)
    text, parameters = written["statement"], written.get("parameters")
    if not isinstance(text, str) or not isinstance(parameters, list):
        raise TypeError("no statement")
    values = tuple(from_dynamodb(value) for value in parameters)
    return KeptQuery(as_select(text, values, consistent=written.get("consistent") is True), time, name)
