"""Recipes for one item: increments, conditional updates, and counters split into shards."""

from __future__ import annotations

import random
from collections.abc import Iterable
from decimal import Decimal

from dynodesk.domain.actions import (
    MAX_ACTIONS,
    GetAction,
    SingleWrite,
    TransactGet,
    UpdateAction,
)
from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.expressions.conditions import And, Comparison, Condition, Exists
from dynodesk.domain.expressions.nodes import DocumentPath, Literal
from dynodesk.domain.expressions.projections import Projection
from dynodesk.domain.expressions.updates import Add, Set, Update
from dynodesk.domain.recipe_fields import (
    SHARD,
    Field,
    FieldValue,
    Filled,
    InvalidField,
    Typed,
    TypedText,
    literal,
    typed_key,
)
from dynodesk.domain.recipe_guesses import Seen, count_names, stem, tail, text_of, version_name
from dynodesk.domain.recipe_likes import ONE, counted, is_there, raised
from dynodesk.domain.recipe_rules import rule_for, tally_of, typed_pattern
from dynodesk.domain.values import EXACT, Item, KeyValue, Number, Value, plain_digits, type_word

_TABLE = Field("table", "Table", "table", "The table of the item.")
_KEY = Field("key", "Key", "key", "The item that is changed.")
_COUNTER = Field("attribute", "Attribute", "attribute", "The number that is raised. A dot leads into a map.")
_DELTA = Field("delta", "By", "number", "What is added; below zero it is taken away.")
_VERSION = Field(
    "version", "Version", "attribute", "A number that every write of the item raises by one.", is_optional=True
)
_CHANGED = Field("attribute", "Attribute", "attribute", "The attribute that is changed. A dot leads into a map.")
_NEW = Field("new", "New value", "value", "What the attribute is to be.")

INCREMENT_FIELDS = (_TABLE, _KEY, _COUNTER, _DELTA, _VERSION)
OBSERVED_FIELDS = (
    _TABLE,
    _KEY,
    _CHANGED,
    Field(
        "observed", "As it was seen", "value", "What it was when you looked; nothing: it was missing.", is_optional=True
    ),
    _NEW,
)
VERSION_FIELDS = (
    _TABLE,
    _KEY,
    _CHANGED,
    _NEW,
    Field("version", "Version", "attribute", "The number that every write of the item raises by one."),
    Field("seen", "Version seen", "value", "What it was when you looked; nothing: it was missing.", is_optional=True),
)
SHARD_FIELDS = (
    _TABLE,
    Field("key", "Key of a shard", "key", "One of the items that together are the counter. {shard} tells them apart."),
    Field("shards", "Shards", "shards", "How many there are, counted from 0, or their names with commas between."),
    _COUNTER,
    _DELTA,
)
SHARD_READ_FIELDS = SHARD_FIELDS[:-1]

NEW_SHARDS = "10"
"""How many shards are proposed where none are seen."""


# ---------------------------------------------------------------------------------------------------------- increments


def guess_increment(seen: Seen) -> dict[str, FieldValue]:
    return {**_target(seen), "delta": "1", "version": _version_of(seen)}


def make_add(filled: Filled) -> SingleWrite:
    path = filled.needed_path("attribute")
    if len(path.steps) > 1:
        raise InvalidField(
            "attribute", "ADD is for attributes that are not within others.", hint="SET raises a number in a map."
        )
    key = filled.key("key")
    update = counted(path, _delta(filled), filled.path("version"))
    return SingleWrite(UpdateAction(filled.text("table"), key, update, is_there(key)))


def make_set(filled: Filled) -> SingleWrite:
    key = filled.key("key")
    version = filled.path("version")
    sets = (raised(filled.needed_path("attribute"), _delta(filled)),)
    update = Update(sets=sets if version is None else (*sets, raised(version, ONE)))
    return SingleWrite(UpdateAction(filled.text("table"), key, update, is_there(key)))


def _delta(filled: Filled) -> Number:
    delta = filled.number("delta")
    if not delta.value:
        raise InvalidField("delta", "Adding nothing changes nothing.")
    return delta


def _target(seen: Seen) -> dict[str, FieldValue]:
    """The selected item and the attribute of it that counts."""
    rule = tally_of(seen)
    names = count_names(seen.selected, seen.schema)
    attribute = str(rule.attribute) if rule is not None else next(iter(names), "")
    return {"table": seen.table.name, "key": typed_key(seen.schema, seen.selected), "attribute": attribute}


def _version_of(seen: Seen) -> str:
    rule = tally_of(seen)
    return rule.version if rule is not None and rule.version else version_name(seen.selected)


# -------------------------------------------------------------------------------------------------- conditional updates


def guess_observed(seen: Seen) -> dict[str, FieldValue]:
    target = _target(seen)
    observed = _observed(seen, target)
    return {**target, "observed": observed, "new": _next(observed)}


def guess_versioned(seen: Seen) -> dict[str, FieldValue]:
    target = _target(seen)
    version = _version_of(seen)
    seen_version = seen.selected.get(version)
    return {**target, "new": _next(_observed(seen, target)), "version": version, "seen": seen_version}


def _observed(seen: Seen, target: dict[str, FieldValue]) -> Value | None:
    if not target["attribute"]:  # no number counts: any attribute can be changed on a condition
        target["attribute"] = next((name for name in seen.selected if name not in seen.schema.names), "")
    attribute = target["attribute"]
    return AttributePath.parse(attribute).find(seen.selected) if isinstance(attribute, str) and attribute else None


def _next(observed: Value | None) -> Value | None:
    """A value to start from: one more of a number."""
    if isinstance(observed, Number) and observed.is_valid:
        return Number(plain_digits(EXACT.add(observed.value, Decimal(1))))
    return observed


def make_observed(filled: Filled) -> SingleWrite:
    path, observed = filled.needed_path("attribute"), filled.value("observed")
    update = Update(sets=(Set(path, Literal(_needed(filled, "new"))),))
    condition = _still(filled, path, observed)
    return SingleWrite(UpdateAction(filled.text("table"), filled.key("key"), update, condition))


def make_versioned(filled: Filled) -> SingleWrite:
    path, version = filled.needed_path("attribute"), filled.needed_path("version")
    if path.overlaps(version):
        raise InvalidField("version", "The version is raised by itself: it cannot be what is changed.")
    seen = filled.value("seen")
    if seen is not None and not isinstance(seen, Number):
        raise InvalidField("seen", f"A version is a number, not a {type_word(seen)}.")
    following = ONE if seen is None else Number(plain_digits(EXACT.add(seen.value, Decimal(1))))
    update = Update(sets=(Set(path, Literal(_needed(filled, "new"))), Set(version, Literal(following))))
    condition = _still(filled, version, seen)
    return SingleWrite(UpdateAction(filled.text("table"), filled.key("key"), update, condition))


def _needed(filled: Filled, name: str) -> Value:
    value = filled.value(name)
    if value is None:
        raise InvalidField(name, "What the attribute is to be is not filled in.")
    return value


def _still(filled: Filled, path: DocumentPath, seen: Value | None) -> Condition:
    """That the attribute is as it was seen. One that was missing is missing in an item that is gone as well."""
    if seen is None:
        return And((is_there(filled.key("key")), Exists(path, wanted=False)))
    return Comparison(path, "=", Literal(seen))


# -------------------------------------------------------------------------------------------------------------- shards


def guess_shards(seen: Seen) -> dict[str, FieldValue]:
    return {**guess_shard_read(seen), "delta": "1"}


def guess_shard_read(seen: Seen) -> dict[str, FieldValue]:
    match = rule_for(seen, sharded=True)
    if match is not None and match.rule.table == seen.table.name:
        rule = match.rule
        key = typed_pattern(rule.parent, rule.schema, match.captures, {"shard": SHARD})
        names = rule.shards or _names_seen(seen, key)
        return {"table": rule.table, "key": key, "shards": _shown(names), "attribute": str(rule.attribute)}
    key = _sharded_key(seen)
    attribute = next(iter(count_names(seen.selected, seen.schema)), "")
    return {"table": seen.table.name, "key": key, "shards": _shown(_names_seen(seen, key)), "attribute": attribute}


def _sharded_key(seen: Seen) -> Typed:
    """The selected item's key with `{shard}` for the number at the end of one of its parts, or after it."""
    rows = typed_key(seen.schema, seen.selected or None)
    for at, attribute in enumerate(seen.schema.attributes):
        text = text_of(seen.selected, attribute)
        if attribute.type == "S" and stem(text) and tail(text).isdecimal():
            return _with_shard(rows, at, rows[at].text[: -len(tail(text))] + SHARD)
    if not rows[0].text:
        return rows
    return _with_shard(rows, 0, f"{rows[0].text}#{SHARD}" if rows[0].type == "S" else SHARD)


def _with_shard(rows: Typed, at: int, text: str) -> Typed:
    return (*rows[:at], TypedText(rows[at].name, rows[at].type, text), *rows[at + 1 :])


def _names_seen(seen: Seen, key: Typed) -> tuple[str, ...]:
    """What stands for `{shard}` in the keys of the items that are alike otherwise."""
    found: set[str] = set()
    for item in seen.items:
        parts = [
            _shard_in(row.text, literal(text_of(item, attribute)))
            for row, attribute in zip(key, seen.schema.attributes, strict=True)
        ]
        names = {part for part in parts if part}
        if None not in parts and len(names) == 1:
            found |= names
    return tuple(sorted(found, key=lambda name: (len(name), name)))


def _shard_in(template: str, text: str) -> str | None:
    """What stands for `{shard}` in a text; "" where the template has none, None where the text is not of it."""
    before, place, after = template.partition(SHARD)
    if not place:
        return "" if text == template else None
    if len(text) <= len(before) + len(after) or not (text.startswith(before) and text.endswith(after)):
        return None
    name = text[len(before) : len(text) - len(after)]
    return None if stem(name) else name


def _shown(names: tuple[str, ...]) -> str:
    if not names:
        return NEW_SHARDS
    return str(len(names)) if names == tuple(map(str, range(len(names)))) else ", ".join(names)


def make_sharded(filled: Filled) -> SingleWrite:
    names = filled.shards()
    shard = random.choice(names)  # noqa: S311 (spreads writes; not a secret)
    path = filled.needed_path("attribute")
    delta = _delta(filled)
    update = Update(adds=(Add(path, Literal(delta)),)) if len(path.steps) == 1 else Update(sets=(raised(path, delta),))
    return SingleWrite(UpdateAction(filled.text("table"), _shard_key(filled, shard), update))


def make_shard_read(filled: Filled) -> TransactGet:
    names = filled.shards()
    if len(names) > MAX_ACTIONS:
        raise InvalidField(
            "shards", f"A TransactGetItems reads up to {MAX_ACTIONS} items as of one instant, not {len(names)}."
        )
    projection = Projection((filled.needed_path("attribute"),))
    table = filled.text("table")
    return TransactGet(tuple(GetAction(table, _shard_key(filled, name), projection) for name in names))


def _shard_key(filled: Filled, shard: str) -> dict[str, KeyValue]:
    if not any(SHARD in row.text for row in filled.typed("key")):
        raise InvalidField("key", f"Nothing in the key tells the shards apart: put {SHARD} where they differ.")
    return filled.key("key", shard=shard)


def shard_warning(filled: Filled) -> str:
    """What is wrong with where the shard stands; "" where nothing is."""
    rows = filled.typed("key")
    if rows and SHARD not in rows[0].text and any(SHARD in row.text for row in rows[1:]):
        return (
            f"The shards differ in {rows[1].name}, the sort key: all of them are under one partition key, so that they "
            f"spread no load. Put {SHARD} into {rows[0].name} for that."
        )
    return ""


def sharded_total(items: Iterable[Item | None], attribute: str) -> Number:
    """The exact sum over the shards. One that is not there, or has no such attribute, counts as nothing.

    Raises `InvalidValue` where one holds something else than a number.
    """
    path = AttributePath.parse(attribute)
    total = Decimal(0)
    for item in items:
        value = None if item is None else path.find(item)
        if value is None:
            continue
        if not isinstance(value, Number):
            raise InvalidValue(f"{attribute} of a shard is a {type_word(value)}, not a number")
        total = EXACT.add(total, value.value)
    return Number(plain_digits(total))
