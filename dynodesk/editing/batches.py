"""Deletions and puts without a condition, in requests of 25, until none is left out or somebody says stop."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from dynodesk.domain.batches import BatchWriter, PlainWrite, batches, plain_to_json
from dynodesk.domain.errors import Busy, DynodeskError, OutcomeUnknown, Throttled
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.tries import MAX_TRIES, Pause
from dynodesk.domain.writing import INTENT, OUTCOME, Hands
from dynodesk.editing.log import BATCH, COMMIT, COMMIT_END, LoggedBatch, commit_payload


@dataclass(frozen=True, slots=True)
class BatchReport:
    commit: str
    started: str
    ended: str
    """UTC, ISO 8601."""
    stopped: str | None
    """Why it ended before its end, if it did."""
    done: tuple[PlainWrite, ...]
    not_done: tuple[PlainWrite, ...]
    """Not written: what is left to do."""
    unknown: tuple[PlainWrite, ...]
    """Sent, and whether they were written could not be found out."""
    requests: int
    sent_again: int
    """How many writes the service left out at first, counted each time."""


def write_batches(
    table: str,
    writes: Sequence[PlainWrite],
    place: Place,
    hands: Hands,
    writer: BatchWriter,
    ticket: Ticket,
    told: Callable[[tuple[PlainWrite, ...]], object] | None = None,
) -> BatchReport:
    """Each request is in the journal before it is sent. `told` is called with those that were written, as they are.

    Cancelling ends it between two requests; so does a request that fails for another reason than want of capacity.
    Raises `InvalidRequest` for a key that is written twice, and `DynodeskError` where the journal does not take the
    work: then nothing was written.
    """
    portions = tuple(batches(writes))
    run = _Run(table, uuid.uuid4().hex[:12], len(writes), hands, writer, ticket, told)
    hands.journal.append(COMMIT, commit_payload(run.commit, place, len(writes)))
    started = hands.clock.utc()
    run.go(portions)
    try:
        hands.journal.append(COMMIT_END, {"id": run.commit, "stopped": run.stopped})
    except DynodeskError as fault:
        run.stopped = run.stopped or f"{fault.message} [{fault.code}]"
    decided = {write.identity for write in (*run.done, *run.unknown)}
    not_done = tuple(write for write in writes if write.identity not in decided)
    return BatchReport(
        run.commit,
        started,
        hands.clock.utc(),
        run.stopped,
        tuple(run.done),
        not_done,
        tuple(run.unknown),
        run.requests,
        run.sent_again,
    )


@dataclass(slots=True)
class _Run:
    table: str
    commit: str
    total: int
    hands: Hands
    writer: BatchWriter
    ticket: Ticket
    told: Callable[[tuple[PlainWrite, ...]], object] | None
    done: list[PlainWrite] = field(default_factory=list)
    unknown: list[PlainWrite] = field(default_factory=list)
    requests: int = 0
    sent_again: int = 0
    stopped: str | None = None

    def go(self, portions: Iterable[tuple[PlainWrite, ...]]) -> None:
        try:
            for portion in portions:
                self._write(portion)
        except Cancelled:
            self.stopped = "cancelled"
        except DynodeskError as fault:
            self.stopped = f"{fault.message} [{fault.code}]"

    def _write(self, portion: tuple[PlainWrite, ...]) -> None:
        """All of a portion, in as many requests as that takes."""
        left, failures = portion, 0
        while left:
            self.ticket.wait_while_paused()
            self.ticket.checkpoint(Progress(len(self.done), self.total, "Writing"))
            still_left = self._sent(left)
            self.sent_again += len(still_left)
            failures = failures + 1 if len(still_left) == len(left) else 0
            if failures == MAX_TRIES:
                raise Throttled(f"{self.table} took none of {len(left)} writes in {failures} requests.")
            left = still_left
            if left:
                self._pause(failures)

    def _pause(self, failures: int) -> None:
        note = "Throttled: waiting for capacity"
        self.ticket.checkpoint(Progress(len(self.done), self.total, note, is_waiting=True))
        ceiling = Pause.after(failures + 1).ceiling
        self.hands.clock.sleep(self.hands.chance.uniform(ceiling / 2, ceiling), self.ticket)

    def _sent(self, writes: tuple[PlainWrite, ...]) -> tuple[PlainWrite, ...]:
        """One request; those that it did not write. Raises `DynodeskError` where the next one would fail as well."""
        self.requests += 1
        id_ = f"{self.commit}-{self.requests}"
        payload = {"what": BATCH, "commit": self.commit, "id": id_, "try": 1, "table": self.table}
        self.hands.journal.append(INTENT, {**payload, "writes": [plain_to_json(write) for write in writes]})
        try:
            left = self.writer.write_batch(self.table, writes)
        except OutcomeUnknown as fault:
            return self._read_back(id_, writes, fault.details or fault.message)
        except (Throttled, Busy) as fault:
            self._note(id_, "not applied", fault.message, writes)
            return writes
        except DynodeskError as fault:
            self._note(id_, "refused", f"{fault.message} [{fault.code}]", writes)
            raise
        self._take(writes, left)
        self._note(id_, "applied", "", left)
        return left

    def _read_back(self, id_: str, writes: tuple[PlainWrite, ...], why: str) -> tuple[PlainWrite, ...]:
        try:
            self._note(id_, "unknown", why, ())
            left = not_written(self.table, writes, self.hands, self.ticket)
        except (DynodeskError, Cancelled):
            self.unknown.extend(writes)
            raise
        self._take(writes, left)
        self._note(id_, "settled", READ_BACK, left)
        return left

    def _take(self, writes: tuple[PlainWrite, ...], left: tuple[PlainWrite, ...]) -> None:
        kept = {write.identity for write in left}
        written = tuple(write for write in writes if write.identity not in kept)
        self.done.extend(written)
        if self.told is not None and written:
            self.told(written)

    def _note(self, id_: str, outcome: str, why: str, left: tuple[PlainWrite, ...]) -> None:
        note_batch(self.hands, id_, outcome, why, left)


READ_BACK = "no answer came; the items were read back"


def not_written(table: str, writes: Sequence[PlainWrite], hands: Hands, ticket: Ticket) -> tuple[PlainWrite, ...]:
    """Those whose items are not as the write makes them, in a strongly consistent read. Raises what reading raises."""
    items = hands.reader.batch_get(table, [write.key for write in writes], ticket, consistent=True)
    return tuple(write for write, item in zip(writes, items, strict=True) if item != write.item)


def note_batch(hands: Hands, id_: str, outcome: str, why: str, left: Sequence[PlainWrite]) -> None:
    left_out = [item_to_dynamodb(write.key) for write in left]
    hands.journal.append(OUTCOME, {"id": id_, "try": 1, "outcome": outcome, "why": why, "left_out": left_out})


def resolve_batch(batch: LoggedBatch, hands: Hands, ticket: Ticket) -> tuple[PlainWrite, ...]:
    """What became of a request whose program ended before it could note it: those that were not written.

    Nothing is sent again. Raises what reading and the journal raise.
    """
    left = not_written(batch.table, batch.writes, hands, ticket)
    note_batch(hands, batch.id, "settled", READ_BACK, left)
    return left
