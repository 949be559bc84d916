"""Rules proposed from a sample: numbers on items that look like counts of other items, with how well they agree."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.children import SHARD
from dynodesk.domain.errors import InvalidRules
from dynodesk.domain.measures import Measure, Total
from dynodesk.domain.patterns import Captures, KeyPattern
from dynodesk.domain.ports import PageReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.recipe_guesses import VERSION_NAMES
from dynodesk.domain.tables import KeySchema, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import EXACT, BinarySet, Item, List, Map, Number, NumberSet, StringSet
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.confirm import Refused
from dynodesk.reconcile.key_shapes import Shape, renamed, shapes, shortened
from dynodesk.reconcile.looking import Suspect, count_children, read_parent
from dynodesk.reconcile.rules import parse_rules

LEAST_PARENTS = 3
"""Parents with something to count, below which agreement is chance."""
TRIAL_PARENTS = 5
LEAST_AGREEMENT = Decimal("0.6")

Joined = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    table: TableInfo
    items: Sequence[Item]
    is_whole: bool
    """Whether these are all items of the table."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A rule that may be one, and what speaks for it."""

    name: str
    table: str
    parent: KeyPattern
    attribute: AttributePath
    children_table: str
    index: str | None
    children: KeyPattern
    measure: str
    where: str
    is_sharded: bool
    shards: tuple[str, ...]
    version: str
    """An attribute of the parents that may be one that every write raises; "" where there is none."""
    parents: int
    compared: int
    """Parents of the sample where there was something to compare: a tally or children."""
    agreed: int
    is_whole: bool
    """Whether the sample was all there is: otherwise children may be missing from it."""
    examples: tuple[Captures, ...]
    """Parents to try it on: those with the largest numbers."""

    @property
    def evidence(self) -> str:
        sample = "" if self.is_whole else " in the sample, which is not the whole table"
        return f"{self.agreed} of {self.compared} parents agree{sample}"

    @property
    def file(self) -> str:
        """A rules file with this rule alone."""
        return f"version = 1\n\n{self.toml()}"

    def toml(self) -> str:
        """The rule as a rules file has it, without the file's version line."""
        lines = ["[[tally]]", f"name = {_quoted(self.name)}", f"table = {_quoted(self.table)}"]
        lines += [f"parent = {_inline(self.parent)}", f"attribute = {_quoted(str(self.attribute))}"]
        if self.measure.startswith("size"):
            lines.append(f"measure = {_quoted(self.measure)}")
        else:
            place = {} if self.children_table == self.table else {"table": self.children_table}
            lines.append(f"children = {_inline(self.children, place | ({'index': self.index} if self.index else {}))}")
            lines += [f"measure = {_quoted(self.measure)}"] if self.measure != "count" else []
            lines += [f"where = {_quoted(self.where)}"] if self.where else []
        if self.is_sharded:
            lines.append('sum_of = "shards"')
        if self.shards:
            numbered = self.shards == tuple(map(str, range(len(self.shards))))
            listed = f"[{', '.join(map(_quoted, self.shards))}]"
            lines.append(f"shards = {len(self.shards) if numbered else listed}")
        return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # the one escape that TOML asks for besides


def _inline(pattern: KeyPattern, place: Mapping[str, str | None] | None = None) -> str:
    pairs = {**(place or {}), **{name: part.text for name, part in pattern.attributes.items()}}
    return "{ " + ", ".join(f"{_key(name)} = {_quoted(str(text))}" for name, text in pairs.items()) + " }"


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _quoted(name)


def _is_rule(suggestion: Suggestion, tables: Mapping[str, TableInfo]) -> bool:
    """Whether it is one that a rules file may hold: children that also match their parent are none, for example."""
    try:
        bind_rules(parse_rules(suggestion.file, ""), tables.__getitem__, lambda _: None)
    except InvalidRules:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Trial:
    tried: int
    agreed: int

    @property
    def words(self) -> str:
        return (
            f"{self.agreed} of {self.tried} parents agree when read anew" if self.tried else "no parent could be tried"
        )


def suggest(samples: Sequence[Sample]) -> list[Suggestion]:
    """Rules over these tables, the best first: one for each number of a parent that agrees well enough."""
    kinds = {sample.table.name: shapes(sample.items, sample.table.key_schema) for sample in samples}
    tables = {sample.table.name: sample.table for sample in samples}
    best: dict[tuple[str, str, str], tuple[tuple[object, ...], Suggestion]] = {}
    for sample in samples:
        for parent in map(_Parents, kinds[sample.table.name]):
            for found in _about(parent, sample, samples, kinds):
                rank = (
                    Decimal(found.agreed) / found.compared,
                    found.measure == "count",
                    not found.where,
                    found.index is None,
                    found.children_table == found.table,
                )
                key = (found.table, str(found.parent), str(found.attribute))
                if (key not in best or best[key][0] < rank) and _is_rule(found, tables):
                    best[key] = (rank, found)
    chosen = sorted(best.values(), key=lambda ranked: (ranked[0], ranked[1].compared), reverse=True)
    return _named([found for _, found in chosen])


def try_out(rule: TallyRule, parents: Sequence[Captures], reader: PageReader, ticket: Ticket, now: float) -> Trial:
    """Read some parents and their children anew, strongly consistent where there is no global index between."""
    agreed = tried = 0
    for captures in parents:
        suspect = Suspect(rule, captures, rule.parent_key(captures))
        seen = read_parent(reader, suspect, ticket)
        if isinstance(seen, Refused) or seen.tally is None or seen.tally.number is None:
            continue
        counted, _ = count_children(reader, suspect, ticket, contents=False, now=now)
        tried += 1
        agreed += not counted.problem and seen.tally.number == counted.count
    return Trial(tried, agreed)


def _named(found: list[Suggestion]) -> list[Suggestion]:
    names: Counter[str] = Counter()
    result = []
    for one in found:
        names[one.name] += 1
        result.append(one if names[one.name] == 1 else replace(one, name=f"{one.name} {names[one.name]}"))
    return result


class _Parents:
    """A shape taken for parents. Where several items differ in the last capture only, that one is the shard."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.pattern = shape.pattern
        self.items = shape.items
        names = [name for part in shape.pattern.attributes.values() for name in part.captures]
        captured = [tuple(captures[name] for name in names) for captures in shape.captures]
        without = Counter(values[:-1] for values in captured)
        self.is_sharded = (
            len(names) > 1
            and len(set(captured)) == len(captured)
            and len(without) * 2 <= len(captured)
            and len({values[-1] for values in captured}) <= 100
        )
        self.shards: tuple[str, ...] = ()
        if self.is_sharded:
            self.pattern = renamed(shape.pattern, {names[-1]: SHARD})
            self.shards = tuple(sorted({values[-1] for values in captured}, key=lambda text: (len(text), text)))
            names, captured = names[:-1], [values[:-1] for values in captured]
        self.names = tuple(names)
        self.joined: list[Joined] = captured

    @property
    def is_one_each(self) -> bool:
        return self.is_sharded or len(set(self.joined)) == len(self.joined)

    def tallies(self) -> Iterator[tuple[AttributePath, dict[Joined, Decimal]]]:
        """Each attribute that is a whole or decimal number on most items, with the parents' values."""
        paths = Counter(path for item in self.items for path in _numbers(item))
        keys = set(self.pattern.attributes)
        for path, times in paths.items():
            if path.names[0] in keys or times * 2 < len(self.items):
                continue
            totals: dict[Joined, Decimal] = defaultdict(Decimal)
            for joined, item in zip(self.joined, self.items, strict=True):
                value = path.find(item)
                number = value.value if isinstance(value, Number) and value.is_valid else Decimal(0)
                totals[joined] = EXACT.add(totals[joined], number)
            yield path, totals

    @property
    def version(self) -> str:
        half = len(self.items) / 2
        return next((name for name in VERSION_NAMES if sum(name in item for item in self.items) > half), "")


def _numbers(item: Item) -> Iterator[AttributePath]:
    for name, value in item.items():
        if isinstance(value, Number):
            yield AttributePath((name,))
        elif isinstance(value, Map):
            yield from (AttributePath((name, key)) for key, inner in value.entries.items() if isinstance(inner, Number))


@dataclass(frozen=True, slots=True)
class _Family:
    """Children of parents of one shape: how their keys look from the parents' side, and who belongs to whom."""

    table: TableInfo
    index: str | None
    pattern: KeyPattern
    members: Sequence[tuple[Joined, Item, Mapping[str, str]]]
    shards: tuple[str, ...]
    is_whole: bool


def _about(
    parent: _Parents, sample: Sample, samples: Sequence[Sample], kinds: Mapping[str, list[Shape]]
) -> Iterator[Suggestion]:
    if not parent.names or not parent.is_one_each:
        return
    tallies = list(parent.tallies())
    families = [
        (family, list(_amounts(family)))
        for other in samples
        for shape in kinds[other.table.name]
        if shape is not parent.shape and len(shape.items) > 1
        for family in _families(parent, shape, other)
    ]
    in_partition = _captures_of_partition(parent.pattern, sample.table.key_schema)
    for path, stored in tallies:
        for family, ways in families:
            for measure, where, amounts in ways:
                compared = [joined for joined in stored if stored[joined] or amounts.get(joined)]
                agreed = sum(stored[joined] == amounts.get(joined, 0) for joined in compared)
                if len(compared) >= LEAST_PARENTS and agreed >= LEAST_AGREEMENT * len(compared):
                    needs_shards = SHARD in in_partition or family.shards
                    yield Suggestion(
                        _name(family.pattern, path, family.table),
                        sample.table.name, parent.pattern, path, family.table.name, family.index, family.pattern,
                        measure, where, parent.is_sharded, parent.shards if needs_shards else (), parent.version,
                        len(stored), len(compared), agreed, sample.is_whole and family.is_whole,
                        _examples(parent, stored),
                    )  # fmt: skip
        yield from _sizes(parent, sample, path, stored)


def _examples(parent: _Parents, stored: Mapping[Joined, Decimal]) -> tuple[Captures, ...]:
    largest = sorted(stored, key=lambda joined: (-abs(stored[joined]), joined))[:TRIAL_PARENTS]
    return tuple(dict(zip(parent.names, joined, strict=True)) for joined in largest)


def _captures_of_partition(pattern: KeyPattern, schema: KeySchema) -> frozenset[str]:
    return frozenset(name for attribute in schema.partition for name in pattern.attributes[attribute.name].captures)


def _families(parent: _Parents, shape: Shape, sample: Sample) -> Iterator[_Family]:
    """The ways in which items of a shape can be children: through the table's own key, or through an index's."""
    table = sample.table
    ways: list[tuple[str | None, KeySchema]] = [(None, table.key_schema)]
    ways += [(index.name, index.key_schema) for index in table.indexes]
    for index, schema in ways:
        for view in [shape] if index is None else shapes(shape.items, schema):
            partition = [name for part in schema.partition for name in view.pattern.attributes[part.name].captures]
            shards = parent.shards if len(partition) == len(parent.names) + 1 and parent.is_sharded else ()
            if len(partition) - bool(shards) != len(parent.names) or len(view.items) < 2:
                continue
            names = dict(zip(partition, (*parent.names, SHARD), strict=False))
            # What is not the parent's must not have its name.
            others = {name: f"child_{name}" for name in parent.names if name not in partition}
            pattern = _for_children(renamed(view.pattern, others | names), schema)
            joined = [tuple(captures[name] for name in partition[: len(parent.names)]) for captures in view.captures]
            known = set(parent.joined)
            meeting = {one for one in joined if one in known}
            if len(meeting) * 2 < len(set(joined)):
                continue
            members = list(zip(joined, view.items, view.captures, strict=True))
            yield _Family(table, index, pattern, members, shards, sample.is_whole)


def _for_children(pattern: KeyPattern, schema: KeySchema) -> KeyPattern:
    sort = {attribute.name for attribute in schema.sort}
    return KeyPattern({name: shortened(part) if name in sort else part for name, part in pattern.attributes.items()})


def _amounts(family: _Family) -> Iterator[tuple[str, str, Mapping[Joined, Decimal]]]:
    """What the children come to, by measure and condition: counts, counts without those marked, sums."""
    counts: dict[Joined, Decimal] = defaultdict(Decimal)
    for joined, _, _ in family.members:
        counts[joined] += 1
    yield "count", "", counts
    names = Counter(name for _, item, _ in family.members for name in item)
    numeric = {name for _, item, _ in family.members for name, value in item.items() if isinstance(value, Number)}
    keys = {*family.pattern.attributes, *family.table.key_schema.names}
    for name, times in names.items():
        if name in keys:
            continue
        if times < len(family.members):
            without: dict[Joined, Decimal] = defaultdict(Decimal)
            for joined, item, _ in family.members:
                without[joined] += name not in item
            yield "count", f"attribute_not_exists({_in_condition(name)})", without
        elif name in numeric:
            sums: dict[Joined, Total] = defaultdict(lambda: Total(Measure("sum", AttributePath((name,)))))  # noqa: B023
            for joined, item, captures in family.members:
                sums[joined].take(item, captures)
            if not any(total.problem for total in sums.values()):
                amounts = {joined: Decimal(total.amount) for joined, total in sums.items()}
                yield f"sum({AttributePath((name,))})", "", amounts


def _in_condition(name: str) -> str:
    return name if name.replace("_", "").isalnum() and name.isascii() and not name[0].isdigit() else f'"{name}"'


def _sizes(
    parent: _Parents, sample: Sample, path: AttributePath, stored: Mapping[Joined, Decimal]
) -> Iterator[Suggestion]:
    """The size of a set, list or map on the parent itself."""
    if parent.is_sharded:
        return
    names = {
        name
        for item in parent.items
        for name, value in item.items()
        if isinstance(value, StringSet | NumberSet | BinarySet | List | Map)
    }
    for name in sorted(names):
        measure = Measure("size", AttributePath((name,)))
        amounts: dict[Joined, Decimal] = {}
        for joined, item in zip(parent.joined, parent.items, strict=True):
            total = Total(measure)
            total.take(item, {})
            amounts[joined] = Decimal(total.amount)
        compared = [joined for joined in stored if stored[joined] or amounts[joined]]
        agreed = sum(stored[joined] == amounts[joined] for joined in compared)
        if len(compared) >= LEAST_PARENTS and agreed >= LEAST_AGREEMENT * len(compared):
            yield Suggestion(
                f"size of {name}", sample.table.name, parent.pattern, path, sample.table.name, None, parent.pattern,
                f"size({AttributePath((name,))})", "", False, (), parent.version,
                len(stored), len(compared), agreed, sample.is_whole, _examples(parent, stored),
            )  # fmt: skip


def _name(children: KeyPattern, path: AttributePath, table: TableInfo) -> str:
    """`likeTally of LIKE`: the number, and the word that the children's keys begin with."""
    words = [
        part.first_literal.rstrip("#:|/") for part in reversed(list(children.attributes.values())) if part.first_literal
    ]
    return f"{path} of {words[0] if words else table.name}"
