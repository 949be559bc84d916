"""Whatever is on the disk of the program's own state: it starts, says so, and throws nothing away."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynodesk.store.paths import FileNotWritten
from tests.store.killing import kill_often
from tests.store.state import BY_NAME, FILES

EACH = 100
"""Mutations of each file: of all five, 500."""
WRONG = (
    *("", " ", "[]", "5", "null", "{}", "<html></html>", '{"version": "1"}', '{"version": 0}', '{"version": 1} {}'),
    *('{"version": 1, "x": NaN}', "[" * 100_000, '{"x":' * 50_000, "\x00" * 500),
)


def mutations(good: bytes) -> Iterator[tuple[str, bytes]]:
    chance = random.Random(20)
    for wrong in WRONG:
        yield f"instead: {wrong[:20]!r}", wrong.encode()
    yield "utf-16", good.decode().encode("utf-16")
    yield "byte order mark", b"\xef\xbb\xbf" + good
    left = EACH - len(WRONG) - 2
    for number in range(left):
        start, end = sorted(chance.sample(range(len(good)), 2))
        match number % 5:
            case 0:
                yield f"cut at {start}", good[:start]
            case 1:
                yield f"zeros from {start}", good[:start] + bytes(len(good) - start)
            case 2:
                yield f"piece lost from {start}", good[:start] + good[end:]
            case 3:
                yield f"piece twice from {start}", good[:end] + good[start:]
            case _:
                mutant = bytearray(good)
                for _ in range(chance.randint(1, 4)):
                    mutant[chance.randrange(len(mutant))] = chance.randrange(256)
                yield f"bytes {number}", bytes(mutant)


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
def test_nothing_in_a_file_of_state_stops_the_start(tmp_path: Path, name: str) -> None:
    """Each mutant is read as itself if it is sound; else it is kept, the backup is read, and both are said."""
    file = BY_NAME[name]
    original = tmp_path / "good" / name
    for number in (1, 2):
        file.write(original, number)
    good, backup = original.read_bytes(), original.with_name(f"{name}.bak").read_bytes()
    damaged = tried = 0
    for number, (what, mutant) in enumerate(mutations(good)):
        path = tmp_path / str(number) / name
        path.parent.mkdir(mode=0o700)
        for place, content in ((path, mutant), (path.with_name(f"{name}.bak"), backup)):
            place.write_bytes(content)
            place.chmod(0o600)
        tried += 1
        found, notice = file.read(path)
        if is_sound(mutant):
            assert path.read_bytes() == mutant, what
        else:
            kept = [copy.read_bytes() for copy in path.parent.glob(f"{name}.damaged-*")]
            damaged += 1
            assert kept == [mutant], what
            assert found == (2, 2), what
            assert f"{name}.damaged-1" in notice, what
            assert file.read(path) == ((2, 2), ""), what
            file.write(path, 3)
            assert file.read(path) == ((3, 3), ""), what
    assert tried == EACH
    assert damaged > 0.6 * EACH


def refuse(name: str) -> None:
    raise ValueError(name)


def is_sound(mutant: bytes) -> bool:
    """Whether it is a document of this version, or of a later one, however odd its values are."""
    try:
        found = json.loads(mutant.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError):
        return False
    version = found.get("version") if isinstance(found, dict) else None
    return type(version) is int and version >= 1


def test_a_kill_in_the_middle_of_saving_leaves_the_old_or_the_new() -> None:
    found = kill_often(10)
    assert set(found) <= {"old", "new"}, found
    assert found.total() == 10


FULL = """
import resource, signal, sys
from pathlib import Path
from dynodesk.store.paths import FileNotWritten
from tests.store.state import BY_NAME
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
for name, file in BY_NAME.items():
    try:
        file.write(Path(sys.argv[1]) / name, 2)
    except FileNotWritten as fault:
        print(name, fault.written, bool(fault.hint))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is POSIX's")
def test_on_a_full_disk_what_was_kept_stays(tmp_path: Path) -> None:
    for file in FILES:
        file.write(tmp_path / file.name, 1)
    told = subprocess.check_output([sys.executable, "-c", FULL, tmp_path], text=True)
    assert told.splitlines() == [f"{file.name} nothing True" for file in FILES]
    for file in FILES:
        assert file.read(tmp_path / file.name) == ((1, 1), "")
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("name", BY_NAME)
def test_a_newer_version_s_file_is_read_and_never_written(tmp_path: Path, name: str) -> None:
    file, path = BY_NAME[name], tmp_path / name
    file.write(path, 1)
    newer = json.dumps(json.loads(path.read_bytes()) | {"version": 99}).encode()
    path.write_bytes(newer)
    assert "newer version" in file.read(path)[1]
    with pytest.raises(FileNotWritten, match="newer version"):
        file.write(path, 2)
    assert path.read_bytes() == newer


@pytest.mark.parametrize("name", BY_NAME)
def test_two_programs_that_save_at_once_leave_a_whole_file(tmp_path: Path, name: str) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.store.state import BY_NAME\n"
        "for number in range(10): BY_NAME[sys.argv[1]].write(Path(sys.argv[2]), number)\n"
    )
    path = tmp_path / name
    programs = [subprocess.Popen([sys.executable, "-c", script, name, str(path)]) for _ in range(2)]
    assert [program.wait(60) for program in programs] == [0, 0]
    numbers, notice = BY_NAME[name].read(path)
    assert notice == ""
    assert numbers == (9, 9)
