"""An item written as JSON by a person, read back without changing what the person did not change.

`like` is the item that the text was made from. What says the same as there is taken from there, bit for bit: the
spelling of a number, the order of a set, and values that only emulators store. What is new must be what the service
takes. In plain JSON an attribute also keeps its type: an array where a set was is that set again, and any other change
of type is refused, because nothing in the text says that it is meant. DynamoDB JSON says it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_json import binary_from_base64
from dynodesk.domain.placed_json import Placed, read_placed
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    Item,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
    check,
    type_tag,
    type_word,
)

_AN_ITEM = "Begin with { and end with }."
_EXPLICITLY = "Choose the type in the tree, or write the value as DynamoDB JSON, if that is meant."
_TAGS = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M")
_MARKS = ("$binary", "$stringSet", "$numberSet", "$binarySet", "$number", "$map")
_KINDS = {
    "string": "a text",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "an array",
    "object": "an object",
}


def item_from_plain_text(text: str, like: Item) -> dict[str, Value]:
    """An item from plain JSON. Raises `InvalidValue` with the position of the mistake in the text."""
    return _item(text, like, _plain)


def item_from_dynamodb_text(text: str, like: Item) -> dict[str, Value]:
    """An item from DynamoDB JSON. Raises `InvalidValue` with the position of the mistake in the text."""
    return _item(text, like, _tagged)


def kept(value: Value, like: Value | None) -> Value:
    """The same value with every part that `like` has too taken from there."""
    if value == like:
        return like
    match value, like:
        case Map(entries), Map(known):
            return Map({name: kept(entry, known.get(name)) for name, entry in entries.items()})
        case List(elements), List(known_elements):
            same = {element: element for element in known_elements}
            beside = known_elements if len(known_elements) == len(elements) else (None,) * len(elements)
            return List(tuple(same.get(one) or kept(one, other) for one, other in zip(elements, beside, strict=True)))
        case NumberSet(numbers), NumberSet(known_numbers):
            spelled = {number: number for number in known_numbers}
            return NumberSet(tuple(spelled.get(number, number) for number in numbers))
        case _:
            return value


Reader = Callable[[Placed, Value | None, "_Doubts"], Value]


class _Doubts:
    """What the service would refuse, with its place. Of no account where the value is as it was."""

    def __init__(self) -> None:
        self._found: list[tuple[InvalidValue, int]] = []

    def check(self, value: Value, at: int) -> None:
        """Looks at a value that has no parts of its own."""
        try:
            check(value)
        except InvalidValue as problem:
            self._found.append((problem, at))

    def add(self, message: str, hint: str, at: int) -> None:
        self._found.append((InvalidValue(message, hint=hint), at))

    def raise_first(self) -> None:
        for problem, at in self._found:
            message = problem.message.removeprefix("the value: ").removeprefix("the value ")
            raise InvalidValue(message, hint=problem.hint, position=at)


def _item(text: str, like: Item, read: Reader) -> dict[str, Value]:
    whole = read_placed(text)
    if whole.kind != "object":
        raise InvalidValue(f"an item is an object, this is {_KINDS[whole.kind]}", hint=_AN_ITEM, position=whole.start)
    item = {}
    for name, (at, placed) in whole.pairs.items():
        doubts = _Doubts()
        if not name:
            doubts.add("an attribute has an empty name", "Give it a name, or take it away.", at)
        known = like.get(name)
        value = kept(read(placed, known, doubts), known)
        if value != known or known is None:
            doubts.raise_first()
            _check_whole(value, name, placed.start)
        item[name] = value
    return item


def _check_whole(value: Value, name: str, at: int) -> None:
    """What is wrong with the value as a whole: levels, names within."""
    try:
        check(value, name)
    except InvalidValue as problem:
        raise InvalidValue(problem.message, hint=problem.hint, position=at) from None


# ------------------------------------------------------------------------------------------------------- plain JSON


def _plain(placed: Placed, like: Value | None, doubts: _Doubts) -> Value:
    marked = _marked(placed, like, doubts)
    if marked is not None:
        return marked
    if placed.kind == "array" and isinstance(like, StringSet | NumberSet | BinarySet):
        return _same_set(placed, like, doubts)
    value = _natural(placed, like, doubts)
    if like is not None and type(value) is not type(like):
        raise InvalidValue(
            f"this was a {type_word(like)} ({type_tag(like)}) and would become a {type_word(value)} "
            f"({type_tag(value)})",
            hint=_EXPLICITLY,
            position=placed.start,
        )
    return value


def _natural(placed: Placed, like: Value | None, doubts: _Doubts) -> Value:
    """What JSON says by itself."""
    match placed.kind:
        case "string":
            return String(placed.text)
        case "number":
            return _number(placed.text, placed.start, doubts)
        case "boolean":
            return Boolean(placed.truth)
        case "null":
            return Null()
        case "array":
            return _list(placed, like, doubts)
        case "object":
            known = like.entries if isinstance(like, Map) else {}
            return Map({name: _plain(inner, known.get(name), doubts) for name, (_, inner) in placed.pairs.items()})


def _list(placed: Placed, like: Value | None, doubts: _Doubts) -> Value:
    """Elements have no names: which one was which is only known while their number is the same."""
    known = like.elements if isinstance(like, List) else ()
    held_sets = any(isinstance(element, StringSet | NumberSet | BinarySet) for element in known)
    aligned = len(known) == len(placed.elements)
    moved = set(known)
    made = []
    for i, inner in enumerate(placed.elements):
        by_itself = _by_itself(inner) if moved else None
        if by_itself is not None and by_itself in moved:
            made.append(by_itself)
            continue
        beside = known[i] if aligned else None
        if inner.kind == "array" and held_sets and not isinstance(beside, List):
            if beside is None or not isinstance(beside, StringSet | NumberSet | BinarySet):
                raise InvalidValue(
                    "an array in a list that holds sets may be meant as a list or as a set",
                    hint='A set is written {"$stringSet": […]}. To add a list here, use the tree or DynamoDB JSON.',
                    position=inner.start,
                )
            made.append(_plain(inner, beside, doubts))
        else:
            named = beside if isinstance(beside, Map) and inner.kind == "object" else None
            deep = beside if isinstance(beside, List) and inner.kind == "array" else None
            made.append(_plain(inner, named or deep, doubts))
    return List(tuple(made))


def _by_itself(placed: Placed) -> Value | None:
    """The value, whatever stood in its place before. None where that says something wrong."""
    try:
        return _plain(placed, None, _Doubts())
    except InvalidValue:
        return None


def _marked(placed: Placed, like: Value | None, doubts: _Doubts) -> Value | None:
    """The value of an object with one `$` key: what JSON has no form for. None for any other object."""
    if placed.kind != "object" or len(placed.pairs) != 1:
        return None
    ((mark, (at, inner)),) = placed.pairs.items()
    if not mark.startswith("$"):
        return None
    match mark, inner.kind:
        case "$binary", "string":
            value: Value = Binary(_bytes(inner))
        case "$number", "string":
            value = _number(inner.text, inner.start, doubts)
        case "$stringSet", "array":
            value = _string_set(inner, doubts)
        case "$numberSet", "array":
            value = _number_set(inner, doubts, _plain_number)
        case "$binarySet", "array":
            value = _binary_set(inner, doubts)
        case "$map", "object":
            known = like.entries if isinstance(like, Map) else {}
            value = Map({name: _plain(part, known.get(name), doubts) for name, (_, part) in inner.pairs.items()})
        case _ if mark in _MARKS:
            raise InvalidValue(f"{_KINDS[inner.kind]} is no content of {mark}", position=inner.start)
        case _:
            hint = f'The marks are {", ".join(_MARKS)}. A map with that one key is written {{"$map": {{…}}}}.'
            raise InvalidValue(f"{_brief(mark)} is not one of the marks of plain JSON", hint=hint, position=at)
    return value


def _same_set(placed: Placed, like: Value, doubts: _Doubts) -> Value:
    match like:
        case StringSet():
            return _string_set(placed, doubts)
        case NumberSet():
            return _number_set(placed, doubts, _plain_number)
        case _:
            return _binary_set(placed, doubts)


def _plain_number(placed: Placed, doubts: _Doubts) -> Number:
    if placed.kind == "object" and list(placed.pairs) == ["$number"]:
        placed = placed.pairs["$number"][1]
    elif placed.kind != "number":
        _not_a_member(placed, "number set", "numbers")
    return _number(placed.text, placed.start, doubts)


# ---------------------------------------------------------------------------------------------------- DynamoDB JSON


def _tagged(placed: Placed, _like: Value | None, doubts: _Doubts) -> Value:
    if placed.kind != "object":
        hint = 'Every value names its type: {"S": "text"}, {"N": "41"}.'
        raise InvalidValue(f"a type is missing: this is {_KINDS[placed.kind]}", hint=hint, position=placed.start)
    if len(placed.pairs) != 1:
        tags = ", ".join(placed.pairs) or "none"
        hint = f"A value has one type: one of {', '.join(_TAGS)}."
        raise InvalidValue(f"one type is expected, found {_brief(tags)}", hint=hint, position=placed.start)
    ((tag, (at, inner)),) = placed.pairs.items()
    match tag, inner.kind:
        case "S", "string":
            return String(inner.text)
        case "N", "string":
            return _number(inner.text, inner.start, doubts)
        case "B", "string":
            return Binary(_bytes(inner))
        case "BOOL", "boolean":
            return Boolean(inner.truth)
        case "NULL", "boolean" if inner.truth:
            return Null()
        case "SS", "array":
            return _string_set(inner, doubts)
        case "NS", "array":
            return _number_set(inner, doubts, _tagged_number)
        case "BS", "array":
            return _binary_set(inner, doubts)
        case "L", "array":
            return List(tuple(_tagged(element, None, doubts) for element in inner.elements))
        case "M", "object":
            return Map({name: _tagged(part, None, doubts) for name, (_, part) in inner.pairs.items()})
        case _ if tag in _TAGS:
            content = "false" if tag == "NULL" and inner.kind == "boolean" else _KINDS[inner.kind]
            hint = 'A number stands in quotes: {"N": "41"}.' if (tag, inner.kind) == ("N", "number") else ""
            raise InvalidValue(f"{content} is not the content of type {tag}", hint=hint, position=inner.start)
        case _:
            hint = f"The types are {', '.join(_TAGS)}."
            raise InvalidValue(f'"{_brief(tag)}" is not a type of DynamoDB', hint=hint, position=at)


def _tagged_number(placed: Placed, doubts: _Doubts) -> Number:
    if placed.kind != "string":
        _not_a_member(placed, "number set", "numbers in quotes")
    return _number(placed.text, placed.start, doubts)


# ------------------------------------------------------------------------------------------------------------- both


def _number(text: str, at: int, doubts: _Doubts) -> Number:
    number = Number(text)
    doubts.check(number, at)
    return number


def _bytes(placed: Placed) -> bytes:
    try:
        return binary_from_base64(placed.text)
    except InvalidValue as problem:
        raise InvalidValue(problem.message, hint=problem.hint, position=placed.start) from None


def _texts(placed: Placed, what: str, doubts: _Doubts) -> Sequence[str]:
    for element in placed.elements:
        if element.kind != "string":
            _not_a_member(element, what, "texts" if what == "string set" else "base64 texts")
    texts = [element.text for element in placed.elements]
    _refuse_twice(texts, placed, doubts)
    return texts


def _string_set(placed: Placed, doubts: _Doubts) -> StringSet:
    return StringSet(tuple(_texts(placed, "string set", doubts)))


def _binary_set(placed: Placed, doubts: _Doubts) -> BinarySet:
    _texts(placed, "binary set", doubts)
    return BinarySet(tuple(map(_bytes, placed.elements)))


def _number_set(placed: Placed, doubts: _Doubts, read: Callable[[Placed, _Doubts], Number]) -> NumberSet:
    numbers = [read(element, doubts) for element in placed.elements]
    _refuse_twice(numbers, placed, doubts)
    return NumberSet(tuple(numbers))


def _refuse_twice(members: Iterable[object], placed: Placed, doubts: _Doubts) -> None:
    seen: dict[object, object] = {}
    for member, element in zip(members, placed.elements, strict=True):
        if member in seen:
            first, second = str(seen[member]), str(member)
            both = f"{_brief(first)} and {_brief(second)}, which are equal"
            words = f"{_brief(second)} twice" if first == second else both
            doubts.add(f"the set holds {words}", "Keep one of them.", element.start)
        seen.setdefault(member, member)
    if not seen:
        hint = "Remove the attribute, or use an empty list."
        doubts.add("an empty set cannot be stored", hint, placed.start)


def _brief(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _not_a_member(placed: Placed, what: str, members: str) -> None:
    raise InvalidValue(f"a {what} holds {members} only, this is {_KINDS[placed.kind]}", position=placed.start)
