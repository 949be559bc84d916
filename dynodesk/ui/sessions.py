"""The open connections of the window: opening, listing and describing tables, closing. All of it in jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial

from PySide6.QtCore import QObject, Signal

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.table_arns import described
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.shell import SANDBOX, Connections, Workspace

DESCRIBED_AT_ONCE = 10
DESCRIBED_UNASKED = 200
"""Tables described for the tree's counts without being asked for; the rest when they are opened."""

Description = TableInfo | DynodeskError


@dataclass
class _Session:
    workspace: Workspace
    names: tuple[str, ...] = ()
    not_listed: DynodeskError | None = None
    """Why the names are only those that were opened by name."""
    infos: dict[str, TableInfo] = field(default_factory=dict)


class Sessions(QObject):
    """Signals carry the connection's id: a profile's, or `SANDBOX`."""

    opening = Signal(str)
    opened = Signal(str)
    not_opened = Signal(str, object)
    """With the error, or None where it was cancelled."""
    closed = Signal(str)
    signed_in = Signal(str)
    """Its credentials were renewed because the person wanted that."""
    listed = Signal(str, object)
    """With the names of all tables."""
    not_listed = Signal(str, object, object)
    """With the names that are known nevertheless, and the error."""
    described = Signal(str, object)
    """With a dict of table name to `Description`."""
    error_raised = Signal(object)

    def __init__(self, connections: Connections, runner: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._connections, self._runner = connections, runner
        self._open: dict[str, _Session] = {}
        self._pending: dict[str, Job] = {}
        self._spent = Decimal(0)

    # -- what is open

    def workspace(self, key: str) -> Workspace | None:
        session = self._open.get(key)
        return None if session is None else session.workspace

    def key_of(self, workspace: Workspace) -> str | None:
        return next((key for key, session in self._open.items() if session.workspace is workspace), None)

    def tables(self) -> list[tuple[str, str]]:
        """(connection id, table name) of everything listed so far."""
        return [(key, name) for key, session in self._open.items() for name in session.names]

    def keys(self) -> tuple[str, ...]:
        return tuple(self._open)

    def is_opening(self, key: str) -> bool:
        return key in self._pending

    def consumed(self) -> Decimal:
        """Read units of this run, closed connections included."""
        return self._spent + sum((session.workspace.meter.total for session in self._open.values()), Decimal(0))

    # -- opening and closing

    def open(self, profile: Profile) -> None:
        self._start_opening(profile.id, f"Connect to {profile.name}", partial(self._connections.open, profile))

    def open_sandbox(self) -> None:
        self._start_opening(SANDBOX, "Start the sandbox", self._connections.open_sandbox)

    def _start_opening(self, key: str, title: str, work: Callable[[Ticket], Workspace]) -> None:
        if key in self._open or key in self._pending:
            return
        job = self._runner.start(
            work, title=title, done=partial(self._opened, key), failed=partial(self._not_opened, key)
        )
        job.cancelled.connect(partial(self._not_opened, key, None))
        self._pending[key] = job
        self.opening.emit(key)

    def _opened(self, key: str, workspace: Workspace) -> None:
        del self._pending[key]
        self._open[key] = _Session(workspace)
        self.opened.emit(key)
        self.refresh(key)

    def _not_opened(self, key: str, error: BaseException | None) -> None:
        del self._pending[key]
        self.not_opened.emit(key, error)

    def sign_in_again(self, key: str) -> None:
        session = self._open.get(key)
        if session is not None:
            workspace = session.workspace
            title, done = f"Sign in to {workspace.profile.name}", partial(self._signed_in, key)
            self._runner.start(partial(_sign_in, workspace), title=title, done=done)

    def _signed_in(self, key: str, _result: None) -> None:
        self.signed_in.emit(key)
        self.refresh(key)

    def close(self, key: str) -> None:
        session = self._open.pop(key, None)
        if session is None:
            return
        self._spent += session.workspace.meter.total
        self.closed.emit(key)
        self._runner.start(
            partial(_close, session.workspace), title=f"Close {session.workspace.profile.name}", done=self._nothing
        )

    def close_all(self) -> None:
        """Without jobs, for the end of the program: call after the runner was shut down."""
        for session in self._open.values():
            session.workspace.close()
        self._open.clear()

    def _nothing(self, _result: object) -> None:
        """A closed connection needs no answer."""

    # -- tables

    def refresh(self, key: str) -> None:
        """Read the list of tables again."""
        session = self._open.get(key)
        if session is None:
            return
        self._runner.start(
            session.workspace.catalog.table_names,
            title=f"List tables of {session.workspace.profile.name}",
            done=partial(self._listed, key, session),
            failed=partial(self._refused, key, session),
        )

    def _refused(self, key: str, session: _Session, error: BaseException) -> None:
        """Who may not list tables may still open those that they know by name."""
        self._runner.error_raised.emit(error)
        if self._open.get(key) is session and isinstance(error, DynodeskError):
            session.not_listed = error
            self.not_listed.emit(key, session.names, error)

    def _listed(self, key: str, session: _Session, names: tuple[str, ...]) -> None:
        if self._open.get(key) is not session:
            return
        session.names = names
        session.not_listed = None
        session.infos.clear()
        self.listed.emit(key, names)
        self._describe_next(key, session, names[:DESCRIBED_UNASKED])

    def _describe_next(self, key: str, session: _Session, names: tuple[str, ...]) -> None:
        if not names:
            return
        now, later = names[:DESCRIBED_AT_ONCE], names[DESCRIBED_AT_ONCE:]
        self._runner.start(
            partial(_describe, session.workspace, now),
            title="Describe tables",
            done=partial(self._described, key, session, later),
        )

    def _described(self, key: str, session: _Session, later: tuple[str, ...], found: dict[str, Description]) -> None:
        if self._open.get(key) is not session:
            return
        session.infos |= {name: info for name, info in found.items() if isinstance(info, TableInfo)}
        self.described.emit(key, found)
        # where the credentials may not describe one table they may describe none: no need to ask for each
        if any(isinstance(info, TableInfo) for info in found.values()):
            self._describe_next(key, session, later)

    def with_table_anew(self, key: str, table: str, then: Callable[[Workspace, TableInfo], object]) -> None:
        """As `with_table`, of the table as it is now."""
        session = self._open.get(key)
        if session is not None:
            session.infos.pop(table, None)
            self.with_table(key, table, then)

    def with_table(
        self,
        key: str,
        table: str,
        then: Callable[[Workspace, TableInfo], object],
        failed: Callable[[BaseException], object] | None = None,
    ) -> None:
        """Call `then` with the table's description, at once where it is known; `failed` where it cannot be read."""
        session = self._open.get(key)
        if session is None:
            return
        known = session.infos.get(table)
        if known is not None:
            then(session.workspace, known)
            return
        self._runner.start(
            partial(_describe_one, session.workspace, table),
            title=f"Describe {table}",
            done=partial(self._told, key, session, then),
            failed=failed,
        )

    def _told(
        self, key: str, session: _Session, then: Callable[[Workspace, TableInfo], object], info: TableInfo
    ) -> None:
        if self._open.get(key) is session:
            session.infos[info.name] = info
            if info.name not in session.names and session.not_listed is not None:
                session.names = (*session.names, info.name)
                self.not_listed.emit(key, session.names, session.not_listed)
            elif info.name not in session.names:
                self.refresh(key)  # it was made since
            self.described.emit(key, {info.name: info})
            then(session.workspace, info)


def _describe(workspace: Workspace, names: tuple[str, ...], ticket: Ticket) -> dict[str, Description]:
    found: dict[str, Description] = {}
    for done, name in enumerate(names):
        ticket.checkpoint(Progress(done, len(names), name))
        try:
            found[name] = workspace.catalog.describe(name, ticket)
        except DynodeskError as error:  # one table's refusal is shown at that table
            found[name] = error
    return found


def _describe_one(workspace: Workspace, table: str, ticket: Ticket) -> TableInfo:
    return described(workspace, table, ticket)


def _sign_in(workspace: Workspace, ticket: Ticket) -> None:
    workspace.sign_in_again(ticket)


def _close(workspace: Workspace, _ticket: Ticket) -> None:
    workspace.close()
