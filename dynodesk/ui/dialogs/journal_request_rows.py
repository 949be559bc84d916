"""Composed requests in the journal as rows and words. Nothing here is Qt's."""

from __future__ import annotations

from collections import Counter

from dynodesk.composing.log import LoggedRequest
from dynodesk.composing.running import report_left_open, what_can_be_done
from dynodesk.composing.words import change_words, tables_of
from dynodesk.domain.actions import PutAction, SingleWrite, actions_of, statements_of
from dynodesk.domain.cells import visible
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.errors import InvalidFile
from dynodesk.domain.expressions import read_statement
from dynodesk.domain.item_json import readable_key
from dynodesk.ui.theme import Cell, Row


def request_row(run: LoggedRequest, sent: LoggedRequest) -> Row:
    """`run` is `sent` without what is sensitive in it; then it may not be a request that can be read any more."""
    tables, touched, change = _words(run)
    tables = tables or _words(sent)[0]
    return Row(
        (
            Cell(run.at[:19].replace("T", " "), "S"),
            Cell("request", "text"),
            Cell(visible(tables), "S"),
            Cell(visible(touched), "S"),
            Cell(change, "S"),
            Cell(run.state, "text", ink=_ink(run)),
            Cell("", "text"),
            Cell(run.id, "S", ink="text2"),
        )
    )


def _words(run: LoggedRequest) -> tuple[str, str, str]:
    """The tables, what of them, and what is done to it."""
    try:
        request = run.request
    except InvalidFile:
        return "", "", run.operation
    tables = ", ".join(tables_of(request))
    if isinstance(request, SingleWrite):
        action = request.action
        return tables, "1 item" if isinstance(action, PutAction) else readable_key(action.key), change_words(action)
    kinds: list[str] = [action.kind for action in actions_of(request)]
    kinds += [read_statement(statement.text).verb for statement in statements_of(request)]
    what = "statement" if statements_of(request) else "action"
    counted = ", ".join(f"{count:,} × {kind}" if count > 1 else kind for kind, count in Counter(kinds).items())
    return tables, f"{len(kinds):,} {what}{'' if len(kinds) == 1 else 's'}", counted


def _ink(run: LoggedRequest) -> str:
    if run.is_open:
        return "slate"
    return "ok" if run.outcome in {"applied", "settled"} else "warn"


def detail_words(run: LoggedRequest, sent: LoggedRequest) -> str:
    """`run` is `sent` without what is sensitive in it."""
    where = " · ".join(part for part in (run.place.endpoint, run.place.region, run.place.identity) if part)
    sentences = [f"{run.operation}."]
    if run.tries > 1:
        sentences.append(f"Sent {run.tries:,} times.")
    if run.why:
        sentences.append(f"{visible(run.why[0].upper() + run.why[1:])}.")
    try:
        sentences.append(what_can_be_done(report_left_open(sent), SystemClock()))
    except InvalidFile as problem:
        sentences.append(f"{problem.message[0].upper()}{problem.message[1:]}.")
    return " ".join(sentence for sentence in [*sentences, f"At {where}."] if sentence)
