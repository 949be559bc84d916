"""`dynodesk describe`: all that is known of a table, or the request that makes one like it."""

from __future__ import annotations

import json

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, interruptible, say
from dynodesk.cli.output import table_as_json
from dynodesk.codegen import as_boto3, as_cli, as_json
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.table_arns import named
from dynodesk.domain.table_changes import operation, recreated, request
from dynodesk.domain.tables import TableDetails, TableInfo
from dynodesk.reports import table_wording as words

FORMS = ("text", "json", "create-json", "create-boto3", "create-cli")


@click.command()
@click.argument("table")
@connection_options
@click.option(
    "--format", "form", type=click.Choice(FORMS), default="text", help="create-…: the request that makes such a table."
)
def describe(table: str, place: Place, form: str) -> int:
    """Show all that is known of a table.

    What the credentials may not ask is named on stderr; the rest is shown.
    """
    with interruptible() as ticket, place.opened(ticket) as workspace:
        details = workspace.tables.details(named(workspace, table, ticket), ticket)
    info = details.info
    if isinstance(info, DynodeskError):
        raise info
    if form.startswith("create"):
        made = recreated(info)
        as_text = {"create-json": as_json, "create-boto3": as_boto3, "create-cli": as_cli}[form]
        click.echo(as_text(operation(made), request(made)))
        return ExitCode.OK
    for part in (details.time_to_live, details.recovery):
        if isinstance(part, DynodeskError):
            say(part.message)
    click.echo(json.dumps(_as_json(info, details)) if form == "json" else "\n".join(_lines(info, details)))
    return ExitCode.OK


def _lines(info: TableInfo, details: TableDetails) -> list[str]:
    expiry, recovery = details.time_to_live, details.recovery
    refused = "not told"
    facts = {
        "key": words.key_words(info.key_schema),
        "size": f"{words.size_words(info)}: {words.age_words()}",
        "billing": " · ".join(
            filter(None, (words.billing_words(info), words.capacity_words(info.throughput, info.billing)))
        ),
        "class": words.CLASSES.get(info.table_class, info.table_class),
        "expiry": refused if isinstance(expiry, DynodeskError) else words.time_to_live_words(expiry),
        "stream": f"{info.stream.view} {info.stream.arn}" if info.stream else "Off",
        "recovery": refused if isinstance(recovery, DynodeskError) else words.recovery_words(recovery),
        "protection": "On" if info.is_protected else "Off",
        "created": words.moment_words(info.created),
        "arn": info.arn,
    }
    width = max(map(len, facts)) + 2
    lines = [f"{info.name} · {info.status.lower()}"]
    lines += [f"  {name:<{width}}{said}" for name, said in facts.items()]
    lines += [
        f"  {index.kind:<{width}}{index.name} · {words.state_words(index)} · {words.key_words(index.key_schema)}"
        f" · {words.projection_words(index.projection)}"
        for index in info.indexes
    ]
    return lines


def _as_json(info: TableInfo, details: TableDetails) -> dict[str, object]:
    """A part that was refused is null."""
    expiry, recovery = details.time_to_live, details.recovery
    is_provisioned = info.billing == "PROVISIONED"
    limits = info.throughput and {"read": info.throughput.read, "write": info.throughput.write}
    return {
        **table_as_json(info),
        "id": info.id,
        "arn": info.arn,
        "created": info.created,
        "billing": info.billing,
        "provisioned": limits if is_provisioned else None,
        "on_demand_limit": None if is_provisioned else limits,
        "table_class": info.table_class,
        "deletion_protection": info.is_protected,
        "stream": info.stream and {"view": info.stream.view, "arn": info.stream.arn},
        "time_to_live": None
        if isinstance(expiry, DynodeskError)
        else {"status": expiry.status, "attribute": expiry.attribute},
        "point_in_time_recovery": None
        if isinstance(recovery, DynodeskError)
        else {"status": recovery.status, "earliest": recovery.earliest, "latest": recovery.latest},
    }
