"""The database behind the SQL: one file or memory, locked down, one cursor for each run."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import duckdb

from dynodesk.domain.errors import WorkbenchFailed
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.workbench.faults import translated

MEMORY_LIMIT = "1GB"
SPILL_LIMIT = "20GB"

_LOCKED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
    "lock_configuration": "true",
}
"""As they must read once the database is open. `python_enable_replacements` counts for cursors only if set at open."""

INTERRUPT_EVERY = 0.05
"""Seconds. An interrupt that comes just before a query starts is forgotten by the engine, so it is repeated."""

CLOSING_WAITS = 0.5
"""Seconds for what still runs to heed an interrupt."""


class Abandoned(Cancelled):
    """The work was asked to stop and goes on in `thread`, which nobody waits for."""

    def __init__(self, thread: threading.Thread) -> None:
        super().__init__()
        self.thread = thread


class Bench:
    """An open database. Safe to use from any thread: each run has a cursor of its own.

    SQL on it reaches no file, no network, no extension and no variable of this program. What the engine leaves open is
    its own file and a private folder for what does not fit into memory: `statements` lets nothing through that writes
    there.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path | None, folder: Path) -> None:
        self._connection = connection
        self.path = path
        self._folder = folder
        self._cursors = threading.Condition()
        self._live: set[duckdb.DuckDBPyConnection] = set()
        self.results = folder / "results"
        """Where results lie: not in the folder that the engine may use."""
        self.results.mkdir()

    @classmethod
    def open(
        cls,
        path: Path | None = None,
        *,
        memory_limit: str = MEMORY_LIMIT,
        threads: int | None = None,
        spill_limit: str = SPILL_LIMIT,
        read_only: bool = False,
    ) -> Bench:
        """Open or create the database file; None: in memory. Raises `WorkbenchFailed`.

        `memory_limit` and `spill_limit` as in "512MB"; `threads` None: one for each core. With `read_only` nothing in
        the file changes, and others may read it too.
        """
        if read_only and path is not None and not path.is_file():
            raise WorkbenchFailed(f"There is no file {path}.", hint="`dynodesk load … --into FILE` makes one.")
        is_new = path is not None and not path.exists()
        folder = Path(tempfile.mkdtemp(prefix="dynodesk-"))
        spill = folder / "spill"
        spill.mkdir()
        try:
            connection = duckdb.connect(
                ":memory:" if path is None else str(path),
                read_only=read_only and path is not None,
                config={
                    "python_enable_replacements": "false",
                    "autoinstall_known_extensions": "false",
                    "autoload_known_extensions": "false",
                    "allow_community_extensions": "false",
                    "allow_persistent_secrets": "false",
                    "memory_limit": memory_limit,
                    "temp_directory": str(spill),
                    "max_temp_directory_size": spill_limit,
                    **({} if threads is None else {"threads": str(threads)}),
                },
            )
        except (duckdb.Error, OSError) as problem:
            shutil.rmtree(folder, ignore_errors=True)
            raise _cannot_open(path, problem) from None
        try:
            if path is not None and is_new:
                path.chmod(0o600)
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            _check_locked(connection, spill)
            return cls(connection, path, folder)
        except BaseException:
            connection.close()
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def close(self) -> None:
        """Ends what still runs, and removes the private folder. The engine stays while a run heeds no interrupt."""
        with self._cursors:
            for cursor in self._live:
                cursor.interrupt()
            if self._cursors.wait_for(lambda: not self._live, CLOSING_WAITS):
                self._close()
            else:
                threading.Thread(target=self._close_once_idle, name="sql end", daemon=True).start()
                # The program may be gone before that thread's turn comes. What still runs finds no place to write to.
                shutil.rmtree(self._folder, ignore_errors=True)

    def _close_once_idle(self) -> None:
        with self._cursors:
            self._cursors.wait_for(lambda: not self._live)
            self._close()

    def _close(self) -> None:
        self._connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def cursor(self, ticket: Ticket) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one run, interrupted when the ticket is cancelled; what is not committed is undone at its end.

        Raises `Cancelled`, and for what the engine refuses `InvalidStatement` or `WorkbenchFailed`.
        """
        ticket.checkpoint()
        with self._cursors:
            cursor = self._connection.cursor()
            self._live.add(cursor)
        asked, ended = threading.Event(), threading.Event()
        ending = threading.Lock()  # a closed cursor takes no interrupt
        stopping: list[threading.Thread] = []

        def keep_on() -> None:
            while not ended.wait(INTERRUPT_EVERY):
                with ending:
                    if not ended.is_set():
                        cursor.interrupt()

        def interrupt() -> None:
            if not asked.is_set():
                asked.set()
                thread = threading.Thread(target=keep_on, name="interrupt", daemon=True)
                thread.start()
                stopping.append(thread)  # only now: the statement may end, and join it, while it is started

        def end() -> None:
            with ending:
                ended.set()
            for thread in stopping:
                thread.join()
            with self._cursors:
                cursor.close()
                self._live.discard(cursor)
                self._cursors.notify_all()

        abandoned: threading.Thread | None = None
        try:
            with ticket.on_cancel(interrupt):
                yield cursor
        except Abandoned as left:
            abandoned = left.thread
            raise
        except duckdb.Error as problem:
            if ticket.cancelled and "INTERRUPT" in str(problem):
                raise Cancelled from None
            raise translated(problem) from problem
        finally:
            if abandoned is None:
                end()
            else:
                threading.Thread(target=_after, args=(abandoned, end), name="sql end", daemon=True).start()


def _after(thread: threading.Thread, call: Callable[[], object]) -> None:
    thread.join()
    call()


def _cannot_open(path: Path | None, problem: Exception) -> WorkbenchFailed:
    text = str(problem)
    if "lock" in text.lower():
        return WorkbenchFailed(
            f"{path} is in use by another program.", hint="Close it there, or choose another file.", details=text
        )
    return WorkbenchFailed(
        f"{path or 'The database'} cannot be opened.",
        hint="A file that was damaged can be removed and loaded anew: the table is its source.",
        details=text,
    )


def _check_locked(connection: duckdb.DuckDBPyConnection, spill: Path) -> None:
    """Raises `WorkbenchFailed` where a setting does not read as it must, on a cursor like those that run SQL."""
    cursor = connection.cursor()
    try:
        found = dict(cursor.execute("SELECT name, value FROM duckdb_settings()").fetchall())
    finally:
        cursor.close()
    wrong = [f"{name} is {found.get(name)}" for name, value in _LOCKED.items() if found.get(name) != value]
    if found.get("temp_directory") != str(spill):
        wrong.append(f"temp_directory is {found.get('temp_directory')}")
    if wrong:
        raise WorkbenchFailed(
            f"The SQL engine is not locked down: {'; '.join(wrong)}.", hint="It is not used in this state."
        )
