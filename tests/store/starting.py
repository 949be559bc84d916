"""The program started on damaged state: `python -m tests.store.starting --mutations 500 --seed 1`.

Each start gets a folder of state of its own with one thing in it that is not as it was written, and shows its window
(without a screen) and reads everything that it keeps. Most starts are copies of one program that has loaded its
modules and nothing else; as many as `--processes` says are programs of their own, from the first instruction on.
Printed is one line of JSON. The program is root's where root starts it: permissions hinder it then in nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import stat
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from unittest.mock import patch

from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from tests.store.mutations import DAMAGES, PLACINGS, WRONG, Placing, is_sound, newer, odd_value, twice_each
from tests.store.state import BY_NAME, FILES, GROWING, HASHES, REPORT, StateFile

if TYPE_CHECKING:
    from dynodesk.ui.main_window import MainWindow
    from dynodesk.wiring import Connections
    from tests.ui.walking import Steps

BOUND = 3.0
"""Seconds that a start may take."""
FEW = 100
"""Fewer mutations than this go without files of 50 MB, which take longer than all else."""
PATIENCE = 120
"""Seconds after which a start is given up."""
SHOP = Profile("0123456789abcdef", "shop", "aws", "profile", "prod", region="eu-west-1")
PLACE = "https://dynamodb.eu-west-1.amazonaws.com eu-west-1"
BESIDE = (
    *("config/settings.json.bak", "config/settings.json.lock", "config/connections.json.lock", "state/tabs.json.lock"),
    *("data/journal/journal.head", "data/journal/journal.lock", "data/history/history.lock"),
    *("state/dynodesk.log", "state/log.salt", "state/runs/1-abcdef01.run", "state/runs/1-abcdef01.lock"),
)
"""Files that others lean on."""
TABS: dict[str, object] = {
    "tabs": [
        {
            "kind": kind,
            "connection": SHOP.id,
            "table": "Social",
            "index": None,
            "file": "",
            "title": f"Social {kind}",
            "state": {"text": "SELECT 1", "filters": [{"name": "PK", "value": "x"}], "widths": [100, 200]},
        }
        for kind in ("table", "sql", "partiql", "compose", "reconcile")
    ],
    "current": 1,
}
SETTINGS: dict[str, object] = {
    "scheme": "dark",
    "walk": True,
    "panels": [216, 884, 340],
    "window": "AdnQywADAAAAAAAAAAAAAAAABZ8AAAODAAAAAAAAAAAAAAWfAAADgwAAAAAAAAAABaAAAAAAAAAAAAAABZ8AAAOD",
    "columns": {f"{SHOP.id}/Social": {"order": ["PK", "SK"], "hidden": ["ttl"], "widths": {"PK": 120}}},
    "entity types": {f"{SHOP.id}/Social": [{"name": "Post", "pattern": "POST#"}]},
}


@dataclass
class Began:
    """What one start came to."""

    what: str
    painted: float = 0.0
    """Seconds from the beginning to the first paint."""
    ready: float = 0.0
    """Seconds to the end of reading settings, connections and tabs."""
    said: list[str] = field(default_factory=list)
    wrong: str = ""
    """How it ended, where that was not as it should."""
    outcome: str = ""


# ------------------------------------------------------------------------------------------- within the program


def inside(began: float) -> int:
    """Start the program, read all that it keeps, say what was said as one line of JSON, and close it."""
    from dynodesk import gui  # noqa: PLC0415  (the process that makes the mutations does not need it)
    from dynodesk.store.log import Log  # noqa: PLC0415
    from dynodesk.store.paths import folders  # noqa: PLC0415
    from dynodesk.ui.main_window import MainWindow  # noqa: PLC0415
    from dynodesk.wiring import Connections  # noqa: PLC0415
    from tests.helpers import driving  # noqa: PLC0415

    made: list[Connections] = []
    found: dict[str, Any] = {}

    class Kept(Connections):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    class Timed(MainWindow):
        def start(self) -> None:
            found["painted"] = time.time() - began
            self.session.begun.connect(lambda: found.setdefault("ready", time.time() - began))
            super().start()

    def script(window: MainWindow) -> Steps:
        yield lambda: "ready" in found and not window.status.jobs
        said = yield from _read_everything(window, made[0])
        while (message := window.messages.current) is not None:
            said.append(f"{message.kind}: {message.title}: {message.line}")
            window.messages.dismiss()
        print(json.dumps(found | {"said": said}), flush=True)  # noqa: T201  (read by who started it)

    log = Log(folders().state)
    with patch.object(gui, "Connections", Kept), patch.object(driving, "MainWindow", Timed):
        status = driving.run_program(script, open_sandbox=False)
    log.close()
    return status


def _read_everything(window: MainWindow, connections: Connections) -> Any:
    """What is read only later: staged edits, queries, earlier runs, the journal. Gives what is said of them."""
    from dynodesk.ui.query_shelf import QueryShelf  # noqa: PLC0415
    from dynodesk.ui.staging import Stagings  # noqa: PLC0415
    from dynodesk.wiring import open_journal, run_history  # noqa: PLC0415

    said: list[str] = []
    endpoint, region = PLACE.split()
    stagings = Stagings(connections.staged, window.runner)
    staging = stagings.of(cast(Any, SimpleNamespace(profile=SHOP, endpoint=endpoint, region=region, identity="")))
    shelf = QueryShelf(connections.queries(SHOP), window.runner, window)

    def work(_: Ticket) -> list[str]:
        return list(run_history().remember(REPORT, HASHES).notes)

    window.runner.start(work, title="Remember the run", done=said.extend)
    window.runner.start(lambda _: open_journal().records(), title="Read the journal", done=lambda _: None)
    read: list[str] = []
    # such jobs run one after the other: this one ends after the one that reads what is staged
    window.runner.start(lambda _: "staged", title="Wait", done=read.append, quiet=True)
    yield lambda: read and not window.status.jobs and not shelf.is_writing
    said.append(shelf.notice)
    staging.deleteLater()
    return said


# ------------------------------------------------------------------------------------------- from outside


def make_home(home: Path) -> dict[str, Path]:
    """State as it is after some use. Gives where each of the files is."""
    with patch.dict(os.environ, {"DYNODESK_HOME": str(home)}):
        from dynodesk.wiring import Connections  # noqa: PLC0415

        connections = Connections()
        staged = connections.staged(SHOP, PLACE)._document.path.name
        places = {name: home / file.folder / name for name, file in BY_NAME.items()}
        places["staged.json"] = home / "data/staged" / staged
        places["queries.json"] = connections.queries(SHOP).path
        for number in (1, 2):
            for name, file in BY_NAME.items():
                file.write(places[name], number)
            connections.save(SHOP)
            for settings, values in ((connections.settings, SETTINGS), (connections.tabs, TABS)):
                settings.load()
                settings.save(values | {"number": number})
    (home / "state/runs").mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in BESIDE:
        if not (home / name).exists():
            (home / name).write_bytes(b"x" * 32)
            (home / name).chmod(0o600)
    return {name: path.relative_to(home) for name, path in places.items()}


Change = Callable[[bytes, random.Random], bytes]


@dataclass(frozen=True)
class Mutation:
    what: str
    name: str
    """Of the file in `BY_NAME`, or below the folder of state."""
    placing: Placing | None = None
    content: Change | None = None

    def make(self, path: Path, chance: random.Random) -> None:
        if self.placing is not None:
            self.placing(path)
        elif self.content is not None:
            path.write_bytes(self.content(path.read_bytes(), chance))


def planned(count: int, chance: random.Random) -> list[Mutation]:
    """So many: everything that does not depend on chance once, where there is room, and damage by chance."""
    plan = [
        Mutation(f"{placing.__name__} in place of {name}", name, placing)
        for placing in PLACINGS
        for name in (*BY_NAME, *BESIDE)
        if count >= FEW or "huge" not in placing.__name__
    ]
    for name in BY_NAME:
        changes = [*(_instead(wrong) for wrong in WRONG), *([newer, twice_each] if BY_NAME[name] in FILES else [])]
        plan += [Mutation(f"{change.__name__} in {name}", name, content=change) for change in changes]
    chance.shuffle(plan)
    plan = plan[: count * 2 // 3]
    while len(plan) < count:
        name, change = chance.choice(list(BY_NAME)), chance.choice([*DAMAGES, *[odd_value] * 5])
        plan.append(Mutation(f"{change.__name__} in {name}", name, content=change))
    return plan


def _instead(wrong: str) -> Change:
    def change(_: bytes, __: random.Random) -> bytes:
        return wrong.encode()

    change.__name__ = repr(wrong[:20])
    return change


def start_copy(home: Path, errors: Path) -> tuple[int, str]:
    """In a copy of this program, which has loaded its modules and begun nothing."""
    out = home.with_name(f"{home.name}.out")
    if (child := os.fork()) == 0:
        status = 99
        try:
            for descriptor, path in ((1, out), (2, errors)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), descriptor)
            os.environ["DYNODESK_HOME"] = str(home)
            status = inside(time.time())
        except Exception:  # noqa: BLE001  (whatever it is, it is what is looked for)
            os.write(2, traceback.format_exc().encode())
        finally:
            sys.stdout.flush()
            os._exit(status)
    until = time.monotonic() + PATIENCE
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > until:
            os.kill(child, 9)
        time.sleep(0.02)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), out.read_text()


def start_process(home: Path, errors: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", "tests.store.starting", "--inside", str(time.time())]
    with errors.open("wb") as stderr:
        try:
            ended = subprocess.run(
                command,
                env={**os.environ, "DYNODESK_HOME": str(home)},
                stdout=subprocess.PIPE,
                stderr=stderr,
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return -9, ""
    return ended.returncode, ended.stdout.decode()


def start_one(home: Path, path: Path, mutation: Mutation, chance: random.Random, *, as_process: bool = False) -> Began:
    mutation.make(path, chance)
    before = _look(path)
    errors = home.with_name(f"{home.name}.errors")
    status, told = (start_process if as_process else start_copy)(home, errors)
    began = Began(mutation.what)
    if status or not told:
        began.wrong = f"ended with {status}"
    else:
        found = json.loads(told)
        began.painted, began.ready = found["painted"], found["ready"]
        began.said = [words for words in found["said"] if words]
        if faults := [words for words in began.said if words.startswith("fault")]:
            began.wrong = faults[0]
    if b"Traceback" in (output := errors.read_bytes()) or b"rror" in output:
        began.wrong += output.decode(errors="replace")[-600:]
    if (file := BY_NAME.get(mutation.name)) is not None:
        began.outcome = _outcome(file, path, before, began.said)
        if began.outcome in {"lost", "not said"}:
            began.wrong += f" {began.outcome}: {began.said}"
    return began


Look = tuple[int, bytes]
"""What it is, and what it holds where that can be read without waiting."""


def _look(path: Path) -> Look:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return 0, b""
    content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
    return stat.S_IFMT(status.st_mode), content


def _outcome(file: StateFile, path: Path, before: Look, said: list[str]) -> str:
    """ "kept" beside or "left" where it is, both said; "sound": read as it is; else what is wrong."""
    copies = list(path.parent.glob(f"{path.name}.damaged-*")) + list(path.parent.glob(f"{path.name}.torn-*"))
    was_said = any(path.name in words or f"{file.title} " in words for words in said)
    if any(_look(copy) == before for copy in copies):
        return "kept" if was_said else "not said"
    if file in GROWING and before[0] == stat.S_IFLNK and path.is_file() and _look(path) == before:
        return "sound"  # is read; whoever adds to it is told
    if file in GROWING and before[0] == stat.S_IFREG:
        there = b"\n".join(_look(other)[1] for other in (path, *copies))
        if any(line not in there for line in before[1].split(b"\n")):
            return "lost"
        return "sound" if not was_said and not copies else "kept" if copies else "left"
    if before[0] == stat.S_IFREG and is_sound(before[1]):
        return "sound"
    if _look(path) == before:
        return "left" if was_said else "not said"
    return "lost"


def start_all(mutations: int, seed: int, processes: int) -> dict[str, object]:
    _load()
    chance = random.Random(seed)
    starts: list[Began] = []
    own: list[Began] = []
    apart = set(chance.sample(range(mutations), min(processes, mutations)))
    with tempfile.TemporaryDirectory(prefix="dynodesk-") as folder:
        good = Path(folder) / "good"
        files = make_home(good)
        for number, mutation in enumerate(planned(mutations, chance)):
            home = Path(folder) / "home"
            shutil.copytree(good, home)
            as_process = number in apart
            path = home / files.get(mutation.name, Path(mutation.name))
            began = start_one(home, path, mutation, chance, as_process=as_process)
            (own if as_process else starts).append(began)
            shutil.rmtree(home)
    everything = starts + own
    outcomes = Counter(began.outcome for began in everything if began.outcome)
    return {
        "mutations": mutations,
        "seed": seed,
        "as_root": os.geteuid() == 0,
        "copies": _seconds(starts),
        "processes": _seconds(own),
        "outcomes": dict(outcomes),
        "said_in_window": sum(1 for began in everything if began.outcome in {"kept", "left"}),
        "slower_than_bound": sorted(
            f"{began.what}: {began.ready:.1f} s" for began in everything if began.ready > BOUND
        ),
        "wrong": [f"{began.what}: {began.wrong}" for began in everything if began.wrong],
    }


def _seconds(starts: list[Began]) -> dict[str, object]:
    through = [began for began in starts if began.ready]
    if not through:
        return {"starts": 0}
    return {
        "starts": len(through),
        "median_painted": round(statistics.median(began.painted for began in through), 2),
        "longest_painted": round(max(began.painted for began in through), 2),
        "median_ready": round(statistics.median(began.ready for began in through), 2),
        "longest_ready": round(max(began.ready for began in through), 2),
    }


def _load() -> None:
    """All modules that a start loads, so that its copies need not."""
    import dynodesk.gui  # noqa: PLC0415
    import tests.helpers.driving  # noqa: PLC0415, F401

    dynodesk.gui._load_pages(Ticket())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mutations", type=int, default=500)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--processes", type=int, default=40)
    options.add_argument("--inside", type=float, help=argparse.SUPPRESS)
    given = options.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    if given.inside is not None:
        sys.exit(inside(given.inside))
    print(json.dumps(start_all(given.mutations, given.seed, given.processes)))  # noqa: T201  (the figures are the output)


if __name__ == "__main__":
    main()
