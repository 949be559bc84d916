"""What may be told of an error outside the window: its kind and where it came from, nothing that it was about.

The words of an error may quote what the program was working on: an item, a key, a part of a reply. They stay out,
unless they are the interpreter's own and can only name code.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import PurePath

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.redaction import redaction

_ABOUT_CODE = (AttributeError, ImportError, NameError, TypeError, ZeroDivisionError)
"""Their words name types, modules and functions."""
_MOST_FRAMES = 60
_LONGEST_WORDS = 300  # characters


def described(error: BaseException) -> str:
    """One line: the kind, the code of an error of ours with what support asks for, and words that name code only."""
    kind = type(error).__name__
    match error:
        case DynodeskError(details=details):
            return f"{kind} [{error.code}]" + (f" ({_one_line(details)})" if details else "")
        case OSError(strerror=str(words)):
            return f"{kind}: {words}"
        case _ if type(error) in _ABOUT_CODE:
            return f"{kind}: {_one_line(str(error))}"
        case _:
            return kind


def place_of(error: BaseException) -> str:
    """Where it was raised: "dynodesk/ui/jobs.py, line 71"; "" where that is not known."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{short_path(frames[-1].filename)}, line {frames[-1].lineno}" if frames else ""


def fault_report(error: BaseException) -> str:
    """The error and those that led to it, each with its frames: file, line and function, without values."""
    return "\n".join(_lines(error, set()))


def _lines(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    yield described(error)
    frames = traceback.extract_tb(error.__traceback__)
    if len(frames) > _MOST_FRAMES:
        yield f"    … {len(frames) - _MOST_FRAMES} more"
    for frame in frames[-_MOST_FRAMES:]:
        yield f"    {short_path(frame.filename)}:{frame.lineno} {frame.name}"
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            if id(part) not in seen:
                yield "one of which:"
                yield from _lines(part, seen)
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in seen:
        yield "because of:"
        yield from _lines(before, seen)


def short_path(file: str) -> str:
    """A path from the package on: what is above it names the user."""
    parts = PurePath(file).parts
    for root in ("site-packages", "dist-packages"):
        if root in parts:
            return "/".join(parts[len(parts) - parts[::-1].index(root) :])
    if "dynodesk" in parts:
        return "/".join(parts[len(parts) - 1 - parts[::-1].index("dynodesk") :])
    return parts[-1] if parts else file


def _one_line(text: str) -> str:
    words = " ".join(redaction.hide(text).split())
    return words if len(words) <= _LONGEST_WORDS else f"{words[:_LONGEST_WORDS]}…"
