"""`dynodesk expr`: expressions and requests checked, tried on an item, and written as code. Nothing is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, interruptible, say
from dynodesk.cli.loose_expressions import NAMES, VALUES, LooseExpressions
from dynodesk.cli.offline_checks import check_offline
from dynodesk.cli.output import print_result, write_bytes
from dynodesk.cli.repairing import FORM
from dynodesk.cli.request_texts import Said, say_all, text_of
from dynodesk.cli.sending import tables_of
from dynodesk.codegen import LANGUAGES
from dynodesk.codegen import Place as CodePlace
from dynodesk.domain.action_json import parameters_json
from dynodesk.domain.cells import cell_text, visible
from dynodesk.domain.composition import CheckedDraft, Draft, check_draft, read_pasted
from dynodesk.domain.errors import InvalidExpression, InvalidRequest, InvalidValue
from dynodesk.domain.expressions import Reason, Remark, reasons
from dynodesk.domain.expressions.nodes import NOWHERE
from dynodesk.domain.item_json import from_plain, item_from_dynamodb, item_to_dynamodb, read_json
from dynodesk.domain.pasted_python import has_tags
from dynodesk.domain.table_arns import described
from dynodesk.domain.values import Item, check_item
from dynodesk.reports.wording import counted

FILE = click.argument("file", metavar="[FILE|-]", required=False, type=click.Path(path_type=Path))
UPDATE = click.option("--update", metavar="TEXT", default="", help="As in 'SET likes = likes + 1'.")
CODE_OF = {language.name.lower().split()[-1]: language for language in LANGUAGES}
"""By the names that they have on the command line."""


@click.group()
def expr() -> None:
    """Check expressions and requests, try them on an item, write them as code. Nothing is sent."""


@expr.command()
@FILE
@click.option("--condition", metavar="TEXT", default="", help="The condition of a write; with --update, of that.")
@UPDATE
@click.option("--key-condition", metavar="TEXT", default="", help="The key condition of a Query.")
@click.option("--filter", "filter_", metavar="TEXT", default="", help="The filter of a Query or Scan.")
@click.option("--projection", metavar="TEXT", default="", help="The attributes that a read asks for.")
@NAMES
@VALUES
@click.option("--table", metavar="TABLE", help="Check expressions against its keys, with a connection.")
@click.option("--index", metavar="NAME", help="Of the table, for a Query or Scan.")
@connection_options
@FORM
def check(
    file: Path | None,
    condition: str,
    update: str,
    key_condition: str,
    filter_: str,
    projection: str,
    names: str | None,
    values: str | None,
    table: str | None,
    index: str | None,
    place: Place,
    form: str,
) -> int:
    """Say what is wrong with a request in a FILE, or with expressions, and what to write instead.

    FILE has a request as JSON of the API, a command of the AWS CLI, a call of boto3, or a statement of PartiQL.
    Expressions have their placeholders, with --names and --values, or all of it written out: 'likes = 41'.

    With a connection, the tables of the request are asked for their keys, or the one of --table. Without, no
    connection is made.

    Exit codes: 0 nothing wrong, or warnings alone, 1 errors, 2 usage, or nothing that can be read, 3 cannot connect
    or not allowed.
    """
    loose = LooseExpressions.of(
        names, values,
        condition=condition, update=update, key_condition=key_condition, filter_=filter_, projection=projection,
    )  # fmt: skip
    if (file is None) == (not loose.given.texts):
        raise click.UsageError("Give a FILE, or expressions as options.")
    if file is None:
        texts: Mapping[str, str] = {str(part): text for part, text in loose.given.texts.items()}
        remarks = _check_loose(loose, table, index, place)
        return _show([Said.of_remark(each, texts.get(each.part, "")) for each in remarks], (), form)
    if table is not None or index is not None or names is not None or values is not None:
        raise click.UsageError("A request in a FILE has its table, names and values in it.")
    text = text_of(file)
    try:
        draft = read_pasted(text)
    except InvalidExpression as problem:
        return _show([Said.of_problem(problem, text)], (), form)
    checked = _checked(draft, place)
    return _show([Said.of_draft(each, draft) for each in checked.remarks], checked.oks, form)


def _check_loose(loose: LooseExpressions, table: str | None, index: str | None, place: Place) -> tuple[Remark, ...]:
    if table is None:
        if index is not None or place.is_given:
            raise click.UsageError("Give the --table that the expressions are for.")
        return loose.check(None, None)
    with interruptible() as ticket, place.opened(ticket) as workspace:
        return loose.check(described(workspace, table, ticket), index)


def _checked(draft: Draft, place: Place) -> CheckedDraft:
    if not place.is_given:
        return check_offline(draft)
    with interruptible() as ticket, place.opened(ticket) as workspace:
        return check_draft(draft, {name: workspace.catalog.describe(name, ticket) for name in tables_of(draft)})


def _show(remarks: Sequence[Said], holds: Sequence[str], form: str) -> ExitCode:
    errors = sum(each.is_error for each in remarks)
    warnings = len(remarks) - errors
    lines = [line for each in remarks for line in each.lines()] + [f"ok: {one}" for one in holds]
    content = {
        "errors": errors,
        "warnings": warnings,
        "remarks": [each.to_json() for each in remarks],
        "holds": list(holds),
    }
    if lines or form == "json":
        print_result(lines, content, form)
    say(f"{counted(errors, 'error')}, {counted(warnings, 'warning')}" if remarks else "nothing wrong")
    return ExitCode.REFUSED if errors else ExitCode.OK


@expr.command()
@click.argument("file", metavar="FILE|-", type=click.Path(path_type=Path))
@click.option("--language", type=click.Choice(list(CODE_OF)), required=True, help="What it is written in.")
@click.option("--region", metavar="REGION", default="", help="That the code names; else what it runs with decides.")
@click.option("--endpoint-url", metavar="URL", default="", help="The same of its endpoint.")
def code(file: Path, language: str, region: str, endpoint_url: str) -> int:
    """Write the request in a FILE as code that sends the same.

    What is read is what `dynodesk expr check` reads. A transaction without a token gets a new one.

    Exit codes: 0 written, 2 usage, not a request that can be sent, or none that the language has.
    """
    text = text_of(file)
    try:
        checked = check_offline(read_pasted(text))
    except InvalidExpression as problem:
        say_all([Said.of_problem(problem, text)])
        return ExitCode.USAGE
    if checked.request is None:
        say_all(Said.of_draft(each, checked.draft) for each in checked.remarks)
        raise InvalidRequest("the request cannot be sent as it is")
    request = checked.request
    written = CODE_OF[language].write(request.operation, parameters_json(request), CodePlace(region, endpoint_url))
    write_bytes(f"{written.rstrip()}\n".encode())
    return ExitCode.OK


@expr.command("eval")
@click.option(
    *("--item", "item_file"),
    metavar="FILE|-",
    required=True,
    type=click.Path(path_type=Path),
    help="One item, as plain JSON or DynamoDB JSON; {} for none.",
)
@click.option("--condition", metavar="TEXT", default="", help="A condition or filter, as in 'likes > 40'.")
@UPDATE
@NAMES
@VALUES
@FORM
def evaluate(item_file: Path, condition: str, update: str, names: str | None, values: str | None, form: str) -> int:
    """Try a condition or filter on an item, and why; and what an update makes of the item.

    It is decided here, by the rules of DynamoDB. With a condition that does not hold, the update is not done.

    Exit codes: 0 it holds, and the update can be done, 1 it does not hold, or the update is refused, 2 usage, or
    nothing that can be read.
    """
    loose = LooseExpressions.of(names, values, condition=condition, update=update)
    if not loose.given.texts:
        raise click.UsageError("Give --condition, --update, or both.")
    item = _item_in(text_of(item_file))
    for text, read in ((condition, loose.condition_tree), (update, loose.update_tree)):
        try:
            read()
        except InvalidExpression as problem:
            say_all([Said.of_problem(problem, text)])
            return ExitCode.USAGE
    tried = _tried(loose, item)
    print_result(_tried_lines(tried, item), _tried_json(tried), form)
    if tried.problem is not None:
        say_all([tried.problem])
    return ExitCode.OK if tried.holds is not False and tried.problem is None else ExitCode.REFUSED


@dataclass(frozen=True, slots=True)
class _Tried:
    holds: bool | None
    """None: there is no condition."""
    reasons: tuple[Reason, ...]
    after: Item | None
    """The item as the update leaves it; None where it is not done."""
    problem: Said | None
    """Why the update is refused."""


def _tried(loose: LooseExpressions, item: Item) -> _Tried:
    condition, update = loose.condition_tree(), loose.update_tree()
    holds = None if condition is None else condition.holds(item)
    why = () if condition is None else reasons(condition, item)
    if update is None or holds is False:
        return _Tried(holds, why, None, None)
    try:
        after = update.apply(item, exists=bool(item))
        check_item(after)
    except InvalidExpression as problem:
        return _Tried(holds, why, None, Said.of_problem(problem, loose.given.update))
    except InvalidValue as problem:
        return _Tried(holds, why, None, Said("error", problem.message, problem.hint, "", NOWHERE))
    return _Tried(holds, why, after, None)


def _tried_lines(tried: _Tried, item: Item) -> Iterator[str]:
    if tried.holds is not None:
        yield "it holds" if tried.holds else "it does not hold"
    for reason in tried.reasons:
        there = ", ".join(f"{path} is {value}" for path, value in reason.found)
        yield f"  {reason.term} {'holds' if reason.holds else 'does not hold'}{': ' if there else ''}{there}"
    if tried.after is None:
        if tried.problem is not None:
            yield "the update is refused"
        return
    changed = [name for name in {**item, **tried.after} if item.get(name) != tried.after.get(name)]
    yield "the update changes nothing" if not changed else "the update makes of it"
    for name in changed:
        before, after = item.get(name), tried.after.get(name)
        old = "missing" if before is None else cell_text(before)
        yield f"  {visible(name)} {old} → {'removed' if after is None else cell_text(after)}"


def _tried_json(tried: _Tried) -> dict[str, Any]:
    return {
        "holds": tried.holds,
        "reasons": [
            {"term": str(reason.term), "holds": reason.holds, "found": dict(reason.found)} for reason in tried.reasons
        ],
        "item": None if tried.after is None else item_to_dynamodb(tried.after),
        "problem": None if tried.problem is None else tried.problem.to_json(),
    }


def _item_in(text: str) -> Item:
    """From plain JSON, DynamoDB JSON, or what `aws dynamodb get-item` prints.

    Raises `InvalidFile` and `InvalidValue`.
    """
    decoded = read_json(text, "the item")
    if isinstance(decoded, dict) and isinstance(decoded.get("Item"), dict) and has_tags(decoded):
        return item_from_dynamodb(decoded["Item"])
    if isinstance(decoded, dict) and has_tags({"Item": decoded}):
        return item_from_dynamodb(decoded)
    return from_plain(text, "the item")
