"""What holds for every test: nothing of the user's is touched, cheap tests run first, nothing is left behind."""

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings
from PySide6.QtCore import QCoreApplication, QEvent

from dynodesk.domain.redaction import redaction
from dynodesk.sandbox.process import Sandbox
from tests.helpers import leftovers
from tests.helpers import ministack as ministack_server

# A test neither reads nor writes the user's files, credentials or keyring. This runs before any test module, and
# so before any module of the program, is imported.
HOME = tempfile.mkdtemp(prefix="dynodesk-tests-")
USERS_OWN = ("AWS_", "XDG_CONFIG", "XDG_DATA", "XDG_STATE", "XDG_CACHE", "PYTHON_KEYRING", "DBUS_SESSION_BUS_ADDRESS")
for variable in [name for name in os.environ if name.startswith(USERS_OWN)]:
    del os.environ[variable]
os.environ["HOME"] = HOME
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each of the many programs started here would compile the package anew
if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

settings.register_profile("dynodesk", deadline=None)  # how busy the machine is says nothing about the code
settings.register_profile("quick", deadline=None, max_examples=20)
settings.load_profile("dynodesk")

CHEAP_TO_DEAR = ("gui", "server", "slow")
SERVERS = {"ministack", "moto", "sandbox"}


def pytest_unconfigure() -> None:
    shutil.rmtree(HOME)


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    gc.disable()  # almost nothing of what is made now is garbage


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # modules and tests are there to the end: a collection need not go through them each time
    gc.enable()


@pytest.hookimpl(tryfirst=True)  # before `-m` selects by these markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & {"qtbot", "qapp", "qtmodeltester"}:
            item.add_marker("gui")
        # A server is asked for by a fixture of that name, or chosen by a parameter that is one.
        callspec = getattr(item, "callspec", None)
        fixtures |= {value for value in callspec.params.values() if isinstance(value, str)} if callspec else set()
        if fixtures & SERVERS:
            item.add_marker("server")
    items.sort(key=_cost)


def _cost(item: pytest.Item) -> int:
    return max((CHEAP_TO_DEAR.index(m.name) + 1 for m in item.iter_markers() if m.name in CHEAP_TO_DEAR), default=0)


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail the test that leaves a window, a thread or a process, rather than one that runs after it."""
    is_gui = request.node.get_closest_marker("gui") is not None
    if is_gui:
        request.getfixturevalue("qapp")
    windows = leftovers.windows()
    threads = leftovers.threads()
    processes = leftovers.processes()
    yield
    left = []
    for address, window in leftovers.windows().items():
        if address not in windows:
            left.append(f"window {type(window).__name__} {window.windowTitle() or window.objectName()!r}")
            window.close()
    if is_gui:
        # What a test gave up with deleteLater goes now: without a running event loop it would live to the end.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    left += leftovers.beyond(threads, leftovers.threads).values()
    running = leftovers.beyond(processes, leftovers.processes)
    leftovers.kill(running)
    left += running.values()
    if left:
        pytest.fail("left behind:\n" + "\n".join(left), pytrace=False)


@pytest.fixture(autouse=True)
def no_secrets_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets of tests look like ordinary words, and would be taken out of what the next test reads."""
    for known in ("_whole", "_pieces"):
        monkeypatch.setattr(redaction, known, set())


@pytest.fixture(scope="session")
def ministack() -> Iterator[str]:
    """The endpoint of a DynamoDB emulator that serves requests at the same time. Shared: name tables uniquely."""
    with ministack_server.running() as url:
        yield url


@pytest.fixture(scope="session")
def moto() -> Iterator[str]:
    """Shared, as ministack is: name tables uniquely."""
    with Sandbox.start(scale=0.01, timeout=60) as sandbox:
        yield sandbox.endpoint


@pytest.fixture(scope="session")
def sandbox() -> Iterator[str]:
    """The endpoint of a sandbox with its tables. Shared: only for tests that write nothing to it."""
    with Sandbox.start(timeout=60) as running:
        yield running.endpoint
