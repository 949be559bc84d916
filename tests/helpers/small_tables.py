"""Small tables for tests of pages: their descriptions and items."""

from __future__ import annotations

from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Item, Number, String, StringSet

PK, SK = KeyAttribute("PK", "S"), KeyAttribute("SK", "S")
SOCIAL = TableInfo(
    "Social",
    KeySchema((PK,), (SK,)),
    indexes=(
        IndexInfo(
            "GSI1",
            "GSI",
            KeySchema((KeyAttribute("GSI1PK", "S"),), (KeyAttribute("GSI1SK", "S"),)),
            Projection("INCLUDE", ("likedAt",)),
        ),
        IndexInfo(
            "GSI2", "GSI", KeySchema((KeyAttribute("kind", "S"),), (KeyAttribute("likedAt", "N"),)), Projection("ALL")
        ),
    ),
)
READINGS = TableInfo("Readings", KeySchema((KeyAttribute("device", "S"),), (KeyAttribute("at", "N"),)))
NAMES = TableInfo("Names", KeySchema((KeyAttribute("id", "S"),)))


def post(name: str, likes: int, title: str = "Harbour walk") -> Item:
    """A post, which is in no index."""
    return {
        "PK": String(f"POST#{name}"),
        "SK": String("META"),
        "likeTally": Number(str(likes)),
        "title": String(title),
    }


def like(post_name: str, user: str, at: int, *, reactions: tuple[str, ...] = ()) -> Item:
    """A like, found through GSI1 by its user and through GSI2 by its kind."""
    item: dict[str, String | Number | StringSet] = {
        "PK": String(f"POST#{post_name}"),
        "SK": String(f"LIKE#USER#{user}"),
        "GSI1PK": String(f"USER#{user}"),
        "GSI1SK": String(f"LIKE#{at}"),
        "kind": String("like"),
        "likedAt": Number(str(at)),
    }
    if reactions:
        item["reactions"] = StringSet(reactions)
    return item


def social_items() -> list[Item]:
    """Three posts; USER#7c20 likes all of them, USER#0a and USER#ff one each."""
    return [
        post("a91f", 3),
        like("a91f", "0a", 100),
        like("a91f", "7c20", 200, reactions=("clap", "heart")),
        like("a91f", "ff", 300),
        post("b002", 1),
        like("b002", "7c20", 210),
        post("c310", 1),
        like("c310", "7c20", 220),
    ]


def reading(device: str, at: str) -> Item:
    return {"device": String(device), "at": Number(at)}
