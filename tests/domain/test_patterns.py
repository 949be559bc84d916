"""Key patterns: what a capture takes, and that nothing else matches."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.patterns import Capture, KeyPattern, Pattern
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.values import Binary, Item, Null, Number, String
from tests.domain.strategies import texts

BOTH = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
NUMBERED = KeySchema((KeyAttribute("id", "N"),), (KeyAttribute("at", "N"),))

literals = st.text("#|{}:%_ab1é", min_size=1, max_size=3)
captured = st.text("#|ab1é\n{", min_size=1, max_size=5)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Literals and captures in turn, some captures twice."""
    parts = draw(st.lists(st.tuples(literals, st.sampled_from(["a", "b", "c"])), min_size=1, max_size=3))
    text = "".join(f"{escaped(literal)}{{{name}}}" for literal, name in parts)
    text += escaped(draw(st.one_of(literals, st.just(""))))
    return Pattern.parse(text if draw(st.booleans()) else text[text.index("{" + parts[0][1] + "}") :])


def escaped(literal: str) -> str:
    return literal.replace("{", "{{").replace("}", "}}")


def reference(pattern: Pattern, text: str) -> dict[str, str] | None:
    """The captures by a regular expression: each shortest up to the literal after it, the last all the rest."""
    expression, seen = "", set[str]()
    for i, part in enumerate(pattern.parts):
        if isinstance(part, str):
            expression += re.escape(part)
        elif part.name in seen:
            expression += f"(?P={part.name})"
        else:
            seen.add(part.name)
            is_last = i + 1 == len(pattern.parts)
            # An atomic group that stops before the literal: the shortest text, and no second attempt.
            following = "" if is_last else re.escape(str(pattern.parts[i + 1]))
            expression += f"(?P<{part.name}>.+)" if is_last else f"(?P<{part.name}>(?>.+?(?={following})))"
    found = re.fullmatch(expression, text, re.DOTALL)
    return None if found is None else found.groupdict()


class TestParse:
    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("META", ("META",)),
            ("POST#{post}", ("POST#", Capture("post"))),
            ("{id}", (Capture("id"),)),
            ("u#{id}#c{n}", ("u#", Capture("id"), "#c", Capture("n"))),
            ("{{{id}}}", ("{", Capture("id"), "}")),
            ("a{{b}}c", ("a{b}c",)),
            ("{_a1}.*", (Capture("_a1"), ".*")),
            ("{a}#{a}", (Capture("a"), "#", Capture("a"))),
            (" \n\0#", (" \n\0#",)),
        ],
    )
    def test_parts(self, text: str, parts: tuple[str | Capture, ...]) -> None:
        pattern = Pattern.parse(text)
        assert pattern.parts == parts
        assert pattern.text == text
        assert pattern.captures == tuple(part.name for part in parts if isinstance(part, Capture))
        assert pattern.first_literal == (parts[0] if isinstance(parts[0], str) else "")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "an empty pattern"),
            ("a{", "a brace stands alone"),
            ("a}b", "a brace stands alone"),
            ("{a", "a brace stands alone"),
            ("{{a}", "a brace stands alone"),
            ("{}", "is not a capture"),
            ("{1a}", "is not a capture"),
            ("{a b}", "is not a capture"),
            ("{a.b}", "is not a capture"),
            ("{é}", "is not a capture"),
            ("{a}{b}", "nothing stands between {a} and {b}"),
            ("x{a}{a}", "nothing stands between {a} and {a}"),
        ],
    )
    def test_what_cannot_be_read_or_is_ambiguous(self, text: str, said: str) -> None:
        with pytest.raises(InvalidValue) as refused:
            Pattern.parse(text)
        assert said in refused.value.message

    @given(texts)
    def test_any_text_is_a_pattern_of_itself_when_escaped(self, text: str) -> None:
        assume(text)
        pattern = Pattern.parse(escaped(text))
        assert pattern.match(text) == {}
        assert pattern.fill({}) == text
        assert pattern.match(text + "x") is None
        assert pattern.match("x" + text) is None


class TestMatch:
    @pytest.mark.parametrize(
        ("pattern", "text", "captures"),
        [
            ("LIKE#{user}", "LIKE#USER#7c20", {"user": "USER#7c20"}),
            ("LIKE#{user}", "LIKE#u", {"user": "u"}),
            ("LIKE#{user}", "LIKE#", None),
            ("LIKE#{user}", "like#u", None),
            ("LIKE#{user}", "XLIKE#u", None),
            ("u#{id}#c{n}", "u#12#c1", {"id": "12", "n": "1"}),
            ("u#{id}#c{n}", "u#1#c2#c3", {"id": "1", "n": "2#c3"}),
            ("u#{id}#c{n}", "u##c1", None),
            ("u#{id}#c{n}", "u#12#c", None),
            ("u#{id}#c{n}", "u#12", None),
            ("u#{id}#", "u#1#", {"id": "1"}),
            ("u#{id}#", "u#1##", None),  # stops at the first #, and does not try again
            ("{a}#end", "x#y#end", {"a": "x#y"}),
            ("{a}#end", "x#end#end", None),
            ("{a}#end", "x#end", {"a": "x"}),
            ("{a}#{b}", "##b", {"a": "#", "b": "b"}),  # at least one character, even the delimiter
            ("{a}#{a}", "7#7", {"a": "7"}),
            ("{a}#{a}", "7#8", None),
            ("{a}#{a}", "7#77", None),
            ("{{{id}}}", "{x}", {"id": "x"}),
            ("META", "META", {}),
            ("META", "META ", None),
            ("{x}", "\0\n é", {"x": "\0\n é"}),
            ("{x}", "", None),
            (".*{x}", ".*1", {"x": "1"}),
            (".*{x}", "ab1", None),
        ],
    )
    def test_what_a_capture_takes(self, pattern: str, text: str, captures: dict[str, str] | None) -> None:
        assert Pattern.parse(pattern).match(text) == captures

    @pytest.mark.parametrize(
        ("text", "captures"),
        [("u#1#c2", {"id": "1", "n": "2"}), ("u#12#c2", None), ("u#1", None)],
    )
    def test_what_is_known_must_be_there(self, text: str, captures: dict[str, str] | None) -> None:
        assert Pattern.parse("u#{id}#c{n}").match(text, {"id": "1"}) == captures

    def test_what_is_known_is_kept(self) -> None:
        known = {"other": "x"}
        assert Pattern.parse("u#{id}").match("u#1", known) == {"other": "x", "id": "1"}
        assert known == {"other": "x"}

    @given(patterns(), st.text("#|{}:%_ab1é\n", max_size=14))
    @example(Pattern.parse("u#{id}#c{n}"), "u#1#c2")
    def test_matches_as_the_reference_does(self, pattern: Pattern, text: str) -> None:
        assert pattern.match(text) == reference(pattern, text)

    @given(patterns(), st.fixed_dictionaries({"a": captured, "b": captured, "c": captured}))
    def test_a_filled_pattern_matches_with_what_filled_it(self, pattern: Pattern, captures: dict[str, str]) -> None:
        text = pattern.fill(captures)
        assert pattern.match(text, captures) == captures
        found = pattern.match(text)
        assert found == reference(pattern, text)
        # Without knowing them, a capture is found again unless the text after it begins within it.
        literals_after = [
            (part.name, str(pattern.parts[i + 1]))
            for i, part in enumerate(pattern.parts[:-1])
            if isinstance(part, Capture)
        ]
        if all(literal not in (captures[name] + literal)[1:-1] for name, literal in literals_after):
            assert found == {name: captures[name] for name in pattern.captures}
        if found is not None:
            assert pattern.fill(found) == text


class TestPrefix:
    @pytest.mark.parametrize(
        ("pattern", "captures", "prefix"),
        [
            ("LIKE#{user}", {}, ("LIKE#", False)),
            ("LIKE#{user}", {"user": "u1"}, ("LIKE#u1", True)),
            ("{a}#LIKE#{b}", {"a": "1"}, ("1#LIKE#", False)),
            ("{a}#LIKE#{b}", {"b": "1"}, ("", False)),
            ("META", {}, ("META", True)),
            ("{{{a}", {}, ("{", False)),
        ],
    )
    def test_the_text_up_to_what_is_not_known(
        self, pattern: str, captures: dict[str, str], prefix: tuple[str, bool]
    ) -> None:
        assert Pattern.parse(pattern).prefix(captures) == prefix

    def test_a_missing_capture_cannot_be_filled(self) -> None:
        with pytest.raises(KeyError):
            Pattern.parse("POST#{post}").fill({})


class TestKeyPattern:
    POST = KeyPattern({"PK": Pattern.parse("POST#{post}"), "SK": Pattern.parse("LIKE#{user}")})

    def test_captures_of_all_attributes(self) -> None:
        assert self.POST.captures == {"post", "user"}
        item: Item = {"PK": String("POST#1"), "SK": String("LIKE#u"), "x": Null()}
        assert self.POST.match(item, BOTH) == {"post": "1", "user": "u"}
        assert self.POST.match(item, BOTH, {"post": "1"}) == {"post": "1", "user": "u"}
        assert self.POST.match(item, BOTH, {"post": "12"}) is None

    @pytest.mark.parametrize(
        "item",
        [
            {"PK": String("POST#1")},
            {"PK": String("POST#1"), "SK": String("META")},
            {"PK": String("USER#1"), "SK": String("LIKE#u")},
            {"PK": String("POST#1"), "SK": Number("1")},
            {"PK": String("POST#1"), "SK": Binary(b"LIKE#u")},
            {"PK": String("POST#1"), "SK": Null()},
            {},
        ],
    )
    def test_every_attribute_must_match(self, item: Item) -> None:
        assert self.POST.match(item, BOTH) is None

    def test_a_capture_in_both_attributes_is_one(self) -> None:
        pattern = KeyPattern({"PK": Pattern.parse("{a}"), "SK": Pattern.parse("x#{a}")})
        assert pattern.match({"PK": String("1"), "SK": String("x#1")}, BOTH) == {"a": "1"}
        assert pattern.match({"PK": String("1"), "SK": String("x#2")}, BOTH) is None

    def test_an_attribute_without_a_pattern_may_be_anything(self) -> None:
        pattern = KeyPattern({"PK": Pattern.parse("POST#{post}")})
        assert pattern.match({"PK": String("POST#1"), "SK": Binary(b"?")}, BOTH) == {"post": "1"}

    def test_a_number_is_seen_by_its_canonical_text(self) -> None:
        pattern = KeyPattern({"id": Pattern.parse("{id}"), "at": Pattern.parse("-{at}")})
        assert pattern.match({"id": Number("1.50E1"), "at": Number("-007")}, NUMBERED) == {"id": "15", "at": "7"}
        assert pattern.match({"id": Number("NaN"), "at": Number("-7")}, NUMBERED) is None
        assert KeyPattern({"PK": Pattern.parse("{x}")}).match({"PK": String("1")}, BOTH) == {"x": "1"}

    @pytest.mark.parametrize(
        ("schema", "captures", "said"),
        [
            (NUMBERED, {"a": "x1", "b": "1"}, "is not a number"),
            (BOTH, {"a": "k" * 2049, "b": "1"}, "at most 2048"),
            (BOTH, {"a": "1", "b": "k" * 1025}, "at most 1024"),
            (BOTH, {"a": "", "b": "1"}, "cannot be empty"),
        ],
    )
    def test_a_text_that_is_no_key_is_refused(self, schema: KeySchema, captures: dict[str, str], said: str) -> None:
        names = schema.names
        pattern = KeyPattern({names[0]: Pattern.parse("{a}"), names[1]: Pattern.parse("{b}")})
        with pytest.raises(InvalidValue, match=said):
            pattern.key(captures, schema)

    def test_a_key_is_filled_in_order(self) -> None:
        key = self.POST.key({"post": "1", "user": "u"}, BOTH)
        assert list(key.items()) == [("PK", String("POST#1")), ("SK", String("LIKE#u"))]
        with pytest.raises(KeyError):
            self.POST.key({"post": "1"}, BOTH)

    @given(st.fixed_dictionaries({"post": captured, "user": captured}))
    def test_a_key_that_was_filled_matches(self, captures: dict[str, str]) -> None:
        assert self.POST.match(self.POST.key(captures, BOTH), BOTH) == captures
