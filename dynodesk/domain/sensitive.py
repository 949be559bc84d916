"""Attributes whose values stay in the journal, where taking back needs them, and leave it in nothing that is shown.

A rule calls them sensitive for its tables. Each intent says which were, so that the journal needs no rules file to be
shown rightly. What one entry calls sensitive is hidden in all entries of tables of that name, earlier ones too.

The value is dropped, not replaced by a digest: values like these are often few, as birthdays are, and whoever has the
digest and what it was made with tries them all; and nothing here compares two values that are not shown.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dynodesk.domain.errors import InvalidExpression, InvalidFile
from dynodesk.domain.expressions.partiql import read_statement, with_values
from dynodesk.domain.repairs import JournalRecord, KeptJournal
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.writing import INTENT

HIDDEN = "(sensitive)"
"""What is shown in place of a value."""
MEMBER, WAS_HIDDEN = "sensitive", "hidden"
"""Members of a payload: what was called sensitive when it was written; that this copy lacks values of the original."""
DIGEST = "left"
"""Member of an outcome: the digest of the whole item as it was left."""
SHORTEST_TOLD = 4
"""Characters. A shorter value is in too many words to be cut out of what a service said."""

Paths = frozenset[tuple[str, ...]]
ByTable = Mapping[str, Paths]


class SensitiveAttributes:
    """What the rules that were read at a connection call sensitive. Safe to use from any thread."""

    def __init__(self) -> None:
        self.by_table: ByTable = {}

    def add(self, rules: Iterable[TallyRule]) -> None:
        """Nothing is forgotten before the connection is closed: what was written meanwhile may still be undone."""
        self.by_table = _united([self.by_table, by_table(rules)])


@dataclass(frozen=True, slots=True)
class SensitiveJournal(KeptJournal):
    """A journal whose intents say what is called sensitive while they are written."""

    journal: KeptJournal
    attributes: SensitiveAttributes

    def append(self, kind: str, payload: Mapping[str, object]) -> object:
        known = self.attributes.by_table
        if kind == INTENT and known:
            payload = {**payload, MEMBER: {table: sorted(map(list, paths)) for table, paths in known.items()}}
        return self.journal.append(kind, payload)

    def records(self) -> list[JournalRecord]:
        return list(self.journal.records())


def by_table(rules: Iterable[TallyRule]) -> ByTable:
    """Of each rule its tables, the parents' and the children's alike."""
    said = [{table: frozenset(path.names for path in rule.sensitive)} for rule in rules for table in rule.tables]
    return {table: paths for table, paths in _united(said).items() if paths}


def _united(parts: Iterable[ByTable]) -> ByTable:
    found: defaultdict[str, Paths] = defaultdict(frozenset)
    for part in parts:
        for table, paths in part.items():
            found[table] |= paths
    return dict(found)


def sensitive_in(records: Iterable[JournalRecord]) -> ByTable:
    """What any entry calls sensitive. Raises `InvalidFile` for one that this version does not understand."""
    return _united(_said(record) for record in records if record.kind == INTENT and MEMBER in record.payload)


def _said(record: JournalRecord) -> ByTable:
    member: Any = record.payload[MEMBER]
    try:
        return {table: frozenset(map(tuple, paths)) for table, paths in member.items()}
    except (AttributeError, TypeError) as problem:
        raise _not_ours(record, problem) from problem


def _not_ours(record: JournalRecord, problem: Exception) -> InvalidFile:
    return InvalidFile(
        f"record {record.sequence} of the journal is not one that this version understands",
        hint="It may have been written by a newer one.",
        details=repr(problem),
    )


def shown_payloads(records: Iterable[JournalRecord]) -> Iterator[Mapping[str, object]]:
    """The payload of each record, without sensitive values. One that has none is the very same object.

    Raises `InvalidFile` for a record that this version does not understand: what is in it would be shown as it is.
    """
    records = tuple(records)
    sensitive = sensitive_in(records)
    if not sensitive:
        yield from (record.payload for record in records)
        return
    told: defaultdict[str, set[str]] = defaultdict(set)
    digested: set[str] = set()
    for record in records:
        payload: Any = record.payload
        if record.kind == INTENT:
            curtain = _Curtain(sensitive)
            try:
                shown = curtain.intent(payload)
            except (KeyError, TypeError, ValueError, AttributeError) as problem:
                raise _not_ours(record, problem) from problem
            if curtain.is_of_sensitive:
                digested.add(payload.get("id"))
            for about in (payload.get("id"), payload.get("commit")):
                if about and curtain.hidden:
                    told[about] |= curtain.hidden
            yield {**shown, WAS_HIDDEN: True} if curtain.hidden else payload
        else:
            about = payload.get("id")
            yield _without(payload, told.get(about, set()), hides_digest=about in digested)


def _without(payload: Mapping[str, Any], values: Iterable[str], *, hides_digest: bool) -> Mapping[str, Any]:
    """What came back, without values that a service quotes in it, and without the digest of an item that has some."""
    found = dict(payload)
    if hides_digest and found.get(DIGEST) is not None:
        found[DIGEST] = HIDDEN
    for name in ("why", "stopped"):
        if isinstance(found.get(name), str):
            for value in sorted(values, key=len, reverse=True):
                found[name] = found[name].replace(value, HIDDEN) if len(value) >= SHORTEST_TOLD else found[name]
    return payload if found == payload else {**found, WAS_HIDDEN: True}


@dataclass(slots=True)
class _Curtain:
    """Hides what is sensitive in the JSON of one intent, and keeps what it hid as texts."""

    sensitive: ByTable
    hidden: set[str] = field(default_factory=set)
    is_of_sensitive: bool = False
    """Whether it names a table whose items may have something sensitive, touched or not."""

    def intent(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        found = dict(payload)
        # A tally is what its own rule is about, wherever another rule may call it sensitive: a repair without its
        # numbers says nothing. The same holds for version and marker.
        plain = frozenset(tuple(payload[name]) for name in ("tally", "version", "marker") if payload.get(name))
        tables = []
        for name in ("update", "put", "delete"):
            if name in found:
                tables.append(found[name]["table"])
                found[name] = self._write(found[name], plain)
        if "move" in found:
            tables.append(found["move"]["delete"]["table"])
            put, delete = found["move"]["put"], found["move"]["delete"]
            found["move"] = {
                **found["move"], "put": self._write(put, plain), "delete": self._write(delete, plain)
            }  # fmt: skip
        if "changes" in found:
            paths = frozenset(path for table in tables for path in self._of(table))
            found["changes"] = [
                [names, self._at(before, names, paths), self._at(after, names, paths)]
                for names, before, after in found["changes"]
            ]
        if "writes" in found:
            paths = self._of(found["table"])
            found["writes"] = [{**one, "item": self._item(one["item"], paths)} for one in found["writes"]]
        if "request" in found:
            found["request"] = self._request(found["request"])
        return found

    def _write(self, write: Mapping[str, Any], plain: Paths) -> dict[str, Any]:
        paths = self._of(write["table"])
        found = dict(write)
        for name in ("expected", "put"):
            if found.get(name):
                found[name] = [
                    [names, value if tuple(names) in plain else self._at(value, names, paths)]
                    for names, value in found[name]
                ]
        if "add" in found:
            found["add"] = [
                [names, text if tuple(names) in plain else self._added(text, names, paths)]
                for names, text in found["add"]
            ]
        if "item" in found:
            found["item"] = self._item(found["item"], paths)
        return found

    def _added(self, number: str, names: list[str], paths: Paths) -> str:
        if not any(_is_within(names, path) for path in paths):
            return number
        self.hidden.add(number)
        return HIDDEN

    def _item(self, item: Mapping[str, Any] | None, paths: Paths) -> dict[str, Any] | None:
        return None if item is None else {name: self._at(value, [name], paths) for name, value in item.items()}

    def _at(self, value: Any, names: list[str], paths: Paths) -> Any:
        """The value at these names: hidden as a whole, or what of it lies at one of the paths."""
        if value is None:
            return None
        for path in paths:
            if _is_within(names, path):
                return self._hidden(value)
            if _is_within(path, names):
                value = self._inside(value, path[len(names) :])
        return value

    def _inside(self, value: Any, rest: tuple[str, ...]) -> Any:
        """Lists are gone through: a path goes on in each map of one."""
        if not rest:
            return self._hidden(value)
        match value:
            case {"M": dict(entries)} if rest[0] in entries:
                return {"M": {**entries, rest[0]: self._inside(entries[rest[0]], rest[1:])}}
            case {"L": list(elements)}:
                return {"L": [self._inside(element, rest) for element in elements]}
            case _:
                return value

    def _hidden(self, value: Any) -> dict[str, str]:
        self.hidden |= {text for text in _texts(value) if text != HIDDEN}
        self.hidden.add("")  # also where it had no text: something was hidden
        return {"S": HIDDEN}

    def _of(self, table: str) -> Paths:
        """Of a table by its name, or by an ARN: a request that has one is noted, and refused before it is sent."""
        found = self.sensitive.get(table.rpartition("table/")[2], frozenset())
        self.is_of_sensitive = self.is_of_sensitive or bool(found)
        return found

    # -- requests as they were composed

    def _request(self, found: Any) -> Any:
        match found:
            case {"TableName": str(table)}:
                return self._action(found, self._of(table))
            case {"Statement": str()}:
                return self._statement(found)
            case dict():
                return {name: self._request(inner) for name, inner in found.items()}
            case list():
                return [self._request(inner) for inner in found]
            case _:
                return found

    def _action(self, action: Mapping[str, Any], paths: Paths) -> dict[str, Any]:
        found = dict(action)
        if "Item" in found:
            found["Item"] = self._item(found["Item"], paths)
        values = found.get("ExpressionAttributeValues")
        if values and self._is_named(found, paths):
            found["ExpressionAttributeValues"] = {name: self._hidden(value) for name, value in values.items()}
        return found

    def _is_named(self, action: Mapping[str, Any], paths: Paths) -> bool:
        """Whether an expression may say anything of a sensitive attribute: then any of its values may be of it."""
        names = {*action.get("ExpressionAttributeNames", {}).values()}
        for expression in ("UpdateExpression", "ConditionExpression"):
            names |= set(re.split(r"[^\w-]+", action.get(expression, "")))
        return any(path[0] in names for path in paths)

    def _statement(self, statement: Mapping[str, Any]) -> dict[str, Any]:
        found, text = dict(statement), statement["Statement"]
        try:
            paths = self._of(read_statement(text).table)
        except InvalidExpression:
            paths = frozenset(path for paths in self.sensitive.values() for path in paths)
        parameters = found.get("Parameters", [])
        # A quote within a name is written twice, where it is one of those around it.
        readings = [text, text.replace('""', '"'), text.replace("''", "'")]
        if any(path[0] in reading for path in paths for reading in readings):
            found["Statement"] = self._without_values(text)
            parameters = [self._hidden(value) for value in parameters]
        else:  # an item may be given as a whole
            parameters = [self._map(value, paths) for value in parameters]
        return {**found, "Parameters": parameters} if "Parameters" in found else found

    def _map(self, value: Any, paths: Paths) -> Any:
        for path in paths:
            value = self._inside(value, path)
        return value

    def _without_values(self, text: str) -> str:
        def hide(value: str) -> str:
            quote = value[0]
            self.hidden.add(value[1:-1].replace(2 * quote, quote) if quote in {"'", '"'} else value)
            return f"'{HIDDEN}'"

        try:
            return with_values(text, hide)
        except InvalidExpression:
            self.hidden.add(text)
            return HIDDEN


def _is_within(names: Iterable[str], path: Iterable[str]) -> bool:
    names, path = tuple(names), tuple(path)
    return names[: len(path)] == path


def _texts(value: Any) -> Iterator[str]:
    """All texts, numbers and Base64 in a value's JSON."""
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)
