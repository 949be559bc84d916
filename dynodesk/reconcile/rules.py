"""Rules files: TOML in, checked drafts out. Every mistake is named with its line, and all of them at once.

What can be said without a table is said here; `binding` checks the drafts against the tables they are about.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from dynodesk.domain.errors import InvalidFile, InvalidRules, RuleProblem
from dynodesk.reconcile.drafts import RuleDraft
from dynodesk.reconcile.rule_reader import RuleReader, shown

MAX_FILE_BYTES = 1024 * 1024


def read_rules(path: Path) -> tuple[RuleDraft, ...]:
    """The rules of a file. Raises `InvalidFile` where it cannot be read, `InvalidRules` with every mistake in it."""
    return parse_rules(rules_text(path), str(path))


def rules_text(path: Path) -> str:
    """What a rules file says. Raises `InvalidFile` where it cannot be read, or is no text."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise InvalidFile(f"{path} cannot be read: {problem.strerror or problem}") from problem
    if len(data) > MAX_FILE_BYTES:
        raise InvalidFile(f"{path} has {len(data)} bytes; a rules file has at most {MAX_FILE_BYTES}")
    try:
        return data.decode("utf-8-sig")  # some editors put a mark of their own before the first line
    except UnicodeDecodeError as problem:
        raise InvalidFile(f"{path} is not UTF-8: byte {problem.start}", hint="Save it as UTF-8.") from problem


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
            f"version is {shown(content['version'])}" if "version" in content else "the file does not say its version"
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
        reader = RuleReader(table, file, places.lines(index))
        draft = reader.draft()
        problems += reader.problems
        if draft is not None:
            drafts.append(draft)
    for index, draft in enumerate(drafts):
        if any(draft.name == earlier.name for earlier in drafts[:index]):
            problems.append(draft.problem("another rule has this name", "name", "Reports tell rules apart by name."))
        problems += _sibling_problems(draft, drafts)
        problems += _sensitive_problems(draft, drafts)
    if problems:
        raise InvalidRules(tuple(sorted(problems, key=lambda problem: problem.line)))
    return tuple(drafts)


def _sibling_problems(draft: RuleDraft, drafts: Sequence[RuleDraft]) -> Iterator[RuleProblem]:
    """Rules over one parent are read together anyway; what the file says of it must be true."""
    for name in draft.siblings:
        sibling = next((other for other in drafts if other.name == name), None)
        if sibling is None or sibling is draft:
            yield draft.problem(f"siblings: no other rule is named {name!r}", "siblings")
        elif (sibling.table, str(sibling.parent)) != (draft.table, str(draft.parent)):
            yield draft.problem(f"siblings: {name!r} is about another parent", "siblings")


def _sensitive_problems(draft: RuleDraft, drafts: Sequence[RuleDraft]) -> Iterator[RuleProblem]:
    """What one rule would hide is what another one shows: the reader of its rule says so of its own tally."""
    tables = {draft.table, draft.children.table}
    for other in drafts:
        if other is draft or other.table not in tables:
            continue
        for path in draft.sensitive:
            tally = other.attribute.names
            if path.names[: len(tally)] == tally[: len(path.names)]:
                yield draft.problem(f"sensitive: {path} is the tally of {other.name!r}", "sensitive")


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
