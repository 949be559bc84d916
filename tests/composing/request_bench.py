"""Composed requests over items in memory, with a service that keeps tokens and whose answers get lost by script."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator

from dynodesk.composing.desk import RequestDesk
from dynodesk.composing.running import RunReport
from dynodesk.domain.actions import (
    TOKEN_SECONDS,
    Action,
    ComposedRequest,
    DeleteAction,
    GetAction,
    PutAction,
    SingleWrite,
    TransactWrite,
    UpdateAction,
    WriteAction,
    actions_of,
)
from dynodesk.domain.composed import ActionReason, Done, Refused
from dynodesk.domain.errors import CannotConnect, DynodeskError, OutcomeUnknown, ReadOnly
from dynodesk.domain.expressions import parse_changes, parse_where
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, Number, String
from tests.editing.edit_bench import HERE, POSTS, SCHEMA, MemoryCatalog, post
from tests.helpers.memory_journal import MemoryJournal
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.virtual_clock import VirtualClock

LOST = OutcomeUnknown("sent, no answer", details="reply lost")
TOKEN = "0123456789abcdef0123456789abcdef0123"
META: Key = {"PK": String("POST#a91f"), "SK": String("META")}
LIKE = {"PK": String("POST#a91f"), "SK": String("LIKE#ann")}
ADD_ONE = UpdateAction("Posts", META, parse_changes("ADD likes 1"))
PUT_LIKE = PutAction("Posts", LIKE, parse_where("attribute_not_exists(PK)"))
COUNT = SingleWrite(ADD_ONE)


def like(*more: WriteAction) -> TransactWrite:
    return TransactWrite((PUT_LIKE, ADD_ONE, *more), TOKEN)


def likes(count: int) -> Item:
    return post(likes=Number(str(count)))


Script = DynodeskError | Callable[[], object]


class MemoryService:
    """A `RequestSender`: what it does and forgets to answer is in `before` and `after`."""

    def __init__(self, reader: MemoryReader, clock: VirtualClock) -> None:
        self._reader, self._clock = reader, clock
        self._tokens: dict[str, float] = {}
        self.sent: list[ComposedRequest] = []
        self.before: dict[int, Script] = {}
        """By number of the request, from 1: raised, or called, before anything is done."""
        self.after: dict[int, Script] = {}
        """The same when it is done, in the place of the answer."""
        self.replies: dict[int, Done | Refused] = {}
        """What is answered without doing anything."""
        self.keeps_tokens = True

    def send(self, request: ComposedRequest, ticket: Ticket) -> Done | Refused:
        self.sent.append(request)
        number = len(self.sent)
        _follow(self.before.get(number))
        answer = self.replies.get(number) or self._answer(request, f"REQUEST{number}")
        _follow(self.after.get(number))
        return answer

    def _answer(self, request: ComposedRequest, request_id: str) -> Done | Refused:
        token = request.token if isinstance(request, TransactWrite) and self.keeps_tokens else ""
        if token and self._clock.now() - self._tokens.get(token, -TOKEN_SECONDS) < TOKEN_SECONDS:
            return Done((), (), 0.01, request_id)
        actions = actions_of(request)
        items = tuple(self._reader.get("Posts", _key(action)) for action in actions)
        reasons = tuple(map(_reason, actions, items))
        if any(reason.code != "None" for reason in reasons):
            return Refused(reasons, (), 0.01, request_id)
        left = tuple(map(self._write, actions, items))
        if token:
            self._tokens[token] = self._clock.now()
        if isinstance(request, TransactWrite):
            return Done((), (), 0.01, request_id)
        has_new = isinstance(request, SingleWrite) and isinstance(request.action, UpdateAction)
        return Done(left if has_new else items, (), 0.01, request_id)

    def _write(self, action: Action, item: Item | None) -> Item | None:
        match action:
            case PutAction(item=new):
                self._reader.put("Posts", new)
                return new
            case UpdateAction():
                changed = action.update.apply(item or action.key, exists=item is not None)
                self._reader.put("Posts", changed)
                return changed
            case DeleteAction(key=key) if item is not None:
                self._reader.delete("Posts", key)
        return None


def _follow(script: Script | None) -> None:
    if isinstance(script, DynodeskError):
        raise script
    if script is not None:
        script()


def _key(action: Action) -> Key:
    return SCHEMA.key_of(action.item) if isinstance(action, PutAction) else action.key


def _reason(action: Action, item: Item | None) -> ActionReason:
    condition = None if isinstance(action, GetAction) else action.condition
    if condition is None or condition.holds(item or {}):
        return ActionReason("None", "", None)
    return ActionReason("ConditionalCheckFailed", "The conditional request failed", item)


class RequestBench:
    def __init__(self, *items: Item, read_only: bool = False) -> None:
        self.reader = MemoryReader(POSTS)
        self.reader.put("Posts", *items)
        self.clock = VirtualClock()
        self.service = MemoryService(self.reader, self.clock)
        self.journal = MemoryJournal()
        self.ticket = Ticket()
        self.told: list[str] = []
        self.read_only = read_only
        self.desk = self.new_desk()

    def new_desk(self, place: Place = HERE) -> RequestDesk:
        """Of another program, or of this one after it was started again."""
        return RequestDesk(
            place,
            MemoryCatalog(),
            self.service,
            self.reader,
            self.journal,
            self.clock,
            random.Random(3),
            self._holding,
        )

    @contextlib.contextmanager
    def _holding(self) -> Iterator[None]:
        if self.read_only:
            raise ReadOnly("read-only")
        yield

    def run(self, request: ComposedRequest) -> RunReport:
        return self.desk.run(request, self.ticket, self.told.append)

    @property
    def likes(self) -> str:
        item = self.reader.get("Posts", META) or {}
        number = item["likes"]
        assert isinstance(number, Number)
        return number.text

    def outcomes(self) -> list[object]:
        """Of the tries, as they are noted."""
        return [outcome for kind, outcome in self.journal.told() if kind == "outcome"]


UNREACHED = CannotConnect("nothing listens there")
