"""The words of a command as a POSIX shell reads them, where it needs nothing but the text to do so.

What the shell would put in the place of something, a variable or the output of another command, is not known here.
Taken to the letter it would be another key, or another table.
"""

from __future__ import annotations

import re

from dynodesk.domain.errors import InvalidRequest

_PIECE = re.compile(
    r"""(?P<space>(?:[ \t\r\n]|\\\r?\n)+)
    | '(?P<single>[^']*)'
    | \$'(?P<escaped>(?:[^'\\]|\\.)*+)'
    | \$?"(?P<double>(?:[^"\\]|\\.)*+)"
    | (?P<expansion>\$[\w{(@*#?$!-]|`)
    | \\(?P<literal>.)
    | (?P<operator>[|&;<>()]+)
    | (?P<quote>["'])
    | (?P<plain>[^\s'"$`\\|&;<>()]+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_IN_DOUBLE = re.compile(r"\\(?P<kept>[$`\"\\])|\\(?P<joined>\r?\n)|(?P<expansion>\$[\w{(@*#?$!-]|`)", re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:x(?P<hex>[0-9a-fA-F]{1,2})|[uU](?P<code>(?<=u)[0-9a-fA-F]{1,4}|(?<=U)[0-9a-fA-F]{1,8})|(?P<octal>[0-7]{1,3})|(?P<sign>.))",
    re.DOTALL,
)
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"}
_SIGNS |= {sign: sign for sign in "\\'\"?"}


def shell_words(text: str) -> list[str]:
    """Line breaks part words and end nothing. Raises `InvalidRequest` for what only the shell could know."""
    words: list[str] = []
    pieces: list[str] = []
    is_word = False
    at = 0
    while at < len(text):
        if text[at] == "#" and not is_word:  # a comment
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        found = _PIECE.match(text, at)
        if found is None:
            raise AssertionError("the pattern has a piece for every character")
        at = found.end()
        match found.lastgroup:
            case "space":
                if is_word:
                    words.append("".join(pieces))
                pieces, is_word = [], False
                continue
            case "single" | "plain" | "literal" as kind:
                pieces.append(found[kind])
            case "escaped":
                pieces.append(_unescaped(found["escaped"]))
            case "double":
                pieces.append(_IN_DOUBLE.sub(_in_double, found["double"]))
            case "expansion":
                raise _unknown(text, found.start())
            case "operator":
                raise InvalidRequest(
                    f"{found['operator']} has no place in the command", hint="Paste the command alone, in one piece."
                )
            case _:
                raise InvalidRequest("the command cannot be read: a quote is not closed", hint="Paste all of it.")
        is_word = True
    return [*words, "".join(pieces)] if is_word else words


def _in_double(found: re.Match[str]) -> str:
    if found["expansion"]:
        raise _unknown(found.string, found.start())
    return found["kept"] or ""


def _unescaped(text: str) -> str:
    """What stands between the quotes of `$'…'`. Its numbers of two and three digits are bytes of UTF-8."""
    try:
        return _ESCAPE.sub(_escape, text).encode("utf-8", "surrogateescape").decode("utf-8")
    except (ValueError, OverflowError):
        raise InvalidRequest("the command cannot be read: an escape in it is no character") from None


def _escape(found: re.Match[str]) -> str:
    if found["code"]:
        return chr(int(found["code"], 16))
    if found["sign"]:
        return _SIGNS.get(found["sign"], found[0])
    byte = int(found["hex"], 16) if found["hex"] else int(found["octal"], 8) & 0xFF
    return bytes([byte]).decode("ascii", "surrogateescape")


def _unknown(text: str, at: int) -> InvalidRequest:
    named = re.compile(r"\$(?:\w+|\{\w+\})").match(text, at)
    what = "the output of another command" if named is None else f"the variable {named[0]}"
    return InvalidRequest(
        f"the command has {what} in it, which only the shell knows", hint="Write in its place what it stands for."
    )
