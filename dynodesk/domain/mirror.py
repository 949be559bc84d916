"""The request that takes a composed one back: the unlike of a like, with its guards turned round."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from dynodesk.domain.actions import (
    CheckAction,
    ComposedRequest,
    DeleteAction,
    PutAction,
    SingleGet,
    SingleStatement,
    SingleWrite,
    StatementTransaction,
    TransactGet,
    TransactWrite,
    UpdateAction,
    WriteAction,
    new_token,
)
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.expressions.check_texts import MAX_OPERATORS, operator_count
from dynodesk.domain.expressions.conditions import And, Comparison, Condition, Exists, all_terms
from dynodesk.domain.expressions.nodes import DocumentPath, Literal
from dynodesk.domain.expressions.spelling import WRITTEN_OUT, is_storable
from dynodesk.domain.expressions.updates import (
    Action,
    Add,
    Delete,
    IfNotExists,
    Remove,
    Set,
    Sum,
    Update,
)
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.set_members import members_in_both, members_without
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import (
    EXACT,
    BinarySet,
    Item,
    Number,
    NumberSet,
    StringSet,
    Value,
    plain_digits,
)

_ONCE_RUN = "Once it has been run, what was there before is known."
Before = Sequence[Item | None]
"""What each action found, None for no item; empty where nobody has seen that."""


def mirror(
    request: ComposedRequest,
    tables: Mapping[str, TableInfo],
    before: Before = (),
    *,
    rising: Collection[str] = (),
) -> TransactWrite:
    """The transaction that undoes the effects of the request, which is taken to have been done.

    A new item is deleted, a deletion put back; what was added is taken away, so that what others added meanwhile
    stays. Values are put back where they still are what the request made of them. `before` has the items as they were,
    one for each action; without it only what does not need it is turned round, and what was added to a set counts as
    having been new. `rising` names version attributes, which are raised by the undo as well. `tables` are those of the
    actions.

    Raises `InvalidRequest` that names the action that cannot be turned round, and for what writes nothing.
    """
    actions: tuple[WriteAction, ...]
    match request:
        case SingleWrite(action):
            actions = (action,)
        case TransactWrite(actions):
            pass
        case SingleStatement() | StatementTransaction():
            raise InvalidRequest("A statement of PartiQL is not turned round.", hint="Compose it as actions.")
        case SingleGet() | TransactGet():
            raise InvalidRequest("A read changes nothing that could be taken back.")
    if before and len(before) != len(actions):
        raise ValueError("there is one item for each action, or none at all")
    turned: list[WriteAction] = []
    for at, one in enumerate(actions):
        info = tables.get(one.table)
        if info is None:
            raise InvalidRequest(f"Action {at + 1} cannot be turned round: nothing is known of {one.table}.")
        seen = _Seen(before[at]) if before else None
        found = _Turning(at, one, info, seen, frozenset(rising)).turned()
        if found is not None:
            turned.append(found)
    if all(isinstance(one, CheckAction) for one in turned):
        raise InvalidRequest("Nothing was changed, so there is nothing to take back.")
    return TransactWrite(tuple(turned), new_token())


@dataclass(frozen=True, slots=True)
class _Seen:
    item: Item | None


@dataclass(frozen=True, slots=True)
class _Turning:
    """One action on its way to the one that takes it back."""

    at: int
    action: WriteAction
    info: TableInfo
    seen: _Seen | None
    rising: frozenset[str]

    def turned(self) -> WriteAction | None:
        """None where nothing was changed."""
        match self.action:
            case CheckAction():
                return self.action  # the item is not touched, and what had to hold then has to hold now
            case PutAction():
                return self._of_put(self.action)
            case DeleteAction():
                return self._of_delete(self.action)
            case UpdateAction():
                return self._of_update(self.action)

    # -- whole items

    def _of_put(self, put: PutAction) -> WriteAction | None:
        key = self.info.key_schema.key_of(put.item)
        if self._is_new(put.condition):
            return DeleteAction(put.table, key, Exists(self._key_path(put.condition)))
        if self.seen is None:
            raise self._impossible(key, "it may have replaced an item, which nobody has seen")
        if self.seen.item is None:
            return DeleteAction(put.table, key, Exists(self._key_path(put.condition)))
        if self.seen.item == put.item:
            return None
        # Not the item as a whole, which would take away what others have written since.
        old, new = self.seen.item, put.item
        differing = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        changes = [_put_back(DocumentPath.of(name), old.get(name), new.get(name)) for name in differing]
        guards = [change.guard for change in changes if change.guard is not None]
        guard = And((Exists(self._key_path(put.condition)), *guards))
        if operator_count(guard) > MAX_OPERATORS:
            raise self._impossible(key, "it replaced more attributes than the condition of one update can look at", "")
        return _update_of(put.table, key, changes, guard)

    def _of_delete(self, delete: DeleteAction) -> WriteAction | None:
        if self.seen is None:
            raise self._impossible(delete.key, "what it deleted has not been seen")
        if self.seen.item is None:
            return None
        return PutAction(delete.table, self.seen.item, Exists(self._key_path(delete.condition), wanted=False))

    def _is_new(self, condition: Condition | None) -> bool:
        """Whether the condition holds only where there is no item."""
        return condition is not None and any(
            isinstance(term, Exists) and not term.wanted and self._is_key(term.path) for term in all_terms(condition)
        )

    def _is_key(self, path: DocumentPath) -> bool:
        return path.attribute in self.info.key_schema.names and len(path.steps) == 1

    def _key_path(self, condition: Condition | None) -> DocumentPath:
        """The key attribute that the condition asks for; without one that of the sort key, or the partition key."""
        for term in () if condition is None else all_terms(condition):
            if isinstance(term, Exists) and self._is_key(term.path):
                return DocumentPath(term.path.steps)
        return DocumentPath.of(self.info.key_schema.names[-1])

    # -- updates

    def _of_update(self, update: UpdateAction) -> WriteAction | None:
        if self._is_new(update.condition) or (self.seen is not None and self.seen.item is None):
            if not update.update.makes_items:
                return None
            return DeleteAction(update.table, update.key, Exists(self._key_path(update.condition)))
        item = None if self.seen is None else self.seen.item
        changes = [change for action in update.update.actions for change in self._back(action, update, item)]
        changes = _once_each(changes)
        if not changes:
            return None
        return _update_of(update.table, update.key, changes, self._guard(update, changes))

    def _back(self, action: Action, update: UpdateAction, item: Item | None) -> Iterator[_Change]:
        """What takes one action of an update back; nothing where it changed nothing."""
        path = action.path
        if path.attribute in self.rising:
            yield _raised(action)
            return
        old = None if item is None else path.find(item)
        if item is not None and (old is None or _empties_a_place(action)):
            yield from self._restored(path, update, item)
            return
        match action:
            case Delete() if item is None and _empties_a_place(action):
                raise self._impossible(update.key, f"what {path.text(WRITTEN_OUT)} was before has not been seen")
            case Add(_, Literal(Number() as delta)):
                yield _Change(Add(path, Literal(_negative(delta))))
            case Add(_, Literal((StringSet() | NumberSet() | BinarySet()) as members)):
                new = members if old is None else members_without(members, old)
                if new is not None:
                    yield _Change(Delete(path, Literal(new)))
            case Delete(_, Literal((StringSet() | NumberSet() | BinarySet()) as members)):
                gone = members if old is None else members_in_both(members, old)
                if gone is not None:
                    yield _Change(Add(path, Literal(gone)))
            case Set() if (back := _sum_back(action)) is not None:
                yield _Change(back)
            case _ if item is not None:
                yield from self._restored(path, update, item)
            case _:
                yield self._told_back(action, update)

    def _told_back(self, action: Action, update: UpdateAction) -> _Change:
        """By what the condition told of the value."""
        path = action.path
        known = _told(update.condition, path)
        moves_others = _is_in_list(path) and (isinstance(action, Remove) or known == _Told(None))
        if known is None or moves_others:
            raise self._impossible(update.key, f"what {path.text(WRITTEN_OUT)} was before has not been seen")
        match action:
            case Set(_, Literal(new)):
                return _put_back(path, known.value, new)
            case Remove():
                return _put_back(path, known.value, None)
            case _:
                return _Change(Remove(path) if known.value is None else Set(path, Literal(known.value)))

    def _restored(self, path: DocumentPath, update: UpdateAction, item: Item) -> Iterator[_Change]:
        """The value as it was, where it is still what was made of it. Of lists the whole: their indexes move."""
        index = next((at for at, step in enumerate(path.steps) if isinstance(step, int)), None)
        whole = path if index is None else DocumentPath(path.steps[:index])
        old, new = whole.find(item), whole.find(update.update.apply(item))
        if old != new:
            yield _put_back(whole, old, new)

    def _guard(self, update: UpdateAction, changes: Sequence[_Change]) -> Condition:
        """What had to hold then, as it is now: a term about what is changed by an addition moves along with it."""
        terms: list[Condition] = []
        changed = [action.path for action in update.update.actions]
        for term in () if update.condition is None else all_terms(update.condition):
            paths = [part for part in term.walk() if isinstance(part, DocumentPath)]
            if not any(path.overlaps(other) for path in paths for other in changed):
                terms.append(term)
            elif (moved := _moved(term, update.update)) is not None:
                terms.append(moved)
        terms += [change.guard for change in changes if change.guard is not None]
        if not any(isinstance(term, Exists) and term.wanted and self._is_key(term.path) for term in terms):
            terms.insert(0, Exists(DocumentPath.of(self.info.key_schema.names[0])))
        unique = tuple(dict.fromkeys(terms))
        return unique[0] if len(unique) == 1 else And(unique)

    def _impossible(self, key: Key, why: str, hint: str = _ONCE_RUN) -> InvalidRequest:
        return InvalidRequest(
            f"Action {self.at + 1}, {self.action.kind} {readable_key(key)}, cannot be turned round: {why}.",
            hint=hint,
        )


@dataclass(frozen=True, slots=True)
class _Change:
    action: Action
    guard: Condition | None = None


def _update_of(table: str, key: Key, changes: Sequence[_Change], guard: Condition) -> UpdateAction:
    actions = [change.action for change in changes]
    update = Update(
        sets=tuple(action for action in actions if isinstance(action, Set)),
        removes=tuple(action for action in actions if isinstance(action, Remove)),
        adds=tuple(action for action in actions if isinstance(action, Add)),
        deletes=tuple(action for action in actions if isinstance(action, Delete)),
    )
    return UpdateAction(table, key, update, guard)


def _put_back(path: DocumentPath, old: Value | None, new: Value | None) -> _Change:
    guard: Condition = Exists(path, wanted=False) if new is None else Comparison(path, "=", Literal(new))
    return _Change(Remove(path) if old is None else Set(path, Literal(old)), guard)


def _once_each(changes: Sequence[_Change]) -> list[_Change]:
    """Without what lies within something that is put back as a whole, and without repetitions of that."""
    kept: list[_Change] = []
    for change in sorted(changes, key=lambda change: len(change.action.path.steps)):
        if not any(change.action.path.overlaps(other.action.path) for other in kept):
            kept.append(change)
    return kept


def _raised(action: Action) -> _Change:
    """A version rises with the undo, too: one that was seen twice would say that nothing happened in between."""
    match action:
        case Add() | Set(_, Sum()):
            return _Change(action)
        case Set(path, Literal(Number() as number)):
            return _Change(Set(path, Sum(path, "+", Literal(Number("1")))), Comparison(path, "=", Literal(number)))
        case _:
            path = action.path
            return _Change(Set(path, Sum(IfNotExists(path, Literal(Number("0"))), "+", Literal(Number("1")))))


def _sum_back(action: Set) -> Set | None:
    """Of `a = a + n` `a = a - n`, of `a = n - a` itself; None for any other."""
    path = action.path
    match action.value:
        case Sum(left, sign, Literal(Number()) as delta) if _is_of(left, path):
            return Set(path, Sum(path, "-" if sign == "+" else "+", delta))
        case Sum(Literal(Number()) as delta, "+", right) if _is_of(right, path):
            return Set(path, Sum(path, "-", delta))
        case Sum(Literal(Number()), "-", right) if _is_of(right, path):
            return action
        case _:
            return None


def _is_of(operand: object, path: DocumentPath) -> bool:
    """Whether it is the value at the path, or that with something in its place."""
    match operand:
        case DocumentPath(steps) | IfNotExists(DocumentPath(steps)):
            return steps == path.steps
        case _:
            return False


def _added(update: Update, path: DocumentPath) -> Decimal | None:
    """What the update adds to the number at the path; None where it does anything else with it."""
    for action in update.actions:
        if action.path != path:
            continue
        match action:
            case Add(_, Literal(Number() as delta)):
                return delta.value
            case Set(_, Sum(left, sign, Literal(Number() as delta))) if _is_of(left, path):
                return delta.value if sign == "+" else -delta.value
            case _:
                return None
    return None


def _moved(term: Condition, update: Update) -> Condition | None:
    """The term as it holds after the update: `likes = 41` becomes `likes = 42`. None where nothing can be said."""
    match term:
        case Comparison(DocumentPath() as path, comparator, Literal(Number() as number)):
            delta = _added(update, path)
            if delta is not None and number.is_valid:
                moved = Number(plain_digits(EXACT.add(number.value, delta)))
                return Comparison(path, comparator, Literal(moved)) if is_storable(moved) else None
        case Exists(path, True) if _added(update, path) is not None:
            return term
        case _:
            pass
    return None


@dataclass(frozen=True, slots=True)
class _Told:
    value: Value | None


def _told(condition: Condition | None, path: DocumentPath) -> _Told | None:
    """What the condition says of a value that it held for: `seats = 4` tells it. None where it says nothing."""
    for term in () if condition is None else all_terms(condition):
        match term:
            case Comparison(DocumentPath(steps), "=", Literal(value)) if steps == path.steps:
                return _Told(value)
            case Exists(DocumentPath(steps), False) if steps == path.steps:
                return _Told(None)
            case _:
                pass
    return None


def _is_in_list(path: DocumentPath) -> bool:
    return any(isinstance(step, int) for step in path.steps)


def _empties_a_place(action: Action) -> bool:
    """Whether a set may go from a list with its last member, so that what stands behind it moves."""
    return isinstance(action, Delete) and _is_in_list(action.path)


def _negative(number: Number) -> Number:
    return Number(plain_digits(-number.value))
