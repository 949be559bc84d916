"""The script that sets up a checkout: what it installs, when it does so again, and what it says when it cannot."""

import ast
import importlib.util
import os
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "packaging" / "run.py"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script as a module, at work in an empty folder."""
    spec = importlib.util.spec_from_file_location("packaging_run", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


# Before anything is set up


def test_an_old_python_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 8, 10))
    with pytest.raises(SystemExit, match=r"^dynodesk needs Python 3\.11 or newer; this is Python 3\.8$"):
        runpy.run_path(str(SCRIPT), run_name="__main__")


def test_an_old_python_can_read_the_script() -> None:
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 7))


@pytest.mark.parametrize("arguments", [[], ["demonstrate"], ["demo", "--port"]])
def test_a_wrong_command_shows_the_right_ones(arguments: list[str]) -> None:
    ran = subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "packaging/run.py demo" in ran.stderr


# System packages


LISTING = """\
installed\tlibgl1\t
installed\tlibglib2.0-0t64\tlibglib2.0-0 (= 2.80.0-6), libglib2.0-bin-data
config-files\txvfb\t
"""


def test_a_package_is_there_under_its_own_name_or_a_provided_one(run: ModuleType) -> None:
    wanted = ["libgl1", "libglib2.0-0", "libglib2.0-bin-data", "xvfb", "xauth"]
    assert run.missing_packages(wanted, LISTING) == ["xvfb", "xauth"]


@pytest.fixture
def debian(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Stand-ins for Debian's tools on the path; the file that holds what apt-get was asked for."""
    if os.name == "nt":
        pytest.skip("the stand-ins are shell scripts")
    tools = tmp_path / "tools"
    tools.mkdir()
    asked = tmp_path / "asked"
    listing = tmp_path / "listing"
    listing.write_text(LISTING, encoding="utf-8")
    for name, script in {
        "dpkg-query": f"cat '{listing}'",
        # As on a new machine: nothing can be installed until the lists are there.
        "apt-get": f"echo \"$@\" >> '{asked}'; [ $1 = update ] || grep -q ^update '{asked}' || exit 100",
    }.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tools / name).chmod(0o700)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    return asked


def test_without_the_right_to_install_the_line_to_run_is_shown(
    run: ModuleType, debian: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(run.SetUpError, match=r"sudo apt-get install -y --no-install-recommends xvfb$"):
        run.install_system_packages(["libgl1", "xvfb"])
    assert not debian.exists()


def test_missing_packages_are_installed_and_the_lists_fetched_if_need_be(
    run: ModuleType, debian: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    run.install_system_packages(["libgl1", "xvfb"])
    asked = [line.split() for line in debian.read_text(encoding="utf-8").splitlines()]
    assert [words[0] for words in asked] == ["install", "update", "install"]
    assert asked[2][-1] == "xvfb"
    assert "libgl1" not in asked[2]


def test_nothing_is_installed_where_nothing_is_missing(run: ModuleType, debian: Path) -> None:
    run.install_system_packages(["libgl1"])
    assert not debian.exists()


# The environment


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A package to install, complete but for any content."""
    file = tmp_path / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    return file


@pytest.mark.slow
def test_an_environment_is_made_again_after_a_failure_and_then_no_more(
    run: ModuleType, wheel: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    environment = tmp_path / "environment"
    stale = environment / "stale"

    nowhere = ["--no-index", "--retries=0", "-f", "http://me:secret@127.0.0.1:9/", "tiny==1.0"]
    with pytest.raises(run.SetUpError, match=r"No matching distribution found for tiny==1\.0") as failure:
        run.make_environment(environment, nowhere, "")
    assert "secret" not in str(failure.value)
    assert "127.0.0.1" not in str(failure.value)

    stale.touch()
    Path(run.tool("pip", environment)).unlink()  # not whole, as when it was interrupted
    capfd.readouterr()
    run.make_environment(environment, ["--no-index", str(wheel)], "")
    assert "making environment" in capfd.readouterr().err
    assert not stale.exists()
    assert subprocess.run([run.tool("python", environment), "-c", "import tiny"], check=False).returncode == 0

    stale.touch()
    run.make_environment(environment, ["--no-index", str(wheel)], "")
    assert stale.exists()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("interrupted", [False, True])
def test_an_environment_of_other_contents_or_without_its_stamp_is_made_again(
    run: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interrupted: bool
) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(run, "output", lambda command, failure: ran.append(command))  # seconds each
    environment = tmp_path / "environment"
    environment.mkdir()
    making = [[sys.executable, "-m", "venv", "--clear", str(environment)]]

    run.make_environment(environment, ["tiny"], "first")
    run.make_environment(environment, ["tiny"], "first")
    assert ran[::2] == making
    if interrupted:
        (environment / "set-up-is-complete").unlink()
    run.make_environment(environment, ["tiny"], "first" if interrupted else "second")
    assert ran[::2] == making * 2


def test_only_what_pip_acts_on_asks_for_a_new_environment(run: ModuleType, tmp_path: Path) -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tmp_path / "pyproject.toml"
    project.write_text(text, encoding="utf-8")
    before = run.what_is_installed()
    project.write_text(text.replace("line-length = ", "line-length = 1"), encoding="utf-8")
    assert run.what_is_installed() == before
    project.write_text(text.replace("boto3>=", "boto3>=1."), encoding="utf-8")
    assert run.what_is_installed() != before


# What was run


def test_the_status_of_what_was_run_is_ours(run: ModuleType) -> None:
    assert run.run([sys.executable, "-c", "raise SystemExit(7)"]) == 7


@pytest.mark.skipif(os.name == "nt", reason="there are no signals")
def test_a_signal_gives_the_status_a_shell_gives(run: ModuleType) -> None:
    assert run.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 15)"]) == 128 + 15


def test_all_steps_run_and_the_first_failure_counts(
    run: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def step(number: int, status: int) -> list[str]:
        return [sys.executable, "-c", f"open('{number}', 'w').close(); raise SystemExit({status})"]

    assert run.run_each([step(1, 0), step(2, 3), step(3, 4)]) == 3
    assert all((tmp_path / number).exists() for number in "123")
    summary = capfd.readouterr().err.partition("dynodesk: done")[2]
    assert [line.split()[0] for line in summary.split("\n") if line] == ["ok", "FAILED", "FAILED"]


@pytest.mark.parametrize(
    ("program", "status", "said"),
    [
        ("import sys; assert sys.argv[1:] == ['demo', '--check']", 0, "check passed"),
        ("raise SystemExit(5)", 5, "check failed: the demo ended with status 5"),
        ("import time; time.sleep(60)", 1, "check failed: the demo did not open, load and close within 1 seconds"),
    ],
)
def test_check_tells_how_the_demo_ended(
    run: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    program: str,
    status: int,
    said: str,
) -> None:
    (tmp_path / "dynodesk").mkdir()
    (tmp_path / "dynodesk" / "__main__.py").write_text(program, encoding="utf-8")
    monkeypatch.setattr(run, "set_up", lambda packages: None)
    monkeypatch.setattr(run, "tool", lambda name: sys.executable)
    monkeypatch.setattr(run, "CHECK_SECONDS", 1 if status == 1 else 30)
    assert run.check() == status
    assert said in capfd.readouterr().err
