from __future__ import annotations

import stat
from pathlib import Path

import pytest

from dynodesk.domain.sign_in import ProcessQuestion
from dynodesk.store.programs import MOST, AllowedCommands

ONE, OTHER = ProcessQuestion("p", ("/bin/give", "secret")).digest, ProcessQuestion("p", ("/bin/give",)).digest


def test_what_was_allowed_is_known_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "config" / "programs.json"
    AllowedCommands(path).add(ONE)
    again = AllowedCommands(path)
    assert (again.holds(ONE), again.holds(OTHER)) == (True, False)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "secret" not in path.read_text()


def test_two_programs_share_the_file(tmp_path: Path) -> None:
    one, other = (AllowedCommands(tmp_path / "programs.json") for _ in range(2))
    one.add(ONE)
    other.add(OTHER)
    assert one.holds(OTHER)
    assert other.holds(ONE)


@pytest.mark.parametrize(
    "text", ["", "{", '{"version": 1, "digests": {"a": 1}}', '{"version": 1, "digests": [7, "x"]}']
)
def test_a_damaged_file_allows_nothing_and_can_be_added_to(tmp_path: Path, text: str) -> None:
    path = tmp_path / "programs.json"
    path.write_text(text)
    allowed = AllowedCommands(path)
    assert not allowed.holds(ONE)
    allowed.add(ONE)
    assert AllowedCommands(path).holds(ONE)


def test_without_a_place_to_write_it_holds_for_this_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "programs.json"
    allowed = AllowedCommands(path)
    allowed.add(ONE)
    assert allowed.holds(ONE)
    assert not AllowedCommands(path).holds(ONE)


def test_it_does_not_grow_without_end(tmp_path: Path) -> None:
    allowed = AllowedCommands(tmp_path / "programs.json")
    first = f"{0:064x}"
    (tmp_path / "programs.json").write_text(
        f'{{"version": 1, "digests": [{", ".join(chr(34) + f"{n:064x}" + chr(34) for n in range(MOST))}]}}'
    )
    assert allowed.holds(first)
    allowed.add(ONE)
    assert not allowed.holds(first)
    assert allowed.holds(f"{1:064x}")
