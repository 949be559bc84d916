"""What the window is given from outside: connections, pages, dialogs, settings; and what it offers to its pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from dynodesk.domain.access import Access
from dynodesk.domain.bulk import RawPageReader
from dynodesk.domain.capacity import Meter
from dynodesk.domain.composed import RequestSender
from dynodesk.domain.ports import ItemReader, TableCatalog
from dynodesk.domain.profiles import Kind, Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.queries import Queries, Query
from dynodesk.domain.statements import StatementReader
from dynodesk.domain.streams import StreamReader
from dynodesk.domain.sweeping import TableSweeper
from dynodesk.domain.table_work import Tables
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.unused_endpoints import UnusedEndpoint
from dynodesk.domain.values import Item
from dynodesk.ui.asking import Asker
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import MessageBar

if TYPE_CHECKING:
    from dynodesk.workbench.bench import Bench

SANDBOX = "sandbox"
"""The id under which the window knows the sandbox, which is no saved connection."""


class Workspace(Protocol):
    """One open connection. Safe to use from any thread."""

    @property
    def profile(self) -> Profile: ...
    @property
    def access(self) -> Access:
        """Whether it may write now."""

    @property
    def catalog(self) -> TableCatalog: ...
    @property
    def reader(self) -> ItemReader: ...
    @property
    def meter(self) -> Meter: ...
    @property
    def identity(self) -> str:
        """Account and role in words, "" where nobody is signed in."""

    @property
    def endpoint(self) -> str: ...
    @property
    def region(self) -> str: ...
    @property
    def unused_endpoint(self) -> UnusedEndpoint | None:
        """An endpoint that is set for other tools, and not gone by here."""

    @property
    def tables(self) -> Tables: ...
    def new_reader(self, part: Meter, /) -> ItemReader:
        """A reader that counts in a meter of its own."""

    def new_raw_reader(self, part: Meter, /) -> RawPageReader:
        """The same for reading volume."""

    def new_sweeper(self, part: Meter, /) -> TableSweeper:
        """The same for whole tables by rule."""

    def new_stream_reader(self, part: Meter, /) -> StreamReader:
        """The same for streams."""

    def new_statement_reader(self, part: Meter, /) -> StatementReader:
        """The same for statements of PartiQL."""

    def new_request_sender(self, part: Meter, /) -> RequestSender:
        """Sends composed requests, and counts in a meter of its own."""

    def bench(self) -> Bench:
        """The SQL engine of the connection. The first call loads and opens it: for worker threads."""

    def sign_in_again(self, ticket: Ticket, /) -> None:
        """Other credentials in place of those that are held. Raises a `DynodeskError`, `Cancelled`."""

    def close(self) -> None: ...


class KeptQueries(Protocol):
    """The history and the saved queries of one connection, on the disk."""

    @property
    def notice(self) -> str:
        """What the person should know about the file; "" when all is well."""

    def load(self) -> Queries: ...

    def change(self, change: Callable[[Queries], Queries], /) -> Queries:
        """What is kept then. Raises a `DynodeskError` when it cannot be written."""

    def clear_history(self) -> Queries: ...


class Connections(Protocol):
    """Opens connections. Everything here may read files or the network: called on worker threads only."""

    def saved(self) -> tuple[Profile, ...]: ...

    @property
    def notice(self) -> str:
        """What the person should know about what is saved, once it was read; "" when all is well."""

    def save(self, profile: Profile) -> Profile:
        """Keeps a connection; as it is kept then. Raises a `DynodeskError` when it cannot."""

    def open(self, profile: Profile, ticket: Ticket) -> Workspace:
        """Raises a `DynodeskError` when it cannot, `Cancelled` when told to stop."""

    def open_sandbox(self, ticket: Ticket) -> Workspace: ...

    def forget(self, profile: Profile) -> None:
        """Removes a saved connection and its keys. Raises a `DynodeskError` when it cannot."""

    def queries(self, profile: Profile) -> KeptQueries: ...

    def diagnostics(self, *more: str) -> str:
        """What support asks for, and `more` lines; without values and secrets."""

    def keyring_state(self) -> str:
        """One sentence: which keyring holds keys, or that none does."""

    def keys_note(self, profile: Profile) -> str:
        """That the typed keys of a connection last no longer than the program, and why; "": they are kept."""


class SavedSettings(Protocol):
    """Named values of JSON types, kept between runs."""

    @property
    def notice(self) -> str:
        """What the person should know about the file; "" when all is well."""

    def load(self) -> dict[str, object]: ...

    def save(self, values: dict[str, object]) -> object:
        """Raises a `DynodeskError` when they cannot be written."""


class Frame(Protocol):
    """What the window offers to the pages in its tabs."""

    @property
    def runner(self) -> JobRunner: ...
    @property
    def asker(self) -> Asker: ...
    @property
    def messages(self) -> MessageBar: ...

    def open_page(self, page: QWidget, workspace: Workspace) -> None:
        """Shows a page in a tab of its own. Its `windowTitle` and `windowIcon` are the tab's."""

    def show_table(self, workspace: Workspace, table: str, then: Callable[[QWidget], object]) -> None:
        """Brings the table's tab to the front, or makes one, and hands its page to `then` before it is seen."""

    def show_partiql(self, workspace: Workspace, then: Callable[[QWidget], object]) -> None:
        """The same for the connection's page of PartiQL."""

    def open_request(self, workspace: Workspace, then: Callable[[QWidget], object]) -> None:
        """Opens a page for a new request, and hands it to `then` before it is seen."""

    def open_table(self, workspace: Workspace, table: str, index: str | None) -> None:
        """Brings the tab of a table or index to the front, or makes one."""

    def tables_changed(self, workspace: Workspace) -> None:
        """Reads the list of tables again: one was made, changed or deleted."""

    def window(self) -> QWidget:
        """What dialogs stand over."""


@runtime_checkable
class Travelling(Protocol):
    """A page with a way of its own through what it has shown. False: there is nothing further that way."""

    @property
    def way_changed(self) -> SignalInstance:
        """`can_travel` may say something else."""

    def can_travel(self, step: int) -> bool:
        """Whether there is something one `step` back (-1) or forward (1)."""

    def back(self) -> bool: ...
    def forward(self) -> bool: ...


@runtime_checkable
class LoadsTables(Protocol):
    """A page that tables are loaded into."""

    def load_table(self, table: str) -> None: ...


@runtime_checkable
class ComposesRequests(Protocol):
    """A page on which requests are put together."""

    def set_table(self, table: TableInfo, items: Sequence[Item]) -> None:
        """What is added first is for this table. `items` of it are whole, the one that is looked at first."""


@runtime_checkable
class ShowsItems(Protocol):
    """A page with items of a table."""

    @property
    def table(self) -> TableInfo: ...
    @property
    def whole_items(self) -> Sequence[Item]:
        """Those that were read whole, the selected ones first."""


@runtime_checkable
class Restorable(Protocol):
    """A page that is as it was when the program comes back, however it ended."""

    def state(self) -> dict[str, object]:
        """Values of JSON types. Asked for every second: it has to be quick."""

    def restore(self, state: Mapping[str, object]) -> None:
        """Before it is shown. What makes no sense in `state` is left out, whoever wrote it."""


@runtime_checkable
class Unfinished(Protocol):
    """A page on which something may have been begun that is lost with it."""

    @property
    def unfinished(self) -> str:
        """What, in a sentence; "": nothing."""


@runtime_checkable
class Asks(Protocol):
    """A page that shows what was asked of a table."""

    @property
    def query(self) -> Query | None:
        """What its form or editor asks for now; None where that is not a query yet."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Makes the pages of tabs. A page's `actions()` fill the Run menu and are found by the finder."""

    table: Callable[[Workspace, TableInfo, str | None], QWidget]
    """A table, opened on an index or on the base table (None)."""
    sandbox_start: Callable[[Workspace, TableInfo], QWidget]
    """What the sandbox opens on: the table where the walk begins."""
    reconcile: Callable[[Workspace, Path], QWidget]
    """A rules file over a connection."""
    sql: Callable[[Workspace], QWidget]
    """Statements over what is loaded from a connection: one page for each, a `LoadsTables`."""
    partiql: Callable[[Workspace], QWidget]
    """Statements of PartiQL over the tables of a connection: one page for each."""
    compose: Callable[[Workspace], QWidget]
    """A request that is put together, to be run at a connection."""
    queries: Callable[[Workspace, Query | None, QWidget], object]
    """Opens the saved queries and the history of a connection; with a query, to save it."""
    details: Callable[[Workspace, str], QWidget]
    """All that is known of a table."""
    create_table: Callable[[Workspace], object]
    """Opens the dialog for a new table."""
    delete_table: Callable[[Workspace, TableInfo], object]
    """Opens the dialog that deletes a table."""
    lesson: Callable[[Workspace], object]
    """Opens the lesson on increments, in the sandbox."""


class Connect(Protocol):
    """Opens the dialog for a connection of a kind, and hands over its profile once it works."""

    def __call__(self, kind: Kind, then: Callable[[Profile], object], /, *, change: Profile | None = None) -> object:
        """For a new connection, or with `change` for one that there is."""


@dataclass(frozen=True, slots=True)
class Shell:
    """Everything the window is built from. The callables take the window itself where they need it."""

    connections: Connections
    settings: SavedSettings
    tabs: SavedSettings
    """The open tabs, with what is in them."""
    pages: Callable[[Frame], Pages]
    connect: Callable[[QWidget], Connect]
    asker: Callable[[QWidget], Asker]
    sandbox_table: str
    """The table the sandbox opens on."""
    sandbox_rules: Path
    """The rules file that finds the sandbox's drift."""
