"""What is wrong with a composed request before it is sent, and what holds."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from dynodesk.domain.action_json import action_parameters
from dynodesk.domain.actions import (
    MAX_ACTIONS,
    MAX_TRANSACTION_BYTES,
    TOKEN_SECONDS,
    Action,
    BoundStatement,
    CheckAction,
    ComposedRequest,
    DeleteAction,
    GetAction,
    PutAction,
    SingleGet,
    SingleStatement,
    SingleWrite,
    StatementTransaction,
    TransactGet,
    TransactWrite,
    UpdateAction,
    new_token,
)
from dynodesk.domain.bound_statements import check_bound
from dynodesk.domain.cells import byte_text, visible
from dynodesk.domain.collections import Identity, identity
from dynodesk.domain.draft_checks import CheckedAction, Finding, check_action
from dynodesk.domain.drafts import (
    KINDS_OF,
    STATEMENTS,
    TRANSACTIONS,
    WITH_TOKEN,
    Draft,
    DraftAction,
    draft_from_json,
    draft_of,
    draft_to_json,
)
from dynodesk.domain.expressions import Remark
from dynodesk.domain.expressions.check_texts import MAX_EXPRESSION_BYTES
from dynodesk.domain.expressions.nodes import NOWHERE
from dynodesk.domain.expressions.remarks import Part
from dynodesk.domain.pasting import read_pasted
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item, Value, item_size, size

__all__ = [
    "ActionRemark",
    "CheckedDraft",
    "Draft",
    "DraftAction",
    "check_draft",
    "draft_from_json",
    "draft_of",
    "draft_to_json",
    "read_pasted",
]

TOLD_ONCE = f"sent again with its token within {TOKEN_SECONDS // 60} minutes, it is not done twice"
NO_ITEMS: Mapping[str, Sequence[Item]] = MappingProxyType({})
LONGEST_TOKEN = 36  # API Reference, "TransactWriteItems"


@dataclass(frozen=True, slots=True)
class ActionRemark:
    """One thing about one action, or about the whole."""

    action: int | None
    """Which action or statement, from 0; None: the whole request."""
    remark: Remark
    """Its place is one in the text of `remark.part` as it is typed; of what has no text, none."""
    attribute: int | None = None
    """Which attribute of the item or key, or which parameter of the statement, from 0, where it is about one."""
    mended: Draft | None = None
    """The draft with this put right; None where only a person can."""


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    draft: Draft
    request: ComposedRequest | None
    """None while it cannot be sent."""
    remarks: tuple[ActionRemark, ...]
    """Errors first, each kind in the order of the actions."""
    oks: tuple[str, ...]
    """What was looked at and holds, each a phrase of one line."""
    bytes: int
    """Of the items, keys, names and values that are sent, counted as those of items are. What items have beyond that
    in the table counts to the limit as well, and only the service knows it."""
    actions: tuple[Action | None, ...] = ()
    """Each action as it will be sent; None where it is not right yet."""
    creates: tuple[int, ...] = ()
    """The updates, from 0, that make an item where there is none, which has to be agreed to before they are run."""


def check_draft(
    draft: Draft, tables: Mapping[str, TableInfo], items: Mapping[str, Sequence[Item]] = NO_ITEMS
) -> CheckedDraft:
    """Everything that can be said about a request before it is sent.

    `tables` are those that the connection knows, by name. `items`, whole as they were read, by table: those that the
    actions are about tell what types they have.
    """
    if draft.operation in STATEMENTS:
        return _check_statements(draft, tables)
    found = _Found(draft)
    known = {name: _by_identity(items[name], tables[name]) for name in items if name in tables}
    checked: list[CheckedAction] = []
    places: dict[tuple[str, Identity], int] = {}
    for at, action in enumerate(draft.actions):
        table = tables.get(action.table)
        if table is None:
            found.unknown_table(at, action, tables)
        place = _place(action, table)
        item = None if place is None else known.get(action.table, {}).get(place)
        checked.append(check_action(action, table, known=item, has_token=draft.operation in WITH_TOKEN))
        found.take(at, checked[-1].findings)
        if action.kind not in KINDS_OF[draft.operation]:
            found.error(at, "TransactItems", f"{draft.operation} takes no {action.kind}")
        if place is not None:
            first = places.setdefault((action.table, place), at)
            if first != at:
                message = f"actions {first + 1} and {at + 1} are on one item, and one transaction takes one for each"
                found.error(at, _key_part(action), message, "Join them into one, or run two transactions.")
    found.count(len(draft.actions), "action", "TransactItems")
    found.token()
    actions = tuple(each.action for each in checked)
    sent = tuple(action for action in actions if action is not None)
    measured = _measured(sent)
    if draft.operation in TRANSACTIONS and measured.bytes > MAX_TRANSACTION_BYTES:
        message = f"{byte_text(measured.bytes)} are sent; a transaction has at most 4 MB"
        found.error(None, "TransactItems", message, "Split it into several transactions.")
    creates = tuple(at for at, each in enumerate(checked) if each.creates)
    request = None if found.has_errors or len(sent) != len(actions) else _request(draft, sent)
    oks = _oks(draft, checked, places, measured) if request is not None else ()
    return CheckedDraft(draft, request, found.remarks, tuple(oks), measured.bytes, actions, creates)


def _request(draft: Draft, actions: tuple[Action, ...]) -> ComposedRequest | None:
    match draft.operation:
        case "TransactWriteItems":
            writes = tuple(action for action in actions if not isinstance(action, GetAction))
            return TransactWrite(writes, draft.token)
        case "TransactGetItems":
            return TransactGet(tuple(action for action in actions if isinstance(action, GetAction)))
        case _:
            match actions[0]:
                case GetAction() as get:
                    return SingleGet(get, draft.consistent)
                case (PutAction() | UpdateAction() | DeleteAction()) as write:
                    return SingleWrite(write)
                case CheckAction():
                    return None


def _by_identity(items: Sequence[Item], table: TableInfo) -> dict[Identity, Item]:
    return {identity(item, table.key_schema.names): item for item in items}


def _place(action: DraftAction, table: TableInfo | None) -> Identity | None:
    """Which item the action is about; None while its key is not whole."""
    if table is None:
        return None
    found = identity(dict(action.attributes), table.key_schema.names)
    return found if all(len(token) > 1 for token in found) else None


def _key_part(action: DraftAction) -> Part:
    return "Item" if action.kind == "Put" else "Key"


def _with(draft: Draft, at: int, mended: DraftAction | BoundStatement) -> Draft:
    """The draft with another action or statement at a place."""
    if isinstance(mended, DraftAction):
        return replace(draft, actions=(*draft.actions[:at], mended, *draft.actions[at + 1 :]))
    return replace(draft, statements=(*draft.statements[:at], mended, *draft.statements[at + 1 :]))


class _Found:
    """Collects what is said of a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._remarks: list[ActionRemark] = []

    @property
    def remarks(self) -> tuple[ActionRemark, ...]:
        return tuple(sorted(self._remarks, key=lambda each: each.remark.severity != "error"))

    @property
    def has_errors(self) -> bool:
        return any(each.remark.severity == "error" for each in self._remarks)

    def take(self, action: int, findings: Iterable[Finding]) -> None:
        for each in findings:
            mended = None if each.mended is None else _with(self._draft, action, each.mended)
            self._remarks.append(ActionRemark(action, each.remark, each.attribute, mended))

    def error(self, action: int | None, part: Part, message: str, fix: str = "", mended: Draft | None = None) -> None:
        self._remarks.append(ActionRemark(action, Remark("error", part, NOWHERE, message, fix), mended=mended))

    def unknown_table(self, at: int, action: DraftAction, tables: Mapping[str, TableInfo]) -> None:
        near = difflib.get_close_matches(action.table, tables, n=1) if action.table else []
        mended = _with(self._draft, at, replace(action, table=near[0])) if near else None
        message = f"this connection knows no table {visible(action.table)}" if action.table else "no table is chosen"
        self.error(at, "TableName", message, f"Is it {near[0]}?" if near else "Choose one.", mended)

    def count(self, count: int, what: str, part: Part) -> None:
        if self._draft.operation not in TRANSACTIONS:
            if count != 1:
                self.error(None, part, f"{self._draft.operation} takes one {what}, this has {count:,}")
        elif not 1 <= count <= MAX_ACTIONS:
            message = f"a transaction has 1 to {MAX_ACTIONS} {what}s, this one has {count:,}"
            add = f"Add {'an' if what == 'action' else 'a'} {what}."
            self.error(None, part, message, "Split it into several transactions." if count else add)

    def token(self) -> None:
        draft = self._draft
        if draft.operation in WITH_TOKEN and not 1 <= len(draft.token) <= LONGEST_TOKEN:
            message = f"a token has 1 to {LONGEST_TOKEN} characters, this one has {len(draft.token):,}"
            self.error(None, "ClientRequestToken", message, "Take a new one.", replace(draft, token=new_token()))


# --------------------------------------------------------------------------------------------------------- what holds


@dataclass(frozen=True, slots=True)
class _Measured:
    bytes: int
    names: int
    values: int
    longest: int
    """Bytes of the longest expression."""


def _measured(actions: Sequence[Action]) -> _Measured:
    total = names = values = longest = 0
    for action in actions:
        sent = action_parameters(action, lambda value: value)
        of_names: Mapping[str, str] = sent.get("ExpressionAttributeNames", {})
        of_values: Mapping[str, Value] = sent.get("ExpressionAttributeValues", {})
        names, values = names + len(of_names), values + len(of_values)
        total += item_size(sent.get("Item") or sent["Key"])
        total += sum(len(name.encode("utf-8", "surrogatepass")) for name in of_names.values())
        total += sum(map(size, of_values.values()))
        for part in ("UpdateExpression", "ConditionExpression", "ProjectionExpression"):
            longest = max(longest, len(sent.get(part, "")))
    return _Measured(total, names, values, longest)


def _oks(
    draft: Draft, checked: Sequence[CheckedAction], places: Mapping[tuple[str, Identity], int], measured: _Measured
) -> Iterator[str]:
    if draft.operation in TRANSACTIONS:
        yield f"{_count(len(checked), 'action')} on {_count(len(places), 'different item')} of one Region"
        yield f"{byte_text(measured.bytes)} of 4 MB: what is sent, counted as items are"
    if measured.longest:
        yield (
            f"{_count(measured.names, 'name')} and {_count(measured.values, 'value')}, each used; "
            f"longest expression {byte_text(measured.longest)} of {MAX_EXPRESSION_BYTES // 1024} KB"
        )
    guarded = [each.action for each in checked if each.is_guarded]
    if len(guarded) == 1 and isinstance(guarded[0], UpdateAction):
        first = guarded[0].update.actions[0]
        word = type(first).__name__.upper()
        yield f"{word} {visible(first.path.attribute)} is guarded: a deleted item stays deleted"
    elif guarded:
        yield f"{_count(len(guarded), 'update')} are guarded: a deleted item stays deleted"
    if draft.operation in WITH_TOKEN:
        yield TOLD_ONCE


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


# --------------------------------------------------------------------------------------------------------- statements


def _check_statements(draft: Draft, tables: Mapping[str, TableInfo]) -> CheckedDraft:
    found = _Found(draft)
    is_transaction = draft.operation in TRANSACTIONS
    checked = [check_bound(each, tables, in_transaction=is_transaction) for each in draft.statements]
    for at, statement in enumerate(checked):
        found.take(at, statement.findings)
    found.count(len(checked), "statement", "TransactStatements" if is_transaction else "Statement")
    found.token()
    verbs = [statement.read.verb for statement in checked if statement.read is not None]
    writes = len(verbs) - verbs.count("SELECT")
    if is_transaction and "SELECT" in verbs and writes:
        message = "a transaction reads or it writes: SELECT has no place beside what writes"
        fix = "Make two transactions of it; EXISTS is the condition of one that writes."
        found.error(verbs.index("SELECT"), "TransactStatements", message, fix)
    total = sum(statement.bytes for statement in checked)
    if found.has_errors:
        return CheckedDraft(draft, None, found.remarks, (), total)
    sent = tuple(statement.sent for statement in checked)
    if not is_transaction:
        return CheckedDraft(draft, SingleStatement(sent[0]), found.remarks, (), total)
    each = f"all of them {'write' if writes else 'read'}" if len(sent) > 1 else f"it {'writes' if writes else 'reads'}"
    oks = (f"{_count(len(sent), 'statement')}, {each}", TOLD_ONCE)
    return CheckedDraft(draft, StatementTransaction(sent, draft.token), found.remarks, oks, total)
