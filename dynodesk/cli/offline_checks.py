"""Checks of a request without a connection: of its tables is known what the request itself says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dynodesk.domain.actions import BoundStatement, ComposedRequest, SingleStatement, StatementTransaction
from dynodesk.domain.composition import ActionRemark, CheckedDraft, Draft, DraftAction, check_draft
from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions import as_sent, read_statement
from dynodesk.domain.tables import KeyAttribute, KeySchema, KeyType, TableInfo
from dynodesk.domain.values import MAX_SORT_KEY_BYTES, Binary, Number, String, Value, check_key


def check_offline(draft: Draft) -> CheckedDraft:
    checked = check_draft(draft, tables_as_told(draft))
    remarks = tuple(each for each in checked.remarks if not _is_of_unknown_table(each, draft))
    request = checked.request
    if draft.statements and not any(each.remark.severity == "error" for each in remarks):
        request = _statements(draft)
    return replace(checked, remarks=remarks, request=request)


def tables_as_told(draft: Draft) -> dict[str, TableInfo]:
    """With the keys that its actions have. Of a table that is only put to, all that could be a key is taken for it."""
    tables: dict[str, TableInfo] = {}
    for name in dict.fromkeys(action.table for action in draft.actions if action.table):
        actions = [action for action in draft.actions if action.table == name]
        keyed = [tuple(_keys(action)) for action in actions if action.kind != "Put"]
        items = [tuple(_keys(action)) for action in actions if action.kind == "Put"]
        names = {tuple(attribute.name for attribute in keys) for keys in keyed}
        keys = keyed[0] if keyed and len(names) == 1 else ()
        if not keyed:
            keys = tuple(attribute for attribute in items[0] if all(attribute in others for others in items))
        if keys:
            tables[name] = TableInfo(name, KeySchema(keys[:1], keys[1:]))
    return tables


def _keys(action: DraftAction) -> Iterator[KeyAttribute]:
    for name, value in action.attributes:
        kind = _key_type(value)
        if kind is not None and _could_be_key(name, value):
            yield KeyAttribute(name, kind)


def _key_type(value: Value) -> KeyType | None:
    match value:
        case String():
            return "S"
        case Number():
            return "N"
        case Binary():
            return "B"
        case _:
            return None


def _could_be_key(name: str, value: Value) -> bool:
    try:
        check_key(value, name, MAX_SORT_KEY_BYTES)
    except InvalidValue:
        return False
    return True


def _is_of_unknown_table(each: ActionRemark, draft: Draft) -> bool:
    """Whether it says only that nobody was asked for the table."""
    if each.action is None or each.remark.severity != "error":
        return False
    if each.remark.part == "TableName":
        return bool(draft.actions[each.action].table)
    if not draft.statements or each.remark.part != "Statement":
        return False
    try:
        read = read_statement(draft.statements[each.action].text)
    except InvalidExpression:
        return False
    return bool(read.table) and each.remark.span == read.table_span


def _statements(draft: Draft) -> ComposedRequest:
    sent = tuple(BoundStatement(as_sent(one.text), one.parameters) for one in draft.statements)
    if draft.operation == "ExecuteStatement":
        return SingleStatement(sent[0])
    return StatementTransaction(sent, draft.token)
