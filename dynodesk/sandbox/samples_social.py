"""`Social`: posts with their likes, users with the people they follow, in one table with one inverted index.

Kinds of item, by key:

    POST#a91f    META               a post; likeTally counts its LIKE# items, rev rises with every write of the post
    POST#a91f    LIKE#USER#7c20     a like; in GSI1 under USER#7c20, by time
    USER#7c20    META               a user; followingCount and followerCount count edges
    ACTOR#alice  TARGET#bob         alice follows bob; in GSI1 under TARGET#bob

Some tallies are wrong on purpose, others look wrong and are right.
"""

from __future__ import annotations

import base64
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dynodesk.sandbox.sample_table import (
    DAY,
    MIDSUMMER,
    SampleTable,
    TaggedItem,
    chance,
    create_request,
    key_schema,
    moment,
    number,
    scaled,
    short_ids,
    text,
)


@dataclass(frozen=True, slots=True)
class _Post:
    id: str
    title: str
    likes: int
    tally: dict[str, Any] | None
    """What is stored as likeTally; None: the attribute is missing."""


def _post(post_id: str, title: str, likes: int, stored: int) -> _Post:
    return _Post(post_id, title, likes, number(stored))


_VIRAL = "e001"
_REGULAR = "7c20"
"""A user who likes exactly twelve posts and writes none: a short, readable GSI1 collection."""

_STARS = (
    _post("a91f", "Harbour walk, take two", likes=37, stored=41),
    _post("0c4e", "What changed in 8.2", likes=12, stored=15),
    _post("5d19", "Bakery on the corner", likes=18, stored=16),
    _post("77b0", "Ferry timetable", likes=0, stored=-2),
    _post("91d4", "Night shift notes", likes=0, stored=1),
    _post("c7a2", "", likes=6, stored=7),
    _post('l\'été "25" #2', "Odd keys are keys too", likes=3, stored=2),
    _Post("3a70", "Garden, week 24", likes=12, tally=text("12")),
    _Post("8a3f", "Перевод руководства", likes=5, tally=None),
    # Right, each in its own way.
    _post(_VIRAL, "Summer in one take", likes=800, stored=800),
    _post("f00b", "First like", likes=1, stored=1),
    _post("44b1", "회의록 6월", likes=19, stored=19),
    _post("7be3", "<b>Şehir turu</b> & more", likes=0, stored=0),
    _post("🌊 plage", "שלום, 海", likes=2, stored=2),
)
_ORPHANED = "9e21"
"""A post that was deleted while its three likes stayed."""

_NAMED_USERS = (_REGULAR, "alice", "bob", "carol", "b14a", "2f6b")
_NAMED_EDGES = (("alice", "bob"), ("bob", "alice"), ("b14a", "alice"), ("2f6b", "bob"), (_REGULAR, "alice"))
_FOLLOWING_OFF_BY = {"b14a": +1, "2f6b": -1}

_TITLES = (
    "Open roles, July", "Rain on the pier", "Two chairs, one table", "Letters from the lighthouse",
    "How we test releases", "Markt am Samstag", "Le train de nuit", "Пять минут", "夜の散歩", "Último ferry",
    "Field notes, part 3", "The long way home", "A shelf for every cup", "Snow in May", "Why the clock is late",
)  # fmt: skip
_GIVEN = ("Alice", "Bob", "Carol", "Mina", "Jonas", "Zoë", "Łukasz", "Thảo", "Иван", "Ayşe", "Noor", "Sean", "美咲")
_FAMILY = ("Novak", "O'Neil", "Sato", "Lindqvist", "García", "Nguyễn", "Петров", "Öztürk", "van Dijk", "Okafor")
_REACTIONS = ("clap", "heart", "laugh", "sad", "wow")
_SYSTEMS = ("Android", "Linux", "Windows", "iOS", "macOS")


def social(scale: float) -> SampleTable:
    """The table at `scale`: 1 gives about 1,700 items. The named posts and users are there at any scale."""
    rng = chance("Social")
    others = short_ids(rng, scaled(40, scale, least=len(_NAMED_USERS)) - len(_NAMED_USERS), taken=_NAMED_USERS)
    users = [*_NAMED_USERS, *others]
    # Not everybody who liked something still has an account: likes outlive the user's own item.
    likers = [*users[1:], *short_ids(rng, 900, taken=users)]
    posts = [*_STARS, *_ordinary_posts(rng, scaled(26, scale))]
    regular = {post.id for post in [post for post in posts if post.likes and post.id != _VIRAL][:12]}

    items: list[TaggedItem] = []
    for post in posts:
        created = MIDSUMMER - rng.randrange(2, 60) * DAY - rng.randrange(DAY)
        items.append(_meta(post, author=rng.choice(users[1:]), created=created, edits=rng.randrange(1, 40)))
        crowd = likers if post.id == _VIRAL else likers[: max(60, len(users))]
        names = rng.sample(crowd, post.likes - (post.id in regular))
        items += (_like(rng, post.id, user) for user in ([_REGULAR] if post.id in regular else []) + names)
    items += (_like(rng, _ORPHANED, user) for user in rng.sample(likers, 3))
    items += _people(rng, users, scaled(200, scale))
    return SampleTable("Social", _CREATE, tuple(items))


_CREATE = create_request(
    "Social",
    [("PK", "S"), ("SK", "S")],
    AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "GSI1PK", "GSI1SK")],
    GlobalSecondaryIndexes=[
        {
            "IndexName": "GSI1",
            "KeySchema": key_schema(["GSI1PK", "GSI1SK"]),
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["likedAt", "since", "title"]},
        }
    ],
)


def _ordinary_posts(rng: random.Random, count: int) -> list[_Post]:
    taken = [*(star.id for star in _STARS), _ORPHANED]
    ids = short_ids(rng, count, taken)
    likes = [rng.randrange(38) for _ in ids]
    return [_post(post_id, rng.choice(_TITLES), likes=n, stored=n) for post_id, n in zip(ids, likes, strict=True)]


def _meta(post: _Post, author: str, created: int, edits: int) -> TaggedItem:
    return {
        "PK": text(f"POST#{post.id}"),
        "SK": text("META"),
        "title": text(post.title),
        "author": text(f"USER#{author}"),
        **({} if post.tally is None else {"likeTally": post.tally}),
        "rev": number(post.likes + edits),
        "createdAt": text(moment(created)),
        "GSI1PK": text(f"USER#{author}"),
        "GSI1SK": text(f"POST#{moment(created)}#{post.id}"),
    }


def _like(rng: random.Random, post: str, user: str) -> TaggedItem:
    first = (post, user) == ("a91f", _REGULAR)
    liked = MIDSUMMER if first else MIDSUMMER + rng.randrange(1, 30 * DAY)
    item: TaggedItem = {
        "PK": text(f"POST#{post}"),
        "SK": text(f"LIKE#USER#{user}"),
        "GSI1PK": text(f"USER#{user}"),
        "GSI1SK": text(f"LIKE#{moment(liked)}#POST#{post}"),
        "likedAt": number(liked),
        "client": {
            "M": {
                "app": text(f"web 8.{rng.randrange(3)}.{rng.randrange(10)}"),
                "os": text(rng.choice(_SYSTEMS)),
                "trusted": {"BOOL": rng.random() < 0.8},
            }
        },
    }
    if first:
        item["reactions"] = {"SS": ["clap", "heart"]}
        item["note"] = text("see\u00a0you there")
        item["etag"] = {"B": base64.b64encode(rng.randbytes(16)).decode()}
    elif rng.random() < 0.3:
        item["reactions"] = {"SS": sorted(rng.sample(_REACTIONS, rng.randrange(1, 4)))}
    return item


def _people(rng: random.Random, users: Sequence[str], follows: int) -> list[TaggedItem]:
    """Users and the edges between them. Every edge has two ends, so both counts of a user follow from the edges."""
    edges = dict.fromkeys(_NAMED_EDGES)
    possible = len(users) * (len(users) - 1)
    while len(edges) < min(follows, possible // 2):
        actor, target = rng.sample(users, 2)
        edges[actor, target] = None
    following = Counter(actor for actor, _ in edges)
    followers = Counter(target for _, target in edges)
    people = [
        {
            "PK": text(f"USER#{user}"),
            "SK": text("META"),
            "name": text(f"{rng.choice(_GIVEN)} {rng.choice(_FAMILY)}"),
            "handle": text(f"@{user}"),
            "followingCount": number(following[user] + _FOLLOWING_OFF_BY.get(user, 0)),
            "followerCount": number(followers[user]),
        }
        for user in users
    ]
    return people + [
        {
            "PK": text(f"ACTOR#{actor}"),
            "SK": text(f"TARGET#{target}"),
            "GSI1PK": text(f"TARGET#{target}"),
            "GSI1SK": text(f"ACTOR#{actor}"),
            "since": text(moment(MIDSUMMER - rng.randrange(400 * DAY))),
        }
        for actor, target in edges
    ]
