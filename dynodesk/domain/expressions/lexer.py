"""The words of an expression, each with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions.nodes import Span
from dynodesk.domain.item_json import from_dynamodb
from dynodesk.domain.values import Number, String, Value

Kind = OneOf["name", "quoted", "alias", "placeholder", "digits", "value", "symbol", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is the name without its quotes for `quoted`, what stands in the expression for every other kind."""

    kind: Kind
    text: str
    span: Span
    value: Value | None = None
    """What a `value` or `digits` is worth."""

    def is_symbol(self, *symbols: str) -> bool:
        return self.kind == "symbol" and self.text in symbols

    def is_word(self, *words: str) -> bool:
        """Whether it is one of the keywords, in capitals or not."""
        return self.kind == "name" and self.text.upper() in words


_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<alias>\#[A-Za-z0-9_]+)
    | (?P<placeholder>:[A-Za-z0-9_]+)
    | (?P<digits>(?:[0-9]|\.[0-9])(?:[eE][+-]|[0-9A-Za-z_.])*)
    | (?P<symbol><>|<=|>=|[=<>(),.\[\]+-])
    | "(?P<quoted>(?:[^"]|"")*)"
    | '(?P<string>(?:[^']|'')*)'
    """,
    re.VERBOSE,
)
_DECODER = json.JSONDecoder()


def tokens(text: str, *, literals: bool) -> Iterator[Token]:
    """The tokens of an expression, `end` the last. With `literals`, values and quoted names may stand in it.

    Raises `InvalidExpression` for a character that begins nothing, an open quote, and a value that is none.
    """
    offset = 0
    while offset < len(text):
        token, offset = _next(text, offset, literals=literals)
        if token is not None:
            yield token
    yield Token("end", "the end", Span(len(text), 0))


def _next(text: str, offset: int, *, literals: bool) -> tuple[Token | None, int]:
    found = _TOKEN.match(text, offset)
    if found is None:
        if text[offset] == "{" and literals:
            return _tagged_value(text, offset)
        raise _no_token(text, offset, literals=literals)
    span = Span(offset, found.end() - offset)
    match found.lastgroup, found[0]:
        case "space", _:
            return None, found.end()
        case "digits", digits:
            return Token("digits", digits, span, _number(digits, span) if literals else None), found.end()
        case "string", _ if literals:
            return Token("value", found[0], span, String(found["string"].replace("''", "'"))), found.end()
        case "quoted", _ if literals:
            return Token("quoted", found["quoted"].replace('""', '"'), span), found.end()
        case (("string" | "quoted"), _):
            raise _quotes(text[offset], span)
        case ("name" | "alias" | "placeholder" | "symbol") as kind, word:
            return Token(kind, word, span), found.end()
        case _:
            raise AssertionError("every group of the pattern has its case")


def _number(digits: str, span: Span) -> Number:
    try:
        return Number.parse(digits)
    except InvalidValue as problem:
        raise InvalidExpression(problem.message, hint=problem.hint, offset=span.offset, length=span.length) from None


def _tagged_value(text: str, offset: int) -> tuple[Token, int]:
    try:
        decoded, end = _DECODER.raw_decode(text, offset)
        value = from_dynamodb(decoded)
    except json.JSONDecodeError as problem:
        raise InvalidExpression(
            f"no JSON: {problem.msg}",
            hint='A value in braces is DynamoDB JSON, as {"SS": ["a", "b"]}.',
            offset=min(problem.pos, len(text) - 1),
            length=1,
        ) from None
    except RecursionError:
        raise InvalidExpression("nested too deeply", offset=offset, length=1) from None
    except InvalidValue as problem:
        length = end - offset
        raise InvalidExpression(problem.message, hint=problem.hint, offset=offset, length=length) from None
    return Token("value", text[offset:end], Span(offset, end - offset), value), end


def _no_token(text: str, offset: int, *, literals: bool) -> InvalidExpression:
    character = text[offset]
    if character in "'\"" and literals:
        return InvalidExpression(
            f"the quote {character} is not closed",
            hint="A quote within is written twice.",
            offset=offset,
            length=len(text) - offset,
        )
    if character in "'\"":
        return _quotes(character, Span(offset, 1))
    if character in "#:":
        hint = f"A placeholder is {character} with letters, digits and underscores after it."
    elif character == "!":
        hint = "Not equal is <>; the opposite of a condition is NOT."
    elif character == "&":
        hint = "Write AND."
    elif character == "|":
        hint = "Write OR."
    else:
        hint = "Give a name with other characters in double quotes." if literals else "Give it an alias, as #name."
    return InvalidExpression(f"{character!r} has no meaning here", hint=hint, offset=offset, length=1)


def _quotes(quote: str, span: Span) -> InvalidExpression:
    what, how = ("a value", ":value") if quote == "'" else ("a name", "#name")
    return InvalidExpression(
        f"{what} in quotes has no place in an expression of a request",
        hint=f"Put a placeholder there, as {how}.",
        offset=span.offset,
        length=span.length,
    )
