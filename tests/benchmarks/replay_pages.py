"""The replies that the replay server sends: a single-table design of posts and likes, as whole HTTP replies in a file.

Deterministic: the same arguments give the same bytes. One post in a hundred does not match its likes: nine in ten of
those store another number, the tenth is missing although its likes are there. The likes of a post follow Zipf's law;
one post in fifty has none. Items of a collection follow each other by sort key, collections in no order.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import BinaryIO

PAGE_BYTES = 1_000_000
"""Of a page as DynamoDB counts: names and values, before any projection."""
PARENTS_SHARE = 20
"""Items for each post."""
TABLE = "Social"
PROJECTED = ("PK", "SK", "likeTally")

_VALUE_OVERHEAD = len('"":{"S":""},')
_WORDS = ("the", "quick", "brown", "fox", "jumps", "é", "ünïcode", "tally", "count", "shard", "hot", "partition")
_REACTIONS = ("like", "love", "laugh", "sad", "wow")


@dataclass(frozen=True, slots=True)
class Truth:
    items: int
    pages: int
    """Those with items; each segment ends with an empty one besides."""
    json_bytes: int
    mismatches: int
    """Posts whose tally is not the number of their likes, those that are missing among them."""


@dataclass(slots=True)
class Replies:
    """Where the replies lie in their file, as offset and length."""

    pages: list[tuple[int, int]] = field(default_factory=list)
    last: tuple[int, int] = (0, 0)
    """The page without items that ends a segment."""
    cursors: list[tuple[str, str]] = field(default_factory=list)
    """PK and SK of the cursor that each page gives."""


def write(folder: Path, items: int, *, wide: bool) -> Truth:
    """Write the replies to whole and to projected Scans, their places and the truth about them into the folder."""
    source = _Table(items, wide=wide)
    with (folder / "whole.bin").open("wb") as whole, (folder / "projected.bin").open("wb") as projected:
        files = (_ReplyFile(whole), _ReplyFile(projected))
        texts: list[str] = []
        keys: list[str] = []
        size = 0
        last = ("", "")
        for pk, sk, attributes in source.items():
            text = "{" + ",".join(attributes) + "}"
            item_bytes = len(text) - len(attributes) * _VALUE_OVERHEAD
            if texts and size + item_bytes > PAGE_BYTES:
                for file, page in zip(files, (texts, keys), strict=True):
                    file.page(page, size, last)
                texts, keys, size = [], [], 0
            texts.append(text)
            keys.append("{" + ",".join(a for a in attributes if a.startswith(_PROJECTED_STARTS)) + "}")
            size += item_bytes
            last = (pk, sk)
        for file, page in zip(files, (texts, keys), strict=True):
            file.page(page, size, last)
            file.end()
    for name, file in zip(("whole", "projected"), files, strict=True):
        (folder / f"{name}.json").write_text(json.dumps(asdict(file.replies)), encoding="ascii")
    truth = Truth(source.written, len(files[0].replies.pages), files[0].json_bytes, source.mismatches)
    (folder / "truth.json").write_text(json.dumps(asdict(truth)), encoding="ascii")
    return truth


_PROJECTED_STARTS = tuple(f'"{name}":' for name in PROJECTED)


class _ReplyFile:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.replies = Replies()
        self.json_bytes = 0

    def page(self, items: list[str], size: int, cursor: tuple[str, str]) -> None:
        place, length = self._write(items, size, f'"LastEvaluatedKey":{{"PK":{_s(cursor[0])},"SK":{_s(cursor[1])}}},')
        self.json_bytes += length
        self.replies.pages.append(place)
        self.replies.cursors.append(cursor)

    def end(self) -> None:
        self.replies.last, _ = self._write([], 0, "")
        self._file.flush()

    def _write(self, items: list[str], size: int, cursor: str) -> tuple[tuple[int, int], int]:
        units = max(1, -(-size // 4096)) / 2
        body = (
            f'{{"ConsumedCapacity":{{"CapacityUnits":{units},"TableName":"{TABLE}"}},"Count":{len(items)},"Items":['
            f'{",".join(items)}],{cursor}"ScannedCount":{len(items)}}}'
        ).encode()
        whole = reply(body)
        offset = self._file.tell()
        self._file.write(whole)
        return (offset, len(whole)), len(body)


def reply(body: bytes) -> bytes:
    """A reply of success with the headers that DynamoDB sends."""
    head = (
        "HTTP/1.1 200 OK\r\nServer: Server\r\nDate: Mon, 05 Jan 2026 10:00:00 GMT\r\n"
        f"Content-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\nConnection: keep-alive\r\n"
        "x-amzn-RequestId: 7DUGAJT2QKHC1KTLBEVMQDV1BVVV4KQNSO5AEMVJF66Q9ASUAAJG\r\n"
        f"x-amz-crc32: {zlib.crc32(body)}\r\n\r\n"
    )
    return head.encode("ascii") + body


class _Table:
    def __init__(self, items: int, *, wide: bool) -> None:
        self._random = Random(20)
        self._wide = wide
        self._parents = max(1, items // PARENTS_SHARE)
        self._orphaned = {rank for rank in range(self._parents) if rank % 1000 == 942}
        self._wrong = {rank for rank in range(self._parents) if rank % 100 == 42} - self._orphaned
        self._likes = self._zipf(items - self._parents + len(self._orphaned))
        self.mismatches = len(self._orphaned) + len(self._wrong)
        self.written = 0

    def _zipf(self, likes: int) -> list[int]:
        weights = [0.0 if rank % 50 == 7 else (rank + 5) ** -0.8 for rank in range(self._parents)]
        share = likes / sum(weights)
        counts = [int(weight * share) for weight in weights]
        for rank in range(likes - sum(counts)):  # what was rounded off
            counts[rank if weights[rank] else rank + 1] += 1
        return counts

    def items(self) -> Iterator[tuple[str, str, list[str]]]:
        """PK, SK and the attributes as JSON members."""
        order = list(range(self._parents))
        self._random.shuffle(order)
        for rank in order:
            for item in self._collection(rank):
                self.written += 1
                yield item

    def _collection(self, rank: int) -> Iterator[tuple[str, str, list[str]]]:
        random, post = self._random, f"{rank:08d}"
        pk = f"POST#{post}"
        for user in sorted(self._hex(12) for _ in range(self._likes[rank])):
            at, sk = self._time(), f"LIKE#{user}"
            attributes = [
                f'"PK":{_s(pk)}',
                f'"SK":{_s(sk)}',
                '"entityType":{"S":"LIKE"}',
                f'"postId":{_s(post)}',
                f'"userId":{_s(user)}',
                f'"createdAt":{_s(at)}',
                f'"reaction":{_s(random.choice(_REACTIONS))}',
                f'"GSI1PK":{_s("USER#" + user)}',
                f'"GSI1SK":{_s("LIKE#" + at)}',
                f'"ttl":{_n(random.randint(1_700_000_000, 1_900_000_000))}',
            ]
            yield pk, sk, attributes + self._more()
        if rank in self._orphaned:
            return
        tally = self._likes[rank] + (random.choice((-2, -1, 1, 3)) if rank in self._wrong else 0)
        at = self._time()
        attributes = [
            f'"PK":{_s(pk)}',
            '"SK":{"S":"META"}',
            '"entityType":{"S":"POST"}',
            f'"postId":{_s(post)}',
            f'"authorId":{_s("U#" + self._hex(8))}',
            f'"title":{_s(self._text(2, 5))}',
            f'"body":{_s(self._text(8, 16))}',
            f'"createdAt":{_s(at)}',
            f'"updatedAt":{_s(self._time())}',
            f'"likeTally":{_n(tally)}',
            f'"version":{_n(random.randint(1, 99))}',
            f'"score":{_n(f"{random.randint(0, 99)}.{random.randint(0, 999):03d}1")}',
            f'"isPinned":{{"BOOL":{random.choice(("true", "false"))}}}',
            f'"tags":{{"SS":["a{self._hex(4)}","b{self._hex(4)}"]}}',
            f'"GSI1PK":{_s("AUTHOR#" + self._hex(8))}',
            f'"GSI1SK":{_s("POST#" + at)}',
        ]
        yield pk, "META", attributes + self._more()

    def _more(self) -> list[str]:
        """The 20 further attributes of wide items: all types, nested ones too."""
        if not self._wide:
            return []
        random = self._random
        change = ",".join(
            f'{{"M":{{"at":{_s(self._time())},"by":{_s("U#" + self._hex(8))},"delta":{_n(random.randint(-5, 5))}}}}}'
            for _ in range(4)
        )
        levels = ",".join(_n(random.randint(0, 9)) for _ in range(6))
        place = f'{{"M":{{"lat":{_n(f"{random.random():.5f}1")},"lon":{_n(f"{random.random():.5f}1")}}}}}'
        return [
            *(f'"text{i}":{_s(self._text(2, 8))}' for i in range(8)),
            *(f'"metric{i}":{_n(f"{random.randint(0, 10**6)}.{random.randint(1, 999)}1")}' for i in range(3)),
            f'"bigNumber":{_n(random.randint(10**36, 10**38 - 1))}',
            f'"flag":{{"BOOL":{random.choice(("true", "false"))}}}',
            '"gone":{"NULL":true}',
            f'"blob":{{"B":"{base64.b64encode(random.randbytes(48)).decode()}"}}',
            f'"labels":{{"SS":["a{self._hex(4)}","b{self._hex(4)}","c{self._hex(4)}"]}}',
            f'"scores":{{"NS":["{random.randint(0, 99)}","{random.randint(100, 999)}"]}}',
            f'"profile":{{"M":{{"name":{_s(self._text(1, 2))},"lives":{{"M":{{"city":{_s("Bern")},"at":{place}}}}}}}}}',
            f'"history":{{"L":[{change}]}}',
            f'"settings":{{"M":{{"theme":{_s("dark")},"notify":{{"BOOL":true}},"levels":{{"L":[{levels}]}}}}}}',
        ]

    def _hex(self, digits: int) -> str:
        return f"{self._random.getrandbits(4 * digits):0{digits}x}"

    def _text(self, fewest: int, most: int) -> str:
        return " ".join(self._random.choices(_WORDS, k=self._random.randint(fewest, most)))

    def _time(self) -> str:
        day, ms = divmod(self._random.getrandbits(36) % (336 * 86_400_000), 86_400_000)
        seconds = ms // 1000
        return (
            f"2025-{day // 28 + 1:02d}-{day % 28 + 1:02d}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:"
            f"{seconds % 60:02d}.{ms % 1000:03d}Z"
        )


def _s(text: str) -> str:
    return f'{{"S":"{text}"}}'


def _n(number: object) -> str:
    return f'{{"N":"{number}"}}'
