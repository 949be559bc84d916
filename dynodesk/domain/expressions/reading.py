"""Reading an expression: what conditions, updates and projections have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions.lexer import Token, tokens
from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Span, Step
from dynodesk.domain.values import Boolean, Null, Number, Value

MAX_NESTING = 100
"""Parentheses and functions within each other. No person nests deeper; a text of nothing but parentheses does."""

Read = TypeVar("Read")
_WORDS: Mapping[str, Value] = {"TRUE": Boolean(True), "FALSE": Boolean(False), "NULL": Null()}


class Reader:
    """Reads one text from left to right.

    With `names` and `values` it is an expression of a request: `#name` and `:value` stand for what is given there.
    Without them names and values stand in the text themselves.
    """

    keywords: frozenset[str] = frozenset()
    """What is no bare name."""

    def __init__(self, text: str, names: Mapping[str, str] | None, values: Mapping[str, Value] | None) -> None:
        self._literals = names is None and values is None
        if self._literals:
            self.keywords = self.keywords | _WORDS.keys()
        self._names, self._values = names or {}, values or {}
        self._tokens = tuple(tokens(text, literals=self._literals))
        self._closing = _closing(self._tokens)
        self._at = 0
        self._depth = 0
        self.bare_names: list[Token] = []
        """Names that stand in the text themselves."""
        self.redundant: list[Span] = []
        """Parentheses around nothing but parentheses."""

    # ------------------------------------------------------------------------------------------------- tokens

    @property
    def token(self) -> Token:
        return self._tokens[self._at]

    def _is_at_end(self) -> bool:
        return self.token.kind == "end"

    def _following(self) -> Token:
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self.token
        if not self._is_at_end():
            self._at += 1
        return token

    def _skip_symbol(self, *symbols: str) -> bool:
        if self.token.is_symbol(*symbols):
            self._at += 1
            return True
        return False

    def _skip_word(self, word: str) -> bool:
        if self.token.is_word(word):
            self._at += 1
            return True
        return False

    def _expect(self, symbol: str, hint: str = "") -> Token:
        if not self.token.is_symbol(symbol):
            raise self._wrong(f"{symbol} is missing", hint)
        return self._take()

    def _since(self, first: Token) -> Span:
        """From a token to the last one that was taken."""
        return first.span.to(self._tokens[self._at - 1].span)

    def _wrong(self, message: str, hint: str = "", span: Span | None = None) -> InvalidExpression:
        """What is wrong at `span`; without one at the token that is next, naming it."""
        if span is None:
            token = self.token
            message += f" before {token.text!r}" if token.kind != "end" else " at the end"
            span = token.span
        return InvalidExpression(message, hint=hint, offset=span.offset, length=span.length)

    def _whole(self, read: Callable[[], Read]) -> Read:
        """What `read` makes of the text, which has to end there."""
        if self._is_at_end():
            raise self._wrong("the expression is empty", span=self.token.span)
        found = read()
        if not self._is_at_end():
            hint = "There is no ( to it." if self.token.is_symbol(")") else ""
            raise self._wrong(f"{self.token.text!r} cannot follow here", hint, self.token.span)
        return found

    def _deeper(self, read: Callable[[], Read]) -> Read:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self._wrong(f"nested deeper than {MAX_NESTING} levels", span=self.token.span)
        found = read()
        self._depth -= 1
        return found

    def _list(self, read: Callable[[], Read]) -> tuple[Read, ...]:
        """One or more, with commas between them."""
        found = [read()]
        while self._skip_symbol(","):
            found.append(read())
        return tuple(found)

    def _in_parentheses(self, read: Callable[[], Read]) -> Read:
        """What stands between the parenthesis that is next and its closing one."""
        opening, start = self.token, self._at
        self._expect("(")
        found = self._deeper(read)
        closing = self._expect(")", f"The ( at character {opening.span.offset + 1} is not closed.")
        if self._tokens[start + 1].is_symbol("(") and self._closing.get(start + 1) == self._at - 2:
            self.redundant.append(opening.span.to(closing.span))
        return found

    # ------------------------------------------------------------------------------------------------- operands

    def _starts_a_function(self) -> bool:
        return self.token.kind == "name" and self._following().is_symbol("(") and not self._is_keyword(self.token)

    def _is_keyword(self, token: Token) -> bool:
        return token.kind == "name" and token.text.upper() in self.keywords

    def _path(self, what: str = "the name of an attribute") -> DocumentPath:
        """The path that is next; `what` is said to be missing where there is none."""
        first = self.token
        steps: list[Step] = [self._name(what)]
        while self.token.is_symbol(".", "["):
            if self._take().text == ".":
                steps.append(self._name("a name"))
            else:
                steps.append(self._index())
                self._expect("]")
        return DocumentPath(tuple(steps), span=self._since(first))

    def _name(self, what: str) -> str:
        token = self.token
        match token.kind:
            case "name" if not self._is_keyword(token):
                self.bare_names.append(self._take())
                return token.text
            case "name":
                how = f'Write "{token.text}".' if self._literals else "Give it an alias, as #name."
                raise self._wrong(f"{token.text} is a keyword, not a name", how, token.span)
            case "quoted" if not token.text:
                raise self._wrong("an attribute has no empty name", span=token.span)
            case "quoted":
                return self._take().text
            case "alias" if token.text in self._names:
                return self._names[self._take().text]
            case "alias" if self._literals:
                raise self._wrong("there are no placeholders here", "Write the name itself.", token.span)
            case "alias":
                raise self._wrong(
                    f"{token.text} stands for no name", "Give it in ExpressionAttributeNames.", token.span
                )
            case "digits" if not self._literals:
                raise self._wrong("a name cannot start with a digit", "Give it an alias, as #name.", token.span)
            case _:
                raise self._wrong(f"{what} is missing")

    def _index(self) -> int:
        token = self._take()
        if token.kind != "digits" or not token.text.isdigit() or len(token.text) > 9:
            raise self._wrong("the index of a list is a whole number from 0", span=token.span)
        return int(token.text)

    def _literal(self) -> Literal | None:
        """The value that is next, or None where something else is."""
        token = self.token
        if self._literals:
            return self._written_out()
        match token.kind:
            case "placeholder" if token.text in self._values:
                self._take()
                return Literal(self._values[token.text], span=token.span)
            case "placeholder":
                raise self._wrong(
                    f"{token.text} stands for no value", "Give it in ExpressionAttributeValues.", token.span
                )
            case "digits" if set(token.text) <= set("0123456789.eE+-"):
                raise self._wrong(
                    "a value cannot be written out here", "Put a placeholder there, as :value.", token.span
                )
            case _:
                return None

    def _written_out(self) -> Literal | None:
        token = self.token
        match token.kind:
            case "value" | "digits" if token.value is not None:
                self._take()
                return Literal(token.value, span=token.span)
            case "name" if token.text.upper() in _WORDS:
                self._take()
                return Literal(_WORDS[token.text.upper()], span=token.span)
            case "placeholder":
                raise self._wrong("there are no placeholders here", "Write the value itself.", token.span)
            case "symbol" if token.text in {"+", "-"} and self._following().kind == "digits":
                self._at += 2
                span = self._since(token)
                number = self._tokens[self._at - 1].text
                return Literal(Number(number if token.text == "+" else f"-{number}"), span=span)
            case _:
                return None


def _closing(read: tuple[Token, ...]) -> dict[int, int]:
    """Of each opening parenthesis that is closed, by index, the closing one."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(read):
        if token.is_symbol("("):
            opened.append(index)
        elif token.is_symbol(")") and opened:
            found[opened.pop()] = index
    return found
