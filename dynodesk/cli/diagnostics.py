"""stderr and exit codes: what went wrong, in words for people and in numbers for scripts."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from enum import IntEnum
from types import FrameType

import click

from dynodesk.domain.errors import (
    DynodeskError,
    InvalidFile,
    InvalidRequest,
    InvalidRules,
    InvalidStatement,
    InvalidValue,
    TableMissing,
    WorkbenchFailed,
    explanation,
)
from dynodesk.domain.fault_report import described, fault_report, place_of
from dynodesk.domain.profiles import ProfileError
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.store.diagnostics import write_fault_report
from dynodesk.store.paths import FileNotWritten, folders

log = logging.getLogger(__name__)


class ExitCode(IntEnum):
    """Documented in the README: scripts depend on them."""

    OK = 0
    DRIFT = 1
    REFUSED = 1
    """A condition did not hold, or a check found an error: what was asked is so, and what was wanted is not."""
    USAGE = 2
    NO_CONNECTION = 3
    INCOMPLETE = 4
    UNKNOWN = 5
    """It is not known whether a write was applied."""
    BUG = 70
    """A fault of ours. Never 1: a crash is not drift."""
    INTERRUPTED = 130


_USAGE = (
    *(InvalidRules, InvalidFile, InvalidRequest, InvalidStatement, InvalidValue),
    *(ProfileError, TableMissing, WorkbenchFailed),
)
_INCOMPLETE_CODES = {"throttled", "damaged-reply", "service", "busy"}


def exit_code_of(error: DynodeskError) -> ExitCode:
    if isinstance(error, _USAGE):
        return ExitCode.USAGE
    if error.code in _INCOMPLETE_CODES:
        return ExitCode.INCOMPLETE
    return ExitCode.NO_CONNECTION


def explain(error: DynodeskError) -> None:
    """The error on stderr: what failed, whether anything was written, what to do, and its code for searches."""
    first, *rest = explanation(error)
    say(f"error: {first} [{error.code}]")
    for sentence in rest:
        say(f"       {sentence}")
    if error.details:
        say(f"       ({error.details})")


def say(line: str) -> None:
    """A line of narration. Text from tables and servers may be in it: control characters are shown, not obeyed."""
    _clear_progress()
    click.echo(printable(line), err=True)


def printable(text: str) -> str:
    r"""Characters that a terminal would act on, or that reorder text, as `\x1b`, `\u202e`; line breaks stay."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)


_progress_shown = False
_wait_shown = ""


def show_progress(progress: Progress) -> None:
    """One line on a terminal, written over by the next. Elsewhere only what the work waits for, once for each wait."""
    global _progress_shown, _wait_shown  # noqa: PLW0603  (there is one stderr)
    if not sys.stderr.isatty():
        waits_for = progress.note if progress.is_waiting else ""
        if waits_for and waits_for != _wait_shown:
            say(waits_for)
        _wait_shown = waits_for
        return
    of = f" of {progress.total:,}" if progress.total is not None else ""
    words = progress.note or "working"
    click.echo(f"\r\x1b[K{printable(words)} · {progress.done:,}{of}", nl=False, err=True)
    _progress_shown = True


def _clear_progress() -> None:
    global _progress_shown  # noqa: PLW0603
    if _progress_shown:
        click.echo("\r\x1b[K", nl=False, err=True)
        _progress_shown = False


@contextlib.contextmanager
def interruptible() -> Iterator[Ticket]:
    """A ticket that Ctrl-C cancels, so that work ends in order; a second Ctrl-C ends the program at once."""
    ticket = Ticket(show_progress)

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if ticket.cancelled:
            raise KeyboardInterrupt
        say("stopping: Ctrl-C once more to end at once")
        ticket.cancel()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield ticket
    finally:
        signal.signal(signal.SIGINT, before)
        _clear_progress()


def explain_fault(fault: BaseException) -> None:
    """A fault of ours on stderr, in a few lines; its report goes to a file."""
    log.error("A command met a fault", exc_info=fault)
    say("This is a fault in dynodesk itself, not in your table or your command:")
    say(f"  {described(fault)}, in {place_of(fault) or 'an unknown place'}")
    say("If it was writing, `dynodesk repair log` shows whether that was done.")
    try:
        report = write_fault_report(folders().state / "faults", fault)
    except FileNotWritten as unwritten:
        explain(unwritten)
        say(fault_report(fault))
    else:
        say(f"A report without values and secrets is in {report}")
        say("Look through it, and send it with what `dynodesk diagnostics` prints to whoever looks after dynodesk.")


@contextlib.contextmanager
def told_faults() -> Iterator[None]:
    """Threads and destructors that fail say so in the same words as the command, instead of a traceback."""

    def of_thread(caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:  # None while the interpreter ends
            explain_fault(caught.exc_value)

    def of_destructor(caught: sys.UnraisableHookArgs) -> None:
        if caught.exc_value is not None:
            log.error("Not caught", exc_info=caught.exc_value)

    before = threading.excepthook, sys.unraisablehook
    threading.excepthook, sys.unraisablehook = of_thread, of_destructor
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = before


def exit_code_from(command: click.Command, arguments: list[str] | None) -> int:
    """Run the command line and turn every end it can come to into its exit code."""
    try:
        outcome = command.main(args=arguments, prog_name="dynodesk", standalone_mode=False)
    except click.ClickException as problem:
        problem.show()
        return ExitCode.USAGE
    except DynodeskError as error:
        log.info("A command failed: %s", error)
        explain(error)
        return exit_code_of(error)
    except (Cancelled, KeyboardInterrupt, click.Abort):
        say("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has enough. Nothing more is flushed there when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE if hasattr(signal, "SIGPIPE") else ExitCode.INCOMPLETE
    except Exception as fault:  # noqa: BLE001  (the last one to be told; says so and changes the exit code)
        explain_fault(fault)
        return ExitCode.BUG
    return outcome if isinstance(outcome, int) else ExitCode.OK
