"""The actions of composed requests as titles and sentences, and what a refusal says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dynodesk.domain.actions import (
    Action,
    CheckAction,
    ComposedRequest,
    DeleteAction,
    GetAction,
    PutAction,
    SingleStatement,
    SingleWrite,
    StatementTransaction,
    TransactWrite,
    UpdateAction,
    actions_of,
)
from dynodesk.domain.cells import cell_text, visible
from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions import Condition, read_statement, reasons
from dynodesk.domain.expressions.nodes import DocumentPath, Literal
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.expressions.updates import Action as Change
from dynodesk.domain.expressions.updates import Add, Delete, Remove, Set, Sum
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import Item, Number

Tables = Mapping[str, TableInfo]

LONGEST = 300
"""Characters of what one line says."""
NO_GUARD = "NO GUARD: whatever is there"
MEANINGS = {
    "None": "not the cause",
    "ConditionalCheckFailed": "its condition did not hold",
    "TransactionConflict": "somebody else was writing the item at this moment: send it again",
    "ThrottlingError": "too many requests for this table or key at this moment: send it again, more slowly",
    "ThrottlingException": "too many requests for this table or key at this moment: send it again, more slowly",
    "ProvisionedThroughputExceeded": "the table or an index had no capacity left at this moment: send it again",
    "ItemCollectionSizeLimitExceeded": "with a local secondary index, an item collection ends at 10 GB: it is full",
    "DuplicateItem": "there is an item with this key already",
    "AccessDenied": "the credentials may not do this",
    "ValidationError": "the service does not take the action as it is",
}
"""Reasons of the service, in plain words."""


def key_of(action: Action, tables: Tables) -> Key | None:
    """None: the key of a Put is not known, as its table is not."""
    if not isinstance(action, PutAction):
        return action.key
    info = tables.get(action.table)
    if info is None:
        return None
    try:
        return info.key_schema.key_of(action.item)
    except InvalidValue:
        return None


def titles(request: ComposedRequest, tables: Tables) -> tuple[str, ...]:
    """`Put LIKE#USER#7c20` for each action: its sort key where that tells it from the others, else its whole key.

    Of statements it is the verb and the table.
    """
    statements = statements_of(request)
    if statements:
        return tuple(map(_statement_title, statements))
    actions = actions_of(request)
    keys = [key_of(action, tables) for action in actions]
    short = ["" if key is None else cell_text(list(key.values())[-1]) for key in keys]
    names = short if len(set(short)) == len(short) else ["" if key is None else _cut(readable_key(key)) for key in keys]
    return tuple(f"{action.kind} {visible(name or action.table)}" for action, name in zip(actions, names, strict=True))


def whole_title(action: Action, tables: Tables) -> str:
    """`Put POST#a91f / LIKE#USER#7c20 in Social`."""
    key = key_of(action, tables)
    return f"{action.kind} {'' if key is None else f'{readable_key(key)} in '}{action.table}"


def statements_of(request: ComposedRequest) -> tuple[str, ...]:
    match request:
        case SingleStatement(statement):
            return (statement.text,)
        case StatementTransaction(statements):
            return tuple(statement.text for statement in statements)
        case _:
            return ()


def _statement_title(text: str) -> str:
    try:
        read = read_statement(text)
    except InvalidExpression:
        return _cut(visible(text))
    return f"{read.verb} {visible(read.table)}"


def tables_of(request: ComposedRequest) -> tuple[str, ...]:
    """The tables that it touches, each once, in their order."""
    named = [action.table for action in actions_of(request)]
    for text in statements_of(request):
        try:
            named.append(read_statement(text).table)
        except InvalidExpression:
            continue
    return tuple(dict.fromkeys(named))


# ------------------------------------------------------------------------------------------- what is going to happen


def change_words(action: Action) -> str:
    """What an action does to its item, on one line."""
    match action:
        case PutAction(item=item):
            count = "1 attribute" if len(item) == 1 else f"{len(item):,} attributes"
            return f"{count}: {_attribute_line(item)}"
        case UpdateAction(update=update):
            return _cut(visible(", ".join(map(_one_change, update.actions))))
        case DeleteAction():
            return "the whole item is deleted"
        case CheckAction():
            return "nothing: it is only looked at"
        case GetAction(projection=projection):
            return "reads the whole item" if projection is None else _cut(visible(f"reads {projection}"))


def _one_change(change: Change) -> str:
    path = change.path.text(WRITTEN_OUT)
    match change:
        case Set(_, Sum(DocumentPath() as left, sign, right)) if left == change.path:
            return f"{path} {sign} {right.text(WRITTEN_OUT)}"
        case Set(value=value):
            return f"{path} = {value.text(WRITTEN_OUT)}"
        case Remove():
            return f"{path} removed"
        case Add(value=Literal(Number(text=text))):
            return f"{path} - {text[1:]}" if text.startswith("-") else f"{path} + {text}"
        case Add(value=added):
            return f"{path} with {cell_text(added.value)}"
        case Delete(value=gone):
            return f"{path} without {cell_text(gone.value)}"
        case _:
            return change.text(WRITTEN_OUT)


def guard_of(action: Action) -> Condition | None:
    return None if isinstance(action, GetAction) else action.condition


def guard_words(action: Action) -> str:
    guard = guard_of(action)
    return NO_GUARD if guard is None else _cut(visible(str(guard)))


def deletes(request: ComposedRequest) -> bool:
    """Whether an item may be gone afterwards."""
    return any(isinstance(action, DeleteAction) for action in actions_of(request)) or any(
        title.startswith("DELETE ") for title in map(_statement_title, statements_of(request))
    )


def lost_words(request: ComposedRequest) -> str:
    """What happens if the reply gets lost, in one sentence."""
    match request:
        case TransactWrite() | StatementTransaction():
            return "it can be sent again safely for ten minutes: its token keeps it from being done twice."
        case SingleWrite():
            return "it is not sent again, as it has no token: the item is read back to see what became of it."
        case _:
            return "it is not sent again, as it has no token: look at the item to see what became of it."


# --------------------------------------------------------------------------------------------------- what was refused


def meaning(code: str) -> str:
    return MEANINGS.get(code, "the service says no more about it")


def why_words(condition: Condition | None, found: Item | None) -> Iterator[str]:
    """Which terms of a condition failed on the item as it was found, each with what is there."""
    if condition is None or found is None:
        return
    for reason in reasons(condition, found):
        there = ", ".join(f"{path} is {value}" for path, value in reason.found)
        is_wrong = "holds, and must not" if reason.holds else "does not hold"
        yield visible(f"{reason.term} {is_wrong}{': ' + there if there else ''}")


def item_line(item: Item, leave_out: Sequence[str] = ()) -> str:
    """An item short on one line: `likedAt 1750550400, by web 8.2.1`, without the attributes that are known anyway."""
    return _attribute_line({name: value for name, value in item.items() if name not in leave_out} or item)


def _attribute_line(item: Item) -> str:
    """No more of it is written out than is shown."""
    parts: list[str] = []
    room = LONGEST
    for name, value in item.items():
        parts.append(f"{visible(name)} {cell_text(value)}")
        room -= len(parts[-1])
        if room < 0:
            break
    line = ", ".join(parts)
    return line if len(line) <= LONGEST and len(parts) == len(item) else f"{line[:LONGEST]}…"


def sentences(*parts: str) -> str:
    """Each with a full stop, where it has none. For eyes only."""
    told = (visible(part.strip()) for part in parts if part.strip())
    return " ".join(part if part[-1] in ".?!…" else f"{part}." for part in told)


def begun(reason: str) -> str:
    """With a capital letter, where it begins with a word: names and addresses stay as they are."""
    return f"{reason[0].upper()}{reason[1:]}" if reason.split(" ", maxsplit=1)[0].isalpha() else reason


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
