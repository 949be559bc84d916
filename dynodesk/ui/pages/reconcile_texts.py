"""What is done with the text of a rules file in the background: checked, saved, added to. Nothing here is Qt's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dynodesk.domain.errors import DynodeskError, InvalidFile, InvalidRules, RuleProblem
from dynodesk.domain.ports import TableCatalog
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import TableInfo
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.proposing import Proposal, rules_file
from dynodesk.reconcile.rules import parse_rules, rules_text
from dynodesk.store.paths import write_private


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with a text, or how many rules it has."""

    number: int
    """Of the check: a later one makes it worth nothing."""
    rules: int
    problems: tuple[RuleProblem, ...]
    unknown: str = ""
    """Why it could not be checked against its tables; "": it was."""

    @property
    def words(self) -> str:
        if self.problems:
            return "1 mistake" if len(self.problems) == 1 else f"{len(self.problems):,} mistakes"
        rules = "1 rule" if self.rules == 1 else f"{self.rules:,} rules"
        against = f"not checked against the tables: {self.unknown}" if self.unknown else "they fit their tables"
        return f"{rules} without mistakes; {against}"


class KnownTables:
    """Tables as they were described, each asked for once: keys and indexes do not change while somebody types."""

    def __init__(self, catalog: TableCatalog) -> None:
        self._catalog = catalog
        self._tables: dict[str, TableInfo] = {}
        self._expiring: dict[str, str | None] = {}

    def describe(self, table: str, ticket: Ticket) -> TableInfo:
        if table not in self._tables:
            self._tables[table] = self._catalog.describe(table, ticket)
        return self._tables[table]

    def time_to_live(self, table: str, ticket: Ticket) -> str | None:
        if table not in self._expiring:
            self._expiring[table] = self._catalog.time_to_live(table, ticket)
        return self._expiring[table]


def check_text(text: str, file: str, number: int, tables: KnownTables, ticket: Ticket) -> Checked:
    """Every mistake in the text, and then against its tables. Raises `Cancelled` alone."""
    try:
        drafts = parse_rules(text, file)
        ticket.checkpoint()
        bind_rules(
            drafts, lambda table: tables.describe(table, ticket), lambda table: tables.time_to_live(table, ticket)
        )
    except InvalidRules as wrong:
        return Checked(number, 0, wrong.problems)
    except DynodeskError as fault:
        return Checked(number, len(drafts), (), fault.message.rstrip("."))
    return Checked(number, len(drafts), ())


def save_rules(path: Path, text: str, as_read: str | None, ticket: Ticket) -> Path:
    """Replaces the file as a whole. `as_read` is what it held when it was opened; None: whatever it holds.

    Raises `FileNotWritten`, and `InvalidFile` where another program changed it meanwhile: then it is as that left it.
    """
    ticket.checkpoint()
    if as_read is not None and rules_text(path) != as_read:
        raise InvalidFile(
            f"{path.name} was changed by another program since it was opened",
            hint="Save it under another name, or close the editor and open the file again.",
        )
    write_private(path, text.encode())
    return path


def add_rules(path: Path, proposals: Sequence[Proposal], ticket: Ticket) -> Path:
    """Appends rules to a file, under names that are free there. Raises what `save_rules` and `parse_rules` raise."""
    text = rules_text(path)
    taken = {draft.name for draft in parse_rules(text, str(path))}
    added = "\n".join(proposal.toml() for proposal in _renamed(proposals, taken))
    newline = "\r\n" if "\r\n" in text else "\n"
    whole = f"{text.rstrip()}{newline * 2}{added.replace(chr(10), newline)}"
    parse_rules(whole, str(path))  # what is written can be read again
    return save_rules(path, whole, text, ticket)


def new_rules(path: Path, proposals: Sequence[Proposal], ticket: Ticket) -> Path:
    """A file of its own. Raises `FileNotWritten`."""
    return save_rules(path, rules_file(_renamed(proposals, set())), None, ticket)


def _renamed(proposals: Sequence[Proposal], taken: set[str]) -> list[Proposal]:
    renamed = []
    for proposal in proposals:
        name, number = proposal.suggestion.name, 2
        while name in taken:
            name, number = f"{proposal.suggestion.name} {number}", number + 1
        taken.add(name)
        renamed.append(replace(proposal, suggestion=replace(proposal.suggestion, name=name)))
    return renamed
