"""A request that was copied from elsewhere, as a draft: its placeholders are replaced by what they stand for.

What is read: the JSON of a request, alone or under the name of its operation; a command of the AWS CLI; a call of
boto3, of a client or of a `Table`; a statement of PartiQL; an expression with, after it, the JSON of its names and of
its values. Only what a request means is kept, not what it wants to be told (`ReturnValues`, `ReturnConsumedCapacity`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from dynodesk.domain.actions import ActionKind, BoundStatement, ComposedOperation, new_token
from dynodesk.domain.drafts import KINDS_OF, WITH_TOKEN, Draft, DraftAction
from dynodesk.domain.errors import InvalidExpression, InvalidFile, InvalidRequest, InvalidValue
from dynodesk.domain.expressions import (
    RequestExpressions,
    check_request,
    parse_changes,
    parse_condition,
    parse_projection,
    parse_update,
    parse_where,
)
from dynodesk.domain.item_json import from_dynamodb, read_json
from dynodesk.domain.pasted_commands import COMMAND, read_command, with_its_file
from dynodesk.domain.pasted_members import MEMBERS, as_list, as_mapping, as_text, operation_of, refuse_unknown
from dynodesk.domain.pasted_python import CALL, as_json, has_tags, plain_value, read_call, read_literal
from dynodesk.domain.values import Value

ReadValue = Callable[[object, str], Value]
"""A value from what stands for it, and the path that names it. Raises `InvalidValue`."""
Tree = TypeVar("Tree")

_STATEMENT = re.compile(
    r"(?:--[^\n]*\n\s*+|/\*.*?\*/\s*+)*+"
    r"(?:EXISTS\s*\(\s*SELECT\b|(?:SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM)\b(?!\s*[,.=(]|\s+[<>=]))",
    re.IGNORECASE | re.DOTALL,
)
_UPDATE = re.compile(r"(?:SET|REMOVE|ADD|DELETE)\s", re.IGNORECASE)
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_MEMBER = re.compile(r'"\w+"\s*:')
EXPRESSION_KINDS: Mapping[str, ActionKind] = {
    "UpdateExpression": "Update",
    "ConditionExpression": "ConditionCheck",
    "ProjectionExpression": "Get",
}
"""Of an expression without its request, what it is shown as: a condition alone as what writes nothing."""


def read_pasted(text: str) -> Draft:
    """Raises `InvalidRequest` for what cannot be read, `InvalidExpression` with the place in `text` of an expression's
    mistake.
    """
    whole = text.strip()
    if not whole:
        raise InvalidRequest("there is nothing to read")
    try:
        return _read(text, whole)
    except (InvalidFile, InvalidValue) as problem:
        raise InvalidRequest(problem.message, hint=problem.hint) from None


def _read(text: str, whole: str) -> Draft:
    source = _Source(text, from_dynamodb)
    command = with_its_file(whole)
    if COMMAND.match(command):
        operation, parameters = read_command(command)
        return source.request(operation, parameters)
    if whole.startswith(("{", "[")):
        return _read_json(source, whole)
    if _MEMBER.match(whole):
        return _read_json(source, "{" + whole.rstrip(",") + "}")
    if CALL.search(whole):
        call = read_call(text)
        return _of_python(text, call.operation, call.parameters, is_plain=call.of_table)
    if _STATEMENT.match(whole):
        return Draft("ExecuteStatement", statements=(BoundStatement(whole),))
    return source.expression(whole)


def _read_json(source: _Source, text: str) -> Draft:
    try:
        found = read_json(text, "the text")
    except InvalidFile:
        parameters = None if _is_json(text) else read_literal(text)
        if parameters is None:
            raise
        return _of_python(source.text, None, parameters, is_plain=False)
    return source.wrapped(found)


def _is_json(text: str) -> bool:
    """Whether it is JSON, though not such that it is taken: a key may occur twice."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _of_python(text: str, operation: str | None, parameters: dict[str, Any], *, is_plain: bool) -> Draft:
    if is_plain or not has_tags(parameters):
        source = _Source(text, plain_value)
    else:
        source, parameters = _Source(text, from_dynamodb), as_json(parameters)
    return source.wrapped(parameters) if operation is None else source.request(operation, parameters)


@dataclass(frozen=True, slots=True)
class _Source:
    text: str
    """All that was pasted."""
    read: ReadValue

    # --------------------------------------------------------------------------------------------------- operations

    def wrapped(self, found: object) -> Draft:
        """A request whose operation is named around it or in it, or has to be told from its members."""
        if isinstance(found, list):
            return self.wrapped({"TransactItems": found})
        members = as_mapping(found, "the request")
        if len(members) == 1:
            ((name, inner),) = members.items()
            if name in get_args(ComposedOperation) or name in {"Query", "Scan"}:
                return self.request(name, as_mapping(inner, name))
            if name in get_args(ActionKind):
                return self._alone(name, as_mapping(inner, name))
        if "operation" in members:
            rest = {name: member for name, member in members.items() if name != "operation"}
            return self.request(as_text(members["operation"], "operation"), rest)
        return self._guessed(members)

    def _alone(self, name: str, found: Mapping[str, Any]) -> Draft:
        """One action of a transaction: as the request of its own, which a condition check is not."""
        for operation, kinds in KINDS_OF.items():
            if kinds == (name,):
                return self.request(operation, found)
        return self.request("TransactWriteItems", {"TransactItems": [{name: found}]})

    def _guessed(self, members: Mapping[str, Any]) -> Draft:
        if not {"Item", "Key", "TransactItems", "TransactStatements", "Statement", "RequestItems"} & members.keys():
            for part, kind in EXPRESSION_KINDS.items():
                if part in members and "KeyConditionExpression" not in members and "FilterExpression" not in members:
                    return self._alone(kind, members)
        return self.request(operation_of(members), members)

    def request(self, operation: str, found: Mapping[str, Any]) -> Draft:
        match operation:
            case "PutItem" | "UpdateItem" | "DeleteItem" | "GetItem":
                return self._single(operation, found)
            case "TransactWriteItems" | "TransactGetItems":
                refuse_unknown(found, {"TransactItems", "ClientRequestToken"}, operation)
                listed = as_list(found.get("TransactItems"), "TransactItems")
                actions = tuple(self._listed(operation, each, at) for at, each in enumerate(listed))
                return Draft(operation, actions, token=_token(operation, found))
            case "ExecuteStatement":
                return Draft(operation, statements=(self._statement(found, ""),))
            case "ExecuteTransaction":
                refuse_unknown(found, {"TransactStatements", "ClientRequestToken"}, operation)
                statements = as_list(found.get("TransactStatements"), "TransactStatements")
                bound = tuple(
                    self._statement(as_mapping(each, f"statement {at + 1}"), f"statement {at + 1}, ")
                    for at, each in enumerate(statements)
                )
                return Draft(operation, statements=bound, token=_token(operation, found))
            case "Query" | "Scan":
                raise self._is_a_read(operation, found)
            case _:
                raise InvalidRequest(
                    f"{operation} is not put together here",
                    hint=f"What is: {', '.join(get_args(ComposedOperation))}.",
                )

    def _single(self, operation: ComposedOperation, found: Mapping[str, Any]) -> Draft:
        (kind,) = KINDS_OF[operation]
        if operation != "GetItem":
            return Draft(operation, (self._action(kind, found, ""),))
        consistent = found.get("ConsistentRead", False)
        if not isinstance(consistent, bool):
            raise InvalidRequest("ConsistentRead is true or false")
        rest = {name: member for name, member in found.items() if name != "ConsistentRead"}
        return Draft(operation, (self._action(kind, rest, ""),), consistent=consistent)

    def _listed(self, operation: ComposedOperation, found: object, at: int) -> DraftAction:
        place = f"action {at + 1}"
        members = as_mapping(found, place)
        kinds = KINDS_OF[operation]
        kind = next((kind for kind in kinds if kind in members), None)
        if kind is None or len(members) != 1:
            raise InvalidRequest(f"{place}: one of {', '.join(kinds)} is expected", hint="With what it is about in it.")
        return self._action(kind, as_mapping(members[kind], place), f"{place}, ")

    def _is_a_read(self, operation: str, found: Mapping[str, Any]) -> InvalidRequest:
        refuse_unknown(found, None, operation)
        parts = ("KeyConditionExpression", "FilterExpression")
        given = [str(self._condition(found, part, "")) for part in parts if part in found]
        says = f" Its condition is there: {' and, as the filter, '.join(given)}" if given else ""
        return InvalidRequest(f"a {operation} is no request of this kind", hint=f"Open it in a Browse tab.{says}")

    # ------------------------------------------------------------------------------------------------------ actions

    def _action(self, kind: ActionKind, found: Mapping[str, Any], place: str) -> DraftAction:
        refuse_unknown(found, MEMBERS[kind], f"{place}{kind}")
        holder = "Item" if kind == "Put" else "Key"
        given = as_mapping(found.get(holder, {}), f"{place}{holder}")
        attributes = tuple((name, self.read(value, f"{place}{holder}, {name}")) for name, value in given.items())
        for part in EXPRESSION_KINDS:
            if part in found and not as_text(found[part], f"{place}{part}").strip():
                hint = "As if it were not there, it would be done whatever is there: leave it out if that is meant."
                raise InvalidRequest(f"{place}{part} is empty, which the service refuses", hint=hint)
        update, projection = "", ""
        names, values = self._placeholders(found, place)
        if written := as_text(found.get("UpdateExpression", ""), f"{place}UpdateExpression"):
            update = str(
                self._parsed(lambda: parse_update(written, names, values), written, f"{place}UpdateExpression")
            )
        condition = str(self._condition(found, "ConditionExpression", place) or "")
        if paths := as_text(found.get("ProjectionExpression", ""), f"{place}ProjectionExpression"):
            part = f"{place}ProjectionExpression"
            projection = str(self._parsed(lambda: parse_projection(paths, names), paths, part))
        self._refuse_unused(found, names, values, place)
        table = as_text(found.get("TableName", ""), f"{place}TableName")
        return DraftAction(kind, table, attributes, update, condition, projection)

    def _placeholders(self, found: Mapping[str, Any], place: str) -> tuple[dict[str, str], dict[str, Value]]:
        part = f"{place}ExpressionAttributeNames"
        names = as_mapping(found.get("ExpressionAttributeNames", {}), part)
        part_of_values = f"{place}ExpressionAttributeValues"
        values = as_mapping(found.get("ExpressionAttributeValues", {}), part_of_values)
        return (
            {alias: as_text(name, f"{part}, {alias}") for alias, name in names.items()},
            {alias: self.read(value, f"{part_of_values}, {alias}") for alias, value in values.items()},
        )

    def _condition(self, found: Mapping[str, Any], part: str, place: str) -> object | None:
        written = as_text(found.get(part, ""), f"{place}{part}")
        if not written:
            return None
        names, values = self._placeholders(found, place)
        return self._parsed(lambda: parse_condition(written, names, values), written, f"{place}{part}")

    def _parsed(self, parse: Callable[[], Tree], written: str, part: str) -> Tree:
        """Raises `InvalidExpression` with the place in all that was pasted, where the expression stands there once."""
        try:
            return parse()
        except InvalidExpression as problem:
            message = f"{part}: {problem.message}" if part else problem.message
            if self.text.count(written) != 1:  # there are several, or its quotes are written in another way
                raise InvalidRequest(f"{message}, in {written}", hint=problem.hint) from None
            offset = self.text.index(written) + problem.offset
            raise InvalidExpression(message, hint=problem.hint, offset=offset, length=problem.length) from None

    def _refuse_unused(
        self, found: Mapping[str, Any], names: Mapping[str, str], values: Mapping[str, Value], place: str
    ) -> None:
        request = RequestExpressions(
            condition=found.get("ConditionExpression", ""),
            update=found.get("UpdateExpression", ""),
            projection=found.get("ProjectionExpression", ""),
            names=names,
            values=values,
        )
        unused = [remark.unused for remark in check_request(request) if remark.unused]
        if unused:
            are = "is" if len(unused) == 1 else "are"
            raise InvalidRequest(
                f"{place}{', '.join(unused)} {are} used in no expression",
                hint="The service refuses what is not used: leave it out.",
            )

    def _statement(self, found: Mapping[str, Any], place: str) -> BoundStatement:
        refuse_unknown(found, {"Statement", "Parameters"}, f"{place}ExecuteStatement")
        values = as_list(found.get("Parameters", []), f"{place}Parameters")
        parameters = tuple(self.read(value, f"{place}value {at + 1}") for at, value in enumerate(values))
        return BoundStatement(as_text(found.get("Statement", ""), f"{place}Statement"), parameters)

    # -------------------------------------------------------------------------------------------------- expressions

    def expression(self, text: str) -> Draft:
        """An expression alone: with placeholders and the JSON of what they stand for after it, or written out."""
        at = text.find("{")
        written, rest = (text, "") if at < 0 else (text[:at].strip().rstrip(","), text[at:])
        is_sent = re.search(r"[#:]\w", _QUOTED.sub("", written)) is not None
        part = "UpdateExpression" if _UPDATE.match(written) else "ConditionExpression"
        if not is_sent:
            return self._written_out(text, part)
        members: dict[str, Any] = {part: written}
        for each in _objects(rest):
            is_names = all(name.startswith("#") for name in each)
            holder = "ExpressionAttributeNames" if is_names else "ExpressionAttributeValues"
            if holder in members:
                raise InvalidRequest(f"there are two {holder}", hint="After the expression: its names, its values.")
            members[holder] = each
        if part == "ConditionExpression" and _is_projection(written):
            members["ProjectionExpression"] = members.pop(part)
        return self._guessed(members)

    def _written_out(self, text: str, part: str) -> Draft:
        if part == "UpdateExpression":
            update = str(self._parsed(lambda: parse_changes(text), text, ""))
            return Draft("UpdateItem", (DraftAction("Update", "", update=update),))
        if _is_projection(text):  # which any word would be
            raise InvalidRequest(
                "this is no request",
                hint="Paste its JSON, a command of the AWS CLI, a call of boto3, or an expression.",
            )
        condition = str(self._parsed(lambda: parse_where(text), text, ""))
        action = DraftAction("ConditionCheck", "", condition=condition)
        return Draft("TransactWriteItems", (action,), token=new_token())


def _is_projection(written: str) -> bool:
    """Whether it is nothing but paths, parted by commas."""
    return re.fullmatch(r'(?:[#\w.,\s]|\[\d+\]|"(?:[^"]|"")*+")++', written) is not None and not re.search(
        r"\b(?:AND|OR|NOT|IN|BETWEEN)\b", written, re.IGNORECASE
    )


def _objects(text: str) -> list[dict[str, Any]]:
    """JSON objects after each other, with nothing but spaces and commas between them."""
    found: list[dict[str, Any]] = []
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        try:
            _, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            end = len(text)
        found.append(as_mapping(read_json(text[at:end], "the names or values"), "names or values"))
        at = end
        while at < len(text) and text[at] in ", \t\r\n":
            at += 1
    return found


def _token(operation: ComposedOperation, found: Mapping[str, Any]) -> str:
    if operation not in WITH_TOKEN:
        return ""
    return as_text(found["ClientRequestToken"], "ClientRequestToken") if "ClientRequestToken" in found else new_token()
