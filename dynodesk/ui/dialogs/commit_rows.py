"""A commit of edits as rows and sentences: what is sent, only if what, and what became of each. Nothing is Qt's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from dynodesk.domain.cells import cell_kind, cell_text, visible
from dynodesk.domain.edit_races import Disputed
from dynodesk.domain.edits import Change, Edit
from dynodesk.domain.index_writes import units_words
from dynodesk.domain.item_json import readable, readable_key
from dynodesk.domain.values import Value
from dynodesk.domain.writes import Expected, GuardedDelete, GuardedMove, GuardedPut, GuardedUpdate, GuardedWrite
from dynodesk.editing.committing import EDIT_MEANINGS, EDIT_OUTCOMES, EditOutcome, EditResult, PlannedEdit
from dynodesk.editing.undo import NotUndone
from dynodesk.ui.dialogs.commit_work import Committed, PlannedCommit
from dynodesk.ui.pages.reconcile_rows import Column
from dynodesk.ui.theme import Cell, Row

COLUMNS = (
    Column("Item", 230),
    Column("Table", 90),
    Column("Change", 190),
    Column("WCU", 44),
    Column("Outcome", 96),
    Column("Only if", 200),
)
TABLE, CHANGE, OUTCOME, ONLY_IF = 1, 2, 4, 5
"""Places among them. The change has all the room that the others leave."""
LEFT_OUT_COLUMNS = (Column("Item", 220), Column("Table", 120), Column("Why it is left out", 400))
RACE_COLUMNS = (
    Column("Attribute", 130),
    Column("You read", 200),
    Column("There now", 200),
    Column("You want", 200),
    Column("Then", 110),
)
INKS: dict[EditOutcome, str] = {
    "applied": "ok",
    "lost race": "warn",
    "refused": "danger",
    "unknown": "slate",
    "not tried": "muted",
}
WHAT_NOW: dict[EditOutcome, str] = {
    "applied": "",
    "lost race": "The edit is still staged.",
    "refused": "The edit is still staged: correct it, or revert it.",
    "unknown": "The edit is still staged. Read back to find out: nothing is sent again by that.",
    "not tried": "The edit is still staged: commit again.",
}
MISSING = Cell(kind="missing")


def edit_row(planned: PlannedEdit, result: EditResult | None, units: int, *, unguarded: bool, settled: str) -> Row:
    """`units`: of the table and its indexes. `settled`: what a person decided after the race was lost."""
    edit = planned.edit
    kind = "text" if edit.kind == "deleted" else "S"  # only the item itself is struck out
    guard = "nothing: whatever it has become" if unguarded else condition_words(planned.write)
    return Row(
        (
            Cell(visible(edit.title), "key"),
            Cell(visible(edit.table), kind, ink="text2"),
            Cell(changes_words(edit), kind),
            Cell(f"{units:,}", "text"),
            _outcome_cell(result, settled),
            Cell(visible(guard), kind, ink="warn" if unguarded else "text2"),
        ),
        staged=edit.kind,
    )


def _outcome_cell(result: EditResult | None, settled: str) -> Cell:
    if result is None:
        return Cell("", "text")
    if settled:
        return Cell(settled, "text", ink="text2")
    return Cell(result.outcome, "text", ink=INKS[result.outcome])


def left_out_row(left: NotUndone) -> Row:
    return Row(
        (
            Cell(visible(left.edit.title), "S"),
            Cell(visible(left.edit.write.table), "S", ink="text2"),
            Cell(visible(f"{left.reason[0].upper()}{left.reason[1:]}."), "text"),
        )
    )


def value_cell(value: Value | None, ink: str = "") -> Cell:
    return MISSING if value is None else Cell(cell_text(value), cell_kind(value), ink=ink)


def race_row(one: Disputed, *, mine: bool | None) -> Row:
    """`mine`: it is to be as the edit has it; None: nobody has decided that."""
    if mine is not None:
        then, ink = ("mine", "accent") if mine else ("theirs", "warn")
    elif one.is_conflict:
        then, ink = "conflict: choose", "danger"
    elif one.is_mine and one.is_theirs:
        then, ink = "both the same", "text2"
    else:
        then, ink = ("mine" if one.is_mine else "theirs"), "text2"
    return Row(
        (
            Cell(visible(str(one.path)), "S"),
            value_cell(one.read, "muted"),
            value_cell(one.now, "warn" if one.is_theirs else ""),
            value_cell(one.wanted, "accent" if one.is_mine else ""),
            Cell(then, "text", ink=ink),
        )
    )


# ------------------------------------------------------------------------------------------------------------- words


def changes_words(edit: Edit) -> str:
    """`likes 4 → 5, title …`; of a whole item how much of it there is."""
    if edit.kind in {"new", "deleted"}:
        return f"{'all ' if edit.kind == 'deleted' else ''}{attributes_words(len(edit.changes))}"
    return ", ".join(map(change_words, edit.changes))


def change_words(change: Change) -> str:
    before, after = ("missing" if value is None else cell_text(value) for value in (change.before, change.after))
    return f"{visible(str(change.path))} {before} → {'removed' if change.after is None else after}"


def attributes_words(count: int) -> str:
    return "1 attribute" if count == 1 else f"{count:,} attributes"


def condition_words(write: GuardedWrite) -> str:
    """`there is none yet`, `likes = 4`, `as it was read`."""
    match write:
        case GuardedPut(expected=None):
            return "there is none with this key"
        case GuardedPut(expected=expected):
            return _expected_words(expected or {})
        case GuardedUpdate(expected=expected):
            return _expected_words(expected)
        case GuardedDelete(expected=expected):
            return f"as it was read: {_expected_words(expected)}" if expected else "it is there"
        case GuardedMove(put, delete, _):
            return f"none at {readable_key(put.key)}, and {condition_words(delete)}"


def _expected_words(expected: Expected) -> str:
    return ", ".join(
        f"no {path}" if value is None else f"{path} = {_short(readable(value))}" for path, value in expected.items()
    )


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80]}…"


def result_words(result: EditResult, settled: str = "") -> str:
    reason = f" {result.reason[0].upper()}{result.reason[1:]}." if result.reason else ""
    now = settled and f"{settled[0].upper()}{settled[1:]}."
    sentences = (f"{result.outcome.capitalize()}. {EDIT_MEANINGS[result.outcome]}{reason}", now or _what_now(result))
    return " ".join(filter(None, sentences))


def _what_now(result: EditResult) -> str:
    if result.at_target:
        return "Another item has the new key: choose another key, or revert the edit. It is still staged."
    return WHAT_NOW[result.outcome]


def title_of(planned: PlannedCommit) -> str:
    number, tables = len(planned.plan.edits), ", ".join(visible(name) for name in planned.tables)
    if not number:
        return "No edit can be taken back" if planned.is_undo else "Nothing is staged"
    edits = edits_words(number)
    return f"Take back {edits} in {tables}" if planned.is_undo else f"Commit {edits} to {tables}"


def edits_words(count: int) -> str:
    return "1 edit" if count == 1 else f"{count:,} edits"


def cost_words(planned: PlannedCommit) -> str:
    """`4 WCU: 3 on the table, 1 on GSI1`; of several tables `on Social.GSI1`."""
    if not planned.plan.edits:
        return ""
    if len(planned.tables) > 1:
        return units_words(planned.table_units, planned.index_units, "the tables")
    (table,) = planned.tables
    indexes = {name.removeprefix(f"{table}."): units for name, units in planned.index_units.items()}
    return units_words(planned.table_units, indexes)


def unguarded_words(planned: PlannedCommit, *, batches: bool) -> Iterator[str]:
    """What no condition protects, in sentences."""
    kinds = Counter(one.edit.kind for one in planned.plan.edits)
    whole = sum(one.edit.kind == "edited" and isinstance(one.write, GuardedPut) for one in planned.plan.edits)
    if kinds["edited"] > whole:
        yield "Attributes that are not changed are not sent, and stay as they are."
    if whole:
        one_or_more = "1 item has" if whole == 1 else f"{whole:,} items have"
        yield f"{one_or_more} more changes than an update takes: sent whole, without attributes added since."
    if kinds["moved"]:
        yield "Attributes added to an item since do not move with it: they are lost."
    if kinds["deleted"] and not batches:
        yield "Attributes added to an item since do not keep it from being deleted."
    if kinds["deleted"] and batches:
        yield f"{kinds['deleted']:,} deletions: no condition at all."
    partly = [one for one in planned.plan.edits if one.write.unguarded and not (batches and one.edit.kind == "deleted")]
    for one in partly[:3]:
        names = ", ".join(visible(name) for name in one.write.unguarded[:4])
        more = f" and {len(one.write.unguarded) - 4:,} more" if len(one.write.unguarded) > 4 else ""
        yield f"{visible(one.edit.title)}: {names}{more} are more than one condition takes."
    if len(partly) > 3:
        yield f"So it is with {len(partly) - 3:,} more items."


def counted(committed: Committed) -> str:
    """`3 edits: 1 applied, 2 lost races`."""
    counts = Counter(result.outcome for result in committed.results)
    parts = [
        f"{counts[outcome]:,} {outcome}{'s' if outcome == 'lost race' and counts[outcome] > 1 else ''}"
        for outcome in EDIT_OUTCOMES
        if counts[outcome]
    ]
    return f"{edits_words(len(committed.results))}: {', '.join(parts)}"


def end_words(committed: Committed, *, undecided: int, anew: int) -> Sequence[str]:
    """`undecided`: lost races of which both versions are known; `anew`: those whose edit was staged once more."""
    counts = Counter(result.outcome for result in committed.results)
    words = [f"Stopped: {committed.stopped}." if committed.stopped else ""]
    if committed.sent_again:
        words.append(f"{committed.sent_again:,} deletions were left out at first and sent again.")
    if counts["unknown"]:
        words.append("Read back finds out what became of those that are unknown.")
    if undecided:
        words.append("Choose a lost race above to see both versions.")
    if anew:
        which = "1 edit is" if anew == 1 else f"{anew:,} edits are"
        words.append(f"{which} staged anew, and not written yet: commit again.")
    return [word for word in words if word]
