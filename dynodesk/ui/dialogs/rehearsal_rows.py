"""What a rehearsal found, as rows and sentences: of each action its state, and of its item what is another. No Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from dynodesk.composing import words
from dynodesk.composing.rehearsal import Rehearsal, RehearsedItem
from dynodesk.domain.actions import CheckAction
from dynodesk.domain.cells import cell_text, exact_text, visible
from dynodesk.domain.composed import Done, Refused
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.values import Value
from dynodesk.ui.dialogs.commit_rows import attributes_words

Change = Literal["added", "changed", "removed", "unchanged"]
GROUNDS: dict[Change, str] = {"added": "ok_soft", "changed": "edited_soft", "removed": "danger_soft", "unchanged": ""}
INKS: dict[Change, str] = {"added": "ok", "changed": "warn", "removed": "danger", "unchanged": "muted"}


@dataclass(frozen=True, slots=True)
class AttributeRow:
    name: str
    word: Change

    before: str
    after: str
    """One line each; "" where it is not there."""
    whole: tuple[str, str]
    """The same in full."""


@dataclass(frozen=True, slots=True)
class ActionRows:
    title: str
    whole_title: str
    state: str
    mark: tuple[str, str]
    """An icon and its ink."""
    why: tuple[str, ...]
    """What there is to say of a refusal, in sentences."""
    changes: tuple[AttributeRow, ...]
    unchanged: tuple[AttributeRow, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of the whole."""

    glyph: Literal["pass", "warning"]
    title: str
    line: str


@dataclass(frozen=True, slots=True)
class Shown:
    """All that the dialog shows of a rehearsal."""

    rehearsal: Rehearsal
    verdict: Verdict
    actions: tuple[ActionRows, ...]


def shown_of(rehearsal: Rehearsal, tables: words.Tables) -> Shown:
    """Takes its time for many large items: for worker threads."""
    titles = words.titles(rehearsal.request, tables)
    return Shown(rehearsal, verdict_of(rehearsal, titles), rows_of(rehearsal, tables))


def verdict_of(rehearsal: Rehearsal, titles: tuple[str, ...]) -> Verdict:
    match rehearsal.outcome:
        case Done():
            changed = sum(bool(item.changes) for item in rehearsal.items)
            many = "No item" if not changed else "1 item" if changed == 1 else f"{changed:,} items"
            return Verdict("pass", "It would be done", f"{many} would be changed.")
        case Refused(reasons):
            causes = [at for at, reason in enumerate(reasons) if reason.code != "None"]
            named = " ".join(f"{titles[at]}: {words.meaning(reasons[at].code)}." for at in causes)
            return Verdict("warning", "It would be refused: nothing would be written", named)
        case InvalidRequest() as refused:
            return Verdict("warning", "It would not be taken: nothing would be written", refused.message)


def rows_of(rehearsal: Rehearsal, tables: words.Tables) -> tuple[ActionRows, ...]:
    titles = words.titles(rehearsal.request, tables)
    made = []
    for at, (title, item) in enumerate(zip(titles, rehearsal.items, strict=True)):
        state, mark = _state(rehearsal, at, item)
        rows = tuple(_attribute_rows(item))
        made.append(
            ActionRows(
                f"{at + 1}  {title}",
                words.whole_title(item.action, tables),
                state,
                mark,
                tuple(_why(rehearsal, at, item)),
                tuple(row for row in rows if row.word != "unchanged"),
                tuple(row for row in rows if row.word == "unchanged"),
            )
        )
    return tuple(made)


REFUSED, NOT_DONE, HOLDS = ("error", "danger"), ("circle-slash", "muted"), ("pass", "ok")
MARKS = {"new": ("add", "ok"), "edited": ("edit", "warn"), "deleted": ("trash", "danger")}


def _state(rehearsal: Rehearsal, at: int, item: RehearsedItem) -> tuple[str, tuple[str, str]]:
    match rehearsal.outcome:
        case Refused(reasons) if reasons[at].code != "None":
            return f"refused: {words.meaning(reasons[at].code)}", REFUSED
        case Refused() | InvalidRequest():
            return "not done", NOT_DONE
        case Done() if isinstance(item.action, CheckAction):
            return "its condition holds", HOLDS
        case Done() if not item.changes:
            return "would change nothing", HOLDS
        case Done():
            kind = Edit(item.action.table, item.key, item.before, item.after).kind
            changes = f"would change {attributes_words(len(item.changes))}"
            return {"new": "would be made", "deleted": "would be deleted"}.get(kind, changes), MARKS[kind]


def _why(rehearsal: Rehearsal, at: int, item: RehearsedItem) -> Iterator[str]:
    outcome = rehearsal.outcome
    if not isinstance(outcome, Refused) or outcome.reasons[at].code == "None":
        return
    reason = outcome.reasons[at]
    if reason.code != "ConditionalCheckFailed":
        if reason.message:
            yield visible(reason.message)
        return
    for why in words.why_words(words.guard_of(item.action), item.before or {}):
        yield f"{why}."


def _attribute_rows(item: RehearsedItem) -> Iterator[AttributeRow]:
    """What is another first, path by path; then the attributes that stay as they are."""
    changed = set()
    for change in item.changes:
        changed.add(change.path.names[0])
        word: Change = "added" if change.before is None else "removed" if change.after is None else "changed"
        yield _row(str(change.path), word, change.before, change.after)
    for name, value in (item.before or {}).items():
        if name not in changed:
            yield _row(name, "unchanged", value, value)


def _row(name: str, word: Change, before: Value | None, after: Value | None) -> AttributeRow:
    texts = ["" if value is None else cell_text(value) for value in (before, after)]
    whole = tuple("" if value is None else visible(exact_text(value)[:2_000]) for value in (before, after))
    return AttributeRow(visible(name), word, texts[0], texts[1], (whole[0], whole[1]))


def unchanged_words(row: ActionRows) -> str:
    return f"{attributes_words(len(row.unchanged))} unchanged"
