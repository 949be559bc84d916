"""Random composed requests, with names and values that are hard to carry. Equal seeds give equal ones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from dynodesk.domain.actions import (
    BoundStatement,
    CheckAction,
    ComposedRequest,
    DeleteAction,
    GetAction,
    PutAction,
    SingleGet,
    SingleStatement,
    SingleWrite,
    StatementTransaction,
    TransactGet,
    TransactWrite,
    UpdateAction,
)
from dynodesk.domain.expressions import Condition
from dynodesk.domain.tables import Key
from dynodesk.domain.values import String
from tests.domain.expressions.generated import HOSTILE_NAMES, HOSTILE_TEXTS, Generator

HALF = ("\ud800", "\udfff")
"""Of a surrogate pair: no JSON that is sent can hold it."""


class ComposedRequests(Generator):
    def __init__(self, random: Random) -> None:
        super().__init__(random, hostile=True)

    def name(self) -> str:
        return self._random.choice([name for name in HOSTILE_NAMES if name not in HALF])

    def string(self) -> String:
        return String(self._random.choice([text for text in HOSTILE_TEXTS if text not in HALF]))

    def request(self) -> ComposedRequest:
        kinds: list[Callable[[], ComposedRequest]] = [
            lambda: SingleWrite(self._write()),
            lambda: SingleGet(self._get(), self._random.random() < 0.5),
            lambda: TransactWrite(self._some(self._action, 1, 4), self._token()),
            lambda: TransactGet(self._some(self._get, 1, 3)),
            lambda: SingleStatement(self._statement()),
            lambda: StatementTransaction(self._some(self._statement, 1, 3), self._token()),
        ]
        return self._one(kinds)

    def _write(self) -> PutAction | UpdateAction | DeleteAction:
        kinds: list[Callable[[], PutAction | UpdateAction | DeleteAction]] = [
            lambda: PutAction(self._table(), self.item(), self._guard()),
            lambda: UpdateAction(self._table(), self._key(), self.update(), self._guard()),
            lambda: DeleteAction(self._table(), self._key(), self._guard()),
        ]
        return self._one(kinds)

    def _action(self) -> PutAction | UpdateAction | DeleteAction | CheckAction:
        if self._random.random() < 0.2:
            return CheckAction(self._table(), self._key(), self.condition())
        return self._write()

    def _get(self) -> GetAction:
        return GetAction(self._table(), self._key(), self.projection() if self._random.random() < 0.5 else None)

    def _statement(self) -> BoundStatement:
        text = self._random.choice(('SELECT * FROM "t" WHERE "pk" = ?', "DELETE FROM t WHERE pk = 'it''s' AND sk = ?"))
        return BoundStatement(text, (self.value(),) if self._random.random() < 0.7 else ())

    def _guard(self) -> Condition | None:
        return self.condition() if self._random.random() < 0.5 else None

    def _key(self) -> Key:
        return {"pk": self.string(), self.name(): self.number()}

    def _table(self) -> str:
        return self._random.choice(("Social", "a.b-c_1"))

    def _token(self) -> str:
        return f"token-{self._random.random()}"[:36]
