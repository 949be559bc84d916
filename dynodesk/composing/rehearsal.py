"""A composed write tried on copies of the items that it touches, in a private server that is gone afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from dynodesk.domain.actions import ComposedRequest, PutAction, SingleWrite, TransactWrite, WriteAction, is_read
from dynodesk.domain.composed import Done, Refused, RequestSender
from dynodesk.domain.edits import Change, Edit
from dynodesk.domain.errors import InvalidExpression, InvalidRequest, OutcomeUnknown, ServiceFailed
from dynodesk.domain.foretelling import Foretold, foretell, write_actions
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.ports import ItemReader, TableCatalog
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.table_changes import CreateTable
from dynodesk.domain.table_work import Tables
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import Item

RehearsedOutcome = Done | Refused | InvalidRequest
"""`InvalidRequest`: what the service would not take at all, such as SET of a sum with what is missing."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """A server with no tables that nobody else knows of."""

    tables: Tables
    sender: RequestSender
    reader: ItemReader


@dataclass(frozen=True, slots=True)
class RehearsedItem:
    """The item of one action."""

    action: WriteAction
    key: Key
    before: Item | None
    after: Item | None

    @property
    def title(self) -> str:
        return readable_key(self.key)

    @property
    def changes(self) -> tuple[Change, ...]:
        """None where it stays as it is. All attributes where it is made or deleted."""
        if self.before is None and self.after is None:
            return ()
        return Edit(self.action.table, self.key, self.before, self.after).changes


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What the request did to the copies."""

    request: SingleWrite | TransactWrite
    items: tuple[RehearsedItem, ...]
    """One for each action, in their order."""
    outcome: RehearsedOutcome
    foretold: Foretold
    """What the rules of the language say of the same items."""

    @property
    def is_done(self) -> bool:
        return isinstance(self.outcome, Done)

    @property
    def disagreement(self) -> str:
        """What the rules of the language say otherwise, in a sentence; "" where both agree."""
        if self.is_done and not self.foretold.is_done:
            return f"By the rules of expressions it would be refused: {_why(self.foretold)}."
        if not self.is_done and self.foretold.is_done:
            return "By the rules of expressions it would be done."
        if isinstance(self.outcome, Refused) and _refused(self.outcome) != self.foretold.failed:
            return f"By the rules of expressions it is refused for something else: {_why(self.foretold)}."
        differing = [
            item.title for item, told in zip(self.items, self.foretold.after, strict=True) if item.after != told
        ]
        if differing:
            return f"By the rules of expressions the items would be others: {', '.join(differing)}."
        return ""


def _refused(outcome: Refused) -> tuple[bool, ...]:
    return tuple(reason.code == "ConditionalCheckFailed" for reason in outcome.reasons)


def _why(foretold: Foretold) -> str:
    if foretold.invalid is not None:
        return foretold.invalid.message
    failed = [str(at) for at, is_failed in enumerate(foretold.failed, 1) if is_failed]
    return f"the condition of action {' and '.join(failed)} does not hold"


@dataclass(frozen=True, slots=True)
class RehearsalDesk:
    """Rehearses requests of one connection, which is only read from: one that may not write can rehearse, too."""

    catalog: TableCatalog
    reader: ItemReader
    open_scratch: Callable[[Ticket], AbstractContextManager[Scratch]]

    def rehearse(self, request: ComposedRequest, ticket: Ticket) -> Rehearsal:
        """Read the items, copy them, send the request to the copies: for worker threads.

        Raises `InvalidRequest` for what cannot be rehearsed, what `TableCatalog` and `ItemReader` raise for the
        connection, `Busy` among it, `DynodeskError` where the private server fails, and `Cancelled`. Whatever happens,
        nothing is written to the connection and nothing is left of the copies.
        """
        if is_read(request):
            raise InvalidRequest("A read changes nothing: there is nothing to rehearse.")
        if not isinstance(request, SingleWrite | TransactWrite):
            raise InvalidRequest(
                "A statement does not say which items it touches, so that they cannot be copied.",
                hint="Compose it as actions.",
            )
        actions = write_actions(request)
        steps = len(actions) + 4
        ticket.checkpoint()
        infos = {name: self.catalog.describe(name, ticket) for name in dict.fromkeys(one.table for one in actions)}
        keys = [_key(action, infos[action.table]) for action in actions]
        before = self._read(actions, keys, ticket)
        ticket.checkpoint(Progress(1, steps, "Starting a private server"))
        with self.open_scratch(ticket) as scratch:
            for info in infos.values():
                ticket.checkpoint(Progress(2, steps, f"Making a copy of {info.name}"))
                # What it costs, who may delete it and who follows its stream is no part of a rehearsal.
                indexes = tuple(replace(index, throughput=None) for index in info.indexes)
                scratch.tables.send(CreateTable(info.name, info.key_schema, indexes))
            for at, (action, item) in enumerate(zip(actions, before, strict=True)):
                ticket.checkpoint(Progress(3 + at, steps, "Copying the items"))
                if item is not None:
                    scratch.sender.send(SingleWrite(PutAction(action.table, item)), ticket)
            ticket.checkpoint(Progress(steps - 1, steps, "Trying the request"))
            outcome = _tried(scratch.sender, request, ticket)
            after = [
                scratch.reader.get(action.table, key, consistent=True)
                for action, key in zip(actions, keys, strict=True)
            ]
        items = tuple(map(RehearsedItem, actions, keys, before, after))
        return Rehearsal(request, items, outcome, foretell(request, before))

    def _read(self, actions: Sequence[WriteAction], keys: Sequence[Key], ticket: Ticket) -> tuple[Item | None, ...]:
        """The items as they are, several as of one instant."""
        if len(keys) == 1:
            return (self.reader.get(actions[0].table, keys[0], consistent=True),)
        asked = [(action.table, key) for action, key in zip(actions, keys, strict=True)]
        return self.reader.transact_get(asked, ticket)


def _key(action: WriteAction, info: TableInfo) -> Key:
    return info.key_schema.key_of(action.item) if isinstance(action, PutAction) else action.key


def _tried(sender: RequestSender, request: ComposedRequest, ticket: Ticket) -> RehearsedOutcome:
    try:
        return sender.send(request, ticket)
    except InvalidExpression:
        raise
    except InvalidRequest as refused:
        return refused
    except OutcomeUnknown as lost:
        raise ServiceFailed(
            "The private server gave no answer.", hint="Rehearse again.", details=lost.details
        ) from lost
