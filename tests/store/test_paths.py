"""Folders of this user alone, and files that are whole or as they were."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynodesk.store.paths import FileNotWritten, folders, private_folder, write_private

posix_only = pytest.mark.skipif(os.name != "posix", reason="permission bits and links are POSIX's")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def someone_elses_folder() -> Iterator[Path]:
    """A folder that may be read and not written, seen as a user who is not root."""
    folder = Path(tempfile.mkdtemp())
    try:
        (folder / "settings.json").write_bytes(b"old")
        folder.chmod(0o555)
        if os.geteuid() == 0:
            os.seteuid(65534)
        yield folder
    finally:
        os.seteuid(os.getuid())
        folder.chmod(0o755)
        shutil.rmtree(folder)


class TestFolders:
    def test_one_variable_moves_them_all(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("DYNODESK_HOME", str(tmp_path / "stick"))
        found = folders()
        kept = {found.config, found.data, found.state, found.cache}
        assert len(kept) == 4
        assert {path.parent for path in kept} == {tmp_path / "stick"}
        assert not (tmp_path / "stick").exists()

    def test_a_relative_home_is_made_absolute(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("DYNODESK_HOME", "here")
        assert folders().config == tmp_path / "here" / "config"

    @pytest.mark.skipif(sys.platform != "linux", reason="these variables are of the XDG standard")
    def test_without_it_they_are_the_systems(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("DYNODESK_HOME", "")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
        assert folders().config == tmp_path / "c" / "dynodesk"
        assert folders().state == tmp_path / "s" / "dynodesk"

    @posix_only
    def test_made_for_this_user_alone(self, open_umask: None, tmp_path: Path) -> None:
        made = private_folder(tmp_path / "a" / "b" / "c")
        for folder in (made, made.parent, made.parent.parent):
            assert mode(folder) == 0o700

    @posix_only
    def test_closed_where_others_could_look(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o755)
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine").chmod(0o777)
        private_folder(tmp_path / "mine")
        assert mode(tmp_path / "mine") == 0o700
        assert mode(tmp_path) == 0o755

    def test_a_file_in_the_way_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(FileNotWritten, match="cannot be used") as caught:
            private_folder(tmp_path / "file" / "folder")
        assert "DYNODESK_HOME" in caught.value.hint


class TestWritePrivate:
    @posix_only
    def test_a_new_file_is_for_this_user_alone(self, open_umask: None, tmp_path: Path) -> None:
        write_private(tmp_path / "a", b"x")
        assert (tmp_path / "a").read_bytes() == b"x"
        assert mode(tmp_path / "a") == 0o600

    @posix_only
    def test_an_open_file_becomes_closed(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"old")
        (tmp_path / "a").chmod(0o666)
        write_private(tmp_path / "a", b"new")
        assert mode(tmp_path / "a") == 0o600

    def test_replaces_and_leaves_nothing_beside(self, tmp_path: Path) -> None:
        for data in (b"a" * 100_000, b"", b"b"):
            write_private(tmp_path / "a", data)
            assert (tmp_path / "a").read_bytes() == data
        assert names(tmp_path) == ["a"]

    @posix_only
    @pytest.mark.parametrize("target", ["file", "nothing"])
    def test_a_link_is_neither_followed_nor_replaced(self, tmp_path: Path, target: str) -> None:
        (tmp_path / "file").write_bytes(b"old")
        (tmp_path / "link").symlink_to(tmp_path / target)
        with pytest.raises(FileNotWritten, match="symbolic link"):
            write_private(tmp_path / "link", b"new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "file").read_bytes() == b"old"
        assert names(tmp_path) == ["file", "link"]

    def test_a_folder_in_the_way_is_left(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        with pytest.raises(FileNotWritten):
            write_private(tmp_path / "a", b"new")
        assert names(tmp_path) == ["a"]

    def test_a_missing_folder_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotWritten, match="could not be written"):
            write_private(tmp_path / "no" / "a", b"new")

    def test_if_the_disk_does_not_take_it_the_old_file_stays(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "a").write_bytes(b"old")

        def fail(descriptor: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(FileNotWritten, match="could not be written") as caught:
            write_private(tmp_path / "a", b"new")
        assert caught.value.written == "nothing"
        assert (tmp_path / "a").read_bytes() == b"old"
        assert names(tmp_path) == ["a"]

    @posix_only
    def test_on_a_full_disk_the_old_file_stays(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"old")
        script = (
            "import resource, signal, sys; from pathlib import Path\n"
            "from dynodesk.store.paths import FileNotWritten, write_private\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
            "try: write_private(Path(sys.argv[1]), bytes(100_000))\n"
            "except FileNotWritten as fault: print(fault.written, end='')\n"
        )
        told = subprocess.check_output([sys.executable, "-c", script, tmp_path / "a"], text=True)
        assert told == "nothing"
        assert (tmp_path / "a").read_bytes() == b"old"
        assert names(tmp_path) == ["a"]

    def test_if_the_change_of_name_is_not_confirmed_that_is_said(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if os.name != "posix":
            pytest.skip("folders are synced on POSIX only")
        fsync = os.fsync

        def fail_for_folders(code: int) -> None:
            def fail(descriptor: int) -> None:
                if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                    raise OSError(code, os.strerror(code))
                fsync(descriptor)

            monkeypatch.setattr(os, "fsync", fail)

        fail_for_folders(errno.EIO)
        with pytest.raises(FileNotWritten, match="did not confirm") as caught:
            write_private(tmp_path / "a", b"new")
        assert caught.value.written == "unknown"
        fail_for_folders(errno.EINVAL)  # network file systems that cannot
        write_private(tmp_path / "a", b"newer")
        assert (tmp_path / "a").read_bytes() == b"newer"

    def test_waits_for_a_scanner_that_holds_the_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "a").write_bytes(b"old")
        replace, refused = os.replace, [PermissionError(errno.EACCES, "held")] * 4

        def held_for_a_while(source: Path, target: Path) -> None:
            if refused:
                raise refused.pop()
            replace(source, target)

        monkeypatch.setattr(os, "replace", held_for_a_while)
        write_private(tmp_path / "a", b"new")
        assert (tmp_path / "a").read_bytes() == b"new"

    def test_gives_up_on_a_file_held_for_ever(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "a").write_bytes(b"old")
        tries = []

        def held(source: Path, target: Path) -> None:
            tries.append(source)
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        monkeypatch.setattr(os, "replace", held)
        with pytest.raises(FileNotWritten, match="Permission denied"):
            write_private(tmp_path / "a", b"new")
        assert len(tries) == 6
        assert (tmp_path / "a").read_bytes() == b"old"
        assert names(tmp_path) == ["a"]

    @posix_only
    def test_a_folder_without_permission_is_told(self, someone_elses_folder: Path) -> None:
        with pytest.raises(FileNotWritten, match="Permission denied") as caught:
            write_private(someone_elses_folder / "settings.json", b"new")
        assert "DYNODESK_HOME" in caught.value.hint
        assert (someone_elses_folder / "settings.json").read_bytes() == b"old"

    def test_what_a_killed_program_left_is_removed_once_it_is_old(self, tmp_path: Path) -> None:
        old, young, other = (tmp_path / name for name in (".a.x1.part", ".a.x2.part", ".b.x3.part"))
        for part in (old, young, other):
            part.touch()
        for part in (old, other):
            os.utime(part, (time.time() - 7200,) * 2)
        write_private(tmp_path / "a", b"new")
        assert names(tmp_path) == [".a.x2.part", ".b.x3.part", "a"]
