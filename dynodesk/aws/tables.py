"""Tables as a whole: all that can be asked about one, and the requests that make, change and delete them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import ClientError

from dynodesk.aws.calls import CALL_SECONDS, Calls, Reply, send
from dynodesk.aws.catalog import DynamoCatalog, moment
from dynodesk.aws.faults import fault_of
from dynodesk.aws.in_time import OutOfTimeError
from dynodesk.aws.wire import damaged
from dynodesk.domain.errors import Busy, DynodeskError, OutcomeUnknown, Throttled
from dynodesk.domain.progress import Ticket
from dynodesk.domain.table_changes import TableChange, operation, request
from dynodesk.domain.tables import Recovery, TableDetails

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients

Part = TypeVar("Part")


class DynamoTables:
    """The `Tables` of a connection."""

    def __init__(self, clients: Clients, calls: Calls | None = None, *, seconds: float = CALL_SECONDS) -> None:
        self._calls = calls or Calls(clients)
        self._catalog = DynamoCatalog(clients, self._calls)
        self._clients = clients
        self._seconds = seconds

    def details(self, table: str, ticket: Ticket) -> TableDetails:
        return TableDetails(
            _part(lambda: self._catalog.describe(table, ticket)),
            _part(lambda: self._catalog.expiry(table, ticket)),
            _part(lambda: self._recovery(table, ticket)),
        )

    def _recovery(self, table: str, ticket: Ticket) -> Recovery:
        def understand(reply: Reply) -> Recovery:
            described = reply.body.get("ContinuousBackupsDescription")
            state = described.get("PointInTimeRecoveryDescription") if isinstance(described, dict) else None
            if not isinstance(state, dict) or not isinstance(state.get("PointInTimeRecoveryStatus"), str):
                raise damaged("it has no PointInTimeRecoveryDescription")
            return Recovery(
                state["PointInTimeRecoveryStatus"],
                moment(state.get("EarliestRestorableDateTime")),
                moment(state.get("LatestRestorableDateTime")),
            )

        return self._calls.read(
            "DescribeContinuousBackups",
            {"TableName": table},
            understand,
            table=table,
            ticket=ticket,
            patiences=self._calls.brief,
        )

    def send(self, change: TableChange) -> None:
        what = operation(change)
        try:
            send(self._clients, what, request(change), self._seconds, Ticket())
        except OutOfTimeError:
            raise _unknown(what, f"no answer within {self._seconds:g} s") from None
        except Exception as error:
            if isinstance(error, ClientError) and (refusal := _refusal(error, change.table)) is not None:
                raise refusal from error
            fault = fault_of(error, table=change.table, operation=what)
            if not fault.not_written:
                raise _unknown(what, fault.error.details or fault.error.message) from error
            if fault.error is error:
                raise
            raise fault.error from error


def _part(ask: Callable[[], Part]) -> Part | DynodeskError:
    """What was asked, or why it is not told: one refusal does not hide the rest."""
    try:
        return ask()
    except DynodeskError as refused:
        return refused


def _refusal(error: ClientError, table: str) -> DynodeskError | None:
    """Errors that mean something else here than they do for reads and writes of items; None for the others."""
    about: Mapping[str, Any] = error.response.get("Error", {})
    code, said = about.get("Code"), str(about.get("Message", ""))
    match code:
        case "ResourceInUseException":
            return Busy(f"{table} cannot be changed now: {said}", hint="Refresh, and try again once it is active.")
        case "LimitExceededException":
            hint = "The details name the quota. Wait for changes that are under way, or ask AWS for more."
            return Throttled(
                "A quota of the account allows no more tables, indexes or changes.", hint=hint, details=said
            )
        case _:
            return None


def _unknown(what: str, details: str) -> OutcomeUnknown:
    return OutcomeUnknown(f"{what} was sent and no trustworthy answer came back.", details=details)
