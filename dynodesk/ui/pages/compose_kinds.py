"""A draft as one of another kind: what was composed goes along, and comes back with the kind it was made for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dynodesk.domain.actions import ActionKind, ComposedOperation, new_token
from dynodesk.domain.drafts import KINDS_OF, STATEMENTS, TRANSACTIONS, WITH_TOKEN, Draft, DraftAction
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.pages.compose_rows import changed_kind, new_action


@dataclass(frozen=True, slots=True)
class _Left:
    """A transaction of which one action became a request of its own."""

    draft: Draft
    at: int


class Kinds:
    """Remembers what a draft of another kind had no room for."""

    def __init__(self) -> None:
        self._left: dict[ComposedOperation, _Left] = {}
        self._statements: Draft | None = None
        self._actions: Draft | None = None

    def forget(self) -> None:
        """Another draft is composed now."""
        self._left.clear()
        self._statements = self._actions = None

    def change(
        self, draft: Draft, operation: ComposedOperation, current: int, tables: Mapping[str, TableInfo], table: str
    ) -> Draft:
        """`current`: the action, or statement, that goes along where there is room for one. `table`: of a new one."""
        if operation == draft.operation:
            return draft
        token = (draft.token or new_token()) if operation in WITH_TOKEN else ""
        if operation in STATEMENTS or draft.operation in STATEMENTS:
            return self._across(draft, operation, current, tables, table, token)
        if draft.operation in TRANSACTIONS and operation not in TRANSACTIONS:
            self._left[draft.operation] = _Left(draft, current)
            chosen = draft.actions[current : current + 1] or draft.actions[:1]
        else:
            chosen = draft.actions
        kinds = KINDS_OF[operation]
        turned = tuple(_turned(action, kinds, tables) for action in chosen)
        left = self._left.pop(operation, None)
        if left is not None and len(turned) == 1:
            turned = (*left.draft.actions[: left.at], *turned, *left.draft.actions[left.at + 1 :])
        actions = turned or (new_action(kinds[0], table, tables.get(table)),)
        return replace(draft, operation=operation, actions=actions, token=token)

    def _across(
        self,
        draft: Draft,
        operation: ComposedOperation,
        current: int,
        tables: Mapping[str, TableInfo],
        table: str,
        token: str,
    ) -> Draft:
        """From actions to statements, from statements to actions, or among statements."""
        if draft.operation in STATEMENTS and operation in STATEMENTS:
            statements = draft.statements
            if operation not in TRANSACTIONS:
                self._statements = draft
                statements = statements[current : current + 1] or statements[:1]
            elif self._statements is not None and len(statements) == 1:
                statements = (*statements, *self._statements.statements[1:])
            return replace(draft, operation=operation, statements=statements, token=token)
        if operation in STATEMENTS:
            self._actions = draft
            held = () if self._statements is None else self._statements.statements
            statements = held if operation in TRANSACTIONS else held[:1]
            return Draft(operation, statements=statements, token=token)
        self._statements = draft
        if self._actions is not None:
            return self.change(self._actions, operation, 0, tables, table)
        begun = new_action(KINDS_OF[operation][0], table, tables.get(table))
        return Draft(operation, (begun,), token=token)


def _turned(action: DraftAction, kinds: tuple[ActionKind, ...], tables: Mapping[str, TableInfo]) -> DraftAction:
    info = tables.get(action.table)
    keys = () if info is None else info.key_schema.names
    return changed_kind(action, action.kind if action.kind in kinds else kinds[0], keys)
