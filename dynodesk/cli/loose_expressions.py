"""Expressions that are given as options, without their request: as they are sent, or with all of it written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import click

from dynodesk.domain.errors import InvalidExpression, InvalidRequest, InvalidValue
from dynodesk.domain.expressions import (
    Condition,
    Remark,
    RequestExpressions,
    Update,
    check_changes,
    check_paths,
    check_request,
    check_where,
    check_write_condition,
    parse_changes,
    parse_condition,
    parse_update,
    parse_where,
)
from dynodesk.domain.expressions.check_conditions import check_condition
from dynodesk.domain.expressions.check_keys import check_key_condition
from dynodesk.domain.expressions.check_written import read_written
from dynodesk.domain.expressions.lexer import tokens
from dynodesk.domain.expressions.remarks import Marker, errors_first
from dynodesk.domain.item_json import item_from_dynamodb, read_json
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import Value

NAMES = click.option("--names", metavar="JSON", help='ExpressionAttributeNames, as in \'{"#n": "likes"}\'.')
VALUES = click.option("--values", metavar="JSON", help='ExpressionAttributeValues, as in \'{":one": {"N": "1"}}\'.')
AS_VALUES = 'As in {":one": {"N": "1"}}.'
NO_TABLE = TableInfo("", KeySchema((KeyAttribute("", "S"),)))
"""Where nothing is known of it: no expression can name its key."""


@dataclass(frozen=True, slots=True)
class LooseExpressions:
    given: RequestExpressions
    is_sent: bool
    """Whether names and values are behind placeholders; else they are written out."""

    @classmethod
    def of(
        cls,
        names: str | None,
        values: str | None,
        *,
        condition: str = "",
        update: str = "",
        key_condition: str = "",
        filter_: str = "",
        projection: str = "",
    ) -> LooseExpressions:
        """Raises `InvalidFile`, `InvalidValue` and `InvalidRequest` for names and values that are none."""
        given = RequestExpressions(
            key_condition, filter_, condition, update, projection, names=_names(names), values=_values(values)
        )
        is_sent = names is not None or values is not None or any(map(_has_placeholder, given.texts.values()))
        return cls(given, is_sent)

    def check(self, table: TableInfo | None, index: str | None) -> tuple[Remark, ...]:
        """Raises `InvalidValue` where the table has no such index."""
        if self.is_sent:
            return check_request(self.given, table, index=index)
        return errors_first(self._check_written(table, index))

    def _check_written(self, table: TableInfo | None, index: str | None) -> Iterator[Remark]:
        given, known = self.given, table or NO_TABLE
        if given.key_condition:
            marker = Marker("KeyConditionExpression", given.key_condition)
            tree = read_written(parse_where, marker)
            if tree is not None:
                check_condition(tree, marker, ())
                if table is not None:
                    check_key_condition(tree, table.schema_of(index), marker)
            yield from marker.remarks
        if given.filter:
            yield from check_where(given.filter, known, index=index, of_query=bool(given.key_condition))[1]
        if given.update:
            yield from check_changes(given.update, given.condition, known, may_create=table is None)[2]
        elif given.condition:
            yield from check_write_condition(given.condition)[1]
        if given.projection:
            yield from check_paths(given.projection)[1]

    def condition_tree(self) -> Condition | None:
        """None where none is given. Raises `InvalidExpression` with the place."""
        text = self.given.condition
        if not text:
            return None
        return parse_condition(text, self.given.names, self.given.values) if self.is_sent else parse_where(text)

    def update_tree(self) -> Update | None:
        """The same."""
        text = self.given.update
        if not text:
            return None
        return parse_update(text, self.given.names, self.given.values) if self.is_sent else parse_changes(text)


def _has_placeholder(text: str) -> bool:
    try:
        return any(token.kind in {"alias", "placeholder"} for token in tokens(text, literals=True))
    except InvalidExpression:
        return False


def _names(text: str | None) -> Mapping[str, str]:
    if text is None:
        return {}
    decoded = read_json(text, "--names")
    if not isinstance(decoded, dict) or not all(isinstance(name, str) for name in decoded.values()):
        raise InvalidRequest("--names is a JSON object of texts", hint='As in {"#n": "likes"}.')
    return {str(alias): str(name) for alias, name in decoded.items()}


def _values(text: str | None) -> Mapping[str, Value]:
    if text is None:
        return {}
    decoded = read_json(text, "--values")
    if not isinstance(decoded, dict):
        raise InvalidRequest("--values is a JSON object of values", hint=AS_VALUES)
    try:
        return item_from_dynamodb(decoded, "--values, ")
    except InvalidValue as problem:
        raise InvalidRequest(problem.message, hint=AS_VALUES) from None
