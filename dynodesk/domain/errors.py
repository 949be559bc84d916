"""What can go wrong outside our code, in the words of the person who has to act on it.

Every error states what failed (`message`), whether anything was written (`written`) and what to do (`hint`).
Anything that is not a `DynodeskError` is a fault of ours and is shown as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from dynodesk.domain.redaction import redaction

Written = Literal["nothing", "applied", "unknown"]


class DynodeskError(Exception):
    """Something outside our code went wrong.

    `code` names the kind for scripts and searches, `next_step` says what to do about one of its kind, unless `hint`
    knows better. `details` holds what support asks for (request id, error code of the service), never values of the
    table and never secrets.
    """

    code: ClassVar[str] = "error"
    next_step: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str = "", written: Written = "nothing", details: str = "") -> None:
        # What a server says may quote what was sent to it.
        self.message = redaction.hide_known(message)
        super().__init__(self.message)
        self.hint = hint
        self.written: Written = written
        self.details = redaction.hide_known(details)

    def __str__(self) -> str:
        return self.message


class InvalidValue(DynodeskError):
    """A value that DynamoDB would not take. `position` is the offset of the first bad character, if there is one."""

    code = "invalid-value"
    next_step = "Correct the value."

    def __init__(self, message: str, *, hint: str = "", position: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.position = position


class InvalidFile(DynodeskError):
    """A file that cannot be used as it is: the message names the place in it."""

    code = "invalid-file"
    next_step = "Correct the file, or choose another."


class InvalidRequest(DynodeskError):
    """A request that cannot be sent: the service would refuse it, or it would not mean what was asked."""

    code = "invalid-request"
    next_step = "Change what is asked for."


class InvalidExpression(InvalidRequest):
    """An expression that cannot be read, or not be applied. `offset` and `length` mark the place in its text."""

    code = "invalid-expression"
    next_step = "Correct the expression."

    def __init__(self, message: str, *, hint: str = "", offset: int = 0, length: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.offset, self.length = offset, length


class InvalidRules(DynodeskError):
    """A rules file with mistakes. Nothing was read from any table."""

    code = "invalid-rules"
    next_step = "Correct the rules file."

    def __init__(self, problems: tuple[RuleProblem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems), hint="Correct the rules file.")
        self.problems = problems


class RuleProblem:
    """One mistake in a rules file: where it is, what is wrong, what to write instead."""

    __slots__ = ("file", "hint", "line", "message", "rule")

    def __init__(self, message: str, *, file: str, line: int, rule: str = "", hint: str = "") -> None:
        self.message, self.file, self.line, self.rule, self.hint = message, file, line, rule, hint

    def __str__(self) -> str:
        rule = f'rule "{self.rule}": ' if self.rule else ""
        hint = f". {self.hint}" if self.hint else ""
        return f"{self.file}:{self.line}: {rule}{self.message}{hint}"


class InvalidStatement(DynodeskError):
    """A statement of SQL that cannot be run, or that failed: the message names its place in the text."""

    code = "sql"
    next_step = "Correct the statement."


class WorkbenchFailed(DynodeskError):
    """The SQL engine cannot work as it must: its file, its memory, its settings."""

    code = "workbench"
    next_step = "Close what else uses its file or its memory, then try again."


class CannotConnect(DynodeskError):
    """The endpoint was not reached: name, port, TLS, proxy or time."""

    code = "cannot-connect"
    next_step = "Check the network and the address, then try again."


class NotDynamoDB(CannotConnect):
    """Something answered, but not DynamoDB: a captive portal, a proxy, another service."""

    code = "not-dynamodb"
    next_step = "Check the address."


class NotAllowed(DynodeskError):
    """The credentials may not do this."""

    code = "not-allowed"
    next_step = "Ask for the permission, or use other credentials."


class CredentialsRefused(NotAllowed):
    """No credentials, expired ones, or ones the service does not know."""

    code = "credentials"
    next_step = "Sign in again, or enter the keys again."
    connection: str = ""
    """The id of the open connection whose login has ended; "" where signing in again is not what helps."""


class ReadOnly(DynodeskError):
    """An operation that is not a read was stopped before it left this machine."""

    code = "read-only"
    next_step = "Use a connection that may write."


class TableMissing(DynodeskError):
    """The table or index does not exist, or no longer does."""

    code = "table-missing"
    next_step = "Check the name, the Region and the account."


class Throttled(DynodeskError):
    """The service refused for lack of capacity, again and again."""

    code = "throttled"
    next_step = "Wait, lower the rate, or raise the table's capacity."


class ServiceFailed(DynodeskError):
    """The service answered with an error of its own, or one we know no better name for."""

    code = "service"
    next_step = "Try again; if it stays, ask AWS support with the request id."


class DamagedReply(DynodeskError):
    """A reply that is not what was sent: cut, altered, or at odds with itself. Never read as an empty one."""

    code = "damaged-reply"
    next_step = "Try again; if it stays, look for a proxy or an unstable network in between."


class IteratorExpired(DynodeskError):
    """A place in a stream's shard was kept for too long without reading on."""

    code = "iterator-expired"
    next_step = "Read on."


class RecordsTrimmed(DynodeskError):
    """A stream no longer has the records that were asked for: it keeps them for 24 hours."""

    code = "records-trimmed"
    next_step = "Follow the stream from now on."


class Busy(DynodeskError):
    """A transactional read was refused because a write transaction holds the item: somebody is in the middle."""

    code = "busy"
    next_step = "Try again."


class ConditionFailed(DynodeskError):
    """A guarded write found the item other than expected. Nothing was written."""

    code = "condition-failed"
    next_step = "Look at the item as it is now, then decide anew."


class OutcomeUnknown(DynodeskError):
    """A write was sent and no trustworthy answer came back: it may or may not have been applied."""

    code = "outcome-unknown"
    next_step = "Read back what it wrote before anything else is done to it."

    def __init__(self, message: str, *, hint: str = "", details: str = "") -> None:
        super().__init__(message, hint=hint, written="unknown", details=details)


def explanation(error: DynodeskError) -> Iterator[str]:
    """The sentences shown for an error: what failed and whether anything was written, then what to do."""
    yield error.message
    match error.written:
        case "applied":
            yield "The write was applied."
        case "unknown":
            yield "Whether the write was applied is not known."
        case "nothing":
            pass
    if advice := error.hint or error.next_step:
        yield advice
