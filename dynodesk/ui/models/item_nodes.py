"""The nodes of an item that is shown or edited as a tree. Children are made when they are looked at.

A node has the value it has now and the one it had before; what is composed of its children is composed anew whenever
one of them changes, so that the value of the root is always the whole item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from dynodesk.domain.cells import in_order
from dynodesk.domain.errors import InvalidValue
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
)

Mark = Literal["", "new", "edited", "removed"]
TAGS = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M")
_FRESH: dict[str, Callable[[], Value]] = {
    "S": lambda: String(""),
    "N": lambda: Number("0"),
    "B": lambda: Binary(b""),
    "BOOL": lambda: Boolean(value=False),
    "NULL": Null,
    "SS": lambda: StringSet(()),
    "NS": lambda: NumberSet(()),
    "BS": lambda: BinarySet(()),
    "L": lambda: List(()),
    "M": lambda: Map({}),
}
_MEMBER_OF = {"SS": "S", "NS": "N", "BS": "B"}
SETS = (StringSet, NumberSet, BinarySet)


class Node:
    """One attribute, element or member; the root is the item itself."""

    __slots__ = (
        "before",
        "children",
        "is_key",
        "name",
        "naming",
        "parent",
        "problem",
        "removed",
        "row",
        "typed",
        "value",
    )

    def __init__(self, name: str, value: Value, parent: Node | None, row: int, before: Value | None = None) -> None:
        self.name, self.value, self.parent, self.row = name, value, parent, row
        self.before = before
        """The value as it was; None: there was none."""
        self.children: list[Node] | None = None
        self.is_key = False
        self.removed = False
        self.naming = False
        """Its name is being typed for the first time: that it has none yet is no mistake."""
        self.typed: str | None = None
        """What was typed where that is no value of the type."""
        self.problem = ""
        """What the service would refuse about this node, in words."""

    @property
    def parts(self) -> list[Node]:
        """The children, those that were removed included."""
        if self.children is None:
            self.children = self._made_parts()
        return self.children

    def _made_parts(self) -> list[Node]:
        made: list[Node] = []
        match self.value, self.before:
            case Map(entries), before:
                known = before.entries if isinstance(before, Map) else {}
                made = [Node(name, value, self, 0, known.get(name)) for name, value in entries.items()]
                for name in known:
                    if name not in entries:
                        gone = Node(name, known[name], self, 0, known[name])
                        gone.removed = True
                        made.append(gone)
            case List(elements), before:
                was = before.elements if isinstance(before, List) else ()
                made = [Node("", value, self, 0, was[i] if i < len(was) else None) for i, value in enumerate(elements)]
            case value, before:
                held = set(members_of(before)) if before is not None else set()
                made = [Node("", member, self, 0, member if member in held else None) for member in members_of(value)]
        place(made)
        if isinstance(self.value, List):
            name_elements(made)
        return made

    @property
    def count(self) -> int:
        """How many children there are, without making them where that can be known."""
        if self.children is not None:
            return len(self.children)
        if self.before is None or self.before is self.value or not isinstance(self.value, Map):
            return count_of(self.value) or 0
        return len(self.parts)

    @property
    def live(self) -> Iterator[Node]:
        return (part for part in self.parts if not part.removed)

    @property
    def is_wrong(self) -> bool:
        return bool(self.problem) and not self.naming

    @property
    def is_gone(self) -> bool:
        """Whether it was removed, or what it is in."""
        return self.removed or (self.parent is not None and self.parent.is_gone)

    @property
    def mark(self) -> Mark:
        if self.removed:
            return "removed"
        if self.before is None:
            return "new"
        same = self.value is self.before or (type(self.value) is type(self.before) and self.value == self.before)
        return "" if same and self.typed is None else "edited"

    @property
    def is_named(self) -> bool:
        return self.parent is not None and isinstance(self.parent.value, Map)

    @property
    def is_member(self) -> bool:
        return self.parent is not None and isinstance(self.parent.value, SETS)

    def compose(self) -> None:
        """Take the value from the children."""
        live = list(self.live)
        match self.value:
            case Map():
                self.value = Map({part.name: part.value for part in live})
            case List():
                self.value = List(tuple(part.value for part in live))
            case _:
                self.value = set_of(type_tag(self.value), [part.value for part in live])

    def check(self) -> None:
        """Say what is wrong with this node by itself. What was typed and is no value is known already."""
        if self.typed is None:
            self.problem = self._trouble()

    def _trouble(self) -> str:
        if self.removed or self.parent is None:
            return ""
        if self.is_named:
            if not self.name:
                return "An attribute needs a name."
            if sum(part.name == self.name for part in self.parent.live) > 1:
                return f"There is another attribute with the name {self.name}."
        if self.is_member:
            equal = next(
                (part.value for part in self.parent.live if part is not self and part.value == self.value), None
            )
            if isinstance(equal, Number) and isinstance(self.value, Number) and equal.text != self.value.text:
                return f"The set has this member already: {self.value.text} and {equal.text} are equal."
            if equal is not None:
                return "The set has this member already."
        if isinstance(self.value, List | Map) or self.value is self.before:
            return ""  # what was read is no mistake of the person who edits
        try:
            check(self.value, "")
        except InvalidValue as problem:
            return f"{problem.message.removeprefix(': ')}. {problem.hint}".strip()
        return ""


def root_of(item: Item, before: Item | None, keys: Sequence[str]) -> Node:
    """The attributes in `keys` first, the others in the order they came, then those that are removed."""
    names = [*(name for name in keys if name in item), *(name for name in item if name not in keys)]
    ordered = Map({name: item[name] for name in names})
    root = Node("", ordered, None, 0, None if before is None else Map(before))
    for part in root.parts:
        part.is_key = part.name in keys
    return root


def place(parts: list[Node]) -> None:
    """Tell each child where it stands."""
    for row, part in enumerate(parts):
        part.row = row


def name_elements(parts: list[Node]) -> None:
    """Give each element of a list its index."""
    index = 0
    for part in parts:
        if not part.removed:
            part.name = f"[{index}]"
            index += 1


def count_of(value: Value) -> int | None:
    """How many parts the value has; None for one that has no parts."""
    match value:
        case Map(entries):
            return len(entries)
        case List(elements):
            return len(elements)
        case StringSet(members) | NumberSet(members) | BinarySet(members):
            return len(members)
        case _:
            return None


def members_of(value: Value) -> tuple[Value, ...]:
    """The members of a set as values, as they are shown; nothing for anything else."""
    match value:
        case StringSet(members):
            return tuple(map(String, in_order(members)))
        case NumberSet(numbers):
            return in_order(numbers)
        case BinarySet(blobs):
            return tuple(map(Binary, in_order(blobs)))
        case _:
            return ()


def set_of(tag: str, members: Sequence[Value]) -> Value:
    if tag == "SS":
        return StringSet(tuple(member.text for member in members if isinstance(member, String)))
    if tag == "NS":
        return NumberSet(tuple(member for member in members if isinstance(member, Number)))
    return BinarySet(tuple(member.data for member in members if isinstance(member, Binary)))


def fresh(tag: str) -> Value:
    """The value that a new attribute of the type begins with."""
    return _FRESH[tag]()


def fresh_part(value: Value) -> Value:
    """What a new part of a list, map or set begins with."""
    return fresh(_MEMBER_OF.get(type_tag(value), "S"))


def converted(value: Value, tag: str) -> Value:
    """The value as another type, as far as nothing has to be invented; else a fresh one of that type.

    A text becomes the number with its digits, and need not be one: whoever asked is told. One that is empty becomes no
    member of a set: nobody typed it.
    """
    match value, tag:
        case String(text), "N":
            return Number(text)
        case Number(text=text), "S":
            return String(text)
        case _, "L":
            parts = members_of(value) if isinstance(value, SETS) else (value,)
            return List(()) if isinstance(value, Null | Map) else List(parts)
        case List(elements), ("SS" | "NS" | "BS"):
            return set_of(tag, [element for element in elements if type_tag(element) == _MEMBER_OF[tag]])
        case _, ("SS" | "NS" | "BS") if type_tag(value) == _MEMBER_OF[tag]:
            return set_of(tag, [] if value in (String(""), Binary(b"")) else [value])
        case _, ("S" | "N" | "B") if len(members_of(value)) == 1 and type_tag(members_of(value)[0]) == tag:
            return members_of(value)[0]
        case _:
            return fresh(tag)
