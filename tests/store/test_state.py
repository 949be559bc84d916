"""Whatever is on the disk of the program's own state: it starts, says so, and throws nothing away."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dynodesk.domain.errors import DynodeskError
from dynodesk.store.paths import FileNotWritten
from tests.store.killing import kill_often
from tests.store.mutations import DAMAGES, PLACINGS, Placing, is_sound, wrong_contents
from tests.store.starting import make_home, start_process
from tests.store.state import BY_NAME, FILES, GROWING, StateFile, kinds, strangers


def name_of(one: StateFile | Callable[..., object]) -> str:
    return one.name if isinstance(one, StateFile) else one.__name__.strip("_")


EACH = 100
"""Mutations of each file: of all eight, 800."""


def mutations(good: bytes) -> Iterator[tuple[str, bytes]]:
    chance = random.Random(20)
    wrong = list(wrong_contents(good))
    yield from wrong
    for number in range(EACH - len(wrong)):
        change = DAMAGES[number % len(DAMAGES)]
        yield f"{change.__name__} {number}", change(good, chance)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_nothing_in_a_file_of_state_stops_the_start(tmp_path: Path, file: StateFile) -> None:
    """Each mutant is read as itself if it is sound; else it is kept, the backup is read, and both are said."""
    name = file.name
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


@pytest.mark.slow
@pytest.mark.parametrize("file", GROWING, ids=name_of)
def test_nothing_in_a_file_that_grows_is_lost_or_raised(tmp_path: Path, file: StateFile) -> None:
    """Each line of a mutant stays in the file or beside it, also when more is added; what is not read is said."""
    original = tmp_path / "good" / file.name
    for number in (1, 2):
        file.write(original, number)
    said = 0
    for number, (what, mutant) in enumerate(mutations(original.read_bytes())):
        shutil.copytree(original.parent, folder := tmp_path / str(number))
        path = folder / file.name
        path.write_bytes(mutant)
        found, notice = file.read(path)
        said += bool(notice)
        assert notice or found in {(2, 2), (1, 1), None}, what
        with contextlib.suppress(DynodeskError):
            file.write(path, 3)
        there = [part.read_bytes() for part in folder.iterdir() if not part.name.endswith(".lock")]
        for line in mutant.split(b"\n"):
            assert any(line in part for part in there), what
    assert said > 0.6 * EACH


@pytest.mark.skipif(os.name != "posix", reason="links and pipes are POSIX's")
@pytest.mark.parametrize("placing", [placing for placing in PLACINGS if "huge" not in placing.__name__], ids=name_of)
@pytest.mark.parametrize("file", BY_NAME.values(), ids=name_of)
def test_what_is_no_file_is_neither_waited_for_nor_lost(tmp_path: Path, file: StateFile, placing: Placing) -> None:
    path = tmp_path / file.name
    for number in (1, 2):
        file.write(path, number)
    was_there = path.read_bytes()
    placing(path)
    kind = stat.S_IFMT(path.lstat().st_mode)
    found, notice = file.read(path)
    if file in GROWING:
        assert notice or (found == (2, 2) and path.read_bytes() == was_there)
    elif kind == stat.S_IFREG:  # as root reads it
        assert found == (2, 2)
    else:
        assert (found, bool(notice)) == ((2, 2), True)
    with contextlib.suppress(DynodeskError):
        file.write(path, 3)
    kinds_there = {stat.S_IFMT(other.lstat().st_mode) for other in tmp_path.iterdir()}
    assert kind in kinds_there


@pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX's")
def test_a_note_of_the_last_record_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    journal = BY_NAME["journal.jsonl"]
    path = tmp_path / journal.name
    journal.write(path, 1)
    for make in (Path.mkdir, os.mkfifo):
        head = path.with_name("journal.head")
        head.unlink()
        make(head)
        found, notice = journal.read(path)
        assert found is None
        assert "journal.head cannot be read" in notice
        with pytest.raises(FileNotWritten, match=r"journal\.head cannot be read"):
            journal.write(path, 2)
        head.rename(path.with_name(make.__name__))
        head.write_bytes(b"")


def test_a_kill_in_the_middle_of_saving_leaves_the_old_or_the_new() -> None:
    found = kill_often(10)
    assert set(found) <= {"old", "new"}, found
    assert found.total() == 10


FULL = """
import resource, signal, sys
from pathlib import Path
from dynodesk.domain.errors import DynodeskError
from dynodesk.store.paths import FileNotWritten
from tests.store.state import BY_NAME
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
for name, file in BY_NAME.items():
    try:
        file.write(Path(sys.argv[1]) / name, 2)
    except FileNotWritten as fault:
        print(name, fault.written, bool(fault.hint))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is POSIX's")
def test_on_a_full_disk_what_was_kept_stays(tmp_path: Path) -> None:
    for file in BY_NAME.values():
        file.write(tmp_path / file.name, 1)
    told = subprocess.check_output([sys.executable, "-c", FULL, tmp_path], text=True)
    assert told.splitlines() == [f"{name} nothing True" for name in BY_NAME]
    for file in BY_NAME.values():
        assert file.read(tmp_path / file.name) == ((1, 1), "")
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_newer_version_s_file_is_read_and_never_written(tmp_path: Path, file: StateFile) -> None:
    path = tmp_path / file.name
    file.write(path, 1)
    newer = json.dumps(json.loads(path.read_bytes()) | {"version": 99}).encode()
    path.write_bytes(newer)
    assert "newer version" in file.read(path)[1]
    with pytest.raises(FileNotWritten):
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


@pytest.mark.skipif(os.name != "posix", reason="a program makes no copies of itself elsewhere")
@pytest.mark.gui
@pytest.mark.slow
def test_the_program_starts_on_damaged_state_and_says_so() -> None:
    """A few of the starts that `python -m tests.store.starting` makes, which also says how long they take."""
    command = [sys.executable, "-m", "tests.store.starting", "--mutations", "12", "--seed", "5", "--processes", "1"]
    found = json.loads(subprocess.check_output(command, text=True, timeout=300))
    assert found["wrong"] == []
    assert found["said_in_window"] > 5


@pytest.mark.skipif(os.name != "posix", reason="the session of one's own is made for POSIX")
@pytest.mark.gui
@pytest.mark.slow
def test_every_file_of_a_session_is_in_the_tables(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_home(home)
    assert start_process(home, tmp_path / "errors")[0] == 0
    assert strangers(home) == []
    assert kinds(home) == set(BY_NAME)
    (home / "data/recipes").mkdir()
    (home / "data/recipes/first.json").write_text("{}")
    assert strangers(home) == ["data/recipes/first.json"]
