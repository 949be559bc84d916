"""Updates that only take away leave no item where there was none, as at the service; the embedded server makes one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

from dynodesk.domain.expressions.lexer import tokens

Update = Callable[..., Item]


def update_as_the_service_does() -> None:
    """In this process, from here on."""
    backend: Any = DynamoDBBackend
    backend.update_item = _of_nothing_nothing(backend.update_item)


def _of_nothing_nothing(update: Update) -> Update:
    @wraps(update)
    def updated(
        backend: DynamoDBBackend, table_name: str, key: dict[str, Any], update_expression: str, *more: Any, **named: Any
    ) -> Item:
        table = backend.get_table(table_name)
        partition, sort = _value(key, table.hash_key_attr), _value(key, table.range_key_attr)
        may_be_new = partition is not None and table.get_item(partition, sort) is None
        records = stream_length(table)
        item = update(backend, table_name, key, update_expression, *more, **named)
        if partition is None or not may_be_new or not _only_takes_away(update_expression):
            return item
        table.delete_item(partition, sort)
        if table.stream_shard is not None:
            del table.stream_shard.items[records:]
        return Item(partition, sort, attrs={})

    return updated


def _value(key: dict[str, Any], name: str | None) -> DynamoType | None:
    return DynamoType(key[name]) if name in key else None


def stream_length(table: Table) -> int:
    """How many records its stream has."""
    return 0 if table.stream_shard is None else len(table.stream_shard.items)


def _only_takes_away(expression: str) -> bool:
    return bool(expression) and not any(token.is_word("SET", "ADD") for token in tokens(expression, literals=False))
