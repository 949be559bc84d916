"""Statements of PartiQL: what they do, to which table, and what they would cost or break.

The verb is read from the statement itself, behind comments and whatever stands before it, so that what is not a read
can be stopped by it. Only what decides the access is read: the verb, the table, and which attributes the WHERE clause
holds to a value. The rest is the service's to judge (Developer Guide, "PartiQL - a SQL-compatible query language for
Amazon DynamoDB").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal as OneOf

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions.nodes import NOWHERE, Span
from dynodesk.domain.expressions.remarks import Marker, Remark
from dynodesk.domain.tables import TableInfo

Verb = OneOf["SELECT", "INSERT", "UPDATE", "DELETE", "EXISTS"]
VERBS: tuple[Verb, ...] = ("SELECT", "INSERT", "UPDATE", "DELETE", "EXISTS")

_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?\*/)
    | (?P<string>'(?:[^']|'')*')
    | (?P<quoted>"(?:[^"]|"")*")
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<number>\.?[0-9][0-9A-Za-z_.]*)
    | (?P<symbol><>|!=|<=|>=|<<|>>|\|\||.)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_COMPARISONS = frozenset({"=", "<>", "!=", "<", "<=", ">", ">="})
_BEFORE_VALUES = _COMPARISONS | {":", "[", "<<", ","}
_AFTER_NAMES = _COMPARISONS | {".", "(", "["}


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a statement. `kind` is `word`, `quoted`, `string`, `number` or `symbol`."""

    kind: str
    text: str
    span: Span

    def says(self, *words: str) -> bool:
        return self.kind == "word" and self.text.upper() in words

    @property
    def name(self) -> str:
        """The name that it stands for, empty where it is none."""
        if self.kind == "quoted":
            return self.text[1:-1].replace('""', '"')
        return self.text if self.kind == "word" else ""


@dataclass(frozen=True, slots=True)
class Statement:
    """What is known of a statement."""

    verb: Verb
    table: str
    index: str | None
    table_span: Span
    equal: frozenset[str] = frozenset()
    """Attributes that every item it touches holds to one value: `name = value`."""
    listed: frozenset[str] = frozenset()
    """Attributes that every item it touches holds to one of some values: `name IN [value, …]`."""
    misquoted: tuple[Span, ...] = field(default=(), compare=False)
    """Names in double quotes where a value seems to be meant."""
    parameters: int = 0
    """How many values it is given beside its text, each where a question mark stands."""
    is_plain: bool = field(default=False, compare=False)
    """Whether it asks for whole items where some attributes each equal a text or number, and for nothing else."""

    @property
    def is_read(self) -> bool:
        return self.verb in {"SELECT", "EXISTS"}


def read_statement(text: str) -> Statement:
    """Raises `InvalidExpression` for what is no statement, or more than one."""
    words = tuple(_words(text))
    if not words:
        raise InvalidExpression("the statement is empty")
    verb = next((verb for verb in VERBS if words[0].says(verb)), None)
    if verb is None:
        raise _wrong(words[0], f"{words[0].text} begins no statement", f"One of {', '.join(VERBS)} does.")
    at = _place_of_table(verb, words)
    table = words[at]
    if table.kind == "word" and at + 1 < len(words) and words[at + 1].text == "-":
        raise _unquoted(words, at)
    index = None
    if at + 2 < len(words) and words[at + 1].text == ".":
        index = words[at + 2].name or None
    where = next((i for i, depth in _depths(words) if depth == (verb == "EXISTS") and words[i].says("WHERE")), None)
    condition = () if where is None else _until_the_end(words[where + 1 :])
    equal, listed = _held(condition)
    parameters = sum(word.text == "?" for word in words)
    is_plain = _is_plain(words, at, where, condition)
    misquoted = tuple(_misquoted(condition))
    return Statement(verb, table.name, index, table.span, equal, listed, misquoted, parameters, is_plain)


def with_values(text: str, put: Callable[[str], str]) -> str:
    """A statement with what `put` makes of each value in it, and of what may be meant as one: a text in double quotes,
    the names within a map. Raises `InvalidExpression` as `read_statement`.

    The names of an INSERT's attributes stay, whatever quotes they have.
    """
    words = tuple(_tokens(text))
    values = set(_values([word for word in words if word.kind != "space"]))
    return "".join(put(word.text) if word.span in values else word.text for word in words)


def _values(words: Sequence[Word]) -> Iterator[Span]:
    in_ion = False
    for index, depth in _depths(words):
        word = words[index]
        before, after = words[max(0, index - 2) : index], words[index + 1 : index + 2]
        if word.text == "`":
            in_ion = not in_ion
        elif in_ion:
            yield word.span
        elif word.kind == "symbol":
            continue
        elif after and after[0].text == ":":
            if depth > 1 or not words[0].says("INSERT"):
                yield word.span
        elif word.kind in {"string", "number"} or (_stands_for_value(word, before) and not _goes_on(after)):
            yield word.span


def _stands_for_value(word: Word, before: Sequence[Word]) -> bool:
    if not before:
        return False
    last = before[-1]
    if last.text == "(":
        return before[0].says("IN")
    return last.text in _BEFORE_VALUES or last.says("BETWEEN") or (word.kind == "quoted" and last.says("AND"))


def _goes_on(after: Sequence[Word]) -> bool:
    """Whether what stands before it is a name."""
    return any(word.text in _AFTER_NAMES or word.says("IS", "IN", "NOT", "BETWEEN") for word in after)


def as_sent(text: str) -> str:
    """A statement in the one form that is sent: without comments and semicolon, with spaces around its comparisons.

    What is a comment here and none for the service could hide what the statement does; and there are emulators that
    know a comparison by its spaces. Raises `InvalidExpression` as `read_statement` does.
    """
    written = ""
    was_sign = False
    for word in _tokens(text):
        if word.kind == "space":
            piece = " " if word.text.startswith(("--", "/*")) else word.text
        elif word.text == ";":
            continue
        else:
            piece = word.text
        is_sign = piece in _COMPARISONS
        if written and (is_sign or was_sign) and not (written[-1].isspace() or piece[0].isspace()):
            written += " "
        written += piece
        was_sign = is_sign
    return written.strip()


def check_statement(text: str, table: TableInfo | None = None, *, read_only: bool = False) -> tuple[Remark, ...]:
    """What is wrong with a statement, or costs more than it looks. `table` is the one that it names, where known."""
    marker = Marker("Statement", text)
    try:
        statement = read_statement(text)
    except InvalidExpression as problem:
        marker.add(Remark("error", "Statement", Span(problem.offset, problem.length), problem.message, problem.hint))
        return tuple(marker.remarks)
    if read_only and not statement.is_read:
        marker.error(NOWHERE, f"{statement.verb} writes, and this connection is read-only")
    for span in statement.misquoted:
        single = "'" + marker.at(span)[1:-1].replace('""', '"').replace("'", "''") + "'"
        marker.warning(span, f"{marker.at(span)} is the name of an attribute", "A string has single quotes.", single)
    _check_clauses(statement, tuple(_words(text)), table, marker)
    if table is not None:
        _check_access(statement, table, marker)
    elif statement.is_read and not statement.equal | statement.listed:
        marker.warning(statement.table_span, f"without a key, this reads all of {statement.table}")
    return tuple(marker.remarks)


def _check_clauses(statement: Statement, words: Sequence[Word], table: TableInfo | None, marker: Marker) -> None:
    """Mark what other dialects have, and what an UPDATE leaves out or cannot change."""
    outside = [word for (_, depth), word in zip(_depths(words), words, strict=True) if depth == 0]
    match statement.verb:
        case "INSERT":
            for word in outside:
                if word.says("VALUES"):
                    marker.error(word.span, "an INSERT has one item, behind VALUE", "Write VALUE.", "VALUE")
        case "SELECT":
            for word, count in pairwise(outside):
                if word.says("LIMIT") and (count.kind == "number" or count.text == "?"):
                    marker.error(word.span.to(count.span), "a statement has no LIMIT", "Leave it out.", "")
        case "UPDATE":
            if not any(word.says("SET", "REMOVE") for word in outside):
                marker.error(statement.table_span, "an UPDATE needs a SET or a REMOVE")
            for clause, changed in pairwise(outside):
                if clause.says("SET", "REMOVE") and table is not None and changed.name in table.key_schema.names:
                    marker.error(changed.span, f"{changed.name} is part of the key, which no update changes")
        case _:
            pass


def _check_access(statement: Statement, table: TableInfo, marker: Marker) -> None:
    if statement.index is not None and table.index(statement.index) is None:
        marker.error(statement.table_span, f"{table.name} has no index {statement.index}", table.indexes_in_words)
        return
    if statement.is_read:
        keys = tuple(attribute.name for attribute in table.schema_of(statement.index).partition)
        if not set(keys) <= statement.equal | statement.listed:
            marker.warning(
                statement.table_span,
                f"this reads all of {statement.index or table.name}: WHERE does not hold {', '.join(keys)} to a value",
                f"Add {' AND '.join(f'{key} = …' for key in keys)}; an OR beside it reads everything again.",
            )
    elif statement.verb in {"UPDATE", "DELETE"}:
        missing = [name for name in table.key_schema.names if name not in statement.equal]
        if missing:
            marker.error(
                statement.table_span,
                f"{statement.verb} is for one item: WHERE needs {' and '.join(f'{name} = …' for name in missing)}",
                "Find the items with SELECT first.",
            )


def _words(text: str) -> Iterator[Word]:
    return (word for word in _tokens(text) if word.kind != "space" and word.text != ";")


def _tokens(text: str) -> Iterator[Word]:
    """All of the text, spaces and comments too."""
    ended = False
    for found in _TOKEN.finditer(text):
        span = Span(found.start(), found.end() - found.start())
        word = Word(found.lastgroup or "", found[0], span)
        if ended and word.kind != "space":
            raise _wrong(word, "one statement at a time", "Run what comes after the semicolon by itself.")
        if word.text in {"'", '"'}:
            raise _wrong(word, f"the quote {word.text} is not closed", "A quote within is written twice.")
        ended = ended or word.text == ";"
        yield word


def _wrong(word: Word, message: str, hint: str = "") -> InvalidExpression:
    return InvalidExpression(message, hint=hint, offset=word.span.offset, length=word.span.length)


def _place_of_table(verb: Verb, words: Sequence[Word]) -> int:
    """The index of the word that names the table."""
    if verb == "UPDATE":
        at = 1
    else:
        before = "INTO" if verb == "INSERT" else "FROM"
        depth = 1 if verb == "EXISTS" else 0
        at = next((i + 1 for i, inside in _depths(words) if inside == depth and words[i].says(before)), len(words))
    if at >= len(words) or not words[at].name:
        raise _wrong(words[-1], "the table is missing", 'Its name stands in double quotes: "my-table".')
    return at


def _unquoted(words: Sequence[Word], at: int) -> InvalidExpression:
    """A name with hyphens and without its quotes, marked as a whole."""
    last = at
    while last + 1 < len(words) and words[last + 1].span.offset == words[last].span.end:
        last += 1
    whole = words[at].span.to(words[last].span)
    name = "".join(word.text for word in words[at : last + 1])
    return InvalidExpression(f"{name} needs quotes", hint=f'Write "{name}".', offset=whole.offset, length=whole.length)


def _depths(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Each index with the number of brackets around the word."""
    depth = 0
    for index, word in enumerate(words):
        if word.kind == "symbol" and word.text in _CLOSING:
            depth -= 1
        yield index, depth
        if word.kind == "symbol" and word.text in _OPENING:
            depth += 1


def _until_the_end(words: Sequence[Word]) -> tuple[Word, ...]:
    """A WHERE clause without what follows it."""
    for index, depth in _depths(words):
        if depth < 0 or (depth == 0 and words[index].says("ORDER", "RETURNING")):
            return tuple(words[:index])
    return tuple(words)


def _held(condition: Sequence[Word]) -> tuple[frozenset[str], frozenset[str]]:
    """Which attributes a condition holds to one value, and which to one of some."""
    outside = [index for index, depth in _depths(condition) if depth == 0]
    if any(condition[index].says("OR", "NOT") for index in outside):
        return frozenset(), frozenset()
    equal: set[str] = set()
    listed: set[str] = set()
    for term in _split(condition, outside):
        if len(term) > 2 and term[0].text == "(" and term[-1].text == ")" and _is_one_bracket(term):
            inner_equal, inner_listed = _held(term[1:-1])
            equal |= inner_equal
            listed |= inner_listed
        elif any(word.text == "=" for word in term):
            equal.update(_equal_to_a_value(term))
        elif len(term) > 3 and term[0].name and term[1].says("IN"):
            listed.add(term[0].name)
    return frozenset(equal), frozenset(listed)


def _split(condition: Sequence[Word], outside: Sequence[int]) -> Iterator[tuple[Word, ...]]:
    """The terms between the ANDs, that of BETWEEN left aside."""
    start, in_between = 0, False
    for index in outside:
        if condition[index].says("BETWEEN"):
            in_between = True
        elif condition[index].says("AND") and in_between:
            in_between = False
        elif condition[index].says("AND"):
            yield tuple(condition[start:index])
            start = index + 1
    yield tuple(condition[start:])


def _is_plain(words: Sequence[Word], table: int, where: int | None, condition: Sequence[Word]) -> bool:
    if [word.text.upper() for word in words[:table]] != ["SELECT", "*", "FROM"]:
        return False
    if where is None:
        return table == len(words) - 1
    if where != table + 1 or where + 1 + len(condition) != len(words):
        return False
    terms = _split(condition, range(len(condition)))
    return all(
        len(term) == 3 and _is_name(term[0]) and term[1].text == "=" and term[2].kind in {"string", "number"}
        for term in terms
    )


def _is_one_bracket(term: Sequence[Word]) -> bool:
    return all(depth > 0 for _, depth in list(_depths(term))[1:-1])


def _equal_to_a_value(term: Sequence[Word]) -> Iterator[str]:
    """The name on one side of the sign, where the other side has none."""
    sign = next(index for index, word in enumerate(term) if word.text == "=")
    for side, other in ((term[:sign], term[sign + 1 :]), (term[sign + 1 :], term[:sign])):
        if len(side) == 1 and _is_name(side[0]) and not any(map(_is_name, other)):
            yield side[0].name


def _is_name(word: Word) -> bool:
    return bool(word.name) and not word.says("TRUE", "FALSE", "NULL", "MISSING")


def _misquoted(condition: Sequence[Word]) -> Iterator[Span]:
    for before, word in pairwise(condition):
        if word.kind == "quoted" and before.text in _COMPARISONS:
            yield word.span
