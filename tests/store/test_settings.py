"""Settings start the program whatever is in their file, and nothing that was saved is lost."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dynodesk.store.documents import LARGEST_FILE
from dynodesk.store.paths import FileNotWritten
from dynodesk.store.settings import Settings

GOOD: dict[str, object] = {
    "theme": "dark",
    "font_size": 11,
    "confirm": True,
    "zoom": 1.25,
    "recent": ["Social", "Статистика", 'a"b\\c\u2028'],
    "windows": {"main": {"x": 1, "y": -5}},
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where settings are that were saved and are good."""
    path = tmp_path / "config" / "settings.json"
    Settings(path).save(GOOD)
    return path


def damaged_copies(path: Path) -> list[Path]:
    return sorted(path.parent.glob("settings.json.damaged-*"))


def test_what_is_saved_is_loaded(path: Path) -> None:
    settings = Settings(path)
    assert settings.load() == GOOD
    assert settings.notice == ""
    assert json.loads(path.read_bytes())["version"] == 1


def test_without_a_file_they_start_empty_and_quiet(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "none" / "settings.json")
    assert settings.load() == {}
    assert settings.notice == ""
    assert list(tmp_path.iterdir()) == []


def test_a_value_is_given_only_in_its_type(path: Path) -> None:
    settings = Settings(path)
    settings.load()
    assert settings.get("theme", str, "light") == "dark"
    assert settings.get("theme", int, 7) == 7
    assert settings.get("confirm", bool, False) is True
    assert settings.get("confirm", int, 7) == 7
    assert settings.get("font_size", bool, False) is False
    assert settings.get("font_size", float, 0.5) == 0.5
    assert settings.get("absent", str, "light") == "light"
    assert settings.get("windows", dict, {}) == GOOD["windows"]


def test_what_is_handed_out_is_a_copy(path: Path) -> None:
    settings = Settings(path)
    settings.load().clear()
    assert settings.get("theme", str, "") == "dark"


def test_a_version_among_the_values_is_not_taken_for_the_files(path: Path) -> None:
    Settings(path).save({"version": 99, "theme": "light"})
    settings = Settings(path)
    assert settings.load() == GOOD | {"theme": "light"}
    assert settings.is_writable


# Damage


def mutations() -> list[tuple[str, bytes]]:
    good = (json.dumps({"version": 1} | GOOD, indent=2) + "\n").encode()
    chance = random.Random(20)
    found: list[tuple[str, bytes]] = []
    found += [(f"cut at {end}", good[:end]) for end in range(0, len(good) - 2, 2)]
    found += [(f"zeros from {start}", good[:start] + bytes(len(good) - start)) for start in range(0, len(good), 9)]
    for number in range(200):
        mutant = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            mutant[chance.randrange(len(mutant))] = chance.randrange(256)
        found.append((f"bytes {number}", bytes(mutant)))
    for number in range(60):
        start, end = sorted(chance.sample(range(len(good)), 2))
        found.append((f"piece lost {number}", good[:start] + good[end:]))
        found.append((f"piece twice {number}", good[:end] + good[start:]))
    wrong = ["[]", "5", "null", '"text"', "true", "{}", '{"theme": "dark"}', "", " ", "\n", "<html></html>"]
    wrong += [f'{{"version": {version}}}' for version in ('"1"', "true", "0", "-1", "1.0", "1e0", "null", "[]", "{}")]
    wrong += ['{"version": 1, "x": NaN}', '{"version": 1, "x": -Infinity}', '{"version": 1,}', "{'version': 1}"]
    wrong += ['{"version": 1, "x": ' + "9" * 5000 + "}", '{"version": 1, "x": "\\ud800"}', '{"version": 1} {}']
    wrong += ["[" * 100_000, '{"version": 1, "x": ' + "[" * 100_000, '{"x":' * 50_000]
    wrong += ['{"version": 1, "x": "' + "y" * LARGEST_FILE + '"}']
    found += [(text[:30], text.encode()) for text in wrong]
    found += [("utf-16", good.decode().encode("utf-16")), ("byte order mark", b"\xef\xbb\xbf" + good)]
    found += [("latin-1", '{"version": 1, "x": "é"}'.encode("latin-1")), ("program", b"\x7fELF" + bytes(1000))]
    found += [
        ("pickle", b"\x80\x04\x95cos\nsystem\n(S'true'\ntR."),
        ("utf-8 surrogate", b'{"version":1,"x":"\xed\xa0\x80"}'),
    ]
    return found


@pytest.mark.slow
def test_no_content_of_the_file_stops_the_start(tmp_path: Path) -> None:
    """Each mutant starts the program: as itself if it is sound, else with the backup, and then it is kept."""
    tried = damaged = 0
    for number, (name, mutant) in enumerate(mutations()):
        path = tmp_path / str(number) / "settings.json"
        path.parent.mkdir()
        path.write_bytes(mutant)
        path.chmod(0o600)
        path.with_name("settings.json.bak").write_text(json.dumps({"version": 1} | GOOD))
        settings = Settings(path)
        found = settings.load()
        tried += 1
        if copies := damaged_copies(path):
            damaged += 1
            assert [copy.read_bytes() for copy in copies] == [mutant], name
            assert found == GOOD, name
            assert copies[0].name in settings.notice, name
            again = Settings(path)
            assert again.load() == GOOD, name
            assert again.notice == "", name
        else:
            assert mutant.startswith(b"{"), name
            assert path.read_bytes() == mutant, name
        if settings.is_writable:
            settings.save({"theme": "light"})
            assert Settings(path).load()["theme"] == "light", name
        else:
            assert json.loads(mutant)["version"] > 1, name
            assert path.read_bytes() == mutant, name
    assert tried > 500
    assert damaged > 400


def test_damage_without_a_backup_starts_empty_and_says_so(path: Path) -> None:
    path.with_name("settings.json.bak").unlink()
    path.write_bytes(b"{")
    settings = Settings(path)
    assert settings.load() == {}
    assert "start empty" in settings.notice


def test_damage_of_both_starts_empty(path: Path) -> None:
    path.write_bytes(b"{")
    path.with_name("settings.json.bak").write_bytes(bytes(300))
    settings = Settings(path)
    assert settings.load() == {}
    assert "start empty" in settings.notice
    settings.save(GOOD)
    assert Settings(path).load() == GOOD


def test_what_was_damaged_is_told_however_often_the_file_is_read_afterwards(path: Path) -> None:
    path.write_bytes(b"{")
    settings = Settings(path)
    settings.load()
    settings.save(settings.load() | {"theme": "light"})
    settings.load()
    assert "settings.json.damaged-1" in settings.notice


def test_every_damaged_file_is_kept(path: Path) -> None:
    for number in range(1, 12):
        path.write_bytes(b"{" * number)
        Settings(path).load()
        assert path.with_name(f"settings.json.damaged-{number}").read_bytes() == b"{" * number


def test_a_file_that_went_missing_is_read_from_the_backup(path: Path) -> None:
    path.unlink()
    settings = Settings(path)
    assert settings.load() == GOOD
    assert "missing" in settings.notice


def test_damage_found_when_saving_is_kept_too(path: Path) -> None:
    settings = Settings(path)
    values = settings.load()
    path.write_bytes(b"half")
    settings.save(values | {"theme": "light"})
    assert Settings(path).load() == GOOD | {"theme": "light"}
    assert damaged_copies(path)[0].read_bytes() == b"half"


def test_a_newer_version_is_read_and_never_written(path: Path) -> None:
    newer = json.dumps({"version": 2, "theme": "dark", "shape": "round"}).encode()
    path.write_bytes(newer)
    settings = Settings(path)
    assert settings.load() == {"theme": "dark", "shape": "round"}
    assert "newer version" in settings.notice
    assert not settings.is_writable
    with pytest.raises(FileNotWritten, match="newer version"):
        settings.save({"theme": "light"})
    assert path.read_bytes() == newer
    assert settings.get("theme", str, "") == "light"


def test_a_newer_backup_is_not_written_over(path: Path) -> None:
    path.write_bytes(b"half")
    newer = json.dumps({"version": 2, "theme": "blue"}).encode()
    path.with_name("settings.json.bak").write_bytes(newer)
    settings = Settings(path)
    assert settings.load() == {"theme": "blue"}
    with pytest.raises(FileNotWritten, match="newer version"):
        settings.save({"theme": "light"})
    assert path.with_name("settings.json.bak").read_bytes() == newer


@pytest.mark.skipif(os.name != "posix", reason="links, pipes and permission bits are POSIX's")
class TestThingsThatAreNoPlainFile:
    def test_a_link_is_read_and_not_written(self, path: Path, tmp_path: Path) -> None:
        elsewhere = tmp_path / "dotfiles.json"
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
        before = elsewhere.read_bytes()
        settings = Settings(path)
        assert settings.load() == GOOD
        assert "symbolic link" in settings.notice
        with pytest.raises(FileNotWritten, match="symbolic link"):
            settings.save({})
        assert elsewhere.read_bytes() == before
        assert path.is_symlink()

    @pytest.mark.parametrize("loop", [True, False])
    def test_a_link_to_nowhere_starts_with_the_backup(self, path: Path, loop: bool) -> None:
        path.unlink()
        path.symlink_to(path if loop else path.with_name("gone"))
        settings = Settings(path)
        assert settings.load() == GOOD
        assert settings.notice
        with pytest.raises(FileNotWritten):
            settings.save({})
        assert path.is_symlink()

    @pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
    def test_others_are_set_aside(self, path: Path, make: Callable[[Path], None]) -> None:
        path.unlink()
        make(path)
        settings = Settings(path)
        assert settings.load() == GOOD
        assert "not a plain file" in settings.notice
        settings.save(GOOD | {"theme": "light"})
        assert Settings(path).load()["theme"] == "light"

    def test_what_everybody_can_change_is_not_believed(self, path: Path) -> None:
        path.write_text('{"version": 1, "theme": "planted"}')
        path.chmod(0o666)
        settings = Settings(path)
        assert settings.load() == GOOD
        assert "every user" in settings.notice

    def test_what_belongs_to_another_user_is_not_written(self, path: Path) -> None:
        if os.geteuid() != 0:
            pytest.skip("only root can give a file away")
        os.chown(path, 65534, 65534)
        settings = Settings(path)
        assert settings.load() == GOOD
        assert "another user" in settings.notice
        with pytest.raises(FileNotWritten, match="another user"):
            settings.save({})

    def test_what_may_not_be_read_does_not_stop_the_start(self, path: Path) -> None:
        path.chmod(0)
        script = (
            "import os, sys; from pathlib import Path\n"
            "from dynodesk.store.settings import Settings\n"
            "path = Path(sys.argv[1])\n"
            "if os.geteuid() == 0:\n"  # which may read everything
            "    os.chroot(path.parent); path = Path('/settings.json'); os.seteuid(65534)\n"
            "settings = Settings(path); settings.load(); print(settings.is_writable, settings.notice)\n"
        )
        path.parent.chmod(0o755)
        told = subprocess.check_output([sys.executable, "-c", script, path], text=True)
        assert told.startswith("False")
        assert "could not be read: Permission denied" in told


def test_where_nothing_can_be_written_they_hold_for_the_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: object, target: object) -> None:
        raise OSError(30, "Read-only file system")

    settings = Settings(path)
    settings.load()
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(FileNotWritten, match="Read-only file system"):
            settings.save(GOOD | {"theme": "light"})
    assert settings.get("theme", str, "") == "light"
    assert Settings(path).load() == GOOD
    settings.save(GOOD | {"theme": "light", "zoom": 2.0})
    assert Settings(path).load() == GOOD | {"theme": "light", "zoom": 2.0}


def test_if_only_the_backup_fails_that_is_said(path: Path) -> None:
    backup = path.with_name("settings.json.bak")
    backup.unlink()
    backup.mkdir()
    with pytest.raises(FileNotWritten, match="not their backup") as caught:
        Settings(path).save({"theme": "light"})
    assert caught.value.written == "applied"
    assert Settings(path).load()["theme"] == "light"


def test_more_than_can_be_read_back_is_not_written(path: Path) -> None:
    with pytest.raises(FileNotWritten, match="take more than"):
        Settings(path).save({"x": "y" * LARGEST_FILE})
    assert Settings(path).load() == GOOD


# Two programs


def test_values_of_other_types_than_ours_are_damage(path: Path) -> None:
    settings = Settings(path, shape={"theme": str, "recent": list})
    assert settings.load() == GOOD
    path.write_text('{"version": 1, "theme": "light", "recent": {"a": 1}}', encoding="utf-8")
    assert settings.load() == GOOD
    assert 'holds something else than expected under "recent"' in settings.notice
    assert [json.loads(copy.read_text(encoding="utf-8"))["theme"] for copy in damaged_copies(path)] == ["light"]


def test_a_file_of_nothing_but_brackets_is_damage_and_is_not_written(path: Path) -> None:
    settings = Settings(path, largest=1000)
    path.write_text(
        '{"version": 1, "recent": [[], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], []]}'
    )
    assert settings.load() == GOOD
    assert "has more parts than this program ever writes" in settings.notice
    assert len(damaged_copies(path)) == 1
    with pytest.raises(FileNotWritten, match="too many parts"):
        settings.save({"recent": [[] for _ in range(20)]})
    assert Settings(path).load() == GOOD


def test_two_programs_keep_each_others_settings(path: Path) -> None:
    first, second = Settings(path), Settings(path)
    of_first, of_second = first.load(), second.load()
    first.save(of_first | {"theme": "light", "first": 1})
    del of_second["zoom"]
    second.save(of_second | {"second": 2})
    wanted = GOOD | {"theme": "light", "first": 1, "second": 2}
    del wanted["zoom"]
    assert Settings(path).load() == wanted
    assert second.get("first", int, 0) == 1


SAVING = """
import sys
from pathlib import Path
from dynodesk.store.settings import Settings
settings = Settings(Path(sys.argv[1]))
values = settings.load()
print("ready", flush=True)
for number in range(int(sys.argv[3])):
    settings.save(values | {sys.argv[2]: number, sys.argv[2] + " text": str(number % 10) * int(sys.argv[4])})
"""


def test_two_programs_that_save_at_once_lose_nothing(path: Path) -> None:
    programs = [
        subprocess.Popen([sys.executable, "-c", SAVING, path, name, "25", "100"], stdout=subprocess.PIPE)
        for name in ("left", "right")
    ]
    for program in programs:
        program.communicate()
        assert program.returncode == 0
    found = Settings(path).load()
    assert (found["left"], found["right"]) == (24, 24)
    assert found | GOOD == found
