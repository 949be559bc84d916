"""`dynodesk connections`: those that are saved on this computer, handed to others without what is secret."""

from __future__ import annotations

import json
from pathlib import Path

import click

from dynodesk.cli.diagnostics import ExitCode, say
from dynodesk.domain.errors import InvalidRequest
from dynodesk.reports.characters import visible
from dynodesk.store.shared_profiles import read_shared_file, write_shared_file
from dynodesk.wiring import Connections

FILE = click.Path(path_type=Path, dir_okay=False)


@click.group()
def connections() -> None:
    """Saved connections: list them, and hand them to others without any secret."""


@connections.command(name="list")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
def list_(form: str) -> int:
    """List the saved connections."""
    kept = Connections()
    saved = kept.saved()
    if kept.notice:
        say(kept.notice)
    if form == "json":
        entries = [
            {"name": one.name, "kind": one.kind, "credentials": one.credentials, "region": one.region,
             "endpoint": one.endpoint_url, "stage": one.stage, "read_only": one.read_only}
            for one in saved
        ]  # fmt: skip
        click.echo(json.dumps({"version": 1, "connections": entries}, indent=1, ensure_ascii=False))
    else:
        for one in saved:
            where = " · ".join(part for part in (one.endpoint_url, one.region, one.aws_profile) if part)
            click.echo(
                visible(f"{one.name}  {one.stage}, {'reads' if one.read_only else 'may write'}  {where}".rstrip())
            )
    return ExitCode.OK


@connections.command(name="export")
@click.argument("file", metavar="FILE", type=FILE)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def export(file: Path, names: tuple[str, ...], force: bool) -> int:
    """Write connections to a file, all of them or those named. Nothing secret is in it."""
    saved = Connections()
    chosen = tuple(saved.named(name) for name in dict.fromkeys(names)) if names else saved.saved()
    if file.exists() and not force:
        raise InvalidRequest(f"{file} exists already", hint="Give another name, or --force to replace it.")
    write_shared_file(file, chosen)
    say(f"{len(chosen)} written to {file}. Keys are not in it: whoever uses it types their own.")
    return ExitCode.OK


@connections.command(name="import")
@click.argument("file", metavar="FILE", type=FILE)
@click.option("--rename", is_flag=True, help="Give a number to names that are taken; without it they are refused.")
def import_(file: Path, rename: bool) -> int:
    """Take connections over from a file. They get ids of their own, and only read until that is changed.

    Exit codes: 0 all taken over, 2 nothing taken over, 4 some were left out.
    """
    saved = Connections()
    shared = read_shared_file(file, saved.saved())
    if shared.renamed and not rename:
        taken = ", ".join(name for name, _ in shared.renamed)
        raise InvalidRequest(f"there are connections with these names already: {taken}", hint="Give --rename.")
    for profile in shared.profiles:
        saved.save(profile)
    for given, name in shared.renamed:
        say(f"{given} is {name} here")
    for notice in shared.notices:
        say(notice)
    say(f"{len(shared.profiles)} taken over from {file}")
    return ExitCode.INCOMPLETE if shared.left_out else ExitCode.OK
