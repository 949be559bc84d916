"""What is taken out of every text that is kept or handed on: logs, fault reports, diagnostics.

Two nets. Secrets that this run came to know are found in any spelling, also in parts. Whatever looks like a secret is
taken out as well: nobody knew of it, or it was never ours.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator
from urllib.parse import quote

HIDDEN = "[hidden]"
SHORTEST_SECRET = 8
"""Characters. What is shorter is a made-up word for an emulator, and would be taken out of ordinary sentences."""
PIECE = 12
"""Characters of a secret that are enough to know it by: texts are cut, and secrets with them."""

_BREAKS = re.compile(r"(?:\\[nrt]|[\s\"'])+")
"""What may stand between the lines of a secret: line ends and quotes, also written out."""
_LIKELY = re.compile(
    r"""
      (?P<name>(?i:
          \b(?:proxy-)?authorization | \bx-amz-security-token | \bx-amz-sso_bearer_token | \b(?:set-)?cookie
      )["']?\s*[:=]\s*) [^\r\n]+
    | (?P<word>(?i:
          (?:secret|session|security|access|refresh|id|bearer)[_\ -]?(?:access[_\ -]?)?(?:key|token)(?![_\ -]?id\b)
          | client[_\ -]?secret | pass(?:word|wd)? | device[_\ -]?code | signature
      )["']?\s*[:=]\s*["']?) [^\s"',;&]+
    | (?P<bearer>\b(?i:bearer|basic)\s+) [A-Za-z0-9+/=._~-]{8,}
    | (?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://) [^/\s@]+@
    | \b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}
    | (?<![A-Za-z0-9/+=]) (?=[A-Za-z0-9/+]*[a-z]) (?=[A-Za-z0-9/+]*[A-Z]) (?=[A-Za-z0-9/+]*[0-9])
      [A-Za-z0-9+][A-Za-z0-9/+]{39} (?![A-Za-z0-9/+=])
    | (?<![A-Za-z0-9+_-]) (?=[A-Za-z0-9+_-]*[a-z]) (?=[A-Za-z0-9+_-]*[A-Z]) (?=[A-Za-z0-9+_-]*[0-9])
      [A-Za-z0-9+_-]{60,}={0,2}
    """,
    re.VERBOSE,
)
"""Headers of a signed request, named secrets, user and password of an address, and runs of characters as AWS makes
them: key ids, secret keys of 40 characters, tokens. Request ids are upper case throughout and stay."""


class Redaction:
    """Safe to use from any thread."""

    def __init__(self) -> None:
        self.salt = secrets.token_bytes(16)
        """Of `tag`. That of the installation, once the log is open; until then one of this run."""
        self._whole: set[str] = set()
        self._pieces: set[str] = set()

    def remember(self, *texts: str | None) -> None:
        """Secrets that are in use from now on. Empty ones, and those that are too short to be any, are passed over."""
        spellings = {one for text in texts if text and len(text) >= SHORTEST_SECRET for one in _spellings(text)}
        self._whole |= {one for one in spellings if len(one) < PIECE}
        self._pieces |= {one[at : at + PIECE] for one in spellings for at in range(len(one) - PIECE + 1)}

    def hide(self, text: str) -> str:
        """The text without secrets, for what is kept or handed on."""
        return _LIKELY.sub(_without, self.hide_known(text))

    def hide_known(self, text: str) -> str:
        """The text without the secrets of this run, for what is only shown: what is no secret of ours stays."""
        if not self._whole and not self._pieces:
            return text
        places = [at for at, is_kept in enumerate(_kept(text)) if is_kept]
        run = "".join(text[at] for at in places)
        spans = [(at, at + PIECE) for at in range(len(run) - PIECE + 1) if run[at : at + PIECE] in self._pieces]
        spans += [match.span() for word in tuple(self._whole) for match in re.finditer(re.escape(word), run)]
        shown, end = [], 0
        for first, behind in _joined(spans):
            shown += [text[end : places[first]], HIDDEN]
            end = places[behind - 1] + 1
        return "".join([*shown, text[end:]])

    def tag(self, text: str) -> str:
        """The same short text for the same text, on this installation; it does not lead back."""
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=self.salt, digest_size=5).hexdigest()


def _kept(text: str) -> Iterable[bool]:
    """For each character, whether it is one of a secret's: what may stand between two lines of one is not."""
    kept = [True] * len(text)
    for match in _BREAKS.finditer(text):
        kept[match.start() : match.end()] = [False] * (match.end() - match.start())
    return kept


def _joined(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans that overlap or touch, as one."""
    current: tuple[int, int] | None = None
    for first, behind in sorted(spans):
        if current is not None and first <= current[1]:
            current = current[0], max(current[1], behind)
        else:
            if current is not None:
                yield current
            current = first, behind
    if current is not None:
        yield current


def _spellings(secret: str) -> Iterator[str]:
    """As it is, in an address, and within base64 and hexadecimal, wherever it begins there."""
    data = secret.encode("utf-8", "surrogatepass")
    for text in (secret, quote(data, safe=""), quote(data), data.hex(), data.hex().upper()):
        run = _BREAKS.sub("", text)
        if len(run) >= SHORTEST_SECRET:
            yield run
            yield run.replace("%", "%25")  # an address within an address
    for offset in range(3):
        # the characters at both ends also depend on what stands beside the secret
        inner = base64.b64encode(b"\0" * offset + data).rstrip(b"=")[(0, 2, 3)[offset] :]
        exact = inner if (offset + len(data)) % 3 == 0 else inner[:-1]
        for alike in (exact, exact.translate(bytes.maketrans(b"+/", b"-_"))):
            if len(alike) >= SHORTEST_SECRET:
                yield alike.decode("ascii")


def _without(match: re.Match[str]) -> str:
    kept = next((text for text in match.groupdict().values() if text), "")
    return f"{kept}{HIDDEN}{'@' if match['scheme'] else ''}"


redaction = Redaction()
"""Of this process: whoever gets hold of a secret tells it."""
