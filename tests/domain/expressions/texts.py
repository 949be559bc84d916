"""Random texts of a tree, as people and programs write them: all that the grammar leaves open is drawn.

That is white space of any kind and length, keywords in any case, parentheses that change nothing, several placeholders
for one name and one for several equal values, placeholders of any shape, names bare or not, values in any of their
spellings, and the clauses of an update in any order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random

from dynodesk.domain.expressions import Condition, Projection, Update
from dynodesk.domain.expressions.conditions import (
    And,
    AttributeType,
    BeginsWith,
    Between,
    Comparison,
    Contains,
    Exists,
    In,
    Not,
    Or,
    Size,
)
from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Node
from dynodesk.domain.expressions.spelling import is_storable
from dynodesk.domain.expressions.updates import Action, Add, Delete, IfNotExists, ListAppend, Remove, Set, Sum
from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.values import Boolean, Null, Number, String, Value

SPACES = (" ", "  ", "\t", "\n", "\r\n", " \t\n ")
OF_CONDITIONS = {"AND", "OR", "NOT", "BETWEEN", "IN"}
OF_UPDATES = {"SET", "REMOVE", "ADD", "DELETE"}
OF_VALUES = {"TRUE", "FALSE", "NULL"}
PLAIN_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE]-?[0-9]+)?")

Words = list[str]


class TextWriter:
    """Writes one tree with placeholders, which `names` and `values` tell, or else with everything written out."""

    def __init__(self, random: Random, *, written_out: bool) -> None:
        self._random = random
        self._written_out = written_out
        self.names: dict[str, str] = {}
        self.values: dict[str, Value] = {}

    def text(self, tree: Condition | Update | Projection) -> str:
        self._keywords = OF_CONDITIONS if isinstance(tree, Condition) else OF_UPDATES
        match tree:
            case Condition():
                words = self._condition(tree)
            case Update():
                words = self._update(tree)
            case Projection(paths):
                self._keywords = set()
                words = self._separated([self._path(path) for path in paths])
        return self._joined(words)

    def _chance(self, of: float) -> bool:
        return self._random.random() < of

    def _joined(self, words: Words) -> str:
        text = ""
        for word in [*words, ""]:
            # Two words that would be read as one stand apart; everything else may touch.
            touch = re.search(r"\w\Z", text, re.ASCII) and re.match(r"\w", word, re.ASCII)
            if touch or self._chance(0.4):
                text += self._random.choice(SPACES)
            text += word
        return text

    def _word(self, keyword: str) -> str:
        return "".join(self._random.choice((letter.upper(), letter.lower())) for letter in keyword)

    def _separated(self, several: Sequence[Words]) -> Words:
        return [word for words in several for word in (",", *words)][1:]

    def _call(self, function: str, *operands: Node) -> Words:
        return [function, "(", *self._separated([self._operand(operand) for operand in operands]), ")"]

    # ---------------------------------------------------------------------------------------------- names, values

    def _path(self, path: DocumentPath) -> Words:
        words = [self._name(path.attribute)]
        for step in path.steps[1:]:
            words += ["[", str(step), "]"] if isinstance(step, int) else [".", self._name(step)]
        return words

    def _name(self, name: str) -> str:
        reserved = self._keywords | (OF_VALUES if self._written_out else set())
        is_bare = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name.upper() not in reserved
        if is_bare and self._chance(0.7):
            return name
        if self._written_out:
            doubled = name.replace('"', '""')
            return f'"{doubled}"'
        known = [alias for alias, aliased in self.names.items() if aliased == name]
        if known and self._chance(0.7):
            return self._random.choice(known)
        alias = self._new("#", self.names)
        self.names[alias] = name
        return alias

    def _value(self, value: Value) -> str:
        if self._written_out:
            return self._spelled(value)
        known = [placeholder for placeholder, given in self.values.items() if given == value]
        if known and self._chance(0.5):
            return self._random.choice(known)
        placeholder = self._new(":", self.values)
        self.values[placeholder] = value
        return placeholder

    def _new(self, sign: str, taken: dict[str, str] | dict[str, Value]) -> str:
        while True:
            letters = "aZ09_" if self._chance(0.5) else "vn0123456789"
            placeholder = sign + "".join(self._random.choice(letters) for _ in range(self._random.randint(1, 12)))
            if placeholder not in taken:
                return placeholder

    def _spelled(self, value: Value) -> str:
        if self._chance(0.8):
            match value:
                case String(text):
                    doubled = text.replace("'", "''")
                    return f"'{doubled}'"
                case Boolean(truth):
                    return self._word("TRUE" if truth else "FALSE")
                case Null():
                    return self._word("NULL")
                case Number(text=text) if is_storable(value) and re.fullmatch(
                    r"-?[0-9]+(\.[0-9]+)?([eE]-?[0-9]+)?", text
                ):
                    return text
                case _:
                    pass
        space = self._random.choice((None, 1))
        return json.dumps(to_dynamodb(value), ensure_ascii=self._chance(0.5), indent=space)

    def _operand(self, operand: Node) -> Words:
        match operand:
            case DocumentPath():
                words = self._path(operand)
            case Literal(value):
                words = [self._value(value)]
            case Size(inner):
                words = self._call("size", inner)
            case IfNotExists(path, default):
                words = self._call("if_not_exists", path, default)
            case ListAppend(first, second):
                words = self._call("list_append", first, second)
            case _:
                raise AssertionError(f"{operand} is no operand")
        return ["(", *words, ")"] if self._chance(0.05) else words

    # ------------------------------------------------------------------------------------------------ conditions

    def _condition(self, tree: Condition) -> Words:
        match tree:
            case And(terms):
                words = self._terms("AND", terms, enclosed=(And, Or))
            case Or(terms):
                words = self._terms("OR", terms, enclosed=(Or,))
            case Not(term):
                words = [self._word("NOT"), *self._term(term, enclosed=(And, Or))]
            case Comparison(left, comparator, right):
                words = [*self._operand(left), comparator, *self._operand(right)]
            case Between(operand, low, high):
                ends = [*self._operand(low), self._word("AND"), *self._operand(high)]
                words = [*self._operand(operand), self._word("BETWEEN"), *ends]
            case In(operand, choices):
                listed = self._separated([self._operand(choice) for choice in choices])
                words = [*self._operand(operand), self._word("IN"), "(", *listed, ")"]
            case Exists(path, wanted):
                words = self._call("attribute_exists" if wanted else "attribute_not_exists", path)
            case AttributeType(operand, tag):
                words = self._call("attribute_type", operand, tag)
            case BeginsWith(operand, prefix):
                words = self._call("begins_with", operand, prefix)
            case Contains(operand, sought):
                words = self._call("contains", operand, sought)
            case _:
                raise AssertionError(f"{tree} is no condition")
        while self._chance(0.05):
            words = ["(", *words, ")"]
        return words

    def _terms(self, word: str, terms: Sequence[Condition], enclosed: tuple[type[Condition], ...]) -> Words:
        joined = self._term(terms[0], enclosed)
        for term in terms[1:]:
            joined += [self._word(word), *self._term(term, enclosed)]
        return joined

    def _term(self, term: Condition, enclosed: tuple[type[Condition], ...]) -> Words:
        words = self._condition(term)
        return ["(", *words, ")"] if isinstance(term, enclosed) else words

    # --------------------------------------------------------------------------------------------------- updates

    def _update(self, tree: Update) -> Words:
        clauses: list[tuple[str, Sequence[Action]]] = [
            ("SET", tree.sets),
            ("REMOVE", tree.removes),
            ("ADD", tree.adds),
            ("DELETE", tree.deletes),
        ]
        self._random.shuffle(clauses)
        words: Words = []
        for clause, actions in clauses:
            if actions:
                words += [self._word(clause), *self._separated([self._action(action) for action in actions])]
        return words

    def _action(self, action: Action) -> Words:
        match action:
            case Set(path, Sum(left, sign, right)):
                total = [*self._operand(left), sign, *self._operand(right)]
                return [*self._path(path), "=", *(["(", *total, ")"] if self._chance(0.1) else total)]
            case Set(path, operand):
                return [*self._path(path), "=", *self._operand(operand)]
            case Remove(path):
                return self._path(path)
            case Add(path, value) | Delete(path, value):
                return [*self._path(path), self._value(value.value)]
            case _:
                raise AssertionError(f"{action} is no action")
