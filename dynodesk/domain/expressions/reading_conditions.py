"""Reading conditions: filters, conditions of writes, key conditions, and the `where` of a rules file."""

from __future__ import annotations

from collections.abc import Mapping

from dynodesk.domain.expressions.conditions import (
    COMPARATORS,
    TYPE_TAGS,
    And,
    AttributeType,
    BeginsWith,
    Between,
    Comparator,
    Comparison,
    Condition,
    Contains,
    Exists,
    In,
    Not,
    Operand,
    Or,
    Size,
)
from dynodesk.domain.expressions.lexer import Token
from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Span
from dynodesk.domain.expressions.reading import Reader
from dynodesk.domain.values import String, Value, type_word

FUNCTIONS: Mapping[str, int] = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
"""The functions of conditions and how many operands each takes. They are written in small letters."""


def parse_where(text: str) -> Condition:
    """A condition with its names and values written out: `status <> 'deleted' AND size("item-list") > 5`.

    Raises `InvalidExpression` with the place of what cannot be read.
    """
    return ConditionReader(text, None, None).condition()


def parse_condition(text: str, names: Mapping[str, str], values: Mapping[str, Value]) -> Condition:
    """A filter, condition or key condition expression of a request; `names` by `#name`, `values` by `:value`.

    Raises `InvalidExpression` with the place of what cannot be read. What can be read and would be refused all the
    same, `check_request` finds.
    """
    return ConditionReader(text, names, values).condition()


class ConditionReader(Reader):
    keywords = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN"})

    def condition(self) -> Condition:
        return self._whole(self._any_of)

    def _any_of(self) -> Condition:
        first, terms = self.token, [self._all_of()]
        while self._skip_word("OR"):
            terms.append(self._all_of())
        return terms[0] if len(terms) == 1 else Or(tuple(terms), span=self._since(first))

    def _all_of(self) -> Condition:
        first, terms = self.token, [self._negated()]
        while self._skip_word("AND"):
            terms.append(self._negated())
        return terms[0] if len(terms) == 1 else And(tuple(terms), span=self._since(first))

    def _negated(self) -> Condition:
        first = self.token
        if self._skip_word("NOT"):
            return Not(self._deeper(self._negated), span=self._since(first))
        if first.is_symbol("(") and not self._encloses_an_operand():
            return self._in_parentheses(self._any_of)
        if self._starts_a_function() and first.text != "size":
            return self._test()
        return self._comparison()

    def _encloses_an_operand(self) -> bool:
        """Whether the parenthesis that is next holds an operand, `(a) = :v`, and not a condition."""
        closing = self._closing.get(self._at)
        if closing is None:
            return False
        after = self._tokens[closing + 1]
        return after.is_symbol(*COMPARATORS) or after.is_word("BETWEEN", "IN")

    def _comparison(self) -> Condition:
        first, operand = self.token, self._operand()
        comparator = self.token
        if comparator.is_symbol(*COMPARATORS):
            self._take()
            right = self._operand()
            return Comparison(operand, _comparator(comparator), right, span=self._since(first))
        if self._skip_word("BETWEEN"):
            low = self._operand()
            if not self._skip_word("AND"):
                raise self._wrong("AND is missing", "BETWEEN takes two ends: a BETWEEN low AND high.")
            high = self._operand()
            return Between(operand, low, high, span=self._since(first))
        if self._skip_word("IN"):
            self._expect("(", "IN takes a list: a IN (b, c).")
            choices = self._list(self._operand)
            self._expect(")")
            return In(operand, choices, span=self._since(first))
        if isinstance(operand, Size):
            raise self._wrong(
                "size() is a number, not a condition", "Compare it: size(a) > 0 with a value.", operand.span
            )
        hint = f"One of {', '.join(COMPARATORS)}, BETWEEN or IN."
        if self._literals and comparator.is_symbol("-"):
            hint = "A name with a hyphen stands in double quotes."
        raise self._wrong("a comparison is missing", hint)

    def _operand(self) -> Operand:
        if self.token.is_symbol("("):
            return self._in_parentheses(self._operand)
        if self._starts_a_function():
            name, operands, span = self._call()
            if name.text != "size":
                raise self._wrong(f"{name.text} is a condition and cannot be compared", span=span)
            return Size(self._path_or_value(name, operands[0]), span=span)
        return self._literal() or self._path("an attribute or a value")

    def _call(self) -> tuple[Token, tuple[Operand, ...], Span]:
        name = self._take()
        if name.text not in FUNCTIONS:
            hint = "Functions are written in small letters." if name.text.lower() in FUNCTIONS else ""
            raise self._wrong(f"there is no function {name.text} in conditions", hint or _there_are(), name.span)
        self._expect("(")
        operands = self._deeper(lambda: self._list(self._operand))
        self._expect(")")
        wanted, span = FUNCTIONS[name.text], self._since(name)
        if len(operands) != wanted:
            raise self._wrong(f"{name.text} takes {wanted} operand{'s'[: wanted - 1]}, not {len(operands)}", span=span)
        return name, operands, span

    def _test(self) -> Condition:
        name, operands, span = self._call()
        match name.text:
            case "attribute_exists" | "attribute_not_exists":
                if not isinstance(operands[0], DocumentPath):
                    raise self._wrong(f"{name.text} takes the path of an attribute", span=operands[0].span)
                return Exists(operands[0], name.text == "attribute_exists", span=span)
            case "attribute_type":
                return AttributeType(self._path_or_value(name, operands[0]), self._type(operands[1]), span=span)
            case "begins_with":
                return BeginsWith(operands[0], operands[1], span=span)
            case _:
                return Contains(operands[0], operands[1], span=span)

    def _path_or_value(self, name: Token, operand: Operand) -> DocumentPath | Literal:
        if isinstance(operand, Size):
            raise self._wrong(f"{name.text} takes an attribute or a value, not a size", span=operand.span)
        return operand

    def _type(self, operand: Operand) -> Literal:
        hint = f"One of {', '.join(TYPE_TAGS)}."
        if not isinstance(operand, Literal):
            raise self._wrong("the type stands in a value, not in an attribute", hint, operand.span)
        if not isinstance(operand.value, String):
            raise self._wrong(f"the type is a String, not a {type_word(operand.value)}", hint, operand.span)
        if operand.value.text not in TYPE_TAGS:
            raise self._wrong(f"{operand.value.text!r} is no type", hint, operand.span)
        return operand


def _comparator(token: Token) -> Comparator:
    return next(comparator for comparator in COMPARATORS if comparator == token.text)


def _there_are() -> str:
    return f"There are {', '.join(FUNCTIONS)}."
