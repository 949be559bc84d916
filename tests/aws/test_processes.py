"""Programs for credentials: exactly what was allowed, without a shell, and never longer than they may."""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path

import pytest

from dynodesk.aws.processes import LARGEST, NotAllowedYet, runner
from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.sign_in import ProcessQuestion

PYTHON = sys.executable


def run(*command: str, ticket: Ticket | None = None, seconds: float = 30) -> bytes:
    allowed = {ProcessQuestion("p", command).digest}
    return runner("p", allowed, ticket or Ticket(), seconds)(command).communicate()[0]


def is_running(number: str) -> bool:
    try:
        stat = Path(f"/proc/{number}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def end_soon(note: Path) -> bool:
    """Whether all that wrote themselves down end: a signal is sent in an instant, and takes a moment to arrive."""
    numbers = note.read_text().split()
    end = time.monotonic() + 10
    while running := [number for number in numbers if is_running(number)]:
        if time.monotonic() > end:
            return False
        time.sleep(0.01 * len(running))
    return len(numbers) == 2


def test_what_it_prints_and_nothing_of_stderr() -> None:
    assert run(PYTHON, "-c", "import sys; print('out'); print('secret', file=sys.stderr)") == b"out\n"


def test_nothing_runs_before_it_was_allowed(tmp_path: Path) -> None:
    start = runner("p", set(), Ticket())
    with pytest.raises(NotAllowedYet) as raised:
        start([PYTHON, "-c", f"open({str(tmp_path / 'ran')!r}, 'w')"])
    assert raised.value.question.argv[:2] == (PYTHON, "-c")
    assert not (tmp_path / "ran").exists()


def test_another_argument_is_another_command() -> None:
    one, other = ProcessQuestion("p", ("/bin/x", "a b")), ProcessQuestion("p", ("/bin/x", "a", "b"))
    assert one.digest != other.digest
    assert one.digest == ProcessQuestion("q", ("/bin/x", "a b")).digest


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    harm = f"; touch {tmp_path / 'harm'} $(touch {tmp_path / 'harm'}) && touch {tmp_path / 'harm'}"
    printed = run(PYTHON, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))", harm, "$HOME")
    assert json.loads(printed) == [harm, "$HOME"]
    assert not (tmp_path / "harm").exists()


def test_a_bare_name_is_found_on_the_path_and_shown_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "give-keys"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotAllowedYet) as raised:
        runner("p", set(), Ticket())(["give-keys", "x"])
    assert raised.value.question.argv == (str(program), "x")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["./give-keys"], "relative path ./give-keys"),
        (["bin/give-keys"], "relative path bin/give-keys"),
        (["no-such-program-anywhere"], "not in the PATH"),
        (["/nowhere/give-keys"], "/nowhere/give-keys: No such file"),
        ([], "is empty"),
    ],
)
def test_a_program_that_cannot_be_named_for_sure(command: list[str], says: str) -> None:
    with pytest.raises(CredentialsRefused, match=says) as raised:
        runner("p", set(), Ticket())(command)
    assert raised.value.hint


def test_a_failing_program_says_its_status_and_no_more() -> None:
    with pytest.raises(CredentialsRefused, match="ended with 7") as raised:
        run(PYTHON, "-c", "import sys; print('secret', file=sys.stderr); print('secret'); sys.exit(7)")
    assert "secret" not in raised.value.message + raised.value.hint + raised.value.details


def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    with pytest.raises(CredentialsRefused, match="Permission denied"):
        run(str(tmp_path / "text"))


def test_it_has_no_terminal_and_no_input() -> None:
    said = run(PYTHON, "-c", "import os, sys; print(repr(sys.stdin.read()), os.getsid(0) == os.getpid())")
    assert said == b"'' True\n"


def hanging(note: Path) -> tuple[str, ...]:
    """It and a child of its own write down who they are, then wait; the child keeps the pipe open."""
    child = f"import os, time; open({str(note)!r}, 'a').write(f'{{os.getpid()}} '); time.sleep(60)"
    parent = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]); " + child
    return (PYTHON, "-c", parent)


def test_one_that_hangs_is_stopped_in_time_with_its_children(tmp_path: Path) -> None:
    with pytest.raises(CredentialsRefused, match="printed no credentials within 2 s and was stopped"):
        run(*hanging(tmp_path / "pids"), seconds=2)
    assert end_soon(tmp_path / "pids")


def test_one_that_hangs_can_be_cancelled(tmp_path: Path) -> None:
    ticket, note = Ticket(), tmp_path / "pids"

    def cancel() -> None:
        while len(note.read_text().split() if note.exists() else ()) < 2:
            time.sleep(0.01)
        ticket.cancel()

    cancelling = threading.Thread(target=cancel)
    cancelling.start()
    with pytest.raises(Cancelled):
        run(*hanging(note), ticket=ticket)
    cancelling.join()
    assert end_soon(note)


def test_one_that_never_stops_printing_is_stopped() -> None:
    endless = "import os\nwhile True: os.write(1, b'x' * 65536)"
    with pytest.raises(CredentialsRefused, match=f"printed more than {LARGEST:,} bytes"):
        run(PYTHON, "-c", endless)
