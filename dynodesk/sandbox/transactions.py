"""Transactions answered as the service answers them.

The embedded server knows no `ClientRequestToken`, so a transaction sent again counts twice. It refuses a whole
transaction for one action that does not fit its item, leaves half of a failed transaction of statements behind, and
loses the readers of a table's stream when a transaction is cancelled.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any

from moto.core.exceptions import JsonRESTError
from moto.core.responses import ActionResult
from moto.dynamodb import exceptions, responses
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.table import Table
from moto.dynamodb.responses import DynamoHandler

from dynodesk.domain.actions import MAX_ACTIONS, TOKEN_SECONDS
from dynodesk.sandbox.updates import stream_length

LONGEST_TOKEN = 36

Answer = Callable[[DynamoHandler], ActionResult]
Apply = Callable[[DynamoDBBackend, list[Any]], Any]


def transact_as_the_service_does() -> None:
    """In this process, from here on."""
    responses.TRANSACTION_MAX_ITEMS = MAX_ACTIONS  # of one that reads
    tokens = Tokens()
    handler: Any = DynamoHandler
    handler.transact_write_items = _once(handler.transact_write_items, "TransactItems", tokens)
    handler.execute_transaction = _once(handler.execute_transaction, "TransactStatements", tokens)
    backend: Any = DynamoDBBackend
    backend.transact_write_items = _all_or_nothing(_with_every_reason(backend.transact_write_items))
    backend.execute_transaction = _all_or_nothing(backend.execute_transaction)


class Tokens:
    """How transactions were answered, by their tokens, for as long as the service knows them.

    One that was refused or cancelled is not among them: sent again with its token, it is tried again.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._answers: dict[str, tuple[float, bytes, object]] = {}

    def answer(self, token: str, content: bytes) -> ActionResult | None:
        """What the transaction was answered before; None: it is new. Raises `JsonRESTError` if it was another one."""
        for old, (end, _, _) in list(self._answers.items()):
            if self._now() >= end:
                del self._answers[old]
        if token not in self._answers:
            return None
        _, known, answer = self._answers[token]
        if known != content:
            raise JsonRESTError(
                exceptions.ERROR_TYPE_PREFIX + "IdempotentParameterMismatchException",
                "Request token already in use for another request with a different payload",
            )
        return ActionResult(answer)

    def remember(self, token: str, content: bytes, answer: ActionResult) -> None:
        self._answers[token] = (self._now() + TOKEN_SECONDS, content, answer.result)


def _once(answer: Answer, actions: str, tokens: Tokens) -> Answer:
    @wraps(answer)
    def answered(handler: DynamoHandler) -> ActionResult:
        parameters: dict[str, Any] = handler.body
        if not parameters.get(actions):
            raise _out_of_bounds(actions, "greater than or equal to 1")
        token = parameters.get("ClientRequestToken")
        if token is None:
            return answer(handler)
        if not token:
            raise _out_of_bounds("ClientRequestToken", "greater than or equal to 1")
        if len(token) > LONGEST_TOKEN:
            raise _out_of_bounds("ClientRequestToken", f"less than or equal to {LONGEST_TOKEN}")
        content = sha256(json.dumps([actions, parameters], sort_keys=True, default=bytes.hex).encode()).digest()
        found = tokens.answer(token, content)
        if found is None:
            found = answer(handler)
            tokens.remember(token, content, found)
        return found

    return answered


def _out_of_bounds(parameter: str, bounds: str) -> exceptions.MockValidationException:
    name = parameter[0].lower() + parameter[1:]
    return exceptions.MockValidationException(
        f"1 validation error detected: Value at '{name}' failed to satisfy constraint: Member must have length {bounds}"
    )


def _with_every_reason(apply: Apply) -> Apply:
    @wraps(apply)
    def applied(backend: DynamoDBBackend, actions: list[Any]) -> Any:
        return apply(_Reasoned(backend), actions)  # type: ignore[arg-type]  # all of it that a transaction uses

    return applied


class ValidationError(Exception):
    """The reason of one action. The embedded server gives the name of any other exception than its own as the code."""


class _Reasoned:
    """A backend whose writes give a reason, instead of refusing the transaction, where an item is not fit for them."""

    def __init__(self, backend: DynamoDBBackend) -> None:
        self._backend = backend

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def put_item(self, *arguments: Any, **named: Any) -> None:
        self._written(self._backend.put_item, *arguments, **named)

    def update_item(self, *arguments: Any, **named: Any) -> None:
        self._written(self._backend.update_item, *arguments, **named)

    def _written(self, write: Callable[..., object], *arguments: Any, **named: Any) -> None:
        try:
            write(*arguments, **named)
        except (
            exceptions.AttributeDoesNotExist,
            exceptions.IncorrectDataType,
            exceptions.InvalidAttributeTypeError,
            exceptions.InvalidUpdateExpressionInvalidDocumentPath,
            exceptions.ItemSizeToUpdateTooLarge,
        ) as unfit:
            raise ValidationError(unfit.exception_msg) from unfit


def _all_or_nothing(apply: Apply) -> Apply:
    """What fails leaves every table as it was, and the same object, for the readers of its stream hold on to that."""

    @wraps(apply)
    def applied(backend: DynamoDBBackend, actions: list[Any]) -> Any:
        before = [(name, table, _items(table), stream_length(table)) for name, table in backend.tables.items()]
        try:
            return apply(backend, actions)
        except Exception:
            for name, table, items, records in before:
                restored = backend.tables[name]
                # Items are changed in place only where the embedded server restores the tables itself, from copies.
                table.items = items if restored is table else restored.items
                backend.tables[name] = table
                if table.stream_shard is not None:
                    del table.stream_shard.items[records:]
            raise

    return applied


def _items(table: Table) -> Any:
    items = copy.copy(table.items)
    if table.has_range_key:
        items.update({partition: dict(collection) for partition, collection in items.items()})
    return items
