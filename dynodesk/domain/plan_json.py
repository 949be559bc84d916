"""Plans of reads as JSON and back, exactly: for what is kept of a load, in a history, or of a session."""

from __future__ import annotations

from typing import Any, NoReturn, get_args

from dynodesk.domain.errors import InvalidRequest, InvalidValue
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.item_json import from_dynamodb, to_dynamodb
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition, SortOperator
from dynodesk.domain.values import Binary, KeyValue, Number, String


def plan_to_json(plan: ReadPlan) -> dict[str, Any]:
    """An object that JSON can hold. Equal plans give equal objects; what a plan does not say is left out."""
    written: dict[str, Any] = {"table": plan.table, "index": plan.index, "consistent": plan.consistent}
    if plan.filter is not None:
        written["where"] = str(plan.filter)
    if plan.attributes:
        written["attributes"] = list(plan.attributes)
    if plan.page_limit is not None:
        written["page_limit"] = plan.page_limit
    if isinstance(plan, ScanPlan):
        if plan.segments != 1:
            written["segments"] = plan.segments
        if plan.segment is not None:
            written["segment"] = plan.segment
        return written
    written["partition"] = {name: to_dynamodb(value) for name, value in plan.partition.items()}
    if plan.sort_equals:
        written["sort_equals"] = {name: to_dynamodb(value) for name, value in plan.sort_equals.items()}
    if plan.sort is not None:
        ends = [to_dynamodb(end) for end in (plan.sort.low, plan.sort.high) if end is not None]
        written["sort"] = [plan.sort_name, plan.sort.operator, *ends]
    if plan.descending:
        written["descending"] = True
    if plan.by_key:
        written["by_key"] = True
    return written


def plan_from_json(written: object) -> ReadPlan:
    """The plan that `plan_to_json` wrote. Raises `InvalidRequest` for anything else."""
    try:
        return _plan(written)
    except (KeyError, TypeError, ValueError, InvalidValue) as problem:
        raise InvalidRequest(f"this is not a Query or Scan as it was kept: {problem}") from problem


def _plan(written: Any) -> ReadPlan:
    table, index = _text(written["table"]), written["index"]
    if index is not None:
        _text(index)
    consistent, limit = _flag(written["consistent"]), _count(written.get("page_limit"))
    attributes = tuple(map(_text, written.get("attributes", ())))
    where = parse_where(_text(written["where"])) if "where" in written else None
    if "partition" not in written:
        segments, segment = _count(written.get("segments", 1)), _count(written.get("segment"))
        return ScanPlan(table, index, consistent, limit, attributes, where, segments or 1, segment)
    sort, sort_name = None, ""
    if "sort" in written:
        sort_name, operator, low, *high = written["sort"]
        sort = SortCondition(_operator(operator), _key_value(low), _key_value(high[0]) if high else None)
    return QueryPlan(
        table,
        _key(written["partition"]),
        sort,
        _text(sort_name),
        index,
        consistent,
        _flag(written.get("descending", False)),
        limit,
        attributes,
        where,
        _key(written.get("sort_equals", {})),
        _flag(written.get("by_key", False)),
    )


def _key(written: object) -> dict[str, KeyValue]:
    if not isinstance(written, dict):
        _wrong(written)
    return {name: _key_value(value) for name, value in written.items()}


def _key_value(tagged: object) -> KeyValue:
    value = from_dynamodb(tagged)
    if not isinstance(value, String | Number | Binary):
        _wrong(tagged)
    return value


def _operator(written: object) -> SortOperator:
    known: tuple[SortOperator, ...] = get_args(SortOperator)
    found = next((operator for operator in known if operator == written), None)
    return found if found is not None else _wrong(written)


def _text(written: object) -> str:
    return written if isinstance(written, str) else _wrong(written)


def _flag(written: object) -> bool:
    return written if isinstance(written, bool) else _wrong(written)


def _count(written: object) -> int | None:
    if written is None or (isinstance(written, int) and not isinstance(written, bool)):
        return written
    return _wrong(written)


def _wrong(written: object) -> NoReturn:
    raise ValueError(f"{written!r} has no place in it")
