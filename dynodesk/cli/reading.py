"""`dynodesk tables`, `query` and `scan`: items as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, interruptible, say
from dynodesk.cli.output import item_line, table_as_json, table_as_text
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.expressions import Condition, parse_where
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page, QueryPlan, ScanPlan, SortCondition, SortOperator, check_plan
from dynodesk.domain.table_arns import described
from dynodesk.domain.tables import KeySchema, TableInfo
from dynodesk.domain.values import plain_digits
from dynodesk.reports.wording import counted
from dynodesk.wiring import Workspace

FIRST_ITEMS = 100
"""Items read where nothing says how many: a look at a table must not read all of it."""

ITEM_FORMAT = click.option(
    "--format", "form", type=click.Choice(["json", "dynamodb-json"]), default="json", help="One item a line."
)
LIMIT = click.option(
    "--limit", type=click.IntRange(1), default=FIRST_ITEMS, show_default=True, metavar="N", help="Read so many items."
)
ALL = click.option("--all", "everything", is_flag=True, help="Read to the end, whatever it costs.")
INDEX = click.option("--index", metavar="NAME", help="Read an index of the table.")
CONSISTENT = click.option("--consistent", is_flag=True, help="Strongly consistent; not on a global index.")


WHERE = click.option(
    "--where",
    metavar="CONDITION",
    help='Only items that meet it, as in "attribute_exists(email) AND age > 30". All are read and paid for.',
)


@click.command()
@click.argument("table", required=False)
@connection_options
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def tables(table: str | None, place: Place, form: str) -> int:
    """List all tables, or show the keys and indexes of one."""
    with interruptible() as ticket, place.opened(ticket) as workspace:
        if table is not None:
            info = described(workspace, table, ticket)
            click.echo(json.dumps(table_as_json(info)) if form == "json" else table_as_text(info))
        else:
            names = workspace.catalog.table_names(ticket)
            click.echo(json.dumps(names) if form == "json" else "\n".join(names))
    return ExitCode.OK


@click.command()
@click.argument("table")
@click.option("--partition", "partitions", metavar="VALUE", multiple=True, required=True, help="Partition key value.")
@click.option("--sort", metavar="'OPERATOR VALUE'", help="Condition on the sort key, as in 'begins_with LIKE#'.")
@click.option("--descending", is_flag=True, help="Last sort key first.")
@INDEX
@CONSISTENT
@WHERE
@LIMIT
@ALL
@ITEM_FORMAT
@connection_options
def query(
    table: str,
    partitions: tuple[str, ...],
    sort: str | None,
    descending: bool,
    index: str | None,
    consistent: bool,
    where: str | None,
    limit: int,
    everything: bool,
    form: str,
    place: Place,
) -> int:
    """Read an item collection of a table or index.

    Operators of --sort: = < <= > >= begins_with, and between with two values: 'between A AND B'. Binary key values are
    written in hexadecimal digits. An index with several partition key attributes takes --partition once for each.
    """
    with interruptible() as ticket, place.opened(ticket) as workspace:
        info = described(workspace, table, ticket)
        plan = query_plan(info, partitions, sort, index=index, consistent=consistent, descending=descending)
        plan = replace(plan, filter=condition_of(where))
        _print_items(workspace, info, plan, None if everything else limit, form, ticket)
    return ExitCode.OK


@click.command()
@click.argument("table")
@INDEX
@CONSISTENT
@WHERE
@LIMIT
@ALL
@ITEM_FORMAT
@connection_options
def scan(
    table: str,
    index: str | None,
    consistent: bool,
    where: str | None,
    limit: int,
    everything: bool,
    form: str,
    place: Place,
) -> int:
    """Read a table or index from its start: the first items, or with --all every one."""
    with interruptible() as ticket, place.opened(ticket) as workspace:
        info = described(workspace, table, ticket)
        plan = ScanPlan(info.name, index=index, consistent=consistent, filter=condition_of(where))
        _print_items(workspace, info, plan, None if everything else limit, form, ticket)
    return ExitCode.OK


def condition_of(where: str | None) -> Condition | None:
    """Raises `InvalidExpression` with the place of what cannot be read."""
    return None if where is None else parse_where(where)


def query_plan(
    info: TableInfo,
    partitions: tuple[str, ...],
    sort: str | None,
    *,
    index: str | None,
    consistent: bool,
    descending: bool = False,
) -> QueryPlan:
    """A Query from texts as typed. Raises `InvalidRequest` and `InvalidValue`."""
    schema = info.schema_of(index)
    if len(partitions) != len(schema.partition):
        names = ", ".join(attribute.name for attribute in schema.partition)
        raise InvalidRequest(f"the partition key is {names}: give --partition once for each")
    condition, name = sort_condition(sort, schema)
    return QueryPlan(
        info.name,
        {a.name: a.value(text) for a, text in zip(schema.partition, partitions, strict=True)},
        sort=condition,
        sort_name=name,
        index=index,
        consistent=consistent,
        descending=descending,
    )


def sort_condition(text: str | None, schema: KeySchema) -> tuple[SortCondition | None, str]:
    """What `--sort` says, and the attribute it is about. Raises `InvalidRequest` and `InvalidValue`."""
    if text is None:
        return None, ""
    if not schema.sort:
        raise InvalidRequest("there is no sort key here", hint="Leave --sort out.")
    attribute = schema.sort[0]
    word, _, rest = text.partition(" ")
    operators: tuple[SortOperator, ...] = get_args(SortOperator)
    operator = next((known for known in operators if known == word.lower()), None)
    if operator is None:
        raise InvalidRequest(f"{word!r} is not an operator", hint=f"Operators: {' '.join(operators)}.")
    if operator != "between":
        return SortCondition(operator, attribute.value(rest)), attribute.name
    low, separator, high = rest.partition(" AND ")
    if not separator:
        raise InvalidRequest("between takes two values", hint="Write 'between A AND B'.")
    return SortCondition(operator, attribute.value(low), attribute.value(high)), attribute.name


def _print_items(
    workspace: Workspace, info: TableInfo, plan: QueryPlan | ScanPlan, limit: int | None, form: str, ticket: Ticket
) -> None:
    check_plan(plan, info)
    items = pages = 0
    more = False
    for page in _pages(workspace, plan if plan.filter else replace(plan, page_limit=limit), ticket):
        pages += 1
        shown = (
            page.items if limit is None else page.items[: limit - items]
        )  # pages of large items end before the limit
        for item in shown:
            click.echo(item_line(item, form))
        items += len(shown)
        more = page.cursor is not None or len(shown) < len(page.items)
        if limit is not None and items >= limit:
            break
    end = "there is more: --all or a larger --limit reads it" if more else "end"
    say(f"{counted(items, 'item')} · {counted(pages, 'page')} · {plain_digits(workspace.meter.total)} RCU · {end}")


def _pages(workspace: Workspace, plan: QueryPlan | ScanPlan, ticket: Ticket) -> Iterator[Page]:
    if isinstance(plan, QueryPlan):
        return workspace.reader.query(plan, ticket)
    return workspace.reader.scan(plan, ticket)
