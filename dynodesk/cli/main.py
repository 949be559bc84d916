"""The commands of `dynodesk`. Without one it opens the window."""

from __future__ import annotations

import json
import sys

import click

from dynodesk import __version__
from dynodesk.cli.auditing import audit
from dynodesk.cli.checking import expr
from dynodesk.cli.connections import connections
from dynodesk.cli.describing import describe
from dynodesk.cli.diagnostics import ExitCode, exit_code_from, printable, told_faults
from dynodesk.cli.history import history
from dynodesk.cli.loading import load
from dynodesk.cli.numbers import NumberRange
from dynodesk.cli.permissions import policy
from dynodesk.cli.reading import query, scan, tables
from dynodesk.cli.reconciling import reconcile, rules
from dynodesk.cli.repairing import repair
from dynodesk.cli.sql import sql
from dynodesk.cli.suggesting import suggest_rules
from dynodesk.cli.transacting import transact
from dynodesk.cli.updating import update
from dynodesk.cli.watching import watch
from dynodesk.store.log import Log
from dynodesk.store.paths import folders
from dynodesk.wiring import Connections


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
@click.pass_context
def cli(context: click.Context) -> int:
    """Browse Amazon DynamoDB, and find stored counts that no longer match their children.

    Without a command the window opens.
    """
    if context.invoked_subcommand is None:
        return _window(open_sandbox=False, check=False)
    return ExitCode.OK


@cli.command()
@click.option("--check", is_flag=True, help="Open the window, load the sandbox and end: 0 if all of it worked.")
def demo(check: bool) -> int:
    """Open the window on the sandbox: sample tables on this computer, with planted drift."""
    return _window(open_sandbox=True, check=check)


def _window(*, open_sandbox: bool, check: bool) -> int:
    from dynodesk import gui  # noqa: PLC0415  (commands without a window never load Qt)

    return gui.run(open_sandbox=open_sandbox, check=check)


@cli.command()
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 takes any free port.")
@click.option("--scale", type=NumberRange(0.1, 100), default=1.0, help="Multiplies posts, users and likes.")
@click.option("--answers", "show_answers", is_flag=True, help="Print what is wrong in the sample tables, and end.")
@click.option("--into", metavar="URL", help="Fill another endpoint on this computer with the sample tables, and end.")
def sandbox(port: int, scale: float, show_answers: bool, into: str | None) -> int:
    """Serve the sample tables to the command line and to other tools, until Ctrl-C."""
    from dynodesk.sandbox.answers import answers  # noqa: PLC0415  (the sandbox is large, and seldom asked for)
    from dynodesk.sandbox.process import serve  # noqa: PLC0415
    from dynodesk.sandbox.samples import sample_tables  # noqa: PLC0415
    from dynodesk.sandbox.seed import seed  # noqa: PLC0415

    if show_answers:
        click.echo(json.dumps(answers(scale), indent=2, ensure_ascii=False))
    elif into:
        samples = sample_tables(scale)
        seed(into, samples)
        click.echo(f"{len(samples)} tables filled: {', '.join(sample.name for sample in samples)}")
    else:
        serve(port, scale, sys.stdout)
    return ExitCode.OK


@cli.command()
def diagnostics() -> int:
    """Print what support asks for: versions, settings without their values, the end of the log. No secrets."""
    click.echo(printable(Connections().diagnostics()), nl=False)
    return ExitCode.OK


rules.add_command(suggest_rules)
rules.add_command(history)
for command in (
    reconcile,
    watch,
    repair,
    rules,
    tables,
    describe,
    query,
    scan,
    load,
    sql,
    expr,
    transact,
    update,
    connections,
    policy,
    audit,
):
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """Ends the process with the command's exit code."""
    log = Log(folders().state)
    with told_faults():
        code = exit_code_from(cli, arguments)
    log.close()
    sys.exit(code)
