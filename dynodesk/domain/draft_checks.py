"""What is wrong with one action as it is typed, and the action that it says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from dynodesk.domain.actions import (
    MAX_ACTIONS,
    Action,
    BoundStatement,
    CheckAction,
    DeleteAction,
    GetAction,
    PutAction,
    UpdateAction,
)
from dynodesk.domain.drafts import DraftAction
from dynodesk.domain.edits import check_index_keys
from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions import Condition, Remark, Update, check_changes, check_paths, check_write_condition
from dynodesk.domain.expressions.check_updates import makes_an_item
from dynodesk.domain.expressions.conditions import all_terms
from dynodesk.domain.expressions.nodes import NOWHERE, DocumentPath
from dynodesk.domain.expressions.remarks import Marker, Part, errors_first
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.expressions.updates import Sum
from dynodesk.domain.tables import KeyAttribute, KeySchema, KeyType, TableInfo
from dynodesk.domain.values import (
    MAX_ITEM_BYTES,
    MAX_PARTITION_KEY_BYTES,
    MAX_SORT_KEY_BYTES,
    Binary,
    BinarySet,
    Item,
    KeyValue,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
    check_item,
    check_item_size,
    check_key,
    item_size,
    type_tag,
    type_word,
)

UNFILLED: dict[KeyType, KeyValue] = {"S": String(""), "N": Number(""), "B": Binary(b"")}
"""What stands where a key's value is still to be typed. It is no key, and said to be none."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about one action or statement."""

    remark: Remark
    attribute: int | None = None
    """Which attribute of the item or key, or which parameter, from 0, where it is about one."""
    mended: DraftAction | BoundStatement | None = None
    """The action or statement with this put right; None where only a person can."""


@dataclass(frozen=True, slots=True)
class CheckedAction:
    action: Action | None
    """None while something in it is wrong."""
    findings: tuple[Finding, ...]
    creates: bool = False
    """Whether it makes an item where there is none, without anybody having agreed to that."""
    is_guarded: bool = False
    """Whether it is an update with a condition that leaves alone what does not exist."""


def check_action(
    draft: DraftAction, table: TableInfo | None, *, known: Item | None = None, has_token: bool = False
) -> CheckedAction:
    """`table`: None where nothing is known of it: then only what can be read is checked.

    `known` is the item that has this key, as it was read. With a token an action is not done twice.
    """
    findings = list(_check_attributes(draft, table))
    update, condition, remarks = _check_expressions(draft, table, known, has_token)
    findings += [Finding(remark, mended=_mended(draft, remark)) for remark in remarks]
    action = None
    if table is not None and not any(finding.remark.severity == "error" for finding in findings):
        action = _action(draft, update, condition)
    makes = update is not None and makes_an_item(update, condition)
    is_guarded = isinstance(action, UpdateAction) and condition is not None and not makes
    return CheckedAction(action, tuple(findings), makes and not draft.may_create, is_guarded)


def _action(draft: DraftAction, update: Update | None, condition: Condition | None) -> Action | None:
    item = dict(draft.attributes)
    key: dict[str, KeyValue] = {name: value for name, value in item.items() if isinstance(value, KeyValue)}
    match draft.kind:
        case "Put":
            return PutAction(draft.table, item, condition)
        case "Update":
            return None if update is None else UpdateAction(draft.table, key, update, condition)
        case "Delete":
            return DeleteAction(draft.table, key, condition)
        case "ConditionCheck":
            return None if condition is None else CheckAction(draft.table, key, condition)
        case "Get":
            return GetAction(draft.table, key, check_paths(draft.projection)[0] if draft.projection.strip() else None)


def _mended(draft: DraftAction, remark: Remark) -> DraftAction | None:
    if remark.replacement is None:
        return None
    match remark.part:
        case "UpdateExpression":
            return replace(draft, update=remark.applied_to(draft.update))
        case "ConditionExpression":
            return replace(draft, condition=remark.applied_to(draft.condition))
        case _:
            return replace(draft, projection=remark.applied_to(draft.projection))


# -------------------------------------------------------------------------------------------------------- expressions


def _check_expressions(
    draft: DraftAction, table: TableInfo | None, known: Item | None, has_token: bool
) -> tuple[Update | None, Condition | None, tuple[Remark, ...]]:
    if draft.kind == "Get":
        return None, None, check_paths(draft.projection)[1] if draft.projection.strip() else ()
    if draft.kind == "Update":
        update, condition, remarks = _check_update(draft, table or _as_typed(draft), known, has_token)
        if table is None:
            remarks = tuple(remark for remark in remarks if remark.severity == "error")
        return update, condition, remarks
    if draft.condition.strip():
        return None, *check_write_condition(draft.condition, items=() if known is None else (known,))
    return None, None, (_no_condition(draft, table),) if draft.kind == "ConditionCheck" else ()


def _check_update(
    draft: DraftAction, table: TableInfo, known: Item | None, has_token: bool
) -> tuple[Update | None, Condition | None, tuple[Remark, ...]]:
    texts = draft.update, draft.condition
    if known is None:
        return _check_texts(*texts, table, has_token=has_token, may_create=draft.may_create)
    update, condition, remarks = check_changes(
        *texts, table, items=(known,), in_transaction=has_token, may_create=draft.may_create
    )
    marker = Marker("UpdateExpression", draft.update)
    if update is not None:
        _check_growth(update, known, marker)
    return update, condition, errors_first((*remarks, *marker.remarks))


@lru_cache(maxsize=4 * MAX_ACTIONS)
def _check_texts(
    text: str, guard: str, table: TableInfo, *, has_token: bool, may_create: bool
) -> tuple[Update | None, Condition | None, tuple[Remark, ...]]:
    """Of an update on an item that is not known. Of a hundred actions a press of a key changes one."""
    update, condition, remarks = check_changes(text, guard, table, in_transaction=has_token, may_create=may_create)
    marker = Marker("UpdateExpression", text)
    if update is not None and (condition is not None or not guard.strip()):
        _check_sums(update, condition, marker)
    return update, condition, errors_first((*remarks, *marker.remarks))


def _as_typed(draft: DraftAction) -> TableInfo:
    """A table whose key has the names that are typed."""
    keys = tuple(KeyAttribute(name, "S") for name, _ in draft.attributes)
    return TableInfo(draft.table, KeySchema(keys or (KeyAttribute("key", "S"),)))


def _no_condition(draft: DraftAction, table: TableInfo | None) -> Remark:
    names = table.key_schema.names if table is not None else tuple(name for name, _ in draft.attributes)
    exists = f"attribute_exists({WRITTEN_OUT.name(names[0])})" if names else None
    fix = f"That the item exists: {exists}." if exists else ""
    return Remark("error", "ConditionExpression", NOWHERE, "a condition check needs its condition", fix, exists)


def _check_sums(update: Update, condition: Condition | None, marker: Marker) -> None:
    """Mark sums that fail where an attribute is missing, unless the condition fails there, too."""
    for part in update.walk():
        if not isinstance(part, Sum):
            continue
        for operand in (part.left, part.right):
            if isinstance(operand, DocumentPath) and not _is_asked_for(operand, condition):
                shown = operand.text(WRITTEN_OUT)
                default = f"if_not_exists({shown}, 0)"
                message = f"{part.text(WRITTEN_OUT)} fails where {shown} is missing; {default} would not"
                marker.warning(operand.span, message, f"Write {default}.", default)


def _is_asked_for(path: DocumentPath, condition: Condition | None) -> bool:
    """Whether the condition fails where there is nothing at the path."""
    if condition is None:
        return False
    for term in all_terms(condition):
        looked_at = [part for part in term.walk() if isinstance(part, DocumentPath)]
        if looked_at and all(part == path for part in looked_at) and not term.holds({}):
            return True
    return False


def _check_growth(update: Update, known: Item, marker: Marker) -> None:
    try:
        grown = item_size(update.apply(known))
    except InvalidExpression:
        return  # which is said of the expression itself
    if grown > MAX_ITEM_BYTES:
        message = f"as the item was read, it would have {grown:,} bytes then; DynamoDB takes {MAX_ITEM_BYTES:,}"
        marker.warning(update.span, message, "Keep a part of it in an item of its own.")


# --------------------------------------------------------------------------------------------------- item and key


def _check_attributes(draft: DraftAction, table: TableInfo | None) -> list[Finding]:
    part: Part = "Item" if draft.kind == "Put" else "Key"
    findings: list[Finding] = []

    def wrong(at: int | None, message: str, fix: str = "", mended: DraftAction | None = None) -> None:
        findings.append(Finding(Remark("error", part, NOWHERE, message, fix), at, mended))

    seen: set[str] = set()
    keys = {} if table is None else {attribute.name: attribute for attribute in table.key_schema.attributes}
    for at, (name, value) in enumerate(draft.attributes):
        if name in seen:
            wrong(at, f"{name} is given twice", "Keep one of them.", _without(draft, at))
        elif part == "Key" and table is not None and name not in keys:
            wrong(at, f"{name} is not part of the key of {table.name}", "Leave it out.", _without(draft, at))
        else:
            try:
                _check_attribute(name, value, keys.get(name), table)
            except InvalidValue as problem:
                wrong(at, problem.message, problem.hint, _mended_attribute(draft, at, _wanted_type(name, table)))
        seen.add(name)
    for key in keys.values():
        if key.name not in seen:
            added = replace(draft, attributes=(*draft.attributes, (key.name, UNFILLED[key.type])))
            wrong(None, f"key attribute {key.name} is missing", f"Add it, of type {key.type}.", added)
    if part == "Item" and not findings:
        try:
            check_item_size(dict(draft.attributes))
        except InvalidValue as problem:
            wrong(None, problem.message, problem.hint)
    return findings


def _check_attribute(name: str, value: Value, key: KeyAttribute | None, table: TableInfo | None) -> None:
    check_item({name: value})
    if table is None:
        return
    if key is None:
        check_index_keys({name: value}, table)
        return
    if type_tag(value) != key.type:
        raise InvalidValue(f"{name} is part of the key with type {key.type}, this is a {type_word(value)}")
    check_key(value, name, MAX_PARTITION_KEY_BYTES if key in table.key_schema.partition else MAX_SORT_KEY_BYTES)


def _wanted_type(name: str, table: TableInfo | None) -> KeyAttribute | None:
    """What an attribute has to be: a key of the table or of one of its indexes."""
    schemas = () if table is None else (table.key_schema, *(index.key_schema for index in table.indexes))
    return next((key for schema in schemas for key in schema.attributes if key.name == name), None)


def _mended_attribute(draft: DraftAction, at: int, wanted: KeyAttribute | None) -> DraftAction | None:
    """With the value as one of the type wanted, or without the members of a set that are there already."""
    name, value = draft.attributes[at]
    mended: Value
    match value:
        case StringSet(members=()) | NumberSet(members=()) | BinarySet(members=()):
            return _without(draft, at)
        case StringSet(texts):
            mended = StringSet(tuple(dict.fromkeys(texts)))
        case NumberSet(numbers):
            mended = NumberSet(tuple(dict.fromkeys(numbers)))
        case BinarySet(blobs):
            mended = BinarySet(tuple(dict.fromkeys(blobs)))
        case String() | Number() if wanted is not None and wanted.type != "B":
            try:
                mended = wanted.value(value.text)
                check_key(mended, name, MAX_SORT_KEY_BYTES)
            except InvalidValue:
                return None
        case _:
            return None
    if type(mended) is type(value) and mended == value:
        return None
    return replace(draft, attributes=(*draft.attributes[:at], (name, mended), *draft.attributes[at + 1 :]))


def _without(draft: DraftAction, at: int) -> DraftAction:
    return replace(draft, attributes=draft.attributes[:at] + draft.attributes[at + 1 :])
