"""Rules files: TOML in, checked drafts out. Every mistake is named with its line, and all of them at once.

What can be said without a table is said here; `binding` checks the drafts against the tables they are about.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from dynodesk.domain.errors import InvalidFile, InvalidRules, InvalidValue, RuleProblem
from dynodesk.domain.patterns import Capture, KeyPattern, Pattern
from dynodesk.domain.tallies import DEFAULT_SETTLE, DEFAULT_WAIT, AttributePath, Writers

LONGEST_WAIT = 7 * 24 * 3600.0
"""Seconds. A run that waits longer than this would be forgotten, not finished."""
MAX_FILE_BYTES = 1024 * 1024

_FIELDS = ("name", "table", "parent", "attribute", "children", "writers", "wait", "settle", "version", "missing")
_NOT_COUNTED_YET = {
    "where": "children chosen by a condition",
    "sum_of": "tallies spread over shards",
    "siblings": "rules read together",
}
"""Fields of the format whose rules this version cannot count: leaving them out of account would count wrongly."""
_ONLY_AS = {"measure": "count", "expired": "count", "tolerance": 0}
"""Fields of the format that may be given, with the one value this version counts by."""
_DURATION = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>ms|s|m|h)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """A rule that is right in itself. `lines` tells where each field stands."""

    file: str
    lines: Mapping[str, int]
    name: str
    table: str
    parent: KeyPattern
    attribute: AttributePath
    children: KeyPattern
    writers: Writers
    wait: float
    settle: float
    version: str | None
    missing_is_zero: bool

    def problem(self, message: str, field: str = "", hint: str = "") -> RuleProblem:
        line = self.lines.get(field, self.lines[""])
        return RuleProblem(message, file=self.file, line=line, rule=self.name, hint=hint)


def read_rules(path: Path) -> tuple[RuleDraft, ...]:
    """The rules of a file. Raises `InvalidFile` where it cannot be read, `InvalidRules` with every mistake in it."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise InvalidFile(f"{path} cannot be read: {problem.strerror or problem}") from problem
    if len(data) > MAX_FILE_BYTES:
        raise InvalidFile(f"{path} has {len(data)} bytes; a rules file has at most {MAX_FILE_BYTES}")
    try:
        text = data.decode("utf-8-sig")  # some editors put a mark of their own before the first line
    except UnicodeDecodeError as problem:
        raise InvalidFile(f"{path} is not UTF-8: byte {problem.start}", hint="Save it as UTF-8.") from problem
    return parse_rules(text, str(path))


def parse_rules(text: str, file: str) -> tuple[RuleDraft, ...]:
    """The rules of a text. Raises `InvalidRules` with every mistake in it."""

    def whole_file(message: str, line: int = 1, hint: str = "") -> InvalidRules:
        return InvalidRules((RuleProblem(message, file=file, line=line, hint=hint),))

    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found = re.search(r"at line (\d+)", str(problem))
        line = int(found[1]) if found else text.count("\n") + 1
        raise whole_file(f"this is not TOML: {problem}", line) from problem
    except RecursionError:
        raise whole_file("this is not a rules file: nested too deeply") from None
    except ValueError:
        raise whole_file("this is not a rules file: a number in it has thousands of digits") from None
    if content.get("version") != 1 or isinstance(content.get("version"), bool):
        wrong = (
            f"version is {_shown(content['version'])}" if "version" in content else "the file does not say its version"
        )
        raise whole_file(wrong, hint="This program reads files that begin with version = 1.")
    tables = content.get("tally")
    places = _Places(text)
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise whole_file("there is no rule in the file", hint="A rule begins with [[tally]].")
    problems = [
        RuleProblem(f"unknown field {name}", file=file, line=places.top(name), hint="A file has version and [[tally]].")
        for name in content
        if name not in {"version", "tally"}
    ]
    drafts = []
    for index, table in enumerate(tables):
        reader = _RuleReader(table, file, places.lines(index))
        draft = reader.draft()
        problems += reader.problems
        if draft is not None:
            drafts.append(draft)
    for index, draft in enumerate(drafts):
        if any(draft.name == earlier.name for earlier in drafts[:index]):
            problems.append(draft.problem("another rule has this name", "name", "Reports tell rules apart by name."))
    if problems:
        raise InvalidRules(tuple(sorted(problems, key=lambda problem: problem.line)))
    return tuple(drafts)


class _Places:
    """Where things stand in the text: tomllib gives values, not lines."""

    _RULE = re.compile(r"\s*\[\[\s*(?:tally|\"tally\"|'tally')\s*\]\]")
    _PART = re.compile(r"\s*\[\s*tally\s*\.\s*([A-Za-z0-9_-]+)")
    _FIELD = re.compile(r"\s*[\"']?([A-Za-z0-9_-]+)[\"']?\s*[.=]")

    def __init__(self, text: str) -> None:
        self._rules: list[dict[str, int]] = []
        self._top: dict[str, int] = {}
        part = ""
        for number, line in enumerate(text.splitlines(), 1):
            if self._RULE.match(line):
                self._rules.append({"": number})
                part = ""
            elif (found := self._PART.match(line)) and self._rules:
                part = found[1]
                self._rules[-1].setdefault(part, number)
            elif found := self._FIELD.match(line):
                into = self._rules[-1] if self._rules else self._top
                if not part:
                    into.setdefault(found[1], number)

    def top(self, name: str) -> int:
        return self._top.get(name, 1)

    def lines(self, index: int) -> dict[str, int]:
        """Line by field of the rule at `index`, the rule's own under "". Written inline, all is on one line."""
        if index < len(self._rules):
            return self._rules[index]
        return {"": self.top("tally")}


class _RuleReader:
    """Reads one `[[tally]]` table and notes every mistake in it."""

    def __init__(self, table: Mapping[str, object], file: str, lines: Mapping[str, int]) -> None:
        self._table, self._file, self._lines = table, file, lines
        name = table.get("name")
        self._name = name if isinstance(name, str) else ""
        self.problems: list[RuleProblem] = []

    def draft(self) -> RuleDraft | None:
        """The rule, or None where `problems` says why there is none."""
        self._check_fields()
        name, table = self._text("name"), self._text("table")
        parent, children = self._key_pattern("parent"), self._key_pattern("children")
        attribute = self._attribute()
        writers = self._writers()
        wait = self._seconds("wait", DEFAULT_WAIT[writers])
        settle = self._seconds("settle", DEFAULT_SETTLE)
        version = self._text("version") if "version" in self._table else None
        missing = self._choice("missing", ("report", "zero"))
        if parent is not None and children is not None:
            self._check_join(parent, children)
        if self.problems or parent is None or children is None or attribute is None:
            return None
        return RuleDraft(
            self._file, self._lines, name, table, parent, attribute, children,
            writers, wait, settle, version, missing_is_zero=missing == "zero",
        )  # fmt: skip

    def _note(self, message: str, field: str = "", hint: str = "") -> None:
        line = self._lines.get(field, self._lines[""])
        self.problems.append(RuleProblem(message, file=self._file, line=line, rule=self._name, hint=hint))

    def _check_fields(self) -> None:
        for field, value in self._table.items():
            if field in _NOT_COUNTED_YET:
                self._note(f"{field}: {_NOT_COUNTED_YET[field]} are not counted by this version", field)
            elif field in _ONLY_AS:
                only = _ONLY_AS[field]
                if value != only or isinstance(value, bool):
                    self._note(f"{field} = {_shown(value)} is not counted by this version", field, f"Only {only!r} is.")
            elif field not in _FIELDS and field != "marker":
                self._note(f"unknown field {field}", field, f"Known are: {', '.join(_FIELDS)}.")
        if "marker" in self._table:  # repair reads it; a run does not
            self._text("marker")

    def _text(self, field: str) -> str:
        value = self._table.get(field)
        if not isinstance(value, str) or not value.strip():
            self._note(f"{field} is missing" if value is None else f"{field} must be a text that is not empty", field)
            return ""
        return value

    def _choice(self, field: str, choices: tuple[str, ...]) -> str:
        value = self._table.get(field, choices[0])
        if value not in choices:
            self._note(f"{field} is {_shown(value)}", field, f"It is one of: {', '.join(choices)}.")
            return choices[0]
        return str(value)

    def _writers(self) -> Writers:
        known: tuple[Writers, ...] = get_args(Writers)
        chosen = self._choice("writers", known)
        return next(writers for writers in known if writers == chosen)

    def _seconds(self, field: str, default: float) -> float:
        value = self._table.get(field, default)
        seconds = parse_duration(value)
        if seconds is None:
            self._note(f"{field} is {_shown(value)}", field, 'Write seconds, or a text such as "30s", "5m", "1h".')
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

    def _key_pattern(self, field: str) -> KeyPattern | None:
        value = self._table.get(field)
        if not isinstance(value, dict) or not value:
            hint = f'{field} = {{ PK = "POST#{{post}}", SK = "…" }}'
            self._note(f"{field} must say what the key looks like", field, f"For example {hint}.")
            return None
        if field == "children" and self._names_another_source(value):
            return None
        patterns = {}
        for attribute, text in value.items():
            if not isinstance(text, str):
                self._note(f"{field}.{attribute} must be a pattern in quotes", field)
                continue
            try:
                patterns[attribute] = Pattern.parse(text)
            except InvalidValue as problem:
                self._note(f"{field}.{attribute}: {problem.message}", field, problem.hint)
                continue
            self._check_delimiter(field, attribute, patterns[attribute])
        return KeyPattern(patterns) if len(patterns) == len(value) else None

    def _names_another_source(self, children: Mapping[str, object]) -> bool:
        if "index" in children:
            self._note("children behind an index are not counted by this version", "children")
        elif children.get("table", self._table.get("table")) != self._table.get("table"):
            self._note("children in another table are not counted by this version", "children")
        elif "table" in children:
            self._note(
                "children.table names the rule's own table", "children", "Leave it out: it is the table of the rule."
            )
        else:
            return False
        return True

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

    def _check_join(self, parent: KeyPattern, children: KeyPattern) -> None:
        for name in sorted(parent.captures - children.captures):
            self._note(
                f"{{{name}}} of the parent is not in its children's key, so they cannot be joined",
                "children",
                f"Use {{{name}}} in children, or a fixed text in parent.",
            )


def _shown(value: object) -> str:
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
