"""Requests as files, and what is said of them with the place marked in the text."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dynodesk.cli.diagnostics import say
from dynodesk.domain.composition import ActionRemark, Draft
from dynodesk.domain.errors import InvalidExpression, InvalidFile
from dynodesk.domain.expressions import Remark
from dynodesk.domain.expressions.nodes import NOWHERE, Span
from dynodesk.reports.characters import visible

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Of a request or an item: a transaction has 4 MB, which JSON may write several times as long."""
AROUND = 60
"""Characters of a long line that are shown on either side of a place."""


def text_of(path: Path) -> str:
    """The text of a file; of `-` all of stdin. Raises `InvalidFile`."""
    name = "stdin" if str(path) == "-" else str(path)
    try:
        if str(path) == "-":
            if sys.stdin is None:
                raise InvalidFile("stdin is closed: there is nothing to read")
            data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        else:
            with path.open("rb") as file:
                data = file.read(MAX_FILE_BYTES + 1)
        if len(data) <= MAX_FILE_BYTES:
            return data.decode("utf-8-sig")
    except OSError as problem:
        raise InvalidFile(f"{name} cannot be read: {problem.strerror or problem}") from problem
    except UnicodeDecodeError as problem:
        raise InvalidFile(f"{name} is not UTF-8") from problem
    raise InvalidFile(f"{name} is larger than a request can be")


# ------------------------------------------------------------------------------------------------- places in a text


def marked(text: str, span: Span) -> Iterator[str]:
    """The line of the text that has the place, and a line with carets under it."""
    start = text.rfind("\n", 0, span.offset) + 1
    end = text.find("\n", span.offset)
    line = text[start:] if end < 0 else text[start:end]
    first = min(span.offset - start, len(line))
    last = max(first + 1, min(first + span.length, len(line)))
    cut = max(0, first - AROUND)
    before = ("…" if cut else "") + visible(line[cut:first])
    place = visible(line[first:last])
    shown_place = place if len(place) <= AROUND else place[:AROUND] + "…"
    rest = visible(line[last : last + AROUND]) + ("…" if len(line) > last + AROUND else "")
    yield before + shown_place + (rest if shown_place == place else "")
    yield " " * _columns(before) + "^" * max(1, _columns(shown_place))


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


# ------------------------------------------------------------------------------------------------- what is said


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that is wrong, or may not be meant."""

    severity: str
    message: str
    fix: str
    text: str
    """The text that its place is in; "" where it has none."""
    span: Span
    where: str = ""
    """`action 2, UpdateExpression: `, for people."""
    action: int | None = None
    """From 0."""
    part: str | None = None
    corrected: str | None = None
    """The text as it would be right; None where only a person can put it right."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Aliases that the corrected text has beyond those that are there."""

    @classmethod
    def of_problem(cls, problem: InvalidExpression, text: str) -> Said:
        """What keeps the text from being read."""
        line = f"line {text.count(chr(10), 0, problem.offset) + 1}: " if "\n" in text.strip() else ""
        return cls("error", problem.message, problem.hint, text, Span(problem.offset, problem.length), line)

    @classmethod
    def of_remark(cls, remark: Remark, text: str, action: int | None = None, place: str = "") -> Said:
        """`text` is the one of the remark's part, `place` names the action where there are several."""
        corrected = None if remark.replacement is None else remark.applied_to(text)
        where = f"{place}{remark.part}: "
        return cls(
            remark.severity, remark.message, remark.fix, text, remark.span,
            where, action, remark.part, corrected, remark.names,
        )  # fmt: skip

    @classmethod
    def of_draft(cls, each: ActionRemark, draft: Draft) -> Said:
        what, count = ("statement", len(draft.statements)) if draft.statements else ("action", len(draft.actions))
        place = "" if each.action is None or count == 1 else f"{what} {each.action + 1}, "
        return cls.of_remark(each.remark, _text_of_part(each, draft), each.action, place)

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    def lines(self) -> Iterator[str]:
        yield f"{self.severity}: {self.where}{self.message}"
        if self.text and (self.span != NOWHERE or self.corrected is not None):
            for line in marked(self.text, self.span):
                yield f"  {line}"
        if self.fix:
            yield f"  {self.fix}"
        if self.corrected is not None:
            names = "".join(f", with {alias} = {name}" for alias, name in self.names.items())
            yield f"  corrected: {visible(self.corrected)}{visible(names)}"

    def to_json(self) -> dict[str, Any]:
        """Actions count from 1; offset and length are characters of the text."""
        has_place = self.text and self.span != NOWHERE
        return {
            "severity": self.severity,
            "action": None if self.action is None else self.action + 1,
            "part": self.part,
            "message": self.message,
            "fix": self.fix or None,
            "text": self.text or None,
            "offset": self.span.offset if has_place else None,
            "length": self.span.length if has_place else None,
            "corrected": self.corrected,
            "names": dict(self.names),
        }


def say_all(remarks: Iterable[Said]) -> None:
    """On stderr."""
    for each in remarks:
        for line in each.lines():
            say(line)


def _text_of_part(each: ActionRemark, draft: Draft) -> str:
    """The text that the place of a remark is in; "" where there is none."""
    if each.action is None:
        return ""
    if draft.statements:
        return draft.statements[each.action].text if each.remark.part == "Statement" else ""
    action = draft.actions[each.action]
    match each.remark.part:
        case "UpdateExpression":
            return action.update
        case "ConditionExpression":
            return action.condition
        case "ProjectionExpression":
            return action.projection
        case _:
            return ""
