"""`dynodesk rules suggest`: a rules file to start from, with the evidence for each rule."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, interruptible, say
from dynodesk.cli.reconciling import FILE
from dynodesk.domain.table_arns import named
from dynodesk.reconcile.proposing import USUAL_SAMPLE, propose, rules_file
from dynodesk.store.paths import write_private


@click.command("suggest")
@click.argument("tables", metavar="TABLE…", nargs=-1, required=True)
@connection_options
@click.option(
    "--sample",
    type=click.IntRange(100),
    default=USUAL_SAMPLE,
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
        names = [named(workspace, table, ticket) for table in tables]
        proposals = propose(names, sample, workspace.catalog, workspace.reader, ticket, now=time.time())
    if not proposals:
        say("No number looks like a count of other items. Rules can be written by hand; see the sample rules.")
        return ExitCode.OK
    text = rules_file(proposals)
    if file is None:
        click.echo(text, nl=False)
    else:
        write_private(file, text.encode())
        click.echo(f"{len(proposals)} rule{'' if len(proposals) == 1 else 's'} written to {file}")
    return ExitCode.OK
