"""Everything that can be said about the expressions of a request before it is sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions.check_conditions import check_condition
from dynodesk.domain.expressions.check_dots import check_dots
from dynodesk.domain.expressions.check_keys import check_filter, check_key_condition
from dynodesk.domain.expressions.check_texts import read_condition, read_projection, read_update
from dynodesk.domain.expressions.check_updates import (
    check_counters,
    check_ghost,
    check_keys,
    check_on_items,
    check_update,
)
from dynodesk.domain.expressions.conditions import Condition
from dynodesk.domain.expressions.lexer import tokens
from dynodesk.domain.expressions.nodes import NOWHERE, Span, of_one_attribute
from dynodesk.domain.expressions.projections import Projection
from dynodesk.domain.expressions.remarks import (
    Marker,
    Part,
    Remark,
    RequestExpressions,
    alias_for,
    errors_first,
)
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item, check, check_name, size

MAX_SUBSTITUTED_BYTES = 2 * 1024 * 1024  # Developer Guide, "Service, account, and table quotas"


def check_request(
    request: RequestExpressions,
    table: TableInfo | None = None,
    *,
    index: str | None = None,
    items: Sequence[Item] = (),
    in_transaction: bool = False,
) -> tuple[Remark, ...]:
    """All remarks on a request, errors first, each kind in the order of the texts.

    With `table` (and `index`, for a Query of one) keys are checked too; with `items`, loaded from the table, what
    their types say. In a transaction with a token an update is not applied twice.

    Raises `InvalidValue` where the table has no such index.
    """
    places = _places(request)
    remarks = [*_check_placeholders(request, places), *_check_substituted(request, places)]
    markers = {part: Marker(part, text) for part, text in request.texts.items()}
    conditions = {
        part: read_condition(marker, request.names, request.values)
        for part, marker in markers.items()
        if part in {"KeyConditionExpression", "FilterExpression", "ConditionExpression"}
    }
    for part, condition in conditions.items():
        if condition is not None:
            check_condition(condition, markers[part], items)
            check_dots(condition, markers[part], items, is_written_out=False)
            _check_with_keys(condition, markers[part], request, table, index)
    if "UpdateExpression" in markers:
        _check_update(request, conditions.get("ConditionExpression"), markers, table, items, in_transaction)
    if "ProjectionExpression" in markers:
        projection = read_projection(markers["ProjectionExpression"], request.names)
        if projection is not None:
            check_projection(projection, markers["ProjectionExpression"])
    remarks += [remark for marker in markers.values() for remark in marker.remarks]
    return errors_first(remarks)


def _check_with_keys(
    condition: Condition, marker: Marker, request: RequestExpressions, table: TableInfo | None, index: str | None
) -> None:
    if table is None:
        return
    if marker.part == "KeyConditionExpression":
        check_key_condition(condition, table.schema_of(index), marker)
    elif marker.part == "FilterExpression" and request.key_condition:
        check_filter(condition, table.schema_of(index), marker)


def _check_update(
    request: RequestExpressions,
    condition: Condition | None,
    markers: dict[Part, Marker],
    table: TableInfo | None,
    items: Sequence[Item],
    in_transaction: bool,
) -> None:
    marker = markers["UpdateExpression"]
    update = read_update(marker, request.names, request.values)
    if update is None:
        return
    check_update(update, marker)
    check_on_items(update, items, marker)
    check_dots(update, marker, items, is_written_out=False)
    if table is not None:
        check_keys(update, table, marker)
    if request.condition and condition is None:
        return  # it cannot be read, so what it guards is not known
    if table is not None:
        key = table.key_schema.names[0]
        alias = alias_for(key, request.names)
        missing = {} if alias in request.names else {alias: key}
        check_ghost(update, condition, request.condition, f"attribute_exists({alias})", missing, marker)
    if not in_transaction:
        check_counters(update, condition, marker)


def check_projection(projection: Projection, marker: Marker) -> None:
    """Mark paths that the service does not take together."""
    for first, second in of_one_attribute(projection.paths, lambda path: path):
        if first.overlaps(second):
            shown = f"{first.text(WRITTEN_OUT)} and {second.text(WRITTEN_OUT)}"
            marker.error(second.span, f"{shown} lie within each other", "Keep the one that holds more.")


Places = dict[str, tuple[Part, Span]]
"""Where each placeholder stands first."""


def _places(request: RequestExpressions) -> Places | None:
    """None where an expression cannot be read to its end: what it uses is not known then."""
    found: Places = {}
    for part, text in request.texts.items():
        try:
            for token in tokens(text, literals=False):
                if token.kind in {"alias", "placeholder"}:
                    found.setdefault(token.text, (part, token.span))
        except InvalidExpression:
            return None
    return found


def _check_placeholders(request: RequestExpressions, places: Places | None) -> Iterator[Remark]:
    given: tuple[tuple[Part, Iterable[str]], ...] = (
        ("ExpressionAttributeNames", request.names),
        ("ExpressionAttributeValues", request.values),
    )
    for part, placeholders in given:
        sign = "#" if part == "ExpressionAttributeNames" else ":"
        for placeholder in placeholders:
            if not re.fullmatch(rf"{sign}[A-Za-z0-9_]+", placeholder):
                fix = f"It is {sign} with letters, digits and underscores after it."
                yield Remark("error", part, NOWHERE, f"{placeholder!r} is no placeholder", fix)
            elif places is not None and placeholder not in places:
                message = f"{placeholder} is used in no expression"
                yield Remark("error", part, NOWHERE, message, "Leave it out.", unused=placeholder)


def _check_substituted(request: RequestExpressions, places: Places | None) -> Iterator[Remark]:
    """The names and values themselves, marked where they are used first."""
    for alias, name in request.names.items():
        part, span = (places or {}).get(alias, ("ExpressionAttributeNames", NOWHERE))
        try:
            check_name(name)
        except InvalidValue as problem:
            yield Remark("error", part, span, f"{alias}: {problem.message}", problem.hint)
    for placeholder, value in request.values.items():
        part, span = (places or {}).get(placeholder, ("ExpressionAttributeValues", NOWHERE))
        try:
            check(value, placeholder)
        except InvalidValue as problem:
            yield Remark("error", part, span, problem.message, problem.hint)
    total = sum(map(_bytes_of, request.names.values())) + sum(map(size, request.values.values()))
    if total > MAX_SUBSTITUTED_BYTES:
        message = f"names and values have {total} bytes; there may be {MAX_SUBSTITUTED_BYTES}"
        yield Remark("error", "ExpressionAttributeValues", NOWHERE, message)


def _bytes_of(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
