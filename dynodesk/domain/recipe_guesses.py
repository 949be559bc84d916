"""What the open table says of a recipe's fields: which numbers count, what the keys of children look like."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain

from dynodesk.domain.actions import ComposedRequest, UpdateAction, actions_of
from dynodesk.domain.entities import DELIMITERS, is_parent
from dynodesk.domain.recipe_fields import ME, Typed, TypedText, literal
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.typed_values import typed
from dynodesk.domain.values import Binary, Item, Number, String

VERSION_NAMES = ("rev", "revision", "version", "ver", "_version", "lock_version", "v")
"""Attributes that many programs raise with every write of an item."""

_COUNTS = frozenset(
    (
        *("count", "counts", "counter", "tally", "total", "totals", "sum", "num", "number", "hits", "score"),
        *("likes", "votes", "views", "plays", "seats", "members", "followers", "following", "enrolled", "comments"),
    )
)
_ENDED = frozenset({"deleted", "removed", "left", "ended", "expires", "expire", "expiry", "ttl", "updated"})
_TIMES = frozenset({"at", "time", "date", "since", "created", "timestamp", "ts", "on"})
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_EDGES = f"[{re.escape(DELIMITERS)}]"


@dataclass(frozen=True, slots=True)
class Seen:
    """What is open: a table, items of it, the selected one first, the rules of the open file, and the time."""

    table: TableInfo
    items: tuple[Item, ...]
    rules: tuple[TallyRule, ...]
    now: float
    """Seconds since 1970."""

    @property
    def selected(self) -> Item:
        """Empty where there is none."""
        return self.items[0] if self.items else {}

    @property
    def schema(self) -> KeySchema:
        return self.table.key_schema

    @property
    def index_keys(self) -> tuple[KeyAttribute, ...]:
        """Attributes of the table's indexes that are not in its own key."""
        found = {one.name: one for index in self.table.indexes for one in index.key_schema.attributes}
        return tuple(one for name, one in found.items() if name not in self.schema.names)


@lru_cache(maxsize=1_000)
def words_of(name: str) -> tuple[str, ...]:
    """`likeTally` and `like_tally` are `like`, `tally`."""
    return tuple(word.lower() for word in _WORDS.findall(name))


def is_version(name: str) -> bool:
    return name in VERSION_NAMES


def versions_written(request: ComposedRequest) -> frozenset[str]:
    """The attributes of its updates that look like versions."""
    updates = [action.update for action in actions_of(request) if isinstance(action, UpdateAction)]
    return frozenset(name for update in updates for name in update.attributes if is_version(name))


def version_name(item: Item) -> str:
    """The attribute of an item that looks like a version; "" where none does."""
    return next((name for name in VERSION_NAMES if isinstance(item.get(name), Number)), "")


def count_names(item: Item, schema: KeySchema) -> list[str]:
    """Numbers on an item that may be counts: those called so first, then those that are whole and nothing else."""
    taken = {*schema.names, *VERSION_NAMES}
    found = [name for name, value in item.items() if isinstance(value, Number) and name not in taken]
    named = [name for name in found if _COUNTS & set(words_of(name))]
    others = [name for name in found if name not in named and _is_small(item[name]) and not _is_time(name)]
    return named + others


def named_counts(item: Item, schema: KeySchema) -> list[str]:
    """Only those that are called so."""
    return [name for name in count_names(item, schema) if _COUNTS & set(words_of(name))]


def _is_small(value: object) -> bool:
    """Whether a number is whole, and no time in seconds."""
    if not isinstance(value, Number) or not value.is_valid:
        return False
    return value.value == value.value.to_integral_value() and abs(value.value) < 1_000_000_000


def _is_time(name: str) -> bool:
    words = words_of(name)
    return bool(words) and words[-1] in _TIMES


# --------------------------------------------------------------------------------------------------------------- keys


def text_of(item: Item, attribute: KeyAttribute) -> str:
    """The value as it is typed; "" where there is none."""
    value = item.get(attribute.name)
    return typed(value) if isinstance(value, String | Number | Binary) else ""


def stem(text: str) -> str:
    """What stands before the last part of a key: `LIKE#USER#` of `LIKE#USER#7c20`."""
    at = max(text.rfind(mark) for mark in DELIMITERS)
    return text[: at + 1]


def tail(text: str) -> str:
    return text[len(stem(text)) :]


def swapped(text: str, swaps: Mapping[str, str], now: float) -> str:
    """A typed text with whole parts of it exchanged, and the moment in it, if one is, for that of `now`.

    `swaps` gives for a part what stands in its place; `POST#a91f` is a part of `LIKE#7#POST#a91f`.
    """
    parts = sorted((part for part in swaps if part), key=len, reverse=True)
    if not parts:
        return _MOMENT.sub(moment(now), literal(text))
    either = "|".join(map(re.escape, parts))
    part = re.compile(rf"(?:(?<={_EDGES})|^)(?:{either})(?={_EDGES}|$)")
    pieces, at = [], 0
    for found in part.finditer(text):
        pieces += [literal(text[at : found.start()]), swaps[found[0]]]
        at = found.end()
    return _MOMENT.sub(moment(now), "".join((*pieces, literal(text[at:]))))


def moment(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def beside_key(seen: Seen, sample: Item, swaps: Mapping[str, str]) -> Typed:
    """What a new item has beside its key, by a sample of its kind: the keys of indexes, and times, which are now."""
    found: dict[str, TypedText] = {}
    for attribute in seen.index_keys:
        if text := text_of(sample, attribute):
            found[attribute.name] = TypedText(attribute.name, attribute.type, swapped(text, swaps, seen.now))
    for name, value in sample.items():
        if name in found or name in seen.schema.names or not _is_time(name) or _ENDED & set(words_of(name)):
            continue
        now = _now_as(value, seen.now)
        if now is not None:
            found[name] = TypedText(name, "S" if isinstance(value, String) else "N", now)
    return tuple(found.values())


def _now_as(value: object, now: float) -> str | None:
    """The time in the form of the value, which is a moment, or seconds or milliseconds since 1970."""
    match value:
        case String(text) if _MOMENT.fullmatch(text):
            return moment(now)
        case Number() if value.is_valid and 10**9 <= value.value < 10**10:
            return str(int(now))
        case Number() if value.is_valid and 10**12 <= value.value < 10**13:
            return str(int(now * 1000))
        case _:
            return None


# ----------------------------------------------------------------------------------------------- parents and children


@dataclass(frozen=True, slots=True)
class Family:
    """A parent with its tally, and what a new child of it looks like."""

    parent: Item
    """Empty where none is known."""
    tally: str
    child: Typed
    beside: Typed
    example: str = ""
    """What stands for `{me}` in the key of a child that is there."""
    actor: str = ""
    """What stands for `{me}` in the key of the selected item, if that is a child."""


def family_by_keys(seen: Seen) -> Family:
    """By what the keys of the items look like: the parent is the one with a count among those of one partition."""
    parent = _parent(seen)
    peers = chain([parent], (item for item in seen.items if _is_alike(item, parent, seen.schema)))
    tally = next((name for item in peers for name in count_names(item, seen.schema)), "")
    if not seen.schema.sort:
        return Family(parent, tally, _key_after(parent, seen.schema), ())
    children = _children(seen, parent)
    sort = seen.schema.sort[0]
    if not children:
        rows = (*_partition_of(parent, seen.schema), TypedText(sort.name, sort.type, ME))
        return Family(parent, tally, rows, ())
    sample = children[0]
    text = text_of(sample, sort)
    me = tail(text) if sort.type == "S" else text
    child = text_of(sample, seen.schema.partition[0]), text_of(parent, seen.schema.partition[0])
    before = literal(stem(text)) if sort.type == "S" else ""
    swaps = {me: ME, child[0]: literal(child[1]), tail(child[0]): literal(tail(child[1]))}
    rows = (*_partition_of(parent, seen.schema), TypedText(sort.name, sort.type, before + ME))
    actor = me if sample is seen.selected else ""
    return Family(parent, tally, rows, beside_key(seen, sample, swaps), me, actor)


def _parent(seen: Seen) -> Item:
    selected = seen.selected
    if not seen.schema.sort or named_counts(selected, seen.schema) or is_parent(selected, seen.schema):
        return selected
    own = [item for item in seen.items if _has_partition_of(item, selected, seen.schema)]
    parents = [item for item in own if is_parent(item, seen.schema)]
    counting = [item for item in own if named_counts(item, seen.schema)]
    return next(iter((*counting, *parents)), selected)


def _children(seen: Seen, parent: Item) -> list[Item]:
    """Items that look like children: of this parent, or where it has none, of one that is like it."""
    sort, partition = seen.schema.sort[0], seen.schema.partition[0]
    own: defaultdict[str, list[Item]] = defaultdict(list)
    others: defaultdict[str, list[Item]] = defaultdict(list)
    kind = stem(text_of(parent, partition))
    for item in seen.items:
        if is_parent(item, seen.schema) or named_counts(item, seen.schema) or item == parent:
            continue
        group = stem(text_of(item, sort)) if sort.type == "S" else ""
        if _has_partition_of(item, parent, seen.schema):
            own[group].append(item)
        elif kind and stem(text_of(item, partition)) == kind:
            others[group].append(item)
    selected = seen.selected
    for groups in (own, others):
        if selected and selected != parent and sort.type == "S" and stem(text_of(selected, sort)) in groups:
            return groups[stem(text_of(selected, sort))]
        if groups:
            return max(groups.values(), key=len)
    return []


def _is_alike(item: Item, other: Item, schema: KeySchema) -> bool:
    """Whether the keys of both differ in their last parts only."""
    return all(
        stem(text_of(item, one)) == stem(text_of(other, one)) and bool(stem(text_of(item, one)))
        for one in schema.partition
    ) and all(text_of(item, one) == text_of(other, one) for one in schema.sort)


def _has_partition_of(item: Item, other: Item, schema: KeySchema) -> bool:
    return all(item.get(one.name) == other.get(one.name) for one in schema.partition)


def _partition_of(item: Item, schema: KeySchema) -> Iterator[TypedText]:
    return (TypedText(one.name, one.type, literal(text_of(item, one))) for one in schema.partition)


def _key_after(parent: Item, schema: KeySchema) -> Typed:
    """A key that begins with the parent's, where there is no sort key to tell children apart."""
    rows = []
    for one in schema.partition:
        before = literal(text_of(parent, one)) if one.type == "S" else ""
        rows.append(TypedText(one.name, one.type, f"{before}#{ME}" if before else ME))
    return tuple(rows)
