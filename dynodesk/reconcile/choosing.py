"""Parents chosen by hand: typed or pasted keys and captures become suspects to confirm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from dynodesk.domain.errors import InvalidFile, InvalidRequest, InvalidValue
from dynodesk.domain.item_json import item_from_dynamodb, read_json
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.looking import Suspect


def choose_parents(texts: Iterable[str], rules: Sequence[TallyRule]) -> tuple[Suspect, ...]:
    """One suspect for each text and each rule it fits; the same parent given twice is looked at once.

    A text is a key as DynamoDB JSON (`{"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}}`), the captures of a rule's
    parent (`post=a91f`, several with commas between), or `@FILE` with one of these a line. Raises `InvalidRequest`
    naming a text that fits no rule.
    """
    chosen: dict[tuple[str, tuple[tuple[str, str], ...]], Suspect] = {}
    for text in _expanded(texts):
        suspects = _by_key(text, rules) if text.lstrip().startswith("{") else _by_captures(text, rules)
        for suspect in suspects:
            chosen.setdefault((suspect.rule.name, tuple(sorted(suspect.captures.items()))), suspect)
    return tuple(chosen.values())


def _expanded(texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        if not text.startswith("@"):
            yield text
            continue
        try:
            lines = Path(text[1:]).read_text(encoding="utf-8-sig").split("\n")  # a key may hold other breaks of lines
        except (OSError, UnicodeDecodeError) as problem:
            raise InvalidFile(f"{text[1:]} cannot be read: {problem}") from problem
        yield from (line for line in lines if line.strip())


def _by_key(text: str, rules: Sequence[TallyRule]) -> list[Suspect]:
    found = []
    try:
        key = item_from_dynamodb(_retagged(read_json(text, "the key")))
        for rule in rules:
            captures = rule.captures_of(key)
            if captures is not None:
                found.append(Suspect(rule, captures, rule.parent_key(captures)))  # refuses what cannot be joined
    except (InvalidFile, InvalidValue) as problem:
        raise InvalidRequest(f"{text}: {problem.message}", hint=problem.hint) from problem
    if not found:
        raise InvalidRequest(
            f"{text} is not the key of a parent of any rule",
            hint=f"Parents are: {'; '.join(str(rule.parent_pattern) for rule in rules)}.",
        )
    return found


def _retagged(decoded: object) -> object:
    """Numbers in DynamoDB JSON are texts; a key typed as {"N": 5} is meant the same."""
    if isinstance(decoded, dict):
        return {name: _retagged(value) for name, value in decoded.items()}
    return getattr(decoded, "text", decoded)


def _by_captures(text: str, rules: Sequence[TallyRule]) -> list[Suspect]:
    captures: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value:
            raise InvalidRequest(
                f"{text!r} names no parent",
                hint='Write captures, post=a91f, or a key as DynamoDB JSON, {"PK": {"S": "POST#a91f"}, …}.',
            )
        if captures.setdefault(name.strip(), value) != value:
            raise InvalidRequest(f"{text!r} gives {name.strip()} twice", hint="Name each parent by itself.")
    try:
        found = [Suspect(rule, captures, rule.parent_key(captures)) for rule in rules if rule.joined == set(captures)]
    except InvalidValue as problem:
        raise InvalidRequest(f"{text}: {problem.message}", hint=problem.hint) from problem
    if not found:
        wanted = "; ".join(", ".join(sorted(rule.joined)) or "none" for rule in rules)
        raise InvalidRequest(f"no rule's parent is made of {', '.join(captures)}", hint=f"Rules capture: {wanted}.")
    return found
