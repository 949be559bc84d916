"""`dynodesk update`: one item changed by an expression."""

from __future__ import annotations

from dataclasses import replace

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import interruptible, say
from dynodesk.cli.repairing import APPROVED, FORM
from dynodesk.cli.request_reports import show_report
from dynodesk.cli.sending import approve, prepare, say_plan
from dynodesk.domain.capacity import Meter
from dynodesk.domain.composition import Draft, DraftAction
from dynodesk.domain.errors import InvalidExpression, InvalidRequest
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.item_json import item_from_dynamodb, read_json
from dynodesk.domain.table_arns import described
from dynodesk.domain.tables import KeySchema
from dynodesk.domain.values import Value
from dynodesk.wiring import request_desk


@click.command()
@click.argument("table")
@click.option(
    *("--key", "keys"),
    metavar="NAME=VALUE",
    multiple=True,
    required=True,
    help="Each attribute of the key, or all of it as DynamoDB JSON.",
)
@click.option("--update", "text", metavar="EXPRESSION", help="As in 'SET likes = likes + 1 REMOVE draft'.")
@click.option("--set", "sets", metavar="'PATH = VALUE'", multiple=True, help="A SET alone; may be given again.")
@click.option("--if", "condition", metavar="CONDITION", default="", help="Only if the item meets it, as in 'rev = 3'.")
@click.option("--create", "may_create", is_flag=True, help="Make the item where there is none.")
@click.option("--return", "returns", is_flag=True, help="Print the item as it is then, as JSON.")
@connection_options
@APPROVED
@FORM
def update(
    table: str,
    keys: tuple[str, ...],
    text: str | None,
    sets: tuple[str, ...],
    condition: str,
    may_create: bool,
    returns: bool,
    place: Place,
    approved: tuple[str, ...],
    form: str,
) -> int:
    """Change one item of a TABLE, if it exists and meets a condition; what changed is printed.

    Expressions are those of DynamoDB with names and values written out: 'SET title = "New", stats.likes = 5', numbers
    as they are, texts in quotes, names that are reserved or odd in double quotes. What is sent has all of them behind
    placeholders. To write takes --yes TABLE, or the name typed on a terminal.

    The update is sent once: it has no token. A lost answer is settled by reading the item again.

    Exit codes: 0 done, 1 refused by a condition, 2 usage, or not an update that can be sent, 3 cannot connect or not
    allowed, 4 nothing was written, as others were in the way or capacity was missing, 5 not known whether it was
    written, 130 interrupted before anything was sent.
    """
    if (text is None) == (not sets):
        raise click.UsageError("Give --update with a whole expression, or --set once or more.")
    changes = text if text is not None else "SET " + ", ".join(sets)
    with interruptible() as ticket, place.opened(ticket, to_write=True) as workspace:
        info = described(workspace, table, ticket)
        key = _key_of(keys, info.key_schema)
        action = DraftAction("Update", info.name, key, changes, condition, may_create=may_create)
        desk = request_desk(workspace, Meter(workspace.meter))
        prepared = prepare(Draft("UpdateItem", (_guarded(action, info.key_schema),)), workspace, desk, ticket)
        say_plan(prepared, workspace, place)
        approve((info.name,), approved, workspace, ticket)
        report = desk.run(prepared.request, ticket, say)
    return show_report(report, prepared.tables, desk, form, returns=returns)


def _guarded(draft: DraftAction, schema: KeySchema) -> DraftAction:
    """With a condition that the item exists, unless it may be made, or its condition asks for that already."""
    if draft.may_create or not _may_hold_for_none(draft.condition):
        return draft
    exists = f"attribute_exists({WRITTEN_OUT.name(schema.names[0])})"
    return replace(draft, condition=f"{exists} AND ({draft.condition})" if draft.condition.strip() else exists)


def _may_hold_for_none(condition: str) -> bool:
    """Whether it holds where there is no item. Of what cannot be read the checks say so, at its place as typed."""
    if not condition.strip():
        return True
    try:
        return parse_where(condition).holds({})
    except InvalidExpression:
        return False


def _key_of(keys: tuple[str, ...], schema: KeySchema) -> tuple[tuple[str, Value], ...]:
    """Raises `InvalidRequest` and `InvalidValue`. What is missing is left to the checks."""
    if len(keys) == 1 and keys[0].lstrip().startswith("{"):
        return tuple(item_from_dynamodb(read_json(keys[0], "--key"), "--key ").items())
    found: list[tuple[str, Value]] = []
    for text in keys:
        attribute = next((one for one in schema.attributes if text.startswith(f"{one.name}=")), None)
        if attribute is None:
            names = " and ".join(f"--key {name}=VALUE" for name in schema.names)
            raise InvalidRequest(f"--key {text} names no attribute of the key", hint=f"Give {names}.")
        found.append((attribute.name, attribute.value(text.removeprefix(f"{attribute.name}="))))
    return tuple(found)
