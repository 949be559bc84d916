"""Rules meet their tables: do the keys exist, can the children be found from the parent, is a parent its own child?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dynodesk.domain.errors import InvalidRules, InvalidValue, RuleProblem, TableMissing
from dynodesk.domain.patterns import Capture, KeyPattern, Pattern
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.rules import RuleDraft


def bind_rules(drafts: Iterable[RuleDraft], describe: Callable[[str], TableInfo]) -> tuple[TallyRule, ...]:
    """The rules, ready to run. Raises `InvalidRules` with everything that does not fit the tables.

    `describe` is asked once for each table; what it raises, other than `TableMissing`, passes through.
    """
    drafts = tuple(drafts)
    problems: list[RuleProblem] = []
    tables: dict[str, TableInfo] = {}
    for draft in drafts:
        if draft.table not in tables:
            try:
                tables[draft.table] = describe(draft.table)
            except TableMissing:
                hint = "Check the name, the Region and the account."
                problems.append(draft.problem(f"there is no table {draft.table}", "table", hint))
                continue
        problems += _mismatches(draft, tables[draft.table])
    if problems:
        raise InvalidRules(tuple(sorted(problems, key=lambda problem: problem.line)))
    return tuple(_bound(draft, tables[draft.table].key_schema) for draft in drafts)


def _bound(draft: RuleDraft, schema: KeySchema) -> TallyRule:
    return TallyRule(
        draft.name,
        draft.table,
        schema,
        draft.parent,
        draft.attribute,
        draft.children,
        writers=draft.writers,
        wait=draft.wait,
        settle=draft.settle,
        version=draft.version,
        missing="zero" if draft.missing_is_zero else "report",
    )


def _mismatches(draft: RuleDraft, table: TableInfo) -> Iterator[RuleProblem]:
    if table.status not in {"ACTIVE", "UPDATING"}:
        yield draft.problem(f"table {table.name} is {table.status.lower()}", "table", "Try again when it is active.")
        return
    found = [
        *_key_mismatches(draft, "parent", draft.parent, table.key_schema, whole=True),
        *_key_mismatches(draft, "children", draft.children, table.key_schema, whole=False),
    ]
    yield from found
    if not found:
        yield from _reach_mismatches(draft, table.key_schema)


def _key_mismatches(
    draft: RuleDraft, field: str, pattern: KeyPattern, schema: KeySchema, *, whole: bool
) -> Iterator[RuleProblem]:
    """The pattern against the key schema. `whole`: every key attribute needs a pattern, not just the partition key."""
    for name in pattern.attributes:
        if name not in schema.names:
            hint = f"The key of {draft.table} is {', '.join(schema.names)}."
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


def _reach_mismatches(draft: RuleDraft, schema: KeySchema) -> Iterator[RuleProblem]:
    for attribute in schema.partition:
        for name in draft.children.attributes[attribute.name].captures:
            if name not in draft.parent.captures:
                yield draft.problem(
                    f"{{{name}}} in children.{attribute.name} is not known from the parent: "
                    f"its children lie in partitions that cannot be named",
                    "children",
                    "The partition key of children is made of the parent's captures.",
                )
                return
    if draft.children.captures <= draft.parent.captures and set(draft.children.attributes) == set(schema.names):
        last = draft.children.attributes[schema.attributes[-1].name].text
        yield draft.problem(
            "children has no capture of its own: it matches one item at most",
            "children",
            f"A prefix is written {last}{{name}}.",
        )
        return
    # Whether one pattern takes in the other is settled by trying it on keys that stand for all: the captures are
    # digits, so that they serve as Numbers too, and unlike anything a pattern says.
    captures = {name: f"90817{i:04}" for i, name in enumerate(sorted(draft.parent.captures | draft.children.captures))}
    try:
        parent = draft.parent.key(captures, schema)
        child = {
            attribute.name: attribute.value(draft.children.attributes[attribute.name].fill(captures))
            if attribute.name in draft.children.attributes
            else attribute.value("9081799999")
            for attribute in schema.attributes
            if attribute.type != "B"
        }
    except InvalidValue as problem:
        yield draft.problem(problem.message, "parent")
        return
    joined = {name: captures[name] for name in draft.parent.captures}
    if draft.children.match(parent, schema, joined) is not None:
        yield draft.problem(
            "children also matches the parent, which would count itself", "children", "Give the children's own prefix."
        )
    elif draft.parent.match(child, schema) is not None:
        yield draft.problem(
            "parent also matches the children: each of them would be looked at as a parent",
            "parent",
            "Say what tells a parent's key from a child's.",
        )
