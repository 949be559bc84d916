"""The recipe for an edge between two items of one kind and the tally of each: follow, once however often it is sent."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

from dynodesk.domain.actions import PutAction, TransactWrite, UpdateAction, WriteAction, new_token
from dynodesk.domain.entities import is_parent
from dynodesk.domain.patterns import Captures
from dynodesk.domain.recipe_fields import ME, OTHER, Field, FieldValue, Filled, InvalidField, Typed, TypedText, literal
from dynodesk.domain.recipe_guesses import Seen, beside_key, named_counts, stem, tail, text_of, version_name, words_of
from dynodesk.domain.recipe_likes import ONE, counted, is_missing, is_there
from dynodesk.domain.recipe_rules import typed_pattern
from dynodesk.domain.spelled_text import spelled
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Item

FOLLOW_FIELDS = (
    Field("me", "Who follows", "text", "The key of the one who follows, as it stands in the edge: {me} below."),
    Field("other", "Who is followed", "text", "The key of the one who is followed: {other} below."),
    Field("table", "Table", "table", "The table of both and of the edges between them."),
    Field("edge", "Edge's key", "key", "The item that says that {me} follows {other}."),
    Field(
        "back", "Edge back", "key", "A second item, from {other} to {me}, where the table has one.", is_optional=True
    ),
    Field(
        "beside", "Beside the edge's key", "attributes", "Keys of indexes, the time. May be empty.", is_optional=True
    ),
    Field("follower", "Follower's key", "key", "The item with the number of those that {me} follows."),
    Field("following", "Following", "attribute", "The number on the follower that counts whom it follows."),
    Field("followed", "Followed one's key", "key", "The item with the number of those that follow {other}."),
    Field("followers", "Followers", "attribute", "The number on the followed one that counts its followers."),
    Field("version", "Version", "attribute", "A number on both that every write raises by one.", is_optional=True),
)
_BACK = frozenset({"follower", "followers", "followed", "followedby", "fan", "fans"})
_EDGE = _BACK | {"follow", "follows", "following", "actor", "target", "friend", "friends"}


def make_follow(filled: Filled) -> TransactWrite:
    table, me, other = filled.text("table"), filled.text("me"), filled.text("other")
    edge = filled.key("edge", me=me, other=other)
    actions: list[WriteAction] = [
        PutAction(table, {**edge, **filled.attributes("beside", me=me, other=other)}, is_missing(edge))
    ]
    keys = [edge]
    if filled.has("back"):
        back = filled.key("back", me=me, other=other)
        keys.append(back)
        actions.append(PutAction(table, back, is_missing(back)))
    version = filled.path("version")
    for whose, tally in (("follower", "following"), ("followed", "followers")):
        key = filled.key(whose, me=me, other=other)
        keys.append(key)
        actions.append(UpdateAction(table, key, counted(filled.needed_path(tally), ONE, version), is_there(key)))
    if any(one == two for at, one in enumerate(keys) for two in keys[:at]):
        raise InvalidField("other", "Two of the items are one and the same: a transaction does one thing to one item.")
    return TransactWrite(tuple(actions), new_token())


def guess_follow(seen: Seen) -> dict[str, FieldValue]:
    found = _by_rules(seen) or _by_keys(seen)
    empty = tuple(TypedText(one.name, one.type, "") for one in seen.schema.attributes)
    if found is None:
        found = Edges("", empty, empty, (), empty, "", "", "")
    return {
        "me": "",
        "other": found.other,
        "table": seen.table.name,
        "edge": found.edge,
        "back": found.back or empty,
        "beside": found.beside,
        "follower": found.person,
        "following": found.following,
        "followed": tuple(TypedText(one.name, one.type, one.text.replace(ME, OTHER)) for one in found.person),
        "followers": found.followers,
        "version": found.version,
    }


@dataclass(frozen=True, slots=True)
class Edges:
    """What edges look like, and the items at their ends."""

    other: str
    edge: Typed
    back: Typed
    """Empty where an index leads back, or nothing does."""
    beside: Typed
    person: Typed
    """The key of `{me}`."""
    following: str
    followers: str
    version: str


# ------------------------------------------------------------------------------------------------------------ by rules


def _by_rules(seen: Seen) -> Edges | None:
    """From two rules over one kind of parent, of which one counts edges from one end, the other from the other end."""
    rules = [
        rule
        for rule in seen.rules
        if rule.tables == {seen.table.name} and not rule.is_sharded and rule.measure.kind == "count"
    ]
    for following, followers in permutations(rules, 2):
        if str(following.parent) == str(followers.parent) and following.children.index is None:
            found = _edges(seen, following, followers)
            if found is not None:
                return found
    return None


def _edges(seen: Seen, following: TallyRule, followers: TallyRule) -> Edges | None:
    ends, back_ends = _ends(following), _ends(followers)
    if ends is None or back_ends is None or following.attribute == followers.attribute:
        return None
    sample = next((item for item in seen.items if _is_edge(item, following, followers)), None)
    if sample is None and not (
        "following" in words_of(str(following.attribute)) and _is_back(str(followers.attribute))
    ):
        return None
    (actor, target), (back_target, back_actor) = ends, back_ends
    places, back_places = {actor: ME, target: OTHER}, {back_target: OTHER, back_actor: ME}
    back: Typed = ()
    beside: Typed = ()
    if followers.children.index is None:
        back = typed_pattern(followers.children.pattern, seen.schema, {}, back_places)
    else:
        index = typed_pattern(followers.children.pattern, followers.children.key_schema, {}, back_places)
        beside = tuple(row for row in index if row.name not in seen.schema.names)
    captures = None if sample is None else following.child_captures(sample)
    if sample is not None and captures is not None:
        swaps = {spelled(captures[actor]): ME, spelled(captures[target]): OTHER}
        known = {row.name for row in beside}
        beside += tuple(row for row in beside_key(seen, sample, swaps) if row.name not in known)
    return Edges(
        _other(seen, following, actor, target),
        typed_pattern(following.children.pattern, seen.schema, {}, places),
        back,
        beside,
        typed_pattern(following.parent, seen.schema, {}, {actor: ME}),
        str(following.attribute),
        str(followers.attribute),
        following.version if following.version and following.version == followers.version else "",
    )


def _ends(rule: TallyRule) -> tuple[str, str] | None:
    """The part of a child's key that names its parent, and the one that names who is at its other end."""
    names = {name for pattern in rule.children.pattern.attributes.values() for name in pattern.captures}
    others = names - rule.joined
    if len(rule.joined) != 1 or len(others) != 1:
        return None
    return next(iter(rule.joined)), next(iter(others))


def _is_edge(item: Item, following: TallyRule, followers: TallyRule) -> bool:
    """Whether one item is a child by both rules, and each tells one end of it."""
    one, other = following.child_captures(item), followers.child_captures(item)
    ends, back_ends = _ends(following), _ends(followers)
    if one is None or other is None or ends is None or back_ends is None:
        return False
    return (one[ends[0]], one[ends[1]]) == (other[back_ends[1]], other[back_ends[0]])


def _other(seen: Seen, following: TallyRule, actor: str, target: str) -> str:
    """Whom the selected item is, or points at."""
    parent: Captures | None = following.parent_captures(seen.selected) if seen.selected else None
    if parent is not None:
        return spelled(parent[actor])
    edge = following.child_captures(seen.selected) if seen.selected else None
    return "" if edge is None else spelled(edge[target])


def _is_back(attribute: str) -> bool:
    return bool(_BACK & set(words_of(attribute)))


# ------------------------------------------------------------------------------------------------------------- by keys


def _by_keys(seen: Seen) -> Edges | None:
    """From an item with both tallies, and one whose key names two of its kind."""
    if not seen.schema.sort:
        return None
    partition, sort = seen.schema.partition[0], seen.schema.sort[0]
    people = [item for item in seen.items if _tallies(item, seen) is not None]
    if not people:
        return None
    person = people[0]
    tallies = _tallies(person, seen)
    assert tallies is not None  # noqa: S101 (it is one of those that have them)
    names = {tail(text_of(item, partition)) for item in people}
    me = tail(text_of(person, partition))
    rows = [TypedText(partition.name, partition.type, literal(stem(text_of(person, partition))) + ME)]
    own = text_of(person, sort)
    rows.append(TypedText(sort.name, sort.type, literal(stem(own)) + ME if tail(own) == me else literal(own)))
    edges = [item for item in seen.items if _edge_score(item, seen, names) >= 2]
    edges.sort(key=lambda item: bool(_BACK & set(words_of(_stems(item, seen)))))
    other = me if person == seen.selected else ""
    version = version_name(person)
    if not edges:
        empty = tuple(TypedText(one.name, one.type, "") for one in seen.schema.attributes)
        return Edges(other, empty, (), (), tuple(rows), *tallies, version)
    edge = edges[0]
    ends = tail(text_of(edge, partition)), tail(text_of(edge, sort))
    swaps = {ends[0]: ME, ends[1]: OTHER}
    return Edges(
        other or (ends[1] if edge == seen.selected else ""),
        _typed_ends(edge, seen, (ME, OTHER)),
        next((_typed_ends(item, seen, (OTHER, ME)) for item in seen.items if _leads_back(item, edge, seen)), ()),
        beside_key(seen, edge, swaps),
        tuple(rows),
        *tallies,
        version,
    )


def _tallies(item: Item, seen: Seen) -> tuple[str, str] | None:
    """The numbers of those that it follows and of those that follow it."""
    names = named_counts(item, seen.schema)
    following = next((name for name in names if "following" in words_of(name)), None)
    followers = next((name for name in names if _is_back(name)), None)
    return None if following is None or followers is None else (following, followers)


def _edge_score(item: Item, seen: Seen, names: set[str]) -> int:
    if is_parent(item, seen.schema):
        return 0
    ends = [tail(text_of(item, one)) for one in seen.schema.attributes]
    if not all(ends):
        return 0
    return 2 * bool(_EDGE & set(words_of(_stems(item, seen)))) + sum(end in names for end in ends)


def _stems(item: Item, seen: Seen) -> str:
    return " ".join(stem(text_of(item, one)) for one in seen.schema.attributes)


def _leads_back(item: Item, edge: Item, seen: Seen) -> bool:
    texts, others = ([text_of(one, key) for key in seen.schema.attributes] for one in (item, edge))
    is_turned = [tail(text) for text in texts] == [tail(text) for text in reversed(others)]
    return is_turned and [stem(text) for text in texts] != [stem(text) for text in others]


def _typed_ends(item: Item, seen: Seen, places: tuple[str, str]) -> Typed:
    return tuple(
        TypedText(one.name, one.type, literal(stem(text_of(item, one))) + place)
        for one, place in zip(seen.schema.attributes, places, strict=True)
    )
