"""Rules meet their tables: do the keys exist, can the children be found from the parent, is a parent its own child?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from dynodesk.domain.children import SHARD, Children
from dynodesk.domain.errors import InvalidRules, InvalidValue, NotAllowed, RuleProblem, TableMissing
from dynodesk.domain.patterns import Capture, KeyPattern, Pattern
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Number
from dynodesk.reconcile.drafts import RuleDraft

Describe = Callable[[str], TableInfo]
TimeToLive = Callable[[str], str | None]


def bind_rules(drafts: Iterable[RuleDraft], describe: Describe, time_to_live: TimeToLive) -> tuple[TallyRule, ...]:
    """The rules, ready to run. Raises `InvalidRules` with everything that does not fit the tables.

    `describe` is asked once for each table, `time_to_live` for its attribute; what they raise, other than
    `TableMissing`, passes through.
    """
    drafts = tuple(drafts)
    time_to_live = cache(time_to_live)
    problems: list[RuleProblem] = []
    tables: dict[str, TableInfo | None] = {}
    rules = []
    for draft in drafts:
        for name in dict.fromkeys((draft.table, draft.children.table)):
            if name not in tables:
                try:
                    tables[name] = describe(name)
                except TableMissing:
                    tables[name] = None
        found = [*_absent(draft, tables)]
        table, of_children = tables[draft.table], tables[draft.children.table]
        if table is not None and of_children is not None and not found:
            found = [*_mismatches(draft, table, of_children)]
            if not found:
                rule = _bound(draft, table, of_children)
                ttl = _time_to_live(draft, of_children.name, time_to_live)
                if ttl is None and draft.children.ignores_expired:
                    message = f"{of_children.name} has no Time to Live: nothing in it expires"
                    found.append(draft.problem(message, "expired", "Leave expired out, or switch Time to Live on."))
                children = replace(rule.children, ttl=ttl, ignores_expired=draft.children.ignores_expired)
                rule = replace(rule, children=children)
                rules.append(rule)
        problems += found
    if problems:
        raise InvalidRules(tuple(sorted(problems, key=lambda problem: problem.line)))
    return tuple(rules)


def _time_to_live(draft: RuleDraft, table: str, time_to_live: TimeToLive) -> str | None:
    """Nice to know of any table, for the likely causes of drift; needed where expired children do not count."""
    try:
        return time_to_live(table)
    except NotAllowed:
        if draft.children.ignores_expired:
            raise
        return None


def _bound(draft: RuleDraft, table: TableInfo, of_children: TableInfo) -> TallyRule:
    # A shard that is part of the sort key is found by a Query; one that is part of a partition key has to be named.
    in_partition = SHARD in _partition_captures(draft.parent, table.key_schema)
    index = None if draft.children.index is None else of_children.index(draft.children.index)
    key_schema = of_children.key_schema if index is None else index.key_schema
    children = Children(
        of_children.name,
        of_children.key_schema,
        draft.children.pattern,
        index,
        draft.children.where,
        shards=draft.shards if SHARD in _partition_captures(draft.children.pattern, key_schema) else (),
    )
    return TallyRule(
        draft.name,
        draft.table,
        table.key_schema,
        draft.parent,
        draft.attribute,
        children,
        measure=draft.measure,
        is_sharded=draft.is_sharded,
        shards=draft.shards if in_partition else (),
        tolerance=draft.tolerance,
        writers=draft.writers,
        wait=draft.wait,
        settle=draft.settle,
        version=draft.version,
        missing=draft.missing,
        marker=draft.marker,
        repairs=draft.repairs,
        sensitive=draft.sensitive,
    )


def _partition_captures(pattern: KeyPattern, schema: KeySchema) -> frozenset[str]:
    patterns = (pattern.attributes.get(attribute.name) for attribute in schema.partition)
    return frozenset(name for part in patterns if part is not None for name in part.captures)


def _absent(draft: RuleDraft, tables: dict[str, TableInfo | None]) -> Iterator[RuleProblem]:
    """Tables that are not there or not ready, and an index that is not."""
    for field, name in dict.fromkeys((("table", draft.table), ("children", draft.children.table))):
        if field == "children" and name == draft.table:
            continue
        table = tables[name]
        if table is None:
            hint = "Check the name, the Region and the account."
            yield draft.problem(f"there is no table {name}", field, hint)
        elif table.status not in {"ACTIVE", "UPDATING"}:
            yield draft.problem(f"table {name} is {table.status.lower()}", field, "Try again when it is active.")
    table = tables[draft.children.table]
    if table is not None and draft.children.index is not None:
        index = table.index(draft.children.index)
        if index is None:
            yield draft.problem(f"{table.name} has no index {draft.children.index}", "children", table.indexes_in_words)
        elif index.status not in {"ACTIVE", "UPDATING"}:
            hint = "It is not complete yet. Try again when it is active."
            yield draft.problem(f"index {index.name} is {index.status.lower()}", "children", hint)


def _mismatches(draft: RuleDraft, table: TableInfo, of_children: TableInfo) -> Iterator[RuleProblem]:
    found = [*_key_mismatches(draft, "parent", draft.parent, table.key_schema, draft.table, whole=True)]
    for field, name in (("attribute", draft.attribute.names[0]), ("version", draft.version), ("marker", draft.marker)):
        if name in table.key_schema.names:
            found.append(draft.problem(f"{field} is {name}, part of the key: nothing can change it", field))
    schemas = (table.key_schema, of_children.key_schema, of_children.schema_of(draft.children.index))
    for path in draft.sensitive:
        if any(path.names[0] in schema.names for schema in schemas):
            hint = "Its values name items, in reports as in the journal."
            found.append(draft.problem(f"sensitive: {path.names[0]} is part of a key", "sensitive", hint))
    if draft.measure.kind == "size":
        yield from found
        return
    behind = draft.children.index
    schema = of_children.schema_of(behind)
    where = of_children.name if behind is None else f"index {behind} of {of_children.name}"
    found += _key_mismatches(draft, "children", draft.children.pattern, schema, where, whole=False)
    yield from found
    if not found:
        yield from _reach_mismatches(draft, table.key_schema, schema)


def _key_mismatches(
    draft: RuleDraft, field: str, pattern: KeyPattern, schema: KeySchema, where: str, *, whole: bool
) -> Iterator[RuleProblem]:
    """The pattern against the key schema. `whole`: every key attribute needs a pattern, not just the partition key."""
    for name in pattern.attributes:
        if name not in schema.names:
            hint = f"The key of {where} is {', '.join(schema.names)}."
            yield draft.problem(f"{field}.{name} is not a key attribute", field, hint)
    for attribute in schema.attributes if whole else schema.partition:
        if attribute.name not in pattern.attributes:
            yield draft.problem(f"{field} says nothing about the key attribute {attribute.name}", field)
    for attribute in schema.attributes:
        if attribute.name in pattern.attributes:
            yield from _type_mismatches(draft, field, attribute, pattern.attributes[attribute.name])


def _type_mismatches(draft: RuleDraft, field: str, attribute: KeyAttribute, pattern: Pattern) -> Iterator[RuleProblem]:
    if attribute.type == "B":
        yield draft.problem(f"{field}.{attribute.name} is binary: a pattern of text cannot match it", field)
    if attribute.type != "N" or (len(pattern.parts) == 1 and isinstance(pattern.parts[0], Capture)):
        return
    try:
        canonical = getattr(attribute.value(pattern.text), "canonical", "")
    except InvalidValue:
        canonical = ""
    if canonical != pattern.text:
        yield draft.problem(
            f"{field}.{attribute.name} is a Number: {pattern.text!r} matches none",
            field,
            "Capture the whole number, {n}, or give one in plain digits.",
        )


def _reach_mismatches(draft: RuleDraft, of_parent: KeySchema, schema: KeySchema) -> Iterator[RuleProblem]:
    pattern = draft.children.pattern
    from_parent = draft.parent.captures - ({SHARD} if draft.is_sharded else set())
    for name in sorted(_partition_captures(pattern, schema) - from_parent):
        if name != SHARD:
            yield draft.problem(
                f"{{{name}}} in the partition key of children is not known from the parent: "
                f"its children lie in partitions that cannot be named",
                "children",
                "It is made of the parent's captures, and of {shard} where shards are given.",
            )
            return
        if not draft.shards:
            yield draft.problem(
                "{shard} is part of the partition key of children, and the rule does not say which there are",
                "children",
                "Add their number, shards = 8, or the list of them.",
            )
            return
    if draft.is_sharded and SHARD in _partition_captures(draft.parent, of_parent) and not draft.shards:
        yield draft.problem(
            "{shard} is part of the parent's partition key, and the rule does not say which there are",
            "parent",
            "Add their number, shards = 8, or the list of them.",
        )
        return
    for field, side, of_side in (("parent", draft.parent, of_parent), ("children", pattern, schema)):
        for shard in _misread_shards(draft.shards, side, of_side):
            yield draft.problem(f"shard {shard!r} would be read otherwise from the key of {field}", "shards")
            return
    is_own_key = draft.children.index is None
    if is_own_key and pattern.captures <= draft.parent.captures and set(pattern.attributes) == set(schema.names):
        last = pattern.attributes[schema.attributes[-1].name].text
        yield draft.problem(
            "children has no capture of its own: it matches one item at most",
            "children",
            f"A prefix is written {last}{{name}}.",
        )
        return
    if is_own_key and draft.children.table == draft.table:
        yield from _mixed_up(draft, schema)


def _misread_shards(shards: Sequence[str], pattern: KeyPattern, schema: KeySchema) -> Iterator[str]:
    """Shards that are not themselves in a key made of them: `01` in a Number, `a#b` where a `#` follows."""
    for attribute in schema.partition:
        part = pattern.attributes[attribute.name]
        if SHARD not in part.captures:
            continue
        for shard in shards:
            text = part.fill({**dict.fromkeys(part.captures, "x"), SHARD: shard})
            number = Number(text)
            found = part.match(number.canonical if attribute.type == "N" else text) or {}
            if found.get(SHARD) != shard or (attribute.type == "N" and not number.is_valid):
                yield shard


def _mixed_up(draft: RuleDraft, schema: KeySchema) -> Iterator[RuleProblem]:
    """Whether one pattern takes in the other is settled by trying it on keys that stand for all.

    The captures are digits, so that they serve as Numbers too, and unlike anything a pattern says.
    """
    pattern = draft.children.pattern
    captures = {name: f"90817{i:04}" for i, name in enumerate(sorted(draft.parent.captures | pattern.captures))}
    if draft.shards:
        captures[SHARD] = draft.shards[0]
    try:
        parent = draft.parent.key(captures, schema)
        child = {
            attribute.name: attribute.value(pattern.attributes[attribute.name].fill(captures))
            if attribute.name in pattern.attributes
            else attribute.value("9081799999")
            for attribute in schema.attributes
            if attribute.type != "B"
        }
    except InvalidValue as problem:
        yield draft.problem(problem.message, "parent")
        return
    joined = {name: captures[name] for name in draft.parent.captures}
    if pattern.match(parent, schema, joined) is not None:
        yield draft.problem(
            "children also matches the parent, which would count itself", "children", "Give the children's own prefix."
        )
    elif draft.parent.match(child, schema) is not None:
        yield draft.problem(
            "parent also matches the children: each of them would be looked at as a parent",
            "parent",
            "Say what tells a parent's key from a child's.",
        )
