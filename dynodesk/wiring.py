"""The one place that knows every adapter: a profile in, an open connection out.

The adapters are imported when they are first used: the window is on the screen before boto3 is loaded.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from dynodesk.domain.access import Access
from dynodesk.domain.batches import TableWriter
from dynodesk.domain.bulk import RawPageReader
from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.errors import (
    CannotConnect,
    CredentialsRefused,
    DynodeskError,
    NotAllowed,
    ServiceFailed,
)
from dynodesk.domain.pacing import Limits, Pace
from dynodesk.domain.past_runs import account_of
from dynodesk.domain.ports import ItemReader, TableCatalog
from dynodesk.domain.profiles import Credentials, Profile, check_profile
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.sensitive import SensitiveAttributes, SensitiveJournal
from dynodesk.domain.sign_in import AsksInTurn, NobodyToAsk, SignInAsker, SignInMeans
from dynodesk.domain.statements import StatementReader
from dynodesk.domain.streams import StreamReader
from dynodesk.domain.sweeping import TableSweeper
from dynodesk.domain.table_work import TableHands, Tables
from dynodesk.domain.unused_endpoints import UnusedEndpoint
from dynodesk.domain.writing import Hands
from dynodesk.editing.desk import EditDesk
from dynodesk.reconcile.desk import RepairDesk
from dynodesk.reconcile.repair import Sight
from dynodesk.store.journal import Journal
from dynodesk.store.locks import held
from dynodesk.store.paths import folders, private_folder, remove_files
from dynodesk.store.profiles import ProfileStore
from dynodesk.store.programs import AllowedCommands
from dynodesk.store.queries import QueryStore
from dynodesk.store.run_history import RunHistory
from dynodesk.store.secrets import KeyringState, SecretStore, SessionSecrets, open_secrets
from dynodesk.store.settings import Settings

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients
    from dynodesk.aws.config_files import AwsProfiles
    from dynodesk.composing.desk import RequestDesk
    from dynodesk.composing.rehearsal import RehearsalDesk, Scratch
    from dynodesk.domain.composed import RequestSender
    from dynodesk.workbench.bench import Bench

WRITING_WAIT = 10.0
"""Seconds: enough for another window to write a few edits."""

LARGEST_STAGED = 200_000_000
"""Bytes of a file of staged edits: 250 of the largest items there can be, before and after."""
LARGEST_TABS = 100_000_000
"""Bytes of a file of open tabs. An item that is being changed is in it, at worst, four times in six bytes for one."""
SETTINGS = {"scheme": str, "window": str, "panels": list, "walk": bool, "columns": dict, "entity types": dict}
TABS = {"tabs": list, "current": int}
"""Types of what the window keeps: a file with others is not one of ours."""

SANDBOX_PROFILE = Profile(
    id="5a4d0b0c",
    name="sandbox",
    kind="sandbox",
    credentials="dummy",
    region="us-east-1",
    stage="sandbox",
    read_only=False,
)


class NewSweeper(Protocol):
    def __call__(self, part: Meter, /, folder: Path | None = None) -> TableSweeper:
        """With a folder, an ended sweep can be taken up from there."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """One open connection. Safe to use from any thread."""

    access: Access
    """Which connection it is, and whether it may write now."""
    catalog: TableCatalog
    reader: ItemReader
    meter: Meter
    """Everything that this connection has consumed."""
    identity: str
    """Account and role in words; "" where nobody is signed in."""
    endpoint: str
    region: str
    tables: Tables
    """Tables as a whole: a connection that only reads refuses their changes before they are sent."""
    new_reader: Callable[[Meter], ItemReader]
    """A reader that counts in a meter of its own, so that one run's share of the session is known."""
    new_raw_reader: Callable[[Meter], RawPageReader]
    """The same for reading volume: pages as bytes. Closed with the connection."""
    new_sweeper: NewSweeper
    """The same for whole tables by rule. Closed with the connection."""
    new_stream_reader: Callable[[Meter], StreamReader]
    """Follows the streams of tables. Closed with the connection."""
    new_statement_reader: Callable[[Meter], StatementReader]
    """Runs statements of PartiQL that read, and none that writes."""
    new_writer: Callable[[Meter], TableWriter]
    """Guarded writes of single items, and batches: a connection that only reads refuses them before they are sent."""
    new_request_sender: Callable[[Meter], RequestSender]
    """Sends requests that a person composes: a connection that only reads refuses those that write."""
    bench: Callable[[], Bench]
    """The SQL engine of this connection, in memory: opened by the first call, closed with the connection."""
    sign_in_again: Callable[[Ticket], None]
    """Fetches credentials anew because the person wants to, asking what it takes. Raises as `open_workspace`."""
    close: Callable[[], None]
    unused_endpoint: UnusedEndpoint | None = None
    """An endpoint that is set for other tools, and not gone by here."""
    sensitive: SensitiveAttributes = field(default_factory=SensitiveAttributes)
    """What rules that were read at this connection call sensitive: writes from here on say so in the journal."""

    @property
    def profile(self) -> Profile:
        return self.access.profile


class Connections:
    """Opens connections and keeps what is saved of them. Reads files, keyring and network: for worker threads."""

    def __init__(self) -> None:
        places = folders()
        self._profiles = ProfileStore(places.config / "connections.json")
        self._held = SessionSecrets()
        self._secrets: SecretStore | SessionSecrets | None = None
        self._opening_secrets = Lock()
        self._allowed = AllowedCommands(places.config / "programs.json")
        self._asks = AsksInTurn(NobodyToAsk("nobody can be asked here"), self._allowed)
        self.sign_in = SignInMeans(self._asks)
        self.settings = Settings(places.config / "settings.json", shape=SETTINGS)
        self.tabs = Settings(places.state / "tabs.json", "Open tabs", shape=TABS, largest=LARGEST_TABS)

    def ask_with(self, asker: SignInAsker) -> None:
        """Who asks the person what signing in takes. To be called before anything is opened."""
        self._asks.asker = asker

    # -- what is saved

    def staged(self, profile: Profile, place: str) -> Settings:
        """The edits staged at a connection as long as it leads to a place: each place of it has its own.

        They hold what tables hold: in a folder of this user alone.
        """
        name = hashlib.sha256(place.encode()).hexdigest()[:16]
        return Settings(_staged() / f"{profile.id}-{name}.json", "Staged edits", largest=LARGEST_STAGED)

    def saved(self) -> tuple[Profile, ...]:
        self._allowed.read()
        return self._profiles.load()

    @property
    def notice(self) -> str:
        """What the person should know of connections and allowed programs, once they were read; "" when all is well."""
        return " ".join(text for text in (self._profiles.notice, self._allowed.notice) if text)

    def named(self, name: str) -> Profile:
        """Raises `CannotConnect` where no saved connection has this name."""
        profiles = self.saved()
        for profile in profiles:
            if profile.name == name:
                return profile
        known = ", ".join(profile.name for profile in profiles) or "none"
        raise CannotConnect(f'There is no saved connection named "{name}".', hint=f"Saved are: {known}.")

    def save(self, profile: Profile, credentials: Credentials | None = None) -> Profile:
        """Keep a connection, and its typed keys in the keyring: for this session only where there is none.

        Keys go first, so that no saved connection names a secret that is not there. Raises `ProfileError`,
        `FileNotWritten` and what the keyring raises: then a new connection has left nothing behind.
        """
        saved = self.saved()
        profile = check_profile(profile, saved)
        former = next((other for other in saved if other.id == profile.id), None)
        credentials = credentials or self._held.load(profile.secret)
        if credentials is not None:
            self.secrets.save(profile.secret, credentials)
            self._held.delete(profile.secret)
        try:
            kept = self._profiles.save(profile)
        except DynodeskError:
            if credentials is not None and former is None:
                self.secrets.delete(profile.secret)
            raise
        if former is not None and former.secret and not profile.secret:
            self.secrets.delete(former.secret)
        return kept

    def hold(self, profile: Profile, credentials: Credentials) -> None:
        """Use typed keys until the program ends, without keeping them."""
        self._held.save(profile.secret, credentials)

    def forget(self, profile: Profile) -> None:
        """Remove a connection, its keys, its queries and what is staged at it.

        Raises `FileNotWritten` and what the keyring raises.
        """
        if profile.secret:
            self._held.delete(profile.secret)
            self.secrets.delete(profile.secret)
        self._profiles.remove(profile.id)
        self.queries(profile).delete()
        remove_files(_staged().glob(f"{profile.id}-*"))

    def queries(self, profile: Profile) -> QueryStore:
        """The history and the saved queries of a connection."""
        return QueryStore(folders().data / "queries" / f"{profile.id}.json")

    @property
    def secrets(self) -> SecretStore | SessionSecrets:
        with self._opening_secrets:  # two would not know of each other's keys
            if self._secrets is None:
                self._secrets = open_secrets()
            return self._secrets

    def keyring(self) -> KeyringState:
        return self.secrets.state()

    def keyring_state(self) -> str:
        return self.secrets.describe()

    def diagnostics(self, *more: str) -> str:
        """What support needs to know of this installation, and `more` lines; neither values nor secrets."""
        from dynodesk.store.diagnostics import diagnostics  # noqa: PLC0415  (not needed before)

        settings = Settings(folders().config / "settings.json", shape=SETTINGS)  # the window's are its own thread's
        return diagnostics(folders(), settings.load(), self.saved(), more)

    def keys_note(self, profile: Profile) -> str:
        """That the typed keys of a connection last no longer than the program, and why; "": they are kept."""
        if not profile.secret:
            return ""
        state = self.keyring()
        if self._held.load(profile.secret) is None and state.kind != "absent":
            return ""
        why = "no keyring can be used" if state.kind == "absent" else "they were not to be kept"
        return f"The keys of {profile.name} are in no file, and gone when dynodesk ends: {why}."

    def aws_profiles(self) -> AwsProfiles:
        from dynodesk.aws.config_files import profile_names  # noqa: PLC0415  (not needed before)

        return profile_names()

    # -- opening

    def try_out(self, profile: Profile, credentials: Credentials | None, ticket: Ticket) -> Profile:
        """Open a connection as filled in, ask for its tables, close it; returns it tidied. Raises as `open` does."""
        profile = check_profile(profile, self.saved())
        workspace = self._opened(profile, ticket, credentials or self._keys_of(profile))
        try:
            workspace.catalog.table_names(ticket)
        except CredentialsRefused:
            raise
        except NotAllowed:
            pass  # who may not list tables may still read those that they know
        finally:
            workspace.close()
        return profile

    def open(self, profile: Profile, ticket: Ticket) -> Workspace:
        """Raises `DynodeskError` where the endpoint cannot be used, `Cancelled` when told to stop."""
        return self._opened(profile, ticket, self._keys_of(profile))

    def open_unsaved(self, profile: Profile, ticket: Ticket) -> Workspace:
        """As `open`, by a profile that is not kept and has no keys of its own."""
        return self._opened(profile, ticket, None)

    def _opened(self, profile: Profile, ticket: Ticket, credentials: Credentials | None) -> Workspace:
        keep_typed = partial(self._keep_typed, profile)
        return open_workspace(profile, ticket, credentials, means=self.sign_in, keep_typed=keep_typed)

    def _keep_typed(self, profile: Profile, credentials: Credentials) -> None:
        """In place of the expired ones, where those were."""
        if self._held.load(profile.secret) is None and any(kept.id == profile.id for kept in self.saved()):
            try:
                self.secrets.save(profile.secret, credentials)
            except DynodeskError:  # a keyring that cannot be written stops no work: they are asked for again next time
                self._held.save(profile.secret, credentials)
        else:
            self._held.save(profile.secret, credentials)

    def _keys_of(self, profile: Profile) -> Credentials | None:
        if not profile.secret:
            return None
        credentials = self._held.load(profile.secret) or self.secrets.load(profile.secret)
        if credentials is None:
            raise CredentialsRefused(
                f"The keys of {profile.name} are not in the keyring.", hint="Enter them again for this connection."
            )
        return credentials

    def open_sandbox(self, ticket: Ticket) -> Workspace:
        from dynodesk.sandbox.process import Sandbox  # noqa: PLC0415  (not needed before)

        ticket.checkpoint(Progress(0, note="Filling the sample tables"))
        sandbox = Sandbox.start()
        try:
            ticket.checkpoint()
            return open_workspace(SANDBOX_PROFILE, ticket, sandbox_url=sandbox.endpoint, also_close=sandbox.close)
        except BaseException:
            sandbox.close()
            raise


def open_workspace(
    profile: Profile,
    ticket: Ticket,
    credentials: Credentials | None = None,
    *,
    sandbox_url: str = "",
    also_close: Callable[[], None] | None = None,
    means: SignInMeans | None = None,
    keep_typed: Callable[[Credentials], object] | None = None,
) -> Workspace:
    """A connection by its profile, signed in with `means`; without them nobody is asked anything.

    Nothing is sent yet but what signing in takes, and the question who we are, to AWS itself. `keep_typed` is told of
    keys that a person has typed in place of expired ones.
    """
    from dynodesk.aws.catalog import DynamoCatalog  # noqa: PLC0415  (boto3 is slow to import)
    from dynodesk.aws.clients import open_clients  # noqa: PLC0415
    from dynodesk.aws.composed import DynamoRequests  # noqa: PLC0415
    from dynodesk.aws.partiql import DynamoStatements  # noqa: PLC0415
    from dynodesk.aws.raw import RawPages  # noqa: PLC0415
    from dynodesk.aws.reader import DynamoReader  # noqa: PLC0415
    from dynodesk.aws.streams import DynamoStreams  # noqa: PLC0415
    from dynodesk.aws.tables import DynamoTables  # noqa: PLC0415
    from dynodesk.aws.writer import GuardedWriter  # noqa: PLC0415

    clients = open_clients(
        profile, credentials, sandbox_url=sandbox_url, ticket=ticket, means=means, keep_typed=keep_typed
    )
    try:
        identity = _identity_words(clients, ticket)
    except BaseException as failed:
        clients.close()
        if isinstance(failed, DynodeskError) and clients.unused_endpoint is not None:  # it may have been meant
            failed.hint = f"{failed.hint or failed.next_step} {clients.unused_endpoint.words}"
        raise
    clients.access.where = " · ".join(part for part in (identity, clients.region, clients.endpoint_url) if part)
    meter = Meter()

    raw_readers: list[RawPages] = []

    def new_raw_reader(part: Meter) -> RawPageReader:
        raw_readers.append(RawPages(clients, part))
        return raw_readers[-1]

    stream_readers: list[DynamoStreams] = []

    def new_stream_reader(part: Meter) -> StreamReader:
        stream_readers.append(DynamoStreams(clients, part))
        return stream_readers[-1]

    def new_sweeper(part: Meter, /, folder: Path | None = None) -> TableSweeper:
        from dynodesk.workbench.sweeping import DuckSweeper  # noqa: PLC0415  (slow to import)

        place = f"{clients.endpoint_url} {account_of(identity)}".rstrip()  # the endpoint is that of all accounts
        return DuckSweeper(new_raw_reader(part), place, folder)

    benches: list[Bench] = []
    opening_bench = Lock()

    def bench() -> Bench:
        from dynodesk.workbench.bench import Bench  # noqa: PLC0415  (slow to import)

        with opening_bench:
            if not benches:  # the window keeps a processor for itself
                benches.append(Bench.open(threads=max(1, (os.cpu_count() or 2) - 1)))
            return benches[0]

    def close() -> None:
        for opened in benches:
            opened.close()
        for raw_reader in raw_readers:
            raw_reader.close()
        for stream_reader in stream_readers:
            stream_reader.close()
        clients.close()
        if also_close is not None:
            also_close()

    return Workspace(
        access=clients.access,
        catalog=DynamoCatalog(clients),
        reader=DynamoReader(clients, meter),
        meter=meter,
        identity=identity,
        endpoint=clients.endpoint_url,
        region=clients.region,
        tables=DynamoTables(clients),
        new_reader=lambda part: DynamoReader(clients, part),
        new_raw_reader=new_raw_reader,
        new_sweeper=new_sweeper,
        new_stream_reader=new_stream_reader,
        new_statement_reader=lambda part: DynamoStatements(clients, part),
        new_writer=lambda part: GuardedWriter(clients, part),
        new_request_sender=lambda part: DynamoRequests(clients, part),
        bench=bench,
        sign_in_again=clients.sign_in.again,
        close=close,
        unused_endpoint=clients.unused_endpoint,
    )


# ------------------------------------------------------------------------------------------------- repairs and edits


def open_journal() -> Journal:
    """The one journal of this user, of all connections."""
    return Journal(folders().data / "journal")


def run_history() -> RunHistory:
    """What earlier runs of this user found, of all connections."""
    return RunHistory(folders().data / "history")


def repair_desk(workspace: Workspace, meter: Meter) -> RepairDesk:
    """Plans and makes repairs at a connection. `meter` counts what they take."""
    clock, chance = SystemClock(), random.Random()  # noqa: S311  (spreads retries; not a secret)
    reader, journal = workspace.new_reader(meter), open_journal()
    return RepairDesk(
        Place(workspace.identity, workspace.endpoint, workspace.region),
        workspace.catalog,
        Sight(reader, workspace.new_sweeper(meter), Pace(meter, Limits(), clock), clock, chance),
        Hands(reader, workspace.new_writer(meter), journal, clock, chance),
        journal,
    )


def table_hands(workspace: Workspace) -> TableHands:
    """Makes, changes and deletes tables of a connection."""
    place = Place(workspace.identity, workspace.endpoint, workspace.region)
    return TableHands(place, workspace.catalog, workspace.tables, open_journal(), SystemClock())


def edit_desk(workspace: Workspace, meter: Meter) -> EditDesk:
    """Writes edits at a connection. `meter` counts what they take."""
    reader, writer = workspace.new_reader(meter), workspace.new_writer(meter)
    journal = SensitiveJournal(open_journal(), workspace.sensitive)
    chance = random.Random()  # noqa: S311  (spreads retries; not a secret)
    return EditDesk(
        Place(workspace.identity, workspace.endpoint, workspace.region),
        workspace.catalog,
        Hands(reader, writer, journal, SystemClock(), chance),
        writer,
        journal,
        partial(writing, workspace),
    )


def request_desk(workspace: Workspace, meter: Meter) -> RequestDesk:
    """Runs composed requests at a connection. `meter` counts what they take."""
    from dynodesk.composing.desk import RequestDesk  # noqa: PLC0415  (the window starts without)

    return RequestDesk(
        Place(workspace.identity, workspace.endpoint, workspace.region),
        workspace.catalog,
        workspace.new_request_sender(meter),
        workspace.new_reader(meter),
        SensitiveJournal(open_journal(), workspace.sensitive),
        SystemClock(),
        random.Random(),  # noqa: S311  (spreads retries; not a secret)
        partial(writing, workspace),
    )


def rehearsal_desk(workspace: Workspace, meter: Meter) -> RehearsalDesk:
    """Tries composed writes on copies. `meter` counts what reading the items takes."""
    from dynodesk.composing.rehearsal import RehearsalDesk  # noqa: PLC0415  (the window starts without)

    return RehearsalDesk(workspace.catalog, workspace.new_reader(meter), private_server)


@contextlib.contextmanager
def private_server(ticket: Ticket) -> Iterator[Scratch]:
    """An emulator without tables, in a process that ends with this. Raises as `open_workspace`, and `SandboxFailed`."""
    from dynodesk.composing.rehearsal import Scratch  # noqa: PLC0415  (the window starts without)
    from dynodesk.sandbox.process import Sandbox  # noqa: PLC0415  (not needed before)

    with Sandbox.start(is_empty=True) as sandbox:
        ticket.checkpoint()
        workspace = open_workspace(SANDBOX_PROFILE, Ticket(), sandbox_url=sandbox.endpoint)  # nobody signs in there
        try:
            yield Scratch(workspace.tables, workspace.new_request_sender(workspace.meter), workspace.reader)
        finally:
            workspace.close()


@contextlib.contextmanager
def writing(workspace: Workspace) -> Iterator[None]:
    """To be held while edits are written: the journal's lock, on a connection that may write.

    Raises `ReadOnly`, and `FileNotWritten` where another program is writing for long.
    """
    workspace.access.check()
    with held(private_folder(folders().data) / "repair.lock", seconds=WRITING_WAIT):
        yield


@contextlib.contextmanager
def repairing(workspace: Workspace) -> Iterator[None]:
    """To be held while repairs are made: `repair_lock`, on a connection that may write. Raises `ReadOnly` too."""
    workspace.access.check()
    with repair_lock():
        yield


def _staged() -> Path:
    return folders().data / "staged"


@contextlib.contextmanager
def repair_lock() -> Iterator[None]:
    """To be held while the journal's open writes are resolved or more are made: by one program of this user at a time.

    What one program is just about to note would look to another as if it had been left open. Raises `FileNotWritten`
    where another one holds it.
    """
    with held(private_folder(folders().data) / "repair.lock", seconds=0):
        yield


def _identity_words(clients: Clients, ticket: Ticket) -> str:
    from dynodesk.aws.identity import identity_of  # noqa: PLC0415

    try:
        identity = identity_of(clients, ticket)
    except (NotAllowed, ServiceFailed) as refused:
        if isinstance(refused, CredentialsRefused):
            raise
        return "account not known: asking for it was refused"
    return "" if identity is None else identity.arn
