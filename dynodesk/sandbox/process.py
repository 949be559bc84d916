"""The sandbox as a child process, which ends with the program that started it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO, Any, NoReturn, Self, TextIO

from dynodesk.domain.errors import DynodeskError

READY_WITHIN = 20.0
"""Seconds until a sandbox of scale 1 must be ready; it mostly takes one or two."""


class SandboxFailed(DynodeskError):
    """The sandbox did not start, or ended by itself."""

    code = "sandbox"
    next_step = "Start it again."


class Sandbox:
    """A running sandbox. Leave it with `close`, or use it in a `with` statement."""

    def __init__(self, process: subprocess.Popen[str], errors: IO[str], port: int, endpoint: str) -> None:
        self._process = process
        self._errors = errors
        self.port = port
        self.endpoint = endpoint

    @classmethod
    def start(cls, scale: float = 1.0, port: int = 0, timeout: float = READY_WITHIN, *, is_empty: bool = False) -> Self:
        """Start one and wait until its tables are filled: at most `timeout` seconds, in proportion for scales above 1.

        `port` 0 takes any free one. An empty one has no tables. Raises `SandboxFailed` if the port is taken, the scale
        is refused, the process ends or the time is over.
        """
        errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 (close() closes it)
        filling = ["--empty"] if is_empty else ["--scale", str(scale)]
        process = subprocess.Popen(  # noqa: S603 (our own module)
            # -P: a file of the current folder that happens to be called json.py is none of the child's business.
            [sys.executable, "-P", "-m", "dynodesk.sandbox.server", "--port", str(port), *filling],
            # The child reads its end of this pipe only to notice that ours is gone, however we end.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
        )
        try:
            ready = _readiness(process, errors, timeout * max(1.0, scale))
        except BaseException:
            _end(process, errors)
            raise
        return cls(process, errors, ready["port"], ready["endpoint"])

    @property
    def alive(self) -> bool:
        """False once the process has ended, by whatever cause."""
        return self._process.poll() is None

    def wait(self) -> NoReturn:
        """Block until the process ends by itself, which raises `SandboxFailed`, or a signal raises something else."""
        while self.alive:
            time.sleep(0.2)
        raise _failure("ended", self._process, self._errors)

    def close(self) -> None:
        """End the process and wait until it is gone. May be called again."""
        _end(self._process, self._errors)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def serve(port: int, scale: float, out: TextIO) -> None:
    """Serve in the foreground until Ctrl-C or SIGTERM, after printing to `out` where and how to use it.

    Must run in the main thread. Raises `SandboxFailed` as `Sandbox.start` does, and if the server ends by itself.
    """
    with _interrupted_by_termination():
        try:
            with Sandbox.start(scale=scale, port=port) as sandbox:
                out.write(_GREETING.format(endpoint=sandbox.endpoint))
                out.flush()
                sandbox.wait()
        except KeyboardInterrupt:
            out.write("The sandbox has ended; its tables are gone.\n")


_GREETING = """\
The sandbox is ready at {endpoint} until Ctrl-C; nothing in it is kept.

For the AWS CLI and other tools:
  export AWS_ENDPOINT_URL_DYNAMODB={endpoint}
  export AWS_ACCESS_KEY_ID=sandbox
  export AWS_SECRET_ACCESS_KEY=sandbox
  export AWS_REGION=us-east-1

In another terminal:
  aws dynamodb list-tables
  dynodesk reconcile resources/rules/social.toml --endpoint-url {endpoint}
"""


@contextmanager
def _interrupted_by_termination() -> Iterator[None]:
    """SIGTERM raises KeyboardInterrupt, as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _readiness(process: subprocess.Popen[str], errors: IO[str], timeout: float) -> dict[str, Any]:
    """The child's first line, which must say that it is ready within `timeout` seconds."""
    lines: list[str] = []
    assert process.stdout is not None  # noqa: S101 (it was asked for)
    reading = threading.Thread(target=lambda pipe: lines.append(pipe.readline()), args=[process.stdout], daemon=True)
    reading.start()
    reading.join(timeout)
    if not lines:
        raise _failure(f"was not ready after {timeout:g} seconds", process, errors)
    if not lines[0]:
        process.wait(timeout=5)  # its output has ended, so it is ending
        raise _failure("did not start", process, errors)
    said: dict[str, Any] = json.loads(lines[0])
    if not said["ready"]:
        raise SandboxFailed(f"The sandbox did not start: {said['message']}", hint=said["hint"])
    return said


def _failure(what: str, process: subprocess.Popen[str], errors: IO[str]) -> SandboxFailed:
    ended = process.poll()
    how = "" if ended is None else f" (exit status {ended})"
    errors.seek(0)
    return SandboxFailed(f"The sandbox {what}{how}.", hint="Start it again.", details=errors.read()[-4000:].strip())


def _end(process: subprocess.Popen[str], errors: IO[str]) -> None:
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    # Not before the process is gone: closing a pipe waits for the thread that may still be reading it.
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    errors.close()
