"""Composed requests before they are sent from the command line: the checks, what will be done, the approval."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from dynodesk.cli.asking import has_terminal, typed
from dynodesk.cli.connecting import Place
from dynodesk.cli.diagnostics import say
from dynodesk.cli.request_texts import Said, say_all
from dynodesk.composing import words
from dynodesk.composing.desk import RequestDesk
from dynodesk.domain.action_units import draft_units
from dynodesk.domain.actions import Action, ComposedRequest, actions_of, is_read
from dynodesk.domain.cells import visible
from dynodesk.domain.composition import CheckedDraft, Draft, check_draft
from dynodesk.domain.errors import InvalidExpression, InvalidRequest
from dynodesk.domain.expressions import read_statement
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.wiring import Workspace


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request that was checked against its tables and the items that are there."""

    request: ComposedRequest
    checked: CheckedDraft
    tables: dict[str, TableInfo]
    units: str
    """Of all of it; "" where they are not known."""
    action_units: tuple[str, ...]


def prepare(draft: Draft, workspace: Workspace, desk: RequestDesk, ticket: Ticket) -> Prepared:
    """Raises `InvalidRequest` for what cannot be sent, after all of it was said, and what reading raises."""
    tables = {name: workspace.catalog.describe(name, ticket) for name in tables_of(draft)}
    checked = check_draft(draft, tables)
    found: Sequence[Item | None] = ()
    if checked.request is not None and not is_read(checked.request):
        found = desk.items(checked.request, ticket) or ()
        of_tables: dict[str, list[Item]] = {}
        for action, item in zip(actions_of(checked.request), found, strict=bool(found)):
            if item is not None:
                of_tables.setdefault(action.table, []).append(item)
        checked = check_draft(draft, tables, of_tables)
    say_all(Said.of_draft(each, draft) for each in checked.remarks)
    if checked.request is None:
        raise InvalidRequest("the request cannot be sent as it is", hint="Nothing was sent.")
    actions = actions_of(checked.request)

    def before_of(action: Action) -> Item | None:
        return found[actions.index(action)] or {} if found else None

    units = draft_units(checked, tables, before_of)
    of_each = tuple("" if one is None else one.words for one in units.actions)
    return Prepared(checked.request, checked, tables, units.words, of_each)


def tables_of(draft: Draft) -> tuple[str, ...]:
    """The tables that a draft names, each once."""
    named = [action.table for action in draft.actions]
    for statement in draft.statements:
        with contextlib.suppress(InvalidExpression):  # of which the checks say so
            named.append(read_statement(statement.text).table)
    return tuple(name for name in dict.fromkeys(named) if name)


# ------------------------------------------------------------------------------------------------- what will be done


def say_plan(prepared: Prepared, workspace: Workspace, place: Place, token: str = "") -> None:
    """Where it goes, and what each action does. `token`: what there is to say of it."""
    request = prepared.request
    titles = words.titles(request, prepared.tables)
    head = [request.operation, f"{len(titles):,} {'action' if actions_of(request) else 'statement'}"]
    head[1] += "" if len(titles) == 1 else "s"
    say(" · ".join([*head, *([prepared.units] if prepared.units else [])]))
    saved = [workspace.profile.name, workspace.profile.stage] if place.connection else []  # of others nobody said it
    where = [*saved, workspace.identity, workspace.endpoint, workspace.region]
    say(f"  to {' · '.join(visible(part) for part in where if part)}")
    actions = actions_of(request)
    for at, action in enumerate(actions):
        say(f"  {at + 1}  {visible(words.whole_title(action, prepared.tables))}: {words.change_words(action)}")
        guard = "" if is_read(request) else words.guard_words(action)
        if words.guard_of(action) is not None:
            guard = f"only if {guard}"
        say(f"     {' · '.join(filter(None, (guard, prepared.action_units[at])))}")
    if not actions:
        for at, text in enumerate(words.statements_of(request)):
            say(f"  {at + 1}  {visible(text)}")
    if token:
        say(f"  {visible(token)}")


# ------------------------------------------------------------------------------------------------- approval


def refuse_new_items(prepared: Prepared) -> None:
    """Raises `InvalidRequest` where an update may make an item that is not meant."""
    if prepared.checked.creates:
        titles = words.titles(prepared.request, prepared.tables)
        which = ", ".join(titles[at] for at in prepared.checked.creates)
        raise InvalidRequest(
            f"{which} would make an item where there is none",
            hint="Give --create if that is meant, or the update a condition that the item exists. Nothing was sent.",
        )


def approve(names: Sequence[str], approved: Sequence[str], workspace: Workspace, ticket: Ticket) -> None:
    """Ask for the names of the tables that are not approved yet. Without a terminal nobody can be asked.

    Raises `ReadOnly`, `Cancelled`, and `InvalidRequest` where a name is missing, or another one was typed.
    """
    workspace.access.check()
    if strange := [name for name in approved if name not in names]:
        raise InvalidRequest(
            f"it does not write to {', '.join(strange)}, which was approved",
            hint=f"It writes to {', '.join(names)}. Nothing was sent.",
        )
    missing = [name for name in names if name not in approved]
    if not missing:
        return
    if not has_terminal():
        raise InvalidRequest(
            f"it writes to {', '.join(missing)}: name the table with --yes to approve it",
            hint="There is no terminal to ask on. Nothing was sent.",
        )
    for name in missing:
        if typed(f"Type {visible(name)} to write to it: ", ticket).rstrip("\r\n") != name:
            raise InvalidRequest(f"the name of the table is {visible(name)}", hint="Nothing was sent.")
