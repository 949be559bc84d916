"""A composed request from intent to certainty: noted before it is sent, sent once, and never doubled.

What comes back without a trustworthy answer is settled by what the request allows. A transaction has a token: sent
again with it within ten minutes it is not done again, so the same is sent until an answer comes. A single write has
none. It is never sent again: its item is read, and compared with what the write makes of the one that was there.

A transaction that was cancelled may be sent again with its token as well. The service keeps the token of one that it
has done (Developer Guide, "DynamoDB transactions: how it works", on idempotency: if the original call was successful,
later ones succeed without making changes); whether it tries a cancelled one anew or cancels it once more, it is done
at most once. A new token would not give that: the first try might still be on its way.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace

from dynodesk.composing.effects import Items, effect_of
from dynodesk.composing.log import intent_payload, outcome_payload
from dynodesk.composing.running import RequestHands, RunOutcome, RunReport, Sending, Told, seconds_left, token_of
from dynodesk.domain.actions import ComposedRequest, PutAction, SingleWrite, UpdateAction
from dynodesk.domain.composed import Done, Refused
from dynodesk.domain.errors import Busy, CannotConnect, DynodeskError, OutcomeUnknown, ReadOnly, Throttled
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.tries import MAX_TRIES, Pause
from dynodesk.domain.writes import Effect
from dynodesk.domain.writing import INTENT, OUTCOME


@dataclass(slots=True)
class Run:
    hands: RequestHands
    request: ComposedRequest
    ticket: Ticket
    told: Told
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    before: Items | None = None
    first_sent: Sending | None = None
    tries: int = 0
    doubt: str = ""
    """Why an earlier try may have been applied; "": none may."""
    was_done: bool = False
    """Whether an earlier try was answered."""
    request_ids: list[str] = field(default_factory=list)
    started: str = field(init=False)
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.started, self.began = self.hands.clock.utc(), self.hands.clock.now()

    @classmethod
    def again(cls, hands: RequestHands, report: RunReport, ticket: Ticket, told: Told) -> Run:
        """Takes up a run that has ended."""
        return cls(
            hands,
            report.request,
            ticket,
            told,
            report.id,
            None if report.outcome == "refused" else report.before,
            report.first_sent,
            report.tries,
            report.reason if report.outcome == "unknown" else "",
            report.outcome == "done",
            [*report.request_ids],
        )

    def read(self) -> RunReport:
        self.told("Reading")
        self.tries = 1
        answer = self._sent()
        return self._answered(answer) if isinstance(answer, Done | Refused) else self._failed(answer)

    def write(self) -> RunReport:
        if self.before is None and not self.doubt and not self.was_done:
            self.told("Reading the items as they are")
            try:
                self.before = self.hands.items(self.request, self.ticket)
            except DynodeskError as fault:
                return self._report("not sent", f"the items could not be read: {fault.message}", error=fault)
        self.ticket.checkpoint()
        last = self.tries + MAX_TRIES
        while True:
            report = self._try()
            if report is not None:
                return report
            if not self._may_try_again(last):
                return self._settled()
            self.told("No answer that can be trusted: sending it again with its token")
            try:
                # Not too soon: what an earlier try has begun is finished by one that comes 5 seconds after it.
                ceiling = Pause.after(self.tries + 1).ceiling
                self.hands.clock.sleep(self.hands.chance.uniform(ceiling / 2, ceiling), self.ticket)
            except Cancelled:
                return self._report("unknown", f"stopped between two tries; {self.doubt}")
            if not self._may_try_again(last):
                return self._settled()

    def _may_try_again(self, last: int) -> bool:
        left = seconds_left(self.first_sent, self.hands.clock)
        return bool(token_of(self.request)) and self.tries < last and left > 0

    def _try(self) -> RunReport | None:
        """One try, noted before and after. None: what became of it is not known, and another one may tell."""
        hands = self.hands
        sending = self.first_sent or Sending(hands.clock.utc(), hands.clock.now())
        try:
            hands.journal.append(INTENT, intent_payload(self.id, self.tries + 1, self.request, hands.place))
        except DynodeskError as fault:
            outcome: RunOutcome = "done" if self.was_done else "unknown" if self.doubt else "not sent"
            why = f"it was not sent, as it could not be noted first: {fault.message}"
            return self._report(outcome, f"{self.doubt}; then {why}" if self.doubt else why, error=fault)
        self.tries += 1
        self.first_sent = sending
        self.told("Sending")
        answer = self._sent()
        match answer:
            case Done():
                not_noted = self._note("applied")
                return _but(self._done(answer), not_noted)
            case _ if self.was_done:
                return self._done_before(answer)
            case Refused() if not (self.doubt and answer.will_pass):
                return self._refused(answer)
            case Refused():
                return self._not_known(f"{self.doubt}; then others were in the way")
            case OutcomeUnknown():
                self.doubt = answer.details or answer.message
                return self._not_known(self.doubt)
            case Busy() | Throttled() | CannotConnect() if self.doubt:
                return self._not_known(f"{self.doubt}; then: {answer.message}")
            case _ if self.doubt:
                why = f"an earlier try may have been applied ({self.doubt}); then: {answer.message}"
                return _but(self._report("unknown", why, error=answer), self._note("unknown", why))
            case _:
                report = self._failed(answer)
                noted = "refused" if report.outcome == "refused" else "not applied"
                return _but(report, self._note(noted, f"{answer.message} [{answer.code}]"))

    def _sent(self) -> Done | Refused | DynodeskError:
        try:
            answer = self.hands.sender.send(self.request, self.ticket)
        except DynodeskError as fault:
            return fault
        if answer.request_id:
            self.request_ids.append(answer.request_id)
        return answer

    def _note(self, outcome: str, why: str = "") -> DynodeskError | None:
        """Note what came of a try; the error where the journal does not take it."""
        try:
            self.hands.journal.append(OUTCOME, outcome_payload(self.id, self.tries, outcome, why))
        except DynodeskError as fault:
            return fault
        return None

    def _not_known(self, why: str) -> RunReport | None:
        """Another try may tell, as long as the journal takes what it does."""
        fault = self._note("unknown", why)
        return None if fault is None else _but(self._report("unknown", why), fault)

    # -- what came of it

    def _answered(self, answer: Done | Refused) -> RunReport:
        return self._report("done" if isinstance(answer, Done) else "refused", "", answer)

    def _failed(self, fault: DynodeskError) -> RunReport:
        never_arrived = isinstance(fault, CannotConnect | ReadOnly)
        return self._report("not sent" if never_arrived else "refused", fault.message, error=fault)

    def _done(self, answer: Done) -> RunReport:
        reason = ""
        if self.was_done:
            reason = "it had been done before: nothing was changed"
        elif self.doubt:
            reason = "an earlier try had no answer; with its token it is done once"
        report = self._report("done", reason, answer)
        match self.request:
            case SingleWrite(UpdateAction()):
                return replace(report, after=answer.items)
            case SingleWrite(PutAction(item=item)):
                return replace(report, before=answer.items, after=(item,))
            case SingleWrite():
                return replace(report, before=answer.items, after=(None,))
        self.told("Reading the items as they are now")
        try:
            return replace(report, after=self.hands.items(self.request, self.ticket))
        except (DynodeskError, Cancelled) as fault:
            why = f"the items were not read afterwards: {str(fault) or 'stopped'}"
            return replace(report, reason=f"{reason}; {why}" if reason else why)

    def _done_before(self, answer: Refused | DynodeskError) -> RunReport:
        error = answer if isinstance(answer, DynodeskError) else None
        reason = f"it had been done before; sent again: {'it was refused' if error is None else error.message}"
        return _but(self._report("done", reason, error=error), self._note("applied", reason))

    def _refused(self, answer: Refused) -> RunReport:
        if self.doubt and self._seen()[0] == "likely":
            why = "refused when it was sent again, and yet the items are as it makes them: is the token known there?"
            return _but(self._report("unknown", why, seen="likely"), self._note("unknown", why))
        codes = ", ".join(reason.code for reason in answer.reasons)
        return _but(self._report("refused", "", answer), self._note("refused", codes))

    def _settled(self) -> RunReport:
        """No answer will come: what the items say."""
        self.told("Reading what the items say of it")
        seen, after, why = self._seen()
        reason = f"{self.doubt}; {why}"
        report = self._report("unknown", reason, after=after, seen=seen)
        if not isinstance(self.request, SingleWrite) or after is None or seen == "not applied":
            return report
        if seen == "likely":
            return _but(replace(report, outcome="done"), self._note("settled", reason))
        return _but(report, self._note("unclear", reason))

    def _seen(self) -> tuple[Effect | None, Items | None, str]:
        """What the items say, the items, and that in words."""
        if self.before is None:
            return None, None, "its items were not read before, so that they say nothing"
        try:
            after = self.hands.items(self.request, self.ticket)
        except (DynodeskError, Cancelled) as fault:
            return None, None, f"its items could not be read: {str(fault) or 'stopped'}"
        if after is None:
            return None, None, "its items may not be read"
        seen = effect_of(self.request, self.before, after)
        return seen, after, _SAID[seen]

    def _report(
        self,
        outcome: RunOutcome,
        reason: str,
        result: Done | Refused | None = None,
        *,
        error: DynodeskError | None = None,
        after: Items | None = None,
        seen: Effect | None = None,
    ) -> RunReport:
        clock = self.hands.clock
        return RunReport(
            self.id,
            self.request,
            outcome,
            reason,
            result,
            error,
            self.before,
            after,
            seen,
            self.tries,
            self.started,
            clock.utc(),
            clock.now() - self.began,
            tuple(self.request_ids),
            self.first_sent,
        )


def _but(report: RunReport, fault: DynodeskError | None) -> RunReport:
    """The report, and where the journal did not take it, that."""
    if fault is None:
        return report
    words = f"the journal could not say what came of it: {fault.message}"
    return replace(report, reason=f"{report.reason}; {words}" if report.reason else words, error=fault)


_SAID: dict[Effect, str] = {
    "likely": "read back, its items are exactly as it makes them of those that were there: the same change by another "
    "writer would look no different",
    "not applied": "read back, its items are as they were: it was not applied, or is late and may be yet",
    "unclear": "read back, its items do not say whether it was applied: others have changed them, or it makes no "
    "difference",
}
