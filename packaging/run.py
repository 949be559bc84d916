"""Sets up this checkout of dynodesk, then runs it or its tests. It needs Python 3.11 or newer and nothing else.

python3 packaging/run.py demo           the program, on its sandbox
python3 packaging/run.py check          opens the demo off screen, loads the sandbox, closes it again
python3 packaging/run.py test [ARGS]    lint, types, import contracts and all tests; with ARGS: pytest ARGS alone
python3 packaging/run.py quick          the developer's check: lint, types, import contracts, tests without a window

The first run makes a virtual environment in the checkout and takes a minute or two; later runs start at once.
Exit status: that of what was run; 2 when the set-up cannot go on, after one message that says what to do.
"""

import sys

# Before the other imports, and the whole file in syntax that Python 3.6 reads: an old Python must get this far.
if sys.version_info < (3, 11):
    sys.exit(f"dynodesk needs Python 3.11 or newer; this is Python {sys.version_info[0]}.{sys.version_info[1]}")

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
# ministack, the DynamoDB that tests of concurrency talk to, insists on a botocore of its own.
MINISTACK_ENVIRONMENT = ROOT / ".venv-ministack"
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
MINISTACK_CONSTRAINTS = ROOT / "packaging" / "constraints-ministack.txt"

# Debian's names for what Qt's wheels load from the system; Ubuntu and later Debians provide the same names.
QT_PACKAGES = [
    "libglib2.0-0",
    "libgl1",
    "libegl1",
    "libxkbcommon0",
    "libfontconfig1",
    "libdbus-1-3",
    "fonts-dejavu-core",
]
SCREEN_PACKAGES = [
    "libxkbcommon-x11-0",
    "libxcb-cursor0",
    "libxcb-icccm4",
    "libxcb-keysyms1",
    "libxcb-shape0",
    "libwayland-cursor0",
]
TEST_PACKAGES = ["git", "xvfb", "xauth", "dbus-daemon", "gnome-keyring"]

# Two processes, each with servers of its own; the tests of a file share theirs, and so stay together.
IN_TWO = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
CHECK_SECONDS = 60
APT_INSTALL = ["apt-get", "install", "-y", "--no-install-recommends"]


class SetUpError(Exception):
    """The set-up cannot go on. The text tells the user why and what to do."""


def main(arguments: list[str]) -> int:
    command, extra = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command in ("-h", "--help"):
        print(__doc__)
        return 0
    try:
        if command == "test":
            return test(extra)
        if command in COMMANDS and not extra:
            return COMMANDS[command]()
    except SetUpError as problem:
        print(f"dynodesk: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(__doc__, file=sys.stderr)
    return 2


# The commands


def demo() -> int:
    set_up(QT_PACKAGES + SCREEN_PACKAGES)
    return run([tool("python"), "-m", "dynodesk", "demo"])


def check() -> int:
    set_up(QT_PACKAGES)
    try:
        with tempfile.TemporaryDirectory(prefix="dynodesk-check-") as home:  # the user's own settings stay as they are
            status = run(
                [tool("python"), "-m", "dynodesk", "demo", "--check"],
                environment={**os.environ, "QT_QPA_PLATFORM": "offscreen", "DYNODESK_HOME": home},
                seconds=CHECK_SECONDS,
            )
    except subprocess.TimeoutExpired:
        say(f"check failed: the demo did not open, load and close within {CHECK_SECONDS} seconds")
        return 1
    say("check passed" if status == 0 else f"check failed: the demo ended with status {status}")
    return status


def test(pytest_arguments: list[str]) -> int:
    set_up(QT_PACKAGES + SCREEN_PACKAGES + TEST_PACKAGES)
    make_environment(
        MINISTACK_ENVIRONMENT,
        ["-r", str(MINISTACK_CONSTRAINTS)],
        MINISTACK_CONSTRAINTS.read_text(encoding="utf-8"),
    )
    if pytest_arguments:
        return run([tool("pytest"), *pytest_arguments], environment=test_environment())
    return run_each([*static_checks(), [tool("pytest"), *IN_TWO]])


def quick() -> int:
    set_up(QT_PACKAGES)
    pure = ["-q", "-m", "not gui and not server and not slow", "--hypothesis-profile=quick"]
    return run_each([*static_checks(), [tool("pytest"), *IN_TWO, *pure]])


COMMANDS = {"demo": demo, "check": check, "quick": quick}


def static_checks() -> list[list[str]]:
    return [
        [tool("ruff"), "check", "."],
        [tool("ruff"), "format", "--check", "."],
        [tool("mypy"), "dynodesk", "tests", "packaging/run.py"],
        [tool("lint-imports")],
    ]


def run_each(commands: list[list[str]]) -> int:
    """Run all of them, also after a failure, so that one run shows everything. The first failure's status."""
    first_failure = 0
    outcomes = []
    for command in commands:
        name = " ".join([Path(command[0]).stem, *command[1:]])
        say(name)
        began = time.monotonic()
        status = run(command, environment=test_environment())
        outcomes.append(f"{'ok    ' if status == 0 else 'FAILED'} {time.monotonic() - began:6.1f} s  {name}")
        first_failure = first_failure or status
    say("\n".join(["done", *outcomes]))
    return first_failure


def test_environment() -> dict[str, str]:
    has_screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform == "linux" and not has_screen:
        return {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    return dict(os.environ)


# The set-up


def set_up(packages: list[str]) -> None:
    if sys.platform == "linux" and shutil.which("dpkg-query") and shutil.which("apt-get"):
        install_system_packages(packages)
    elif importlib.util.find_spec("ensurepip") is None:
        raise SetUpError("this Python cannot make virtual environments: install its venv and ensurepip modules")
    make_environment(
        ENVIRONMENT,
        ["-e", f"{ROOT}[dev]", "-c", str(CONSTRAINTS)],
        what_is_installed() + CONSTRAINTS.read_text(encoding="utf-8"),
    )
    if sys.platform == "linux" and not shutil.which("dpkg-query"):
        # Here the system's packages have other names; the loader's own words say which library is missing.
        output(
            [tool("python"), "-c", "import PySide6.QtWidgets"],
            "Qt does not load: install the library named here with your package manager",
        )


def install_system_packages(wanted: list[str]) -> None:
    if importlib.util.find_spec("ensurepip") is None:
        wanted = [f"python{sys.version_info[0]}.{sys.version_info[1]}-venv", *wanted]
    listing = ["dpkg-query", "-W", "-f", "${db:Status-Status}\t${Package}\t${Provides}\n"]
    missing = missing_packages(wanted, output(listing, "the list of installed packages cannot be read"))
    if not missing:
        return
    if os.geteuid() != 0:
        line = " ".join(["sudo", *APT_INSTALL, *missing])
        raise SetUpError(f"a few system packages are missing. Run this line, then try again:\n{line}")
    say("installing system packages: " + " ".join(missing))
    # Other installations may be at work on the same machine: wait for their lock rather than fail.
    install = [*APT_INSTALL, "-q", "-o", "DPkg::Lock::Timeout=300", *missing]
    try:
        output(install, "")
    except SetUpError:  # most often the package lists are missing or old
        output(["apt-get", "update", "-q"], "the package lists cannot be updated")
        output(install, "the system packages cannot be installed")


def missing_packages(wanted: list[str], listing: str) -> list[str]:
    """The wanted packages that are neither installed nor provided by an installed one (libglib2.0-0t64 is one)."""
    there = set()
    for line in listing.splitlines():
        state, name, provides = line.split("\t")
        if state == "installed":
            there.add(name)
            there.update(provided.split()[0] for provided in provides.split(",") if provided.strip())
    return [name for name in wanted if name not in there]


def what_is_installed() -> str:
    """The parts of pyproject.toml that pip acts on: a change of a linter's setting needs no new environment."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    return json.dumps([project["build-system"], project["project"], project["tool"]["setuptools"]])


def make_environment(directory: Path, pip_arguments: list[str], contents: str) -> None:
    """Make the virtual environment unless it is there, whole, and made from the same contents by this Python.

    Half an environment has no stamp, since the stamp is written last; it is cleared and made again.
    """
    made_from = [sys.version, sys.base_prefix, str(directory), *pip_arguments, contents]
    fingerprint = hashlib.sha256("\n".join(made_from).encode()).hexdigest()
    stamp = directory / "set-up-is-complete"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == fingerprint:
        return
    say(f"making {directory.name} and installing into it (once; about a minute)")
    output([sys.executable, "-m", "venv", "--clear", str(directory)], f"{directory.name} cannot be made")
    install = [tool("python", directory), "-m", "pip", "install", "--no-input", "--progress-bar=off", *pip_arguments]
    output(install, f"the packages for {directory.name} cannot be installed")
    stamp.write_text(fingerprint, encoding="utf-8")


def tool(name: str, environment: Path = ENVIRONMENT) -> str:
    if os.name == "nt":
        return str(environment / "Scripts" / f"{name}.exe")
    return str(environment / "bin" / name)


def output(command: list[str], failure: str) -> str:
    """What the command prints, which is shown only when it fails. Raises SetUpError beginning with `failure`."""
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if ran.returncode != 0:
        raise SetUpError(f"{failure}:\n{essence(ran.stdout)}")
    return ran.stdout


def essence(printed: str) -> str:
    """The last lines without warnings, and without addresses: those may hold a private host or a password."""
    lines = [line[:400] for line in printed.splitlines() if line.strip() and "WARNING" not in line]
    return re.sub(r"\b[a-z]+://\S+", "(address)", "\n".join(lines[-25:]))


def run(command: list[str], environment: dict[str, str] | None = None, seconds: float | None = None) -> int:
    """Run it in the foreground; its exit status, in the shell's form where a signal ended it."""
    status = subprocess.call(command, cwd=ROOT, env=environment, timeout=seconds)
    return status if status >= 0 else 128 - status


def say(text: str) -> None:
    print(f"dynodesk: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
