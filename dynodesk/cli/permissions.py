"""`dynodesk policy`: the permissions that something takes, to be handed to whoever gives them."""

from __future__ import annotations

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, interruptible, say
from dynodesk.domain.errors import NotAllowed, TableMissing
from dynodesk.domain.past_runs import account_of
from dynodesk.domain.policies import PURPOSES, WORDS, Purpose, TableScope, policy_text
from dynodesk.domain.progress import Ticket
from dynodesk.domain.table_arns import described, is_arn, read_table_arn
from dynodesk.wiring import Workspace


@click.command()
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True)
@click.option(
    "--for", "purpose", type=click.Choice(PURPOSES), default="browse", show_default=True, help="What it is for."
)
@connection_options
def policy(tables: tuple[str, ...], purpose: Purpose, place: Place) -> int:
    """Print an IAM policy that allows what is asked for on these tables, and nothing else.

    With a connection the ARNs of the tables and of their indexes are filled in; without one they have * for Region and
    account. Nothing but their descriptions is read.
    """
    names = tuple(dict.fromkeys(tables))
    if place.is_given:
        with interruptible() as ticket, place.opened(ticket) as workspace:
            scopes = [_scope(workspace, name, ticket) for name in names]
    else:
        scopes = [_scope_without(name, place.region or "") for name in names]
    say(WORDS[purpose])
    click.echo(policy_text(purpose, scopes))
    return ExitCode.OK


def _scope(workspace: Workspace, name: str, ticket: Ticket) -> TableScope:
    account = account_of(workspace.identity)
    try:
        return TableScope.of(described(workspace, name, ticket), workspace.region, account)
    except (NotAllowed, TableMissing) as refused:
        if is_arn(name):
            return _scope_without(name, "")
        say(f"{refused.message} Its ARN is made from the Region and the account.")
        return TableScope.named(name, workspace.region, account)


def _scope_without(name: str, region: str) -> TableScope:
    """Without asking anybody: an ARN says itself where its table is."""
    if is_arn(name):
        arn = read_table_arn(name)
        return TableScope.named(arn.table, arn.region, arn.account)
    return TableScope.named(name, region)
