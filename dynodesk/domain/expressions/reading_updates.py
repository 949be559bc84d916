"""Reading update expressions and projection expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from dynodesk.domain.expressions.lexer import Token
from dynodesk.domain.expressions.nodes import DocumentPath
from dynodesk.domain.expressions.projections import Projection
from dynodesk.domain.expressions.reading import Reader
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
from dynodesk.domain.values import Value

FUNCTIONS = ("if_not_exists", "list_append")
"""The functions of SET, of two operands each. They are written in small letters."""

CLAUSES = ("SET", "REMOVE", "ADD", "DELETE")

Change = TypeVar("Change")


def parse_changes(text: str) -> Update:
    """An update with its names and values written out: `SET likes = likes + 1 REMOVE "deleted-at"`.

    Raises `InvalidExpression` with the place of what cannot be read.
    """
    return UpdateReader(text, None, None).update()


def parse_update(text: str, names: Mapping[str, str], values: Mapping[str, Value]) -> Update:
    """An update expression of a request; `names` by `#name`, `values` by `:value`.

    Raises `InvalidExpression` with the place of what cannot be read. What can be read and would be refused all the
    same, `check_request` finds.
    """
    return UpdateReader(text, names, values).update()


def parse_paths(text: str) -> Projection:
    """A projection with its names written out: `id, "user-id", address.lines[0]`. Raises `InvalidExpression`."""
    return ProjectionReader(text, None, None).projection()


def parse_projection(text: str, names: Mapping[str, str]) -> Projection:
    """A projection expression of a request. Raises `InvalidExpression`."""
    return ProjectionReader(text, names, {}).projection()


class ProjectionReader(Reader):
    def projection(self) -> Projection:
        first = self.token
        return self._whole(lambda: Projection(self._list(self._path), span=self._since(first)))


class UpdateReader(Reader):
    keywords = frozenset(CLAUSES)

    def update(self) -> Update:
        return self._whole(self._clauses)

    def _clauses(self) -> Update:
        first, seen = self.token, set[str]()
        sets: tuple[Set, ...] = ()
        removes: tuple[Remove, ...] = ()
        adds: tuple[Add, ...] = ()
        deletes: tuple[Delete, ...] = ()
        while self.token.is_word(*CLAUSES):
            clause = self._take()
            word = clause.text.upper()
            if word in seen:
                raise self._wrong(f"{word} stands twice", "Put all of it behind one, with commas.", clause.span)
            seen.add(word)
            match word:
                case "SET":
                    sets = self._list(self._set)
                case "REMOVE":
                    removes = self._list(self._remove)
                case "ADD":
                    adds = self._list(lambda: self._path_and_value(Add))
                case _:
                    deletes = self._list(lambda: self._path_and_value(Delete))
        if not seen:
            raise self._wrong(f"one of {', '.join(CLAUSES)} is missing")
        return Update(sets, removes, adds, deletes, span=self._since(first))

    def _set(self) -> Set:
        first, path = self.token, self._path()
        self._expect("=")
        return Set(path, self._value(), span=self._since(first))

    def _remove(self) -> Remove:
        first = self.token
        return Remove(self._path(), span=self._since(first))

    def _path_and_value(self, action: Callable[..., Change]) -> Change:
        first, path = self.token, self._path()
        value = self._literal()
        if value is None:
            raise self._wrong("a value is missing", "ADD and DELETE take a path and a value, without a sign.")
        return action(path, value, span=self._since(first))

    def _value(self) -> SetValue:
        if self.token.is_symbol("(") and not self._encloses_an_operand():
            return self._in_parentheses(self._value)
        first, left = self.token, self._operand()
        sign = self.token
        if sign.is_symbol("+", "-"):
            self._take()
            return Sum(left, "+" if sign.text == "+" else "-", self._operand(), span=self._since(first))
        return left

    def _encloses_an_operand(self) -> bool:
        """Whether the parenthesis that is next holds an operand of a sum, `(a) + :v`, and not the sum."""
        closing = self._closing.get(self._at)
        return closing is not None and self._tokens[closing + 1].is_symbol("+", "-")

    def _operand(self) -> SetOperand:
        if self.token.is_symbol("("):
            return self._in_parentheses(self._operand)
        if self._starts_a_function():
            return self._call()
        return self._literal() or self._path("an attribute or a value")

    def _call(self) -> IfNotExists | ListAppend:
        name: Token = self._take()
        if name.text not in FUNCTIONS:
            hint = "Functions are written in small letters. " if name.text.lower() in FUNCTIONS else ""
            raise self._wrong(
                f"there is no function {name.text} in updates", f"{hint}There are {' and '.join(FUNCTIONS)}.", name.span
            )
        self._expect("(")
        operands: tuple[SetOperand, ...] = self._deeper(lambda: self._list(self._operand))
        if self.token.is_symbol("+", "-"):
            raise self._wrong(f"there is no {self.token.text} within a function", "", self.token.span)
        self._expect(")")
        span = self._since(name)
        if len(operands) != 2:
            raise self._wrong(f"{name.text} takes 2 operands, not {len(operands)}", span=span)
        first, second = operands
        if name.text == "list_append":
            return ListAppend(first, second, span=span)
        if not isinstance(first, DocumentPath):
            raise self._wrong("if_not_exists takes the path of an attribute first", span=first.span)
        return IfNotExists(first, second, span=span)
