"""Every kind of error says what failed, whether anything was written and what to do; so does every place it is from."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import dynodesk
from dynodesk.cli.diagnostics import ExitCode, exit_code_of
from dynodesk.domain.errors import DynodeskError, explanation
from dynodesk.ui.messages import message_for

PACKAGE = Path(dynodesk.__file__).parent
MAY_HAVE_WRITTEN = {
    "FileNotWritten": {"applied", "unknown"},  # its backup was not; the disk did not confirm it
    "KeyringUnavailable": {"unknown"},
    "OutcomeUnknown": {"unknown"},
}
"""All others are sure that nothing was."""


@cache
def kinds() -> tuple[type[DynodeskError], ...]:
    for module in pkgutil.walk_packages([str(PACKAGE)], "dynodesk."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return tuple(sorted(_below(DynodeskError), key=lambda kind: kind.__name__))


def _below(kind: type[DynodeskError]) -> Iterator[type[DynodeskError]]:
    for derived in kind.__subclasses__():
        if derived.__module__.startswith("dynodesk."):
            yield derived
            yield from _below(derived)


def made(kind: type[DynodeskError]) -> DynodeskError:
    """One that knows nothing but what its kind knows."""
    error = kind.__new__(kind)
    DynodeskError.__init__(error, "It failed.")
    if kind.__name__ == "OutcomeUnknown":
        error.written = "unknown"
    return error


def test_every_kind_has_a_code_of_its_own_and_says_what_failed() -> None:
    codes = Counter(kind.code for kind in kinds())
    assert len(codes) > 25
    assert [code for code, count in codes.items() if count > 1] == []
    for kind in kinds():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.code), kind
        assert "code" in vars(kind), f"{kind.__name__} has the code of what it derives from"
        assert (kind.__doc__ or "").strip().splitlines()[0].rstrip(), f"{kind.__name__} does not say what it is"


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: str(kind.code))
def test_every_kind_is_told_with_what_was_written_and_a_next_step(kind: type[DynodeskError]) -> None:
    error = made(kind)
    assert re.fullmatch(r"[A-Z].+\.", kind.next_step), "the next step is a sentence"
    told = list(explanation(error))
    assert told[0] == "It failed."
    assert told[-1] == kind.next_step
    message = message_for(error)
    assert message.kind != "fault"
    assert kind.code in message.details
    assert ("Nothing was written." in message.details) == (error.written == "nothing")
    assert ("is not known" in message.details) == (error.written == "unknown")
    assert exit_code_of(error) not in {ExitCode.OK, ExitCode.BUG, ExitCode.DRIFT}


def raised() -> Iterator[tuple[str, str, ast.Call]]:
    """File and line, kind, and call, of every place where an error of ours is made."""
    names = {kind.__name__ for kind in kinds()}
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
            if name in names and isinstance(node, ast.Call):
                yield f"{file.relative_to(PACKAGE).as_posix()}:{node.lineno}", name, node


def literal(node: ast.expr | None) -> str | None:
    """The fixed parts of a text that is written where it is used; None of any other."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts)
        case _:
            return None


def test_every_place_says_what_failed_and_its_advice_is_a_sentence() -> None:
    wrong = []
    places = list(raised())
    assert len(places) > 400
    for place, name, call in places:
        given = {word.arg: word.value for word in call.keywords}
        said = [text for text in map(literal, call.args) if text is not None]
        if any(not text.strip() or text != text.strip() for text in said):
            wrong.append(f"{place}: {name} says {said}")
        hint = literal(given.get("hint"))
        if hint and (hint[0].islower() or hint[-1] not in ".…?)`"):
            wrong.append(f"{place}: {name} advises {hint!r}")
    assert wrong == []


def test_only_those_kinds_may_have_written_that_are_known_for_it() -> None:
    wrong = []
    for place, name, call in raised():
        for word in call.keywords:
            if word.arg == "written":
                said = {part.value for part in ast.walk(word.value) if isinstance(part, ast.Constant)} - {"nothing"}
                if not said <= MAY_HAVE_WRITTEN.get(name, set()):
                    wrong.append(f"{place}: {name} {said}")
    assert wrong == []
