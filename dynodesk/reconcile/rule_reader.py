"""One rule as TOML gives it, read field by field: a draft, or every mistake in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import TypeVar, get_args

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.children import SHARD
from dynodesk.domain.errors import DynodeskError, InvalidValue, RuleProblem
from dynodesk.domain.expressions import Condition, parse_where
from dynodesk.domain.measures import Measure
from dynodesk.domain.patterns import Capture, KeyPattern, Pattern
from dynodesk.domain.tallies import DEFAULT_SETTLE, DEFAULT_WAIT, Missing, Repairs, Writers
from dynodesk.domain.values import Number
from dynodesk.reconcile.drafts import ChildrenDraft, RuleDraft

Known = TypeVar("Known", bound=str)

LONGEST_WAIT = 7 * 24 * 3600.0
"""Seconds. A run that waits longer than this would be forgotten, not finished."""
_FIELDS = (
    *("name", "table", "parent", "attribute", "children", "measure", "where", "expired", "sum_of", "shards"),
    *("tolerance", "writers", "wait", "settle", "version", "missing", "marker", "repairs", "siblings"),
    "sensitive",
)
_PLACE = ("table", "index")
"""What `children` says beside patterns."""
MOST_SHARDS = 100
"""Shards are read in one transactional read, of at most so many items (API Reference, TransactGetItems)."""
_DURATION = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>ms|s|m|h)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class RuleReader:
    """Reads one `[[tally]]` table and notes every mistake in it."""

    def __init__(self, table: Mapping[str, object], file: str, lines: Mapping[str, int]) -> None:
        self._table, self._file, self._lines = table, file, lines
        name = table.get("name")
        self._name = name if isinstance(name, str) else ""
        self.problems: list[RuleProblem] = []

    def draft(self) -> RuleDraft | None:
        """The rule, or None where `problems` says why there is none."""
        for field in self._table:
            if field not in _FIELDS:
                self._note(f"unknown field {field}", field, f"Known are: {', '.join(_FIELDS)}.")
        name, table = self._text("name"), self._text("table")
        parent = self._key_pattern("parent")
        attribute = self._attribute()
        measure = self._measure()
        children = self._children(table, parent, measure)
        is_sharded, shards = self._sharding(parent)
        writers = self._writers()
        wait = self._seconds("wait", DEFAULT_WAIT[writers])
        settle = self._seconds("settle", DEFAULT_SETTLE)
        version, marker = self._optional_text("version"), self._optional_text("marker")
        missing, repairs = self._choice("missing", get_args(Missing)), self._choice("repairs", get_args(Repairs))
        tolerance = self._tolerance()
        siblings = self._siblings()
        sensitive = self._sensitive()
        if attribute is not None:
            self._check_apart(attribute, version, marker)
            self._check_sensitive(sensitive, attribute, version, marker, measure)
        if parent is not None and children is not None and measure is not None and measure.kind != "size":
            self._check_join(parent, children.pattern, is_sharded=is_sharded)
        if self.problems or parent is None or children is None or attribute is None or measure is None:
            return None
        return RuleDraft(
            self._file, self._lines, name, table, parent, attribute, children, measure, is_sharded, shards,
            tolerance, writers, wait, settle, version, _one_of(missing, get_args(Missing)), marker,
            _one_of(repairs, get_args(Repairs)), siblings, sensitive,
        )  # fmt: skip

    def _note(self, message: str, field: str = "", hint: str = "") -> None:
        line = self._lines.get(field, self._lines[""])
        self.problems.append(RuleProblem(message, file=self._file, line=line, rule=self._name, hint=hint))

    def _text(self, field: str) -> str:
        value = self._table.get(field)
        if not isinstance(value, str) or not value.strip():
            self._note(f"{field} is missing" if value is None else f"{field} must be a text that is not empty", field)
            return ""
        return value

    def _optional_text(self, field: str) -> str | None:
        return self._text(field) if field in self._table else None

    def _choice(self, field: str, choices: tuple[str, ...]) -> str:
        value = self._table.get(field, choices[0])
        if value not in choices:
            self._note(f"{field} is {shown(value)}", field, f"It is one of: {', '.join(choices)}.")
            return choices[0]
        return str(value)

    def _writers(self) -> Writers:
        known: tuple[Writers, ...] = get_args(Writers)
        return _one_of(self._choice("writers", known), known)

    def _tolerance(self) -> Decimal:
        value = self._table.get("tolerance", 0)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**38:
            return Decimal(value)
        if isinstance(value, str) and (number := Number(value)).is_valid and number.value >= 0:
            return number.value
        self._note(f"tolerance is {shown(value)}", "tolerance", 'Write a whole number, or a text such as "0.01".')
        return Decimal(0)

    def _siblings(self) -> tuple[str, ...]:
        value = self._table.get("siblings", [])
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            self._note("siblings must be a list of rules' names", "siblings")
            return ()
        return tuple(value)

    def _sensitive(self) -> tuple[AttributePath, ...]:
        value = self._table.get("sensitive", [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            self._note("sensitive must be a list of attributes", "sensitive", 'For example ["email", "profile.phone"].')
            return ()
        paths: list[AttributePath] = []
        for text in value:
            try:
                path = AttributePath.parse(text)
            except ValueError as problem:
                self._note(f"sensitive: {text!r}: {problem}", "sensitive", r"A dot within one name is written \\.")
                continue
            outer = next((one for one in paths if _overlap(one, path)), None)
            if outer is not None:
                said = "is there twice" if outer == path else f"and {outer} are one within the other"
                self._note(f"sensitive: {path} {said}", "sensitive", "The outer one is enough.")
            paths.append(path)
        return tuple(paths)

    def _check_sensitive(
        self,
        sensitive: tuple[AttributePath, ...],
        attribute: AttributePath,
        version: str | None,
        marker: str | None,
        measure: Measure | None,
    ) -> None:
        of = measure.of if measure is not None and measure.kind == "sum" else None
        shown_anyway = [("the tally", attribute), ("what the rule adds up", of)]
        shown_anyway += [("the version", _named(version)), ("the marker", _named(marker))]
        for path in sensitive:
            for what, other in shown_anyway:
                if other is not None and _overlap(path, other):
                    self._note(f"sensitive: {path} is {what}", "sensitive", "Reports and repairs are about its values.")

    def _measure(self) -> Measure | None:
        text = self._table.get("measure", "count")
        children = self._table.get("children")
        patterns = children.items() if isinstance(children, dict) else ()
        captures = [_captures(pattern) for name, pattern in patterns if name not in _PLACE]
        try:
            if isinstance(text, str):
                return Measure.parse(text, frozenset().union(*captures))
        except ValueError:
            pass
        self._note(
            f"measure is {shown(text)}", "measure", "It is count, sum(attribute), distinct(capture) or size(attribute)."
        )
        return None

    def _children(self, table: str, parent: KeyPattern | None, measure: Measure | None) -> ChildrenDraft | None:
        where = self._where()
        ignores_expired = self._choice("expired", ("count", "ignore")) == "ignore"
        if measure is not None and measure.kind == "size":
            for field in ("children", "where", "expired", "sum_of"):
                if field in self._table:
                    self._note(
                        f"{field} has no meaning for {self._table['measure']}: it is counted on the parent", field
                    )
            return None if parent is None else ChildrenDraft(table, None, parent, None, ignores_expired=False)
        place = {name: self._place(name, table) for name in _PLACE}
        pattern = self._key_pattern("children", without=_PLACE)
        if pattern is None:
            return None
        return ChildrenDraft(place["table"] or table, place["index"], pattern, where, ignores_expired)

    def _place(self, name: str, table: str) -> str | None:
        """What `children` says of its table or index; None: nothing, or nothing that can be."""
        given = self._table.get("children")
        named = given.get(name) if isinstance(given, dict) else None
        if named is None:
            return None
        if not isinstance(named, str) or not named:
            self._note(f"children.{name} must be a name", "children")
        elif name == "table" and named == table:
            self._note(
                "children.table names the rule's own table", "children", "Leave it out: it is the table of the rule."
            )
        else:
            return named
        return None

    def _where(self) -> Condition | None:
        text = self._optional_text("where")
        if not text:
            return None
        try:
            return parse_where(text)
        except DynodeskError as problem:
            self._note(f"where: {problem.message}", "where", problem.hint)
            return None

    def _sharding(self, parent: KeyPattern | None) -> tuple[bool, tuple[str, ...]]:
        is_sharded = "sum_of" in self._table
        if is_sharded and self._table["sum_of"] != "shards":
            self._note(f"sum_of is {shown(self._table['sum_of'])}", "sum_of", 'It is "shards", or left out.')
        elif is_sharded and parent is not None and SHARD not in parent.captures:
            self._note(
                "parent has no {shard}", "sum_of", 'What tells the shards apart is written so: SK = "TOTAL#{shard}".'
            )
        if parent is not None and not is_sharded and SHARD in parent.captures:
            self._note("parent has a {shard}, and sum_of is missing", "parent", 'Add sum_of = "shards", or rename it.')
        given = self._table.get("shards")
        if given is None:
            return is_sharded, ()
        if isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= MOST_SHARDS:
            return is_sharded, tuple(map(str, range(given)))
        texts = [text for text in given if isinstance(text, str) and text] if isinstance(given, list) else []
        if texts and len(texts) <= MOST_SHARDS and texts == given and len(set(texts)) == len(texts):
            return is_sharded, tuple(texts)
        self._note(
            f"shards is {shown(given)}",
            "shards",
            f"It is their number, up to {MOST_SHARDS} and counted from 0, or a list of texts.",
        )
        return is_sharded, ()

    def _seconds(self, field: str, default: float) -> float:
        value = self._table.get(field, default)
        seconds = parse_duration(value)
        if seconds is None:
            self._note(f"{field} is {shown(value)}", field, 'Write seconds, or a text such as "30s", "5m", "1h".')
        elif seconds > LONGEST_WAIT:
            self._note(f"{field} is longer than a week", field, "Such a run would never end.")
        return default if seconds is None else seconds

    def _attribute(self) -> AttributePath | None:
        text = self._text("attribute")
        try:
            return AttributePath.parse(text) if text else None
        except ValueError as problem:
            self._note(f"attribute {text!r}: {problem}", "attribute", r"A dot within one name is written \\.")
            return None

    def _key_pattern(self, field: str, without: tuple[str, ...] = ()) -> KeyPattern | None:
        value = self._table.get(field)
        named = {name: text for name, text in value.items() if name not in without} if isinstance(value, dict) else {}
        if not named:
            hint = f'{field} = {{ PK = "POST#{{post}}", SK = "…" }}'
            self._note(f"{field} must say what the key looks like", field, f"For example {hint}.")
            return None
        patterns = {}
        for attribute, text in named.items():
            if not isinstance(text, str):
                self._note(f"{field}.{attribute} must be a pattern in quotes", field)
                continue
            try:
                patterns[attribute] = Pattern.parse(text)
            except InvalidValue as problem:
                self._note(f"{field}.{attribute}: {problem.message}", field, problem.hint)
                continue
            self._check_delimiter(field, attribute, patterns[attribute])
        return KeyPattern(patterns) if len(patterns) == len(named) else None

    def _check_delimiter(self, field: str, attribute: str, pattern: Pattern) -> None:
        literal = pattern.first_literal
        if len(pattern.parts) > 1 and literal and literal[-1].isalnum():
            capture = pattern.parts[1]
            name = capture.name if isinstance(capture, Capture) else ""
            self._note(
                f"{field}.{attribute}: nothing closes {literal!r} before {{{name}}}: longer words match too",
                field,
                f"Put the delimiter of the keys after it, as in {literal}#{{{name}}}.",
            )

    def _check_apart(self, attribute: AttributePath, version: str | None, marker: str | None) -> None:
        # A tally goes up and down: one that is as it was may have moved meanwhile, which a version is to show.
        for field, name in (("version", version), ("marker", marker)):
            if name == attribute.names[0]:
                self._note(f"{field} is the attribute of the tally", field, "It is one of its own, beside the tally.")
        if marker is not None and marker == version:
            self._note("marker is the version attribute", "marker", "It is one of its own, beside the version.")

    def _check_join(self, parent: KeyPattern, children: KeyPattern, *, is_sharded: bool) -> None:
        for name in sorted(parent.captures - children.captures - ({SHARD} if is_sharded else set())):
            self._note(
                f"{{{name}}} of the parent is not in its children's key, so they cannot be joined",
                "children",
                f"Use {{{name}}} in children, or a fixed text in parent.",
            )


def _captures(pattern: object) -> frozenset[str]:
    """Those of a pattern; of anything else none."""
    try:
        return frozenset(Pattern.parse(pattern).captures) if isinstance(pattern, str) else frozenset()
    except InvalidValue:
        return frozenset()  # noted where the pattern is read


def _named(name: str | None) -> AttributePath | None:
    return AttributePath((name,)) if name else None


def _overlap(one: AttributePath, other: AttributePath) -> bool:
    return one.names[: len(other.names)] == other.names[: len(one.names)]


def _one_of(chosen: str, known: tuple[Known, ...]) -> Known:
    return next(one for one in known if one == chosen)


def shown(value: object) -> str:
    try:
        return repr(value)
    except ValueError:
        return "a number of thousands of digits"


def parse_duration(value: object) -> float | None:
    """Seconds of `30`, `"30s"`, `"500ms"`, `"5m"` or `"1h"`; None for anything else, below zero included."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value if 0 <= value < float("inf") else None
    if not isinstance(value, str):
        return None
    found = _DURATION.fullmatch(value.strip())
    return float(found["number"]) * _SECONDS[found["unit"] or "s"] if found else None
