"""Random trees and items, the odd ones included. Equal seeds give equal ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from random import Random
from typing import TypeVar

from dynodesk.domain.expressions.conditions import (
    COMPARATORS,
    TYPE_TAGS,
    And,
    AttributeType,
    BeginsWith,
    Between,
    Comparison,
    Condition,
    Contains,
    Exists,
    In,
    Not,
    Operand,
    Or,
    Size,
)
from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Step
from dynodesk.domain.expressions.projections import Projection
from dynodesk.domain.expressions.updates import (
    Add,
    Delete,
    IfNotExists,
    ListAppend,
    Remove,
    Set,
    SetOperand,
    SetValue,
    Sum,
    Update,
)
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
)
from tests.domain.strategies import ODD_NAMES

Drawn = TypeVar("Drawn")

HOSTILE_NAMES = (
    *ODD_NAMES,
    *("a", "b", "A", "B", "status", "size", "_x", "n0", "v0", "__proto__", "NaN", "x" * 255),
    # Words of the grammar, as words and as parts of other names.
    *("SET", "remove", "Add", "AND", "or", "not", "null", "True", "between", "nUlL", "a AND b", "IN ("),
    *("attribute_exists", "if_not_exists", "list_append", "begins_with", "contains(", "size("),
    # Signs of the grammar, and numbers.
    *("#n0", ":v0", "#", ":", ".", "..", "a.", ".a", "[", "[0]", "a[", "]", "(", ")", ",", "=", "<>", "+", "--", "{}"),
    *("'", '""', "a''b", "x y", "0", "-1", "1e5"),
    # What looks empty, and what looks the same or turns into a keyword in capitals.
    *(
        " ",
        "\n",
        "\u00a0",
        "\u200b",
        "\ufeff",
        "\u2028",
        "\u00e9",
        "e\u0301",
        "\u0301",
        "\u017fet",
        "\u0131n",
        "\u212a",
    ),
    *("𐀂", "\ud800", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
)
HOSTILE_TEXTS = (
    *("", "x", "5", "NULL", "AND", "open", ":v0", "#n0", "x" * 5000),
    *("'", "''", '"', "it's", "' OR 'a' = 'a", "\\", "\\u0041", "{}", '{"S": "x"}'),
    *("\n\t\0", "\u2028\ufeff", "\u00e9", "e\u0301", "｡", "𐀂", "\udfff"),
)
SPELLINGS = (
    *("0", "-0", "1", "1.0", "1E0", "10", "-7", "007", ".5", "0.10"),
    *("1e-130", "9.9E125", "12345678901234567890"),
)
ODD_SPELLINGS = ("+5", "5.", "000.000", "-0E5", "1E+2", "1" * 38, "9" * 38 + "E87", "-0." + "1" * 38)
UNSTORED = ("NaN", "1_000", "", "1E126", "9" * 39, "１２")
"""Numbers that the service refuses and emulators may hold."""


class Generator:
    """Draws from a narrow range, so that conditions and items often meet; `hostile` adds what is seldom met."""

    def __init__(self, random: Random, *, hostile: bool) -> None:
        self._random = random
        self._hostile = hostile
        self._known: tuple[DocumentPath, ...] = ()
        self._met: tuple[Value, ...] = ()

    def about(self, item: Item) -> None:
        """From now on draw paths that lead somewhere in this item, and values that are in it, more often than not."""
        self._known = tuple(paths_of(item))
        self._met = tuple(value for path in self._known if (value := path.find(item)) is not None)

    def _one(self, choices: Sequence[Callable[[], Drawn]]) -> Drawn:
        return self._random.choice(choices)()

    def _some(self, draw: Callable[[], Drawn], least: int, most: int) -> tuple[Drawn, ...]:
        return tuple(draw() for _ in range(self._random.randint(least, most)))

    # -------------------------------------------------------------------------------------------------- values

    def name(self) -> str:
        return self._random.choice(HOSTILE_NAMES if self._hostile else ("a", "b", "c", "d", "m", "l"))

    def string(self) -> String:
        return String(self._random.choice(HOSTILE_TEXTS if self._hostile else ("", "x", "xy", "open", "é", "｡", "𐀂")))

    def number(self) -> Number:
        spellings = SPELLINGS + ODD_SPELLINGS + UNSTORED if self._hostile else SPELLINGS
        return Number(self._random.choice(spellings))

    def binary(self) -> Binary:
        return Binary(self._random.choice((b"", b"\0", b"\xff", b"x", b"xy")))

    def scalar(self) -> Value:
        kinds: list[Callable[[], Value]] = [self.string, self.number, self.binary, self.boolean, Null]
        return self._one(kinds)

    def boolean(self) -> Boolean:
        return Boolean(self._random.random() < 0.5)

    def set(self) -> StringSet | NumberSet | BinarySet:
        least = 0 if self._hostile else 1
        kinds: list[Callable[[], StringSet | NumberSet | BinarySet]] = [
            lambda: StringSet(tuple(dict.fromkeys(each.text for each in self._some(self.string, least, 3)))),
            lambda: NumberSet(tuple(dict.fromkeys(self._some(self.number, least, 3)))),
            lambda: BinarySet(tuple(dict.fromkeys(each.data for each in self._some(self.binary, least, 3)))),
        ]
        return self._one(kinds)

    def list(self, depth: int = 1) -> List:
        return List(self._some(lambda: self.value(depth - 1), 0, 3))

    def map(self, depth: int = 1) -> Map:
        return Map({self.name(): self.value(depth - 1) for _ in range(self._random.randint(0, 3))})

    def value(self, depth: int = 2) -> Value:
        if depth <= 0:
            return self.scalar()
        kinds: list[Callable[[], Value]] = [self.scalar, self.scalar, self.number, self.set]
        return self._one([*kinds, lambda: self.list(depth), lambda: self.map(depth)])

    def item(self) -> dict[str, Value]:
        return {self.name(): self.value() for _ in range(self._random.randint(0, 5))}

    # ------------------------------------------------------------------------------------------------ operands

    def path(self) -> DocumentPath:
        if self._known and self._random.random() < 0.6:
            return self._random.choice(self._known)
        steps: list[Step] = [self.name()]
        kinds: list[Callable[[], Step]] = [self.name, lambda: self._random.randint(0, 3)]
        while self._random.random() < 0.3:
            steps.append(self._one(kinds))
        return DocumentPath(tuple(steps))

    def literal(self) -> Literal:
        if self._met and self._random.random() < 0.5:
            return Literal(self._random.choice(self._met))
        return Literal(self.value())

    def path_or_literal(self) -> DocumentPath | Literal:
        kinds: list[Callable[[], DocumentPath | Literal]] = [self.path, self.literal]
        return self._one(kinds)

    def operand(self) -> Operand:
        if self._random.random() < 0.2:
            return Size(self.subject())
        return self.path_or_literal()

    def subject(self) -> DocumentPath | Literal:
        """What a function is about: a path nearly always, where nothing odd is asked for."""
        return self.path_or_literal() if self._hostile or self._random.random() < 0.02 else self.path()

    # ----------------------------------------------------------------------------------------------- conditions

    def condition(self, depth: int = 3) -> Condition:
        if depth and self._random.random() < 0.6:
            compounds: list[Callable[[], Condition]] = [
                lambda: Not(self.condition(depth - 1)),
                lambda: And(self._some(lambda: self.condition(depth - 1), 2, 3)),
                lambda: Or(self._some(lambda: self.condition(depth - 1), 2, 3)),
            ]
            return self._one(compounds)
        kinds: list[Callable[[], Condition]] = [
            self.comparison,
            self.comparison,
            lambda: Between(self.operand(), self.operand(), self.operand()),
            lambda: In(self.operand(), self._some(self.operand, 1, 4)),
            lambda: Exists(self.path(), self._random.random() < 0.5),
            lambda: AttributeType(self.subject(), Literal(String(self._random.choice(TYPE_TAGS)))),
            lambda: BeginsWith(self.subject(), self.operand()),
            lambda: Contains(self.subject(), self.operand()),
        ]
        return self._one(kinds)

    def comparison(self) -> Comparison:
        return Comparison(self.operand(), self._random.choice(COMPARATORS), self.operand())

    # -------------------------------------------------------------------------------------------------- updates

    def set_operand(self, depth: int = 2) -> SetOperand:
        if not depth or self._random.random() < 0.6:
            return self.path_or_literal()
        if self._random.random() < 0.5:
            return IfNotExists(self.path(), self.set_operand(depth - 1))
        return ListAppend(self.set_operand(depth - 1), self.set_operand(depth - 1))

    def set_value(self) -> SetValue:
        if self._random.random() < 0.5:
            return self.set_operand()
        return Sum(self.set_operand(), "+" if self._random.random() < 0.5 else "-", self.set_operand())

    def update(self) -> Update:
        while True:
            sets = self._some(lambda: Set(self.path(), self.set_value()), 0, 2)
            removes = self._some(lambda: Remove(self.path()), 0, 2)
            adds = self._some(lambda: Add(self.path(), self.literal()), 0, 1)
            deletes = self._some(lambda: Delete(self.path(), self.literal()), 0, 1)
            if sets or removes or adds or deletes:
                return Update(sets, removes, adds, deletes)

    def projection(self) -> Projection:
        return Projection(self._some(self.path, 1, 4))

    # ------------------------------------------------------------------------------------------ deep and wide ones

    def tower(self) -> Condition:
        """Conditions around a condition, with a long path and a deep value in it."""
        steps: list[Step] = [self.name(), *(self._random.choice((self.name(), 0, 999_999_999)) for _ in range(31))]
        deep = self.value()
        for _ in range(30):
            deep = List((deep,)) if self._random.random() < 0.5 else Map({self.name(): deep})
        built: Condition = Comparison(DocumentPath(tuple(steps)), "<>", Literal(deep))
        for _ in range(self._random.randint(10, 40)):
            around: list[Callable[[Condition], Condition]] = [
                Not,
                lambda inner: And((inner, self.comparison())),
                lambda inner: And((self.comparison(), inner)),
                lambda inner: Or((inner, self.comparison())),
                lambda inner: Or((self.comparison(), inner, self.comparison())),
            ]
            built = self._random.choice(around)(built)
        return built

    def wide_condition(self) -> Condition:
        listed = In(self.operand(), self._some(self.operand, 100, 100))
        return Or((And(self._some(lambda: self.condition(1), 60, 60)), listed, *self._some(self.comparison, 60, 60)))

    def deep_update(self) -> Update:
        operand: SetOperand = self.path_or_literal()
        for _ in range(30):
            if self._random.random() < 0.5:
                operand = IfNotExists(self.path(), operand)
            else:
                operand = ListAppend(*self._random.sample((operand, self.path()), 2))
        sets = self._some(lambda: Set(self.path(), self.set_value()), 20, 20)
        return Update((*sets, Set(self.path(), operand)), self._some(lambda: Remove(self.path()), 20, 20))

    # ---------------------------------------------------------------------------------- what the service takes

    def valid_condition(self) -> Condition:
        while not is_valid(drawn := self.condition()):
            pass
        return drawn

    def valid_update(self) -> Update:
        while not is_valid(drawn := self.update()):
            pass
        return drawn

    def valid_projection(self) -> Projection:
        while True:
            paths = self.projection().paths
            if not any(_meet(one.steps, other.steps) for one, other in combinations(paths, 2)):
                return Projection(paths)


def paths_of(item: Item) -> Iterator[DocumentPath]:
    """All paths of an item, but of its key."""
    for name, value in item.items():
        if name != "pk":
            yield from (DocumentPath((name, *steps)) for steps in _steps_in(value))


def _steps_in(value: Value) -> Iterator[tuple[Step, ...]]:
    yield ()
    match value:
        case Map(entries):
            yield from ((name, *steps) for name, inner in entries.items() for steps in _steps_in(inner))
        case List(elements):
            yield from ((index, *steps) for index, inner in enumerate(elements) for steps in _steps_in(inner))
        case _:
            pass


ORDERED = (String, Number, Binary)


def is_valid(tree: Condition | Update) -> bool:
    """Whether the service takes it, told apart from the checks that are tested with it."""
    if isinstance(tree, Update):
        paths = [action.path.steps for action in tree.actions]
        apart = all(not _meet(one, other) for number, one in enumerate(paths) for other in paths[:number])
        return apart and all(map(_is_taken, tree.walk()))
    return all(map(_is_taken, tree.walk()))


def _meet(one: tuple[Step, ...], other: tuple[Step, ...]) -> bool:
    """Whether they overlap or take one place for a map and a list."""
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            return type(mine) is not type(theirs)
    return True


def _is_taken(node: object) -> bool:
    match node:
        case Comparison(left, ("=" | "<>"), right):
            return not (isinstance(left, DocumentPath) and left == right)
        case Comparison(left, _, right):
            return not (isinstance(left, DocumentPath) and left == right) and _ordered(left) and _ordered(right)
        case Between(operand, Literal(low), Literal(high)):
            same = type(low) is type(high)
            return (
                same
                and _ordered(operand)
                and isinstance(low, ORDERED)
                and Between(Literal(low), Literal(low), Literal(high)).holds({})
            )
        case Between(operand, low_operand, high_operand):
            return all(map(_ordered, (operand, low_operand, high_operand)))
        case BeginsWith(operand, prefix):
            return operand != prefix and all(
                isinstance(side, DocumentPath)
                or (isinstance(side, Literal) and isinstance(side.value, String | Binary))
                for side in (operand, prefix)
            )
        case Contains(operand, sought):
            return not (isinstance(operand, DocumentPath) and operand == sought)
        case Size(Literal(Number() | Boolean() | Null())):
            return False
        case Sum(left, _, right):
            return not any(
                isinstance(side, ListAppend) or (isinstance(side, Literal) and not isinstance(side.value, Number))
                for side in (left, right)
            )
        case ListAppend(first, second):
            return not any(
                isinstance(side, ListAppend) or (isinstance(side, Literal) and not isinstance(side.value, List))
                for side in (first, second)
            )
        case Add(_, Literal(value)):
            return isinstance(value, Number | StringSet | NumberSet | BinarySet)
        case Delete(_, Literal(value)):
            return isinstance(value, StringSet | NumberSet | BinarySet)
        case _:
            return True


def _ordered(operand: object) -> bool:
    return not isinstance(operand, Literal) or isinstance(operand.value, ORDERED)
