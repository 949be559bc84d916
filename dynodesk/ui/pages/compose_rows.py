"""The actions of a composed request as rows that are typed into: what each row says, and the draft they make together.

Nothing here is Qt's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from dynodesk.domain.actions import ActionKind
from dynodesk.domain.cells import cell_text, visible
from dynodesk.domain.composition import ActionRemark, DraftAction
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.expressions import Remark
from dynodesk.domain.expressions.nodes import Span
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.tables import KeyAttribute, TableInfo
from dynodesk.domain.typed_values import typed, value_typed
from dynodesk.domain.values import Boolean, Null, Number, String, Value, type_tag
from dynodesk.ui.models.item_nodes import converted, count_of, fresh
from dynodesk.ui.pages.compose_clauses import Joined, clauses_of, join_clauses, tail_of, with_tail, written

RowKind = Literal["key", "attribute", "clause", "condition", "projection"]
Fate = Literal["", "done", "failed", "not evaluated"]
"""What the last run made of an action."""
TEXTS: frozenset[RowKind] = frozenset({"clause", "condition", "projection"})
IN_ONE_LINE = 120
"""Characters of a text that is still edited in its row."""


@dataclass(frozen=True, slots=True)
class Verdict:
    fate: Fate
    words: str = ""
    of_condition: bool = False
    """Whether it is said at the condition, where there is one."""


@dataclass(slots=True, eq=False)
class PartRow:
    """One attribute, clause, condition or projection. `text` is the name of an attribute, else the expression."""

    kind: RowKind
    text: str = ""
    value: Value | None = None
    typed: str | None = None
    """What was typed where that is no value of the type."""
    problem: str = ""
    remarks: tuple[Remark, ...] = ()
    """What the checks say of it, at places of `text`."""
    verdict: str = ""
    """What the last run said of it."""

    @property
    def is_expression(self) -> bool:
        return self.kind in TEXTS

    @property
    def shown_value(self) -> Value | None:
        """The value of an attribute, or the one at the end of a clause."""
        if self.kind != "clause":
            return self.value
        tail = tail_of(self.text)
        return None if tail is None else tail.value

    @property
    def lead(self) -> str:
        """What stands before the value of a clause; of any other row all of it."""
        tail = tail_of(self.text) if self.kind == "clause" else None
        return self.text if tail is None else self.text[: tail.start].rstrip()

    @property
    def is_wrong(self) -> bool:
        return bool(self.problem) or any(remark.severity == "error" for remark in self.remarks)

    @property
    def said(self) -> str:
        """Everything that is said of the row, in sentences."""
        found = [self.problem, *(f"{one.message}. {one.fix}".strip() for one in self.remarks), self.verdict]
        return "\n".join(filter(None, found))

    @property
    def has_own_editor(self) -> bool:
        """Whether the value has parts, or is too long for a row."""
        value = self.value
        if self.kind == "clause" or value is None:
            return False
        is_long = isinstance(value, String) and (len(value.text) > IN_ONE_LINE or "\n" in value.text)
        return is_long or count_of(value) is not None

    # -- what is typed

    @property
    def typed_value(self) -> str:
        """The value as it stands in a field."""
        value = self.shown_value
        if self.typed is not None or value is None:
            return self.typed or ""
        if isinstance(value, Boolean):
            return "true" if value.value else "false"
        return written(value) if self.kind == "clause" and count_of(value) is not None else typed(value)

    def type_value(self, text: str) -> None:
        """What is no value of the type is kept as typed; of a number the digits are, and the checks say it."""
        value = self.shown_value
        self.typed, self.problem = None, ""
        if value is None:
            return
        if self.kind == "clause" and (count_of(value) is not None or type_tag(value) == "N"):
            self.text = with_tail(self.text, text)
            return
        try:
            self._put(_read(text, value))
        except InvalidValue as problem:
            self.typed, self.problem = text, f"{problem.message}. {problem.hint}".strip()

    def choose_type(self, tag: str) -> None:
        value = self.shown_value
        if value is not None and type_tag(value) != tag:
            self.typed, self.problem = None, ""
            self._put(converted(value, tag))

    def _put(self, value: Value) -> None:
        if self.kind == "clause":
            self.text = with_tail(self.text, written(value))
        else:
            self.value = value


def _read(text: str, like: Value) -> Value:
    match like:
        case Boolean():
            return Boolean(value=text == "true")
        case Number():
            return Number(text)
        case _:
            return value_typed(text, like)


@dataclass(slots=True, eq=False)
class ActionRows:
    """One action. Its rows stand in the order in which they are read: key, attributes, clauses, condition."""

    kind: ActionKind
    table: str
    parts: list[PartRow]
    may_create: bool = False
    schema: tuple[KeyAttribute, ...] = ()
    """The key attributes of the table; empty while they are not known."""
    units: str = ""
    fate: Fate = ""
    verdict: str = ""
    """What the last run said of it as a whole."""
    remarks: tuple[Remark, ...] = field(default=())
    """What the checks say of it, and of no row of it."""

    @property
    def attributes(self) -> list[PartRow]:
        return [part for part in self.parts if not part.is_expression]

    @property
    def clauses(self) -> list[PartRow]:
        return [part for part in self.parts if part.kind == "clause"]

    def one(self, kind: RowKind) -> PartRow | None:
        return next((part for part in self.parts if part.kind == kind), None)

    @property
    def title(self) -> str:
        """What tells its item from the others: the sort key where there is one."""
        names = [attribute.name for attribute in self.schema]
        keys = [part for part in self.parts if part.kind == "key" or part.text in names]
        return "" if not keys else cell_text(keys[-1].value or String(""))

    @property
    def is_wrong(self) -> bool:
        return any(part.is_wrong for part in self.parts) or any(one.severity == "error" for one in self.remarks)

    @property
    def joined(self) -> Joined:
        return join_clauses([part.text for part in self.clauses if part.text.strip()])

    def draft(self) -> DraftAction:
        condition, projection = self.one("condition"), self.one("projection")
        return DraftAction(
            self.kind,
            self.table,
            tuple((part.text, part.value or Null()) for part in self.attributes),
            self.joined.text,
            "" if condition is None else condition.text,
            "" if projection is None else projection.text,
            self.may_create,
        )

    # -- tables

    def take_schema(self, table: TableInfo) -> None:
        """The key attributes of the table, first and in their order, with the values that stand there by now."""
        attributes = table.key_schema.attributes
        if self.schema == attributes and self.table == table.name:
            return
        old = [part for part in self.parts if part.kind == "key"]
        rest = [part for part in self.parts if part.kind != "key"]
        keys: list[PartRow] = []
        for at, attribute in enumerate(attributes):
            found = next((one for one in (*rest, *old) if not one.is_expression and one.text == attribute.name), None)
            if found is None and at < len(old) and old[at].text not in table.key_schema.names:
                found = old[at]
            if found in rest:
                rest.remove(found)
            value = fresh_key(attribute) if found is None or found.value is None else found.value
            known = converted(value, attribute.type) if type_tag(value) != attribute.type else value
            keys.append(PartRow("key", attribute.name, known))
        self.parts = keys + rest
        self.table, self.schema = table.name, attributes

    # -- what is said of it

    def take_remarks(self, remarks: Sequence[ActionRemark]) -> None:
        """Each to the row that it is about, at its place there."""
        for part in self.parts:
            part.remarks = ()
        self.remarks = ()
        for one in remarks:
            row, remark = self.place(one)
            if row is None:
                self.remarks += (remark,)
            else:
                row.remarks += (remark,)

    def place(self, one: ActionRemark) -> tuple[PartRow | None, Remark]:
        """The row that a remark is about, and the remark at its place in that row; None: the action as a whole."""
        remark, attributes = one.remark, self.attributes
        match remark.part:
            case "UpdateExpression":
                clauses = [part for part in self.clauses if part.text.strip()]
                if not clauses:
                    return next(iter(self.clauses), None), replace(remark, span=Span(0, 0))
                at, span = self.joined.locate(remark.span)
                return clauses[at], replace(remark, span=span)
            case "ConditionExpression":
                return self.one("condition"), remark
            case "ProjectionExpression":
                return self.one("projection"), remark
            case _ if one.attribute is not None and one.attribute < len(attributes):
                return attributes[one.attribute], remark
            case _:
                return None, remark

    def take_verdict(self, verdict: Verdict) -> None:
        """What the last run made of it, in the place of what was said before."""
        for part in self.parts:
            part.verdict = ""
        self.fate, self.verdict = verdict.fate, ""
        condition = self.one("condition")
        if verdict.of_condition and condition is not None and condition.text.strip():
            condition.verdict = verdict.words
        else:
            self.verdict = verdict.words


def rows_of(action: DraftAction, table: TableInfo | None) -> ActionRows:
    """`table` None: its key is not known yet."""
    of_key: RowKind = "attribute" if action.kind == "Put" else "key"
    parts = [PartRow(of_key, name, value) for name, value in action.attributes]
    if action.kind == "Update":
        parts += [PartRow("clause", clause) for clause in clauses_of(action.update) or ("",)]
    if action.kind == "Get":
        parts.append(PartRow("projection", action.projection))
    else:
        parts.append(PartRow("condition", action.condition))
    made = ActionRows(action.kind, action.table, parts, action.may_create)
    if table is not None:
        made.take_schema(table)
    return made


def new_action(kind: ActionKind, table: str, known: TableInfo | None) -> DraftAction:
    """An action to be filled in. An update and a check begin with the guard that the item is there."""
    if known is None:
        return DraftAction(kind, table)
    key = tuple((attribute.name, fresh_key(attribute)) for attribute in known.key_schema.attributes)
    guard = f"attribute_exists({WRITTEN_OUT.name(known.key_schema.names[0])})"
    return DraftAction(kind, table, key, condition=guard if kind in {"Update", "ConditionCheck"} else "")


def fresh_key(attribute: KeyAttribute) -> Value:
    value = fresh(attribute.type)
    return value if attribute.type != "N" else converted(String(""), "N")


def changed_kind(action: DraftAction, kind: ActionKind, keys: Sequence[str]) -> DraftAction:
    """The same item in an action of another kind, with as much as that can hold. `keys`: the key attributes' names."""
    if kind == action.kind:
        return action
    attributes = action.attributes
    if action.kind == "Put" and keys:
        attributes = tuple(part for part in attributes if part[0] in keys)
    condition = "" if kind == "Get" else action.condition
    return DraftAction(kind, action.table, attributes, condition=condition, may_create=action.may_create)


def words_of(row: PartRow) -> str:
    """The row in a line, as it is read and shown."""
    match row.kind:
        case "condition":
            return f"if {visible(row.text)}" if row.text.strip() else "if …"
        case "projection":
            return f"only {visible(row.text)}" if row.text.strip() else "all attributes"
        case "clause":
            return visible(row.lead) if row.text.strip() else "SET, ADD, REMOVE or DELETE …"
        case "key" | "attribute":
            return visible(row.text) if row.text else "name"
