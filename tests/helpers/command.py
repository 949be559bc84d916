"""The command line as a user runs it: in a process of its own."""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.helpers.command_copies import Command


def dynodesk(
    *arguments: object, timeout: float = 60, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Raises subprocess.TimeoutExpired once `timeout` seconds are over and the command has been ended."""
    texts = [*map(str, arguments)]
    environment = {**os.environ, **(env or {})}
    if hasattr(os, "fork"):
        with tempfile.TemporaryDirectory(prefix="dynodesk-command-") as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            command = Command(
                arguments=texts, environment=environment, folder=str(Path.cwd()), out=str(out), err=str(err)
            )
            status = _copies().run(command, timeout)
            return subprocess.CompletedProcess(texts, status, _text_of(out), _text_of(err))
    return subprocess.run(
        [sys.executable, "-m", "dynodesk", *texts],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
        env=environment,
    )


class Copies:
    """The program that copies itself for each command; it ends with this process."""

    def __init__(self) -> None:
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.helpers.command_copies"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        atexit.register(self.close)

    def run(self, command: Command, timeout: float) -> int:
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(json.dumps(command) + "\n")
        self._program.stdin.flush()
        process = int(self._program.stdout.readline())
        in_time = bool(select.select([self._program.stdout], [], [], timeout)[0])
        if not in_time:
            os.kill(process, signal.SIGKILL)
        status = int(self._program.stdout.readline())
        if not in_time:
            raise subprocess.TimeoutExpired(command["arguments"], timeout)
        return status

    def close(self) -> None:
        self._program.communicate()


_copies = functools.cache(Copies)


def _text_of(file: Path) -> str:
    """As `text=True` reads it, with one kind of line ending."""
    return file.read_text(encoding="utf-8")


def result_of(finished: subprocess.CompletedProcess[str]) -> Any:
    """stdout as JSON."""
    return json.loads(finished.stdout)


def findings_of(finished: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The findings in the shape of the sandbox's answer key, in the order of the report."""
    return [
        {"rule": rule["name"], **{field: finding[field] for field in ("verdict", "parent", "stored", "real", "drift")}}
        for rule in result_of(finished)["rules"]
        for finding in rule["findings"]
    ]
