"""Rules proposed for tables: samples read, what agrees in them tried out, and written as a rules file says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dynodesk.domain.cells import visible
from dynodesk.domain.ports import ItemReader, TableCatalog
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.reads import ScanPlan
from dynodesk.domain.values import Item
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.suggest import Sample, Suggestion, Trial, suggest, try_out

USUAL_SAMPLE = 20_000
"""Items of each table."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A suggested rule, and how it did on parents that were read anew."""

    suggestion: Suggestion
    trial: Trial

    @property
    def evidence(self) -> str:
        return f"{self.suggestion.evidence}; {self.trial.words}"

    def toml(self) -> str:
        """The rule with its evidence, and with what only a person can know, as comments."""
        return "\n".join([f"# {visible(self.evidence)}.", self.suggestion.toml().rstrip("\n"), *self._to_say(), ""])

    def _to_say(self) -> Iterator[str]:
        yield '# writers = "transaction"  # or "two-step", "async": how your application writes child and tally'
        if self.suggestion.version:
            yield f"# version = {self.suggestion.version!r}  # only if every write of the parent raises it"


def propose(
    tables: Sequence[str], most: int, catalog: TableCatalog, reader: ItemReader, ticket: Ticket, *, now: float
) -> tuple[Proposal, ...]:
    """Rules over these tables, the best first. Reads up to `most` items of each; `now` is in seconds since 1970.

    Raises what `TableCatalog` and `ItemReader` raise.
    """
    found = suggest([_sample(table, most, catalog, reader, ticket) for table in dict.fromkeys(tables)])
    return tuple(_tried(one, number, len(found), catalog, reader, ticket, now) for number, one in enumerate(found, 1))


def rules_file(proposals: Sequence[Proposal]) -> str:
    return "\n".join(["version = 1\n", *(proposal.toml() for proposal in proposals)])


def _sample(table: str, most: int, catalog: TableCatalog, reader: ItemReader, ticket: Ticket) -> Sample:
    info = catalog.describe(table, ticket)
    items: list[Item] = []
    for page in reader.scan(ScanPlan(table), ticket):
        items += page.items
        ticket.checkpoint(Progress(len(items), most, f"Sample of {table}: {len(items):,} items"))
        if len(items) >= most and page.cursor is not None:
            return Sample(info, items, is_whole=False)
    return Sample(info, items, is_whole=True)


def _tried(
    suggestion: Suggestion,
    number: int,
    of: int,
    catalog: TableCatalog,
    reader: ItemReader,
    ticket: Ticket,
    now: float,
) -> Proposal:
    """Through the same reading and checking as a file of the user's."""
    ticket.checkpoint(Progress(number, of, f"Trying rule {number} of {of}: {suggestion.name}"))
    (rule,) = bind_rules(
        parse_rules(suggestion.file, "suggestion"),
        lambda table: catalog.describe(table, ticket),
        lambda table: catalog.time_to_live(table, ticket),
    )
    return Proposal(suggestion, try_out(rule, suggestion.examples, reader, ticket, now))
