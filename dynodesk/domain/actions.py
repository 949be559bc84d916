"""Requests as people compose them: what is done to one item, alone or with others in a transaction.

Limits: API Reference, "TransactWriteItems" and "TransactGetItems"; Developer Guide, "Managing complex workflows with
DynamoDB transactions".
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import ClassVar, Literal

from dynodesk.domain.expressions import Condition, Projection, Update, read_statement
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, Value

MAX_ACTIONS = 100
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
TOKEN_SECONDS = 600
"""How long a transaction sent again with its token is not done again."""

ActionKind = Literal["Put", "Update", "Delete", "ConditionCheck", "Get"]
ComposedOperation = Literal[
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "GetItem",
    "TransactWriteItems",
    "TransactGetItems",
    "ExecuteStatement",
    "ExecuteTransaction",
]


@dataclass(frozen=True, slots=True)
class PutAction:
    """A whole item, in the place of what has its key."""

    kind: ClassVar[ActionKind] = "Put"

    table: str
    item: Item
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class UpdateAction:
    """A change to an item. One that does not exist is created by it, unless the condition says otherwise."""

    kind: ClassVar[ActionKind] = "Update"

    table: str
    key: Key
    update: Update
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class DeleteAction:
    kind: ClassVar[ActionKind] = "Delete"

    table: str
    key: Key
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class CheckAction:
    """A condition on an item that the transaction leaves as it is."""

    kind: ClassVar[ActionKind] = "ConditionCheck"

    table: str
    key: Key
    condition: Condition


@dataclass(frozen=True, slots=True)
class GetAction:
    kind: ClassVar[ActionKind] = "Get"

    table: str
    key: Key
    projection: Projection | None = None


WriteAction = PutAction | UpdateAction | DeleteAction | CheckAction
Action = WriteAction | GetAction


@dataclass(frozen=True, slots=True)
class SingleWrite:
    """One write of one item. It has no token: sent again, it may be done again."""

    action: PutAction | UpdateAction | DeleteAction

    @property
    def operation(self) -> ComposedOperation:
        match self.action:
            case PutAction():
                return "PutItem"
            case UpdateAction():
                return "UpdateItem"
            case DeleteAction():
                return "DeleteItem"


@dataclass(frozen=True, slots=True)
class SingleGet:
    operation: ClassVar[ComposedOperation] = "GetItem"

    action: GetAction
    consistent: bool = True


@dataclass(frozen=True, slots=True)
class TransactWrite:
    """All of its actions, or none."""

    operation: ClassVar[ComposedOperation] = "TransactWriteItems"

    actions: tuple[WriteAction, ...]
    token: str


@dataclass(frozen=True, slots=True)
class TransactGet:
    """Items as of one instant."""

    operation: ClassVar[ComposedOperation] = "TransactGetItems"

    actions: tuple[GetAction, ...]


@dataclass(frozen=True, slots=True)
class BoundStatement:
    """A statement of PartiQL with a value for each `?`."""

    text: str
    parameters: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class SingleStatement:
    operation: ClassVar[ComposedOperation] = "ExecuteStatement"

    statement: BoundStatement


@dataclass(frozen=True, slots=True)
class StatementTransaction:
    """All of its statements, or none: either all read, or all write."""

    operation: ClassVar[ComposedOperation] = "ExecuteTransaction"

    statements: tuple[BoundStatement, ...]
    token: str


ComposedWrite = SingleWrite | TransactWrite | SingleStatement | StatementTransaction
ComposedRequest = ComposedWrite | SingleGet | TransactGet


def new_token() -> str:
    """A `ClientRequestToken` of 36 characters that no other request has."""
    return str(uuid.uuid4())


def actions_of(request: ComposedRequest) -> tuple[Action, ...]:
    """In their order; none for statements."""
    match request:
        case SingleWrite(action) | SingleGet(action):
            return (action,)
        case TransactWrite(actions) | TransactGet(actions):
            return actions
        case SingleStatement() | StatementTransaction():
            return ()


def statements_of(request: ComposedRequest) -> tuple[BoundStatement, ...]:
    """In their order; none for actions."""
    match request:
        case SingleStatement(statement):
            return (statement,)
        case StatementTransaction(statements):
            return statements
        case _:
            return ()


def is_read(request: ComposedRequest) -> bool:
    """Whether it writes nothing, whatever comes of it. Raises `InvalidExpression` for a statement that is none."""
    if isinstance(request, SingleStatement | StatementTransaction):
        return all(read_statement(statement.text).verb == "SELECT" for statement in statements_of(request))
    return isinstance(request, SingleGet | TransactGet)
