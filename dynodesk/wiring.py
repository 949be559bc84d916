"""The one place that knows every adapter: a profile in, an open connection out.

The adapters are imported when they are first used: the window is on the screen before boto3 is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import CannotConnect, CredentialsRefused, NotAllowed, ServiceFailed
from dynodesk.domain.ports import ItemReader, TableCatalog
from dynodesk.domain.profiles import Credentials, Profile
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.store.paths import folders
from dynodesk.store.profiles import ProfileStore
from dynodesk.store.settings import Settings

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients
    from dynodesk.store.secrets import SecretStore, SessionSecrets

SANDBOX_PROFILE = Profile(
    id="5a4d0b0c", name="sandbox", kind="sandbox", credentials="dummy", region="us-east-1", stage="sandbox"
)


@dataclass(frozen=True, slots=True)
class Workspace:
    """One open connection. Safe to use from any thread."""

    profile: Profile
    catalog: TableCatalog
    reader: ItemReader
    meter: Meter
    """Everything that this connection has consumed."""
    identity: str
    """Account and role in words; "" where nobody is signed in."""
    endpoint: str
    region: str
    new_reader: Callable[[Meter], ItemReader]
    """A reader that counts in a meter of its own, so that one run's share of the session is known."""
    close: Callable[[], None]


class Connections:
    """Opens connections and keeps what is saved of them. Reads files and the network: for worker threads."""

    def __init__(self) -> None:
        places = folders()
        self._profiles = ProfileStore(places.config / "connections.json")
        self.settings = Settings(places.config / "settings.json")

    # -- what is saved

    def saved(self) -> tuple[Profile, ...]:
        return self._profiles.load()

    def named(self, name: str) -> Profile:
        """Raises `CannotConnect` where no saved connection has this name."""
        profiles = self.saved()
        for profile in profiles:
            if profile.name == name:
                return profile
        known = ", ".join(profile.name for profile in profiles) or "none"
        raise CannotConnect(f'There is no saved connection named "{name}".', hint=f"Saved are: {known}.")

    def save(self, profile: Profile, credentials: Credentials | None = None) -> Profile:
        """Keep a connection. Typed keys are kept first, so that no profile names a secret that is not there."""
        if credentials is not None:
            self.secrets.save(profile.secret, credentials)
        return self._profiles.save(profile)

    def forget(self, profile: Profile) -> None:
        if profile.secret:
            self.secrets.delete(profile.secret)
        self._profiles.remove(profile.id)

    @cached_property
    def secrets(self) -> SecretStore | SessionSecrets:
        from dynodesk.store.secrets import open_secrets  # noqa: PLC0415  (keyring is slow to import)

        return open_secrets()

    def keyring_state(self) -> str:
        return self.secrets.describe()

    # -- opening

    def open(self, profile: Profile, ticket: Ticket) -> Workspace:
        """Raises `DynodeskError` where the endpoint cannot be used, `Cancelled` when told to stop."""
        credentials = None
        if profile.secret:
            credentials = self.secrets.load(profile.secret)
            if credentials is None:
                raise CredentialsRefused(
                    f"The keys of {profile.name} are not in the keyring.", hint="Enter them again for this connection."
                )
        return open_workspace(profile, ticket, credentials)

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
) -> Workspace:
    """A connection by its profile. Nothing is sent yet but the question who we are, to AWS itself."""
    from dynodesk.aws.catalog import DynamoCatalog  # noqa: PLC0415  (boto3 is slow to import)
    from dynodesk.aws.clients import open_clients  # noqa: PLC0415
    from dynodesk.aws.reader import DynamoReader  # noqa: PLC0415

    clients = open_clients(profile, credentials, sandbox_url=sandbox_url, ticket=ticket)
    try:
        identity = _identity_words(clients, ticket)
    except BaseException:
        clients.close()
        raise
    meter = Meter()

    def close() -> None:
        clients.close()
        if also_close is not None:
            also_close()

    return Workspace(
        profile=profile,
        catalog=DynamoCatalog(clients),
        reader=DynamoReader(clients, meter),
        meter=meter,
        identity=identity,
        endpoint=clients.endpoint_url,
        region=clients.region,
        new_reader=lambda part: DynamoReader(clients, part),
        close=close,
    )


def _identity_words(clients: Clients, ticket: Ticket) -> str:
    from dynodesk.aws.identity import identity_of  # noqa: PLC0415

    try:
        identity = identity_of(clients, ticket)
    except (NotAllowed, ServiceFailed) as refused:
        if isinstance(refused, CredentialsRefused):
            raise
        return "account not known: asking for it was refused"
    return "" if identity is None else identity.arn
