"""A request as a statement of PartiQL, where there is one that does the same.

Developer Guide, "PartiQL - a SQL-compatible query language for Amazon DynamoDB". Statements say less than requests:

- INSERT refuses an item that exists; nothing replaces one.
- UPDATE is refused where the item does not exist; nothing creates and updates in one.
- DELETE of what does not exist succeeds, whatever its condition.
- SET knows no if_not_exists and no ADD that starts from nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dynodesk.codegen.places import DEFAULT, Place
from dynodesk.codegen.request_json import as_json
from dynodesk.codegen.shapes import NoCode, shape_of
from dynodesk.codegen.statement_texts import Words
from dynodesk.domain.expressions import Condition, parse_condition, parse_projection, parse_update
from dynodesk.domain.expressions.conditions import (
    AttributeType,
    BeginsWith,
    Between,
    Comparison,
    Contains,
    Exists,
    all_terms,
)
from dynodesk.domain.expressions.nodes import DocumentPath, Node
from dynodesk.domain.expressions.updates import Add, Delete, IfNotExists, Set, Update
from dynodesk.domain.item_json import from_dynamodb, item_from_dynamodb
from dynodesk.domain.values import Binary, BinarySet, Number, String, Value

MOST_OF_A_BATCH = 25
"""Statements of one BatchExecuteStatement (API Reference)."""
_RETURNING = {
    "ALL_OLD": "ALL OLD",
    "UPDATED_OLD": "MODIFIED OLD",
    "ALL_NEW": "ALL NEW",
    "UPDATED_NEW": "MODIFIED NEW",
}
_ON_FAILURE = "ReturnValuesOnConditionCheckFailure"


@dataclass(frozen=True, slots=True)
class _Statement:
    text: str
    beside: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of its request that cannot stand in the text."""

    @property
    def request(self) -> dict[str, Any]:
        return {"Statement": self.text, **self.beside}


def as_partiql(operation: str, parameters: Mapping[str, Any], _place: Place = DEFAULT) -> str:
    """A statement; or the JSON of an ExecuteStatement, ExecuteTransaction or BatchExecuteStatement, where there are
    several, or where something stands beside the text: values that have no literal, `ConsistentRead`, `Limit`.

    The attributes that a put asks not to exist are taken for the key. What only asks for figures is left out. Raises
    `NoCode` where no statement does the same, and `InvalidExpression` for an expression that cannot be read.
    """
    shape_of(operation)
    if operation in _SINGLE:
        statement = _SINGLE[operation](parameters)
        return as_json("ExecuteStatement", statement.request) if statement.beside else statement.text
    match operation:
        case "TransactWriteItems" | "TransactGetItems":
            return _transaction(parameters)
        case "ExecuteTransaction":
            return as_json(operation, parameters)
        case "BatchGetItem":
            return _batch(_reads(parameters["RequestItems"]))
        case "BatchWriteItem":
            return _batch(_deletes(parameters["RequestItems"]))
        case _:
            raise NoCode(f"PartiQL for DynamoDB has no statement for {operation}")


# ------------------------------------------------------------------------------------------------- several statements


def _transaction(parameters: Mapping[str, Any]) -> str:
    statements: list[dict[str, Any]] = []
    for action in parameters["TransactItems"]:
        ((kind, sent),) = action.items()
        statements.append(_IN_TRANSACTION[kind](sent).request)
    request: dict[str, Any] = {"TransactStatements": statements}
    if "ClientRequestToken" in parameters:
        request["ClientRequestToken"] = parameters["ClientRequestToken"]
    return as_json("ExecuteTransaction", request)


def _batch(statements: Iterator[_Statement]) -> str:
    requests = [statement.request for statement in statements]
    if len(requests) > MOST_OF_A_BATCH:
        raise NoCode(f"{len(requests)} statements are more than the {MOST_OF_A_BATCH} of one batch")
    return as_json("BatchExecuteStatement", {"Statements": requests})


def _reads(tables: Mapping[str, Any]) -> Iterator[_Statement]:
    for table, asked in tables.items():
        common = {name: said for name, said in asked.items() if name != "Keys"}
        for key in asked["Keys"]:
            yield _get({"TableName": table, "Key": key, **common})


def _deletes(tables: Mapping[str, Any]) -> Iterator[_Statement]:
    for table, writes in tables.items():
        for write in writes:
            if "PutRequest" in write:
                raise NoCode("PartiQL has no statement that replaces an item")
            yield _delete({"TableName": table, "Key": write["DeleteRequest"]["Key"]})


# --------------------------------------------------------------------------------------------------------- statements


def _execute(sent: Mapping[str, Any]) -> _Statement:
    figures = {"Statement", "ReturnConsumedCapacity"}
    beside = {name: said for name, said in sent.items() if name not in figures and said != "NONE" and said is not False}
    return _Statement(sent["Statement"], beside)


def _insert(sent: Mapping[str, Any]) -> _Statement:
    words, condition, item = Words(), _condition(sent), item_from_dynamodb(sent["Item"])
    if condition is None:
        raise NoCode("INSERT refuses an item that exists: without attribute_not_exists of its key a put replaces it")
    if not all(_asks_for_no_item(term, item) for term in all_terms(condition)):
        raise NoCode("INSERT has one condition only, that there is no item with this key")
    members = [f"{words.member(name)}: {words.value(value)}" for name, value in item.items()]
    return _stated(f"INSERT INTO {words.name(sent['TableName'])} VALUE {{{', '.join(members)}}}", words, sent)


def _asks_for_no_item(term: Condition, item: Mapping[str, Value]) -> bool:
    return (
        isinstance(term, Exists)
        and not term.wanted
        and len(term.path.steps) == 1
        and isinstance(item.get(term.path.attribute), String | Number | Binary)
    )


def _update(sent: Mapping[str, Any]) -> _Statement:
    words, condition = Words(), _condition(sent)
    if condition is None or condition.holds({}):
        raise NoCode("UPDATE is for items that exist: without attribute_exists of its key this creates one")
    if not sent.get("UpdateExpression"):
        raise NoCode("UPDATE has to change something")
    update = parse_update(sent["UpdateExpression"], *_placeholders(sent))
    changed = " ".join(_changes(update, condition, words))
    text = f"UPDATE {words.name(sent['TableName'])} {changed} WHERE {_where(sent['Key'], condition, words)}"
    return _stated(text + _returning(sent), words, sent)


def _changes(update: Update, condition: Condition, words: Words) -> Iterator[str]:
    for assigned in update.sets:
        yield _set(assigned, words)
    members: tuple[Add | Delete, ...] = (*update.adds, *update.deletes)
    for change in members:
        path, value = change.path.text(words), change.value.value
        if isinstance(value, BinarySet):
            raise NoCode("SET_ADD and SET_DELETE are for sets of strings or numbers")
        if not _is_certain(change.path, condition):
            raise NoCode(
                "PartiQL changes a number or set that is there, and this may be none",
                hint="Add a condition that it exists.",
            )
        written = change.value.text(words)
        if isinstance(value, Number):
            yield f"SET {path} = {path} + {written}"
        else:
            yield f"SET {path} = set_{'add' if isinstance(change, Add) else 'delete'}({path}, {written})"
    for removal in update.removes:
        yield f"REMOVE {removal.path.text(words)}"


def _set(change: Set, words: Words) -> str:
    if any(isinstance(part, IfNotExists) for part in change.walk()):
        raise NoCode("PartiQL has no if_not_exists")
    return f"SET {change.text(words)}"


def _is_certain(path: DocumentPath, condition: Condition) -> bool:
    """Whether the condition fails where nothing stands at the path."""
    return any(path in _needed(term) for term in all_terms(condition))


def _needed(term: Condition) -> tuple[Node, ...]:
    """What has to be there for a term to hold."""
    match term:
        case Exists(wanted=False) | Comparison(comparator="<>"):
            return ()
        case Exists() | Comparison() | Between() | BeginsWith() | Contains() | AttributeType():
            return tuple(term.parts)
        case _:
            return ()


def _delete(sent: Mapping[str, Any]) -> _Statement:
    words = Words()
    text = f"DELETE FROM {words.name(sent['TableName'])} WHERE {_where(sent['Key'], _condition(sent), words)}"
    return _stated(text + _returning(sent), words, sent)


def _delete_in_transaction(sent: Mapping[str, Any]) -> _Statement:
    condition = _condition(sent)
    if condition is not None and not condition.holds({}):
        raise NoCode("DELETE of an item that does not exist succeeds, and this delete cancels the transaction")
    return _delete(sent)


def _check(sent: Mapping[str, Any]) -> _Statement:
    words, condition = Words(), _condition(sent)
    if condition is None or condition.holds({}):
        raise NoCode("EXISTS is for items that exist, and this check holds for one that does not")
    table = words.name(sent["TableName"])
    return _stated(f"EXISTS(SELECT * FROM {table} WHERE {_where(sent['Key'], condition, words)})", words, sent)


def _get(sent: Mapping[str, Any]) -> _Statement:
    words = Words()
    text = f"SELECT {_projection(sent, words)} FROM {words.name(sent['TableName'])}"
    return _stated(f"{text} WHERE {_where(sent['Key'], None, words)}", words, sent)


def _search(sent: Mapping[str, Any]) -> _Statement:
    for name in ("ExclusiveStartKey", "Segment"):
        if name in sent:
            raise NoCode(f"a SELECT has no {name}")
    selected = sent.get("Select", "")
    if selected == "COUNT" or (selected == "ALL_ATTRIBUTES" and "IndexName" in sent):
        raise NoCode(f"a SELECT cannot ask for {selected}")
    words = Words()
    source = words.name(sent["TableName"])
    if "IndexName" in sent:
        source += f".{words.name(sent['IndexName'])}"
    text = f"SELECT {_projection(sent, words)} FROM {source}"
    keys = _condition(sent, "KeyConditionExpression")
    both = [condition for condition in (keys, _condition(sent, "FilterExpression")) if condition is not None]
    if both:
        text += f" WHERE {' AND '.join(map(words.condition, both))}"
    if keys is not None and sent.get("ScanIndexForward") is False:
        text += f" ORDER BY {words.name(_sort_key(keys))} DESC"
    return _stated(text, words, sent)


def _sort_key(keys: Condition) -> str:
    """The one attribute of a key condition that is not held to a value."""
    for term in all_terms(keys):
        if not (isinstance(term, Comparison) and term.comparator == "="):
            return min(term.attributes)
    raise NoCode("ORDER BY … DESC needs the name of the sort key, and this request does not tell it")


# -------------------------------------------------------------------------------------------------------------- parts


def _stated(text: str, words: Words, sent: Mapping[str, Any]) -> _Statement:
    beside: dict[str, Any] = {"Parameters": words.parameters} if words.parameters else {}
    beside |= {name: True for name in ("ConsistentRead",) if sent.get(name)}
    beside |= {name: sent[name] for name in ("Limit",) if name in sent}
    if sent.get(_ON_FAILURE, "NONE") != "NONE":
        beside[_ON_FAILURE] = sent[_ON_FAILURE]
    return _Statement(text, beside)


def _placeholders(sent: Mapping[str, Any]) -> tuple[Mapping[str, str], dict[str, Value]]:
    return sent.get("ExpressionAttributeNames", {}), item_from_dynamodb(sent.get("ExpressionAttributeValues", {}))


def _condition(sent: Mapping[str, Any], name: str = "ConditionExpression") -> Condition | None:
    return parse_condition(sent[name], *_placeholders(sent)) if name in sent else None


def _where(key: Mapping[str, Any], condition: Condition | None, words: Words) -> str:
    terms = [f"{words.name(name)} = {words.value(from_dynamodb(value))}" for name, value in key.items()]
    if condition is not None:
        terms.append(words.condition(condition))
    return " AND ".join(terms)


def _projection(sent: Mapping[str, Any], words: Words) -> str:
    if "ProjectionExpression" not in sent:
        return "*"
    paths = parse_projection(sent["ProjectionExpression"], sent.get("ExpressionAttributeNames", {})).paths
    if any(len(path.steps) > 1 for path in paths):
        raise NoCode("a SELECT gives what is inside an attribute another name and place")
    return ", ".join(path.text(words) for path in paths)


def _returning(sent: Mapping[str, Any]) -> str:
    returned = sent.get("ReturnValues", "NONE")
    return f" RETURNING {_RETURNING[returned]} *" if returned in _RETURNING else ""


_SINGLE: Mapping[str, Callable[[Mapping[str, Any]], _Statement]] = {
    "PutItem": _insert,
    "UpdateItem": _update,
    "DeleteItem": _delete,
    "GetItem": _get,
    "Query": _search,
    "Scan": _search,
    "ExecuteStatement": _execute,
}
_IN_TRANSACTION: Mapping[str, Callable[[Mapping[str, Any]], _Statement]] = {
    "Put": _insert,
    "Update": _update,
    "Delete": _delete_in_transaction,
    "ConditionCheck": _check,
    "Get": _get,
}
