"""The history of runs: for each rule of each run that ended, what it found. Only ever added to.

A line that is not one of ours, as a crash or a hand may leave it, is moved to a file beside and said; the others count.
No key and no item is in it, so that it may be kept for as long as it is of use.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from decimal import Decimal
from pathlib import Path

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.findings import VERDICTS, Report
from dynodesk.domain.past_runs import Course, PastRun, Where, past_runs
from dynodesk.domain.values import plain_digits
from dynodesk.store.appending import AppendedFile
from dynodesk.store.locks import held
from dynodesk.store.paths import FileNotWritten, open_plain, private_folder, write_private

VERSION = 1
"""Of a line. Lines of a later one are left where they are, and not read."""


class RunHistory:
    """The history in a folder. Several programs, and several threads, may use it at the same time."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "history.jsonl"
        self._lock_path = folder / "history.lock"
        self.notice = ""
        """What was wrong with the file when it was last read or added to, if anything was."""

    def add(self, report: Report, rule_hashes: Mapping[str, str]) -> tuple[PastRun, ...]:
        """Keeps the run, on the disk when this returns: one line a rule, all of them or none.

        `rule_hashes` has the hash of every rule by its name. Raises `FileNotWritten`.
        """
        runs = tuple(past_runs(report, rule_hashes))
        private_folder(self.path.parent)
        with self._lock():
            self._mended()
            with self._open() as file:
                file.write_at_end(b"".join(map(_line, runs)))
        return runs

    def of(self, rule_hashes: Iterable[str]) -> list[PastRun]:
        """The runs of these rules, wherever they took place, oldest first. Raises `FileNotWritten`."""
        self.notice = ""
        if not os.path.lexists(self.path):
            return []
        wanted = frozenset(rule_hashes)
        with self._lock():
            runs = self._mended()
        return sorted((run for run in runs if run.where.rule_hash in wanted), key=lambda run: run.time)

    def remember(self, report: Report, rule_hashes: Mapping[str, str]) -> Report:
        """Keeps the run and returns its report with what the history says of each rule.

        A run whose history cannot be kept is as good as any other: its report says so in a note.
        """
        try:
            added = self.add(report, rule_hashes)
            notices = [self.notice] if self.notice else []
            kept = self.of(rule_hashes.values())
        except DynodeskError as fault:
            return replace(report, notes=(*report.notes, f"This run is not in the history: {fault.message}"))
        by_rule = {run.rule: Course.of([past for past in kept if past.where == run.where]) for run in added}
        causes = {name: course.cause for name, course in by_rule.items() if course.cause and course.runs[-1] in added}
        return replace(
            report,
            notes=(*report.notes, *notices),
            rules=tuple(
                replace(rule, causes=(*rule.causes, causes[rule.name])) if rule.name in causes else rule
                for rule in report.rules
            ),
        )

    def _mended(self) -> list[PastRun]:
        """All runs, after what is no line of ours was moved aside. Called with the lock held."""
        self.notice = ""
        if self.path.is_symlink():
            raise FileNotWritten(
                f"{self.path} is a symbolic link and is left alone.", hint="Put the file in its place."
            )
        try:
            with open_plain(self.path) as file:
                data = file.read()
        except FileNotFoundError:
            return []
        except OSError as fault:
            raise FileNotWritten(f"{self.path} cannot be read: {fault.strerror}.") from fault
        runs: list[PastRun] = []
        good: list[bytes] = []
        damaged: list[bytes] = []
        *lines, rest = data.split(b"\n")
        for line in lines:
            try:
                run = _parsed(line)
            except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
                damaged.append(line)
                continue
            good.append(line)
            if run is not None:
                runs.append(run)
        if rest:
            damaged.append(rest)  # its writing was cut short
        if damaged:
            self._set_aside(damaged)
            write_private(self.path, b"".join(line + b"\n" for line in good))
        return runs

    def _set_aside(self, lines: list[bytes]) -> None:
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.damaged-{number}")).exists():
            number += 1
        write_private(aside, b"".join(line + b"\n" for line in lines))
        count = f"{len(lines):,} line{'' if len(lines) == 1 else 's'}"
        self.notice = f"The history of runs had {count} that cannot be read, now kept as {aside.name}."

    def _lock(self) -> AbstractContextManager[None]:
        return held(self._lock_path)

    def _open(self) -> AppendedFile:
        return AppendedFile(self.path, title="the history of runs", hint="Make room or permission for it.")


def _line(run: PastRun) -> bytes:
    content = {"version": VERSION, **asdict(run), "drift": plain_digits(run.drift)}
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def _parsed(line: bytes) -> PastRun | None:
    """The run of a line, None for one of a later version. Raises what JSON and conversions raise for no such line."""
    found = json.loads(line)
    if found["version"] > VERSION:
        return None
    run = PastRun(
        where=Where(**{name: _text(value) for name, value in found["where"].items()}),
        rule=_text(found["rule"]),
        run_id=_text(found["run_id"]),
        started=_text(found["started"]),
        scope=_text(found["scope"]),
        complete=found["complete"] is True,
        stopped=None if found["stopped"] is None else _text(found["stopped"]),
        parents=int(found["parents"]),
        verdicts={verdict: int(found["verdicts"][verdict]) for verdict in VERDICTS},
        drift=Decimal(_text(found["drift"])),
    )
    _ = run.time  # raises where it is none
    if not run.drift.is_finite():
        raise ValueError
    return run


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
