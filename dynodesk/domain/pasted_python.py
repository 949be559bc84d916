"""A call of boto3 as somebody wrote it: the literals in it are read, nothing is run."""

from __future__ import annotations

import ast
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dynodesk.domain.errors import InvalidRequest, InvalidValue
from dynodesk.domain.item_json import binary_from_base64, binary_to_base64
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
)

_METHOD = re.compile(
    r"(?:put|update|delete|get)_item|transact_(?:write|get)_items|batch_(?:write|get)_item|query|scan"
    r"|execute_(?:statement|transaction)|batch_execute_statement"
)
CALL = re.compile(rf"\.\s*(?:{_METHOD.pattern})\s*\(")
"""What a text has that is such a call."""

_TAGS = frozenset({"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"})
_CHANGES = frozenset(
    {
        *("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse"),
        *("update", "setdefault", "popitem", "add", "discard"),
    }
)
"""Methods that change the list, dict or set that they are called on."""
MAX_NAMED = 100_000
"""Values in names: names within names can say more than any text could, and would be read for hours."""
_HOLDERS = ("Item", "Key", "ExpressionAttributeValues")


@dataclass(frozen=True, slots=True)
class Call:
    operation: str
    """As the API names it."""
    parameters: dict[str, Any]
    """Numbers as `Number`, sets as tuples, bytes as they are."""
    of_table: bool
    """Whether it is a method of a `Table`, whose values have no type tags."""


def read_call(text: str) -> Call:
    """The one call in a text. Raises `InvalidRequest` with the line of what is no literal."""
    tree = _parsed(textwrap.dedent(text))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _method(node)]
    if len(calls) != 1:
        raise InvalidRequest(f"there are {len(calls)} requests in it", hint="Paste one at a time.")
    reader = _Reader(text, tree)
    call = calls[0]
    parameters: dict[str, Any] = {}
    if call.args:
        raise _no_literal(call.args[0], "what is given without its name")
    for keyword in call.keywords:
        found = reader.value(keyword.value)
        given = {keyword.arg: found} if keyword.arg is not None else _mapping(found, keyword.value)
        if twice := given.keys() & parameters.keys():
            raise _wrong(keyword.value, f"{min(twice)} is given twice")
        parameters |= given
    table = reader.table_of(call)
    if table is not None:
        parameters.setdefault("TableName", table)
    operation = "".join(word.capitalize() for word in _method(call).split("_"))
    return Call(operation, parameters, table is not None or not _names_a_table(parameters))


def read_literal(text: str) -> dict[str, Any] | None:
    """The parameters that a dict of Python holds; None for what is none. Raises `InvalidRequest` as `read_call`."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(tree.body, ast.Dict):
        return None
    return _mapping(_Reader(text, tree).value(tree.body), tree.body)


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as problem:
        raise InvalidRequest(f"line {problem.lineno}: this is not Python: {problem.msg}") from None
    except (ValueError, RecursionError, MemoryError) as problem:
        raise InvalidRequest(f"this is not Python that can be read: {problem}") from None


def _method(call: ast.Call) -> str:
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) and _METHOD.fullmatch(func.attr) else ""


def _names_of_literals(tree: ast.AST) -> dict[str, ast.expr]:
    """What each name stands for that is given once, and not changed: which of several it is, only a run would tell."""
    given: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                given.setdefault(name, []).append(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                given.setdefault(name, []).append(value)
    stored = Counter(_changed_names(tree))
    return {name: values[0] for name, values in given.items() if stored[name] == 1 and values[0] is not None}


def _changed_names(tree: ast.AST) -> Iterator[str]:
    """Each name as often as something is given to it, or done to what it stands for."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                yield from _base(node)
            case ast.Call(func=ast.Attribute(attr=attribute) as func) if attribute in _CHANGES:
                yield from _base(func)


def _base(node: ast.expr) -> Iterator[str]:
    """The name at the start of `name[0].a`."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


class _Reader:
    """Literals, and the names that the text gives to literals."""

    def __init__(self, text: str, tree: ast.AST) -> None:
        whole = textwrap.dedent(text) if isinstance(tree, ast.Module) else text.strip()
        self._lines = whole.encode("utf-8").splitlines()
        self._named = _names_of_literals(tree)
        self._open: set[str] = set()
        self._count = 0

    def table_of(self, call: ast.Call) -> str | None:
        """The name of the table whose method is called, "" where it is not said; None for a client's."""
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(owner, ast.Name):
            owner = self._named.get(owner.id)
        if not isinstance(owner, ast.Call) or not isinstance(owner.func, ast.Attribute) or owner.func.attr != "Table":
            return None
        name = self.value(owner.args[0]) if owner.args else ""
        return name if isinstance(name, str) else ""

    def value(self, node: ast.expr) -> Any:
        self._count += bool(self._open)
        if self._count > MAX_NAMED:
            raise _wrong(node, f"its names stand for more than {MAX_NAMED:,} values", "Write the values themselves.")
        match node:
            case ast.Constant(value=(str() | bytes() | bool() | None) as constant):
                return constant
            case ast.Constant(value=int() | float()):
                return self._number(node, "")
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant(value=int() | float()) as operand):
                return self._number(operand, "-" if isinstance(node.op, ast.USub) else "")
            case ast.List(elements) | ast.Tuple(elements):
                return [self.value(element) for element in elements]
            case ast.Set(elements):
                return tuple(self.value(element) for element in elements)
            case ast.Dict():
                return dict(self._pairs(node))
            case ast.Call():
                return self._call(node)
            case ast.Name(id=name) if name in self._named and name not in self._open:
                self._open.add(name)
                found = self.value(self._named[name])
                self._open.remove(name)
                return found
            case _:
                raise _no_literal(node, self._source(node))

    def _source(self, node: ast.expr) -> str:
        """As it is written; of what goes over several lines the first one."""
        end = node.end_col_offset if node.end_lineno == node.lineno else None
        return self._lines[node.lineno - 1][node.col_offset : end].decode("utf-8")

    def _number(self, node: ast.Constant, sign: str) -> Number:
        """By its text: a float would be another number."""
        text = self._source(node)
        try:
            return Number.parse(sign + (str(node.value) if isinstance(node.value, int) else text.replace("_", "")))
        except InvalidValue as problem:
            raise _wrong(node, problem.message, problem.hint) from None

    def _pairs(self, node: ast.Dict) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise _no_literal(value, "what is behind **")
            name = self.value(key)
            if not isinstance(name, str):
                raise _wrong(key, "a key is a text")
            if name in seen:
                raise _wrong(
                    key, f"the key {name} occurs twice", "Keep one of them: which one was meant cannot be known."
                )
            seen.add(name)
            yield name, self.value(value)

    def _call(self, node: ast.Call) -> Any:
        """The values that have no literal of their own: `Decimal("1.5")`, `Binary(b"…")`, `set(["a"])`."""
        name = ast.unparse(node.func).rpartition(".")[2]
        given = self.value(node.args[0]) if len(node.args) == 1 and not node.keywords else None
        match name, given:
            case "Decimal", str():
                try:
                    return Number.parse(given.strip())
                except InvalidValue as problem:
                    raise _wrong(node, problem.message, problem.hint) from None
            case "Decimal", Number() if not _is_float(node.args[0]):
                return given
            case "Decimal", Number():
                raise _wrong(
                    node, "the Decimal of a float is another number than it looks", f'Write Decimal("{given}").'
                )
            case (("Binary" | "bytes" | "bytearray"), bytes()):
                return given
            case "b64decode", str():
                return binary_from_base64(given)
            case (("set" | "frozenset"), list() | tuple()):
                return tuple(given)
            case _:
                raise _no_literal(node, self._source(node))


def _is_float(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Constant) and isinstance(part.value, float) for part in ast.walk(node))


def _mapping(found: object, node: ast.expr) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise _wrong(node, "parameters are a dict")
    return found


def _no_literal(node: ast.AST, what: str) -> InvalidRequest:
    shown = what if len(what) <= 40 else what[:39] + "…"
    return _wrong(node, f"{shown} is no literal", "Nothing is run: write the value itself in its place.")


def _wrong(node: ast.AST, message: str, hint: str = "") -> InvalidRequest:
    return InvalidRequest(f"line {getattr(node, 'lineno', 1)}: {message}", hint=hint)


# -------------------------------------------------------------------------------------------------------------- values


def _names_a_table(parameters: Mapping[str, Any]) -> bool:
    return "TableName" in parameters or not any(name in parameters for name in ("Item", "Key"))


def has_tags(parameters: object) -> bool:
    """Whether every value in the parameters has a type tag, as clients want it."""
    match parameters:
        case dict():
            for name, member in parameters.items():
                if name in _HOLDERS and isinstance(member, dict):
                    if not all(map(_is_tagged, member.values())):
                        return False
                elif name == "Parameters" and isinstance(member, list):
                    if not all(map(_is_tagged, member)):
                        return False
                elif not has_tags(member):
                    return False
            return True
        case list():
            return all(map(has_tags, parameters))
        case _:
            return True


def _is_tagged(value: object) -> bool:
    return isinstance(value, dict) and len(value) == 1 and next(iter(value)) in _TAGS


def as_json(found: Any) -> Any:
    """What a client is given, as the JSON that it sends: bytes as Base64. Raises `InvalidRequest`."""
    match found:
        case bytes():
            return binary_to_base64(found)
        case {"B": str()} if len(found) == 1:
            raise InvalidRequest("a binary value is a text here", hint="Bytes are written b'…' in Python.")
        case dict():
            return {name: as_json(member) for name, member in found.items()}
        case list() | tuple():
            return [as_json(member) for member in found]
        case _:
            return found


def plain_value(found: object, path: str) -> Value:
    """What a `Table` is given, as the value that it stores. Raises `InvalidValue`."""
    match found:
        case str():
            return String(found)
        case bool():
            return Boolean(found)
        case Number():
            return found
        case None:
            return Null()
        case bytes():
            return Binary(found)
        case list():
            return List(tuple(plain_value(element, f"{path}[{at}]") for at, element in enumerate(found)))
        case tuple():
            return _set(found, path)
        case dict():
            return Map({name: plain_value(entry, f"{path}.{name}") for name, entry in found.items()})
        case _:
            raise InvalidValue(f"{path}: {found!r} is no value")


def _set(members: tuple[object, ...], path: str) -> Value:
    texts = tuple(member for member in members if isinstance(member, str))
    numbers = tuple(member for member in members if isinstance(member, Number))
    blobs = tuple(member for member in members if isinstance(member, bytes))
    if members and len(texts) == len(members):
        return StringSet(tuple(dict.fromkeys(texts)))
    if members and len(numbers) == len(members):
        return NumberSet(tuple(dict.fromkeys(numbers)))
    if members and len(blobs) == len(members):
        return BinarySet(tuple(dict.fromkeys(blobs)))
    raise InvalidValue(f"{path}: a set has members, all of them strings, numbers or bytes")
