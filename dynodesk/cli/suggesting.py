"""`dynodesk rules suggest`: a rules file to start from, with the evidence for each rule."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, interruptible, say
from dynodesk.cli.reconciling import FILE, bound
from dynodesk.domain.cells import visible
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.reads import ScanPlan
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.suggest import Sample, Suggestion, Trial, suggest, try_out
from dynodesk.store.paths import write_private
from dynodesk.wiring import Workspace


@click.command("suggest")
@click.argument("tables", metavar="TABLE…", nargs=-1, required=True)
@connection_options
@click.option(
    "--sample",
    type=click.IntRange(100),
    default=20_000,
    show_default=True,
    metavar="N",
    help="Items to read of each table.",
)
@click.option("--into", "file", type=FILE, metavar="FILE.toml", help="Write the rules there; it must not exist.")
def suggest_rules(tables: Sequence[str], sample: int, file: Path | None, place: Place) -> int:
    """Propose rules: numbers on items that agree with what other items add up to.

    Each is tried on five parents, read anew. With several tables, the children may be in another one. What comes out
    is a beginning: say how your application writes, and which attribute every write of a parent raises.

    Exit codes: 0 done, 2 usage, 3 cannot connect or not allowed, 130 interrupted.
    """
    if file is not None and file.exists():
        raise click.BadParameter(f"{file} exists already", param_hint="--into")
    with interruptible() as ticket, place.opened(ticket) as workspace:
        samples = [_sample(workspace, table, sample, ticket) for table in dict.fromkeys(tables)]
        found = suggest(samples)
        tried = [(one, _trial(one, workspace, ticket)) for one in found]
    if not tried:
        say("No number looks like a count of other items. Rules can be written by hand; see the sample rules.")
        return ExitCode.OK
    text = rules_file(tried)
    if file is None:
        click.echo(text, nl=False)
    else:
        write_private(file, text.encode())
        click.echo(f"{len(tried)} rule{'' if len(tried) == 1 else 's'} written to {file}")
    return ExitCode.OK


def _sample(workspace: Workspace, table: str, most: int, ticket: Ticket) -> Sample:
    info: TableInfo = workspace.catalog.describe(table, ticket)
    items: list[Item] = []
    for page in workspace.reader.scan(ScanPlan(table), ticket):
        items += page.items
        ticket.checkpoint(Progress(len(items), most, f"Sample of {table}: {len(items)} items"))
        if len(items) >= most and page.cursor is not None:
            return Sample(info, items, is_whole=False)
    return Sample(info, items, is_whole=True)


def _trial(suggestion: Suggestion, workspace: Workspace, ticket: Ticket) -> Trial:
    """Through the same reading and checking as a file of the user's."""
    (rule,) = bound(parse_rules(suggestion.file, "suggestion"), workspace, ticket)
    return try_out(rule, suggestion.examples, workspace.reader, ticket, now=time.time())


def rules_file(tried: Sequence[tuple[Suggestion, Trial]]) -> str:
    return "\n".join(["version = 1\n", *(_with_comments(one, trial) for one, trial in tried)])


def _with_comments(suggestion: Suggestion, trial: Trial) -> str:
    def comments() -> Iterator[str]:
        yield f"# {visible(suggestion.evidence)}; {trial.words}."
        yield '# writers = "transaction"  # or "two-step", "async": how your application writes child and tally'
        if suggestion.version:
            yield f"# version = {suggestion.version!r}  # only if every write of the parent raises it"

    said, *to_say = comments()
    return "\n".join([said, suggestion.toml().rstrip("\n"), *to_say, ""])
