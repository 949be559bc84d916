"""What a rule calls sensitive: noted with every intent, kept for undo, and in nothing that is shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from dynodesk.composing.log import RequestLog, intent_payload, outcome_payload
from dynodesk.domain.action_json import parameters_json
from dynodesk.domain.actions import (
    BoundStatement,
    ComposedRequest,
    PutAction,
    SingleStatement,
    SingleWrite,
    TransactWrite,
    UpdateAction,
)
from dynodesk.domain.batches import PlainWrite, plain_to_json
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import InvalidFile
from dynodesk.domain.expressions import parse_changes, parse_where
from dynodesk.domain.sensitive import HIDDEN, SensitiveAttributes, SensitiveJournal, shown_payloads
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, List, Map, Number, String, StringSet, Value
from dynodesk.domain.writing import INTENT, OUTCOME
from dynodesk.editing.committing import plan_commit
from dynodesk.editing.desk import EditDesk
from dynodesk.editing.log import BATCH, EditLog
from tests.editing.edit_bench import HERE, EditBench, edit, post
from tests.helpers.memory_journal import Entry, MemoryJournal

OLD, NEW = "canary-old-5501", "canary-new-7702"
SEEN = "plain-words-1122"


def attributes(*paths: tuple[str, ...], table: str = "Posts") -> SensitiveAttributes:
    found = SensitiveAttributes()
    found.by_table = {table: frozenset(paths)}
    return found


SENSITIVE = (("email",), ("profile", "ssn"), ("phones", "number"))


def person(canary: str) -> dict[str, Value]:
    profile = Map({"ssn": Number("1" + str(len(canary)) + "99887766"), "city": String(SEEN)})
    phones = List((Map({"number": String(f"{canary}-phone")}), Map({"kind": String(SEEN)})))
    return post(email=String(canary), profile=profile, phones=phones, note=String(SEEN))


def shown(journal: MemoryJournal) -> str:
    return json.dumps(list(shown_payloads(journal.records())))


def secret(text: str) -> bool:
    return "canary" in text or "99887766" in text


EDITS: Mapping[str, tuple[Item | None, Item | None]] = {
    "new": (None, person(NEW)),
    "deleted": (person(OLD), None),
    "changed": (person(OLD), person(NEW + "x")),
    "taken away": (person(OLD), post(note=String(SEEN))),
    "put in": (post(note=String(SEEN)), person(NEW)),
    "moved": (person(OLD), {**person(OLD), "SK": String("OTHER")}),
}


@pytest.mark.parametrize("kind", EDITS)
def test_edits_keep_what_undo_needs_and_show_none_of_it(kind: str) -> None:
    before, after = EDITS[kind]
    bench = EditBench(*([before] if before else []))
    bench.desk = _noting(bench)
    one = edit(before, after) if kind != "moved" else _moved(before, after)
    commit = bench.desk.commit(plan_commit([one]), bench.ticket)
    assert commit.is_done
    text = shown(bench.journal)
    assert not secret(text)
    assert HIDDEN in text
    assert SEEN in text or kind == "changed"  # what is not sensitive is shown, where it was touched
    undo = bench.desk.plan_undo([commit.commit], bench.ticket)
    assert bench.desk.commit(undo.commit, bench.ticket).is_done
    left = [item for sort in ("META", "OTHER") if (item := bench.item(sort)) is not None]
    assert left == ([before] if before else [])
    assert not secret(shown(bench.journal))
    (read, _) = EditLog.of(_shown_records(bench.journal)).edits.values()
    assert read.changes


def _moved(before: Item | None, after: Item | None) -> Edit:
    one = edit(before, before)
    return Edit(one.table, one.key, before, after)


def _noting(bench: EditBench) -> EditDesk:
    """As the desk of a connection at which a rule was read."""
    desk = bench.desk
    journal = SensitiveJournal(bench.journal, attributes(*SENSITIVE))
    return replace(desk, hands=replace(desk.hands, journal=journal))


def _shown_records(journal: MemoryJournal) -> list[Entry]:
    payloads = zip(journal.entries, shown_payloads(journal.entries), strict=True)
    return [replace(entry, payload=payload) for entry, payload in payloads]


def noted(*requests: ComposedRequest, paths: tuple[tuple[str, ...], ...] = SENSITIVE) -> MemoryJournal:
    memory = MemoryJournal()
    journal = SensitiveJournal(memory, attributes(*paths))
    for number, request in enumerate(requests):
        journal.append(INTENT, intent_payload(str(number), 1, request, HERE))
    return memory


KEY: Key = {"PK": String("POST#a91f"), "SK": String("META")}
PARTIQL = "UPDATE Posts SET email = 'canary', age = 99887766 WHERE PK = 'canary' AND SK = 'META'"


@pytest.mark.parametrize(
    "request_",
    [
        SingleWrite(PutAction("Posts", person(NEW))),
        SingleWrite(UpdateAction("Posts", KEY, parse_changes(f"SET email = '{NEW}'"), parse_where(f"email = '{OLD}'"))),
        SingleWrite(UpdateAction("Posts", KEY, parse_changes(f"SET profile.ssn = '{NEW}'"))),
        TransactWrite((PutAction("Posts", person(NEW)), PutAction("Other", post(note=String(SEEN)))), "t" * 36),
        SingleStatement(BoundStatement(PARTIQL)),
        SingleStatement(BoundStatement(f"INSERT INTO Posts VALUE {{'PK': 'a', 'SK': 'b', 'email': '{NEW}'}}")),
        SingleStatement(BoundStatement("UPDATE Posts SET email = ? WHERE PK = 'a' AND SK = 'b'", (String(NEW),))),
        SingleStatement(BoundStatement("INSERT INTO Posts VALUE ?", (Map(person(NEW)),))),
        SingleWrite(PutAction("arn:aws:dynamodb:eu-west-1:111122223333:table/Posts", person(NEW))),
        SingleStatement(
            BoundStatement("""UPDATE Posts SET "a""b" = 'canary' WHERE PK = 'a' AND SK = 'b'"""),
        ),
    ],
)
def test_composed_requests_show_none_of_it(request_: ComposedRequest) -> None:
    journal = noted(request_, paths=(*SENSITIVE, ('a"b',)))
    text = shown(journal)
    assert secret(json.dumps(journal.entries[0].payload))
    assert not secret(text)
    assert HIDDEN in text
    (run,) = RequestLog.of(journal.entries).runs.values()
    assert run.parameters == parameters_json(request_)  # it can be sent again to the letter


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("SET email = {'canary': 1}", "SET email = {'(sensitive)': '(sensitive)'}"),
        ("SET email = {'a': {canary: 1}}", "SET email = {'(sensitive)': {'(sensitive)': '(sensitive)'}}"),
        ('SET email = "canary@x"', "SET email = '(sensitive)'"),
        ("SET email = ['a', \"canary\"]", "SET email = ['(sensitive)', '(sensitive)']"),
        ("SET email = `canary`", "SET email = `'(sensitive)'`"),
        ("SET email = true", "SET email = '(sensitive)'"),
        ("SET \"a''b\" = 'canary'", "SET \"a''b\" = '(sensitive)'"),
        ('SET a = ?, email = list_append("email", ?)', 'SET a = ?, email = list_append("email", ?)'),
    ],
)
def test_whatever_a_statement_may_mean_as_a_value_is_hidden(statement: str, told: str) -> None:
    whole = f"UPDATE Posts {statement} WHERE PK = 'a' AND \"SK\" = 'b'"
    journal = noted(SingleStatement(BoundStatement(whole)), paths=(("email",), ("a''b",)))
    (payload,) = shown_payloads(journal.entries)
    expected = f"UPDATE Posts {told} WHERE PK = '(sensitive)' AND \"SK\" = '(sensitive)'"
    assert json.loads(json.dumps(payload))["request"]["Statement"] == expected


def test_an_insert_keeps_the_names_of_its_attributes_alone() -> None:
    text = """INSERT INTO Posts VALUE {'PK': 'a', 'a""b': "canary", SK: {'canary': 'x'}}"""
    (payload,) = shown_payloads(noted(SingleStatement(BoundStatement(text)), paths=(('a""b',),)).entries)
    hidden = "'(sensitive)'"
    assert json.loads(json.dumps(payload))["request"]["Statement"] == (
        f"""INSERT INTO Posts VALUE {{'PK': {hidden}, 'a""b': {hidden}, SK: {{{hidden}: {hidden}}}}}"""
    )


def test_a_request_that_says_nothing_of_it_is_shown_as_it_is() -> None:
    change = SingleWrite(UpdateAction("Posts", KEY, parse_changes(f"SET note = '{SEEN}'")))
    elsewhere = SingleWrite(PutAction("Other", person(SEEN)))
    statement = SingleStatement(BoundStatement("UPDATE Posts SET note = 'plain' WHERE PK = 'a' AND SK = 'b'"))
    journal = noted(change, elsewhere, statement)
    assert list(shown_payloads(journal.entries)) == [entry.payload for entry in journal.entries]


def test_batches_show_none_of_it() -> None:
    memory = MemoryJournal()
    writes = [PlainWrite(KEY, person(NEW)), PlainWrite({**KEY, "SK": String("gone")})]
    payload = {"what": BATCH, "id": "b", "commit": "c", "table": "Posts"}
    SensitiveJournal(memory, attributes(*SENSITIVE)).append(
        INTENT, {**payload, "writes": [plain_to_json(write) for write in writes]}
    )
    assert not secret(shown(memory))
    assert "gone" in shown(memory)


def test_what_a_service_quotes_of_it_is_cut_out() -> None:
    memory = noted(SingleWrite(PutAction("Posts", person(NEW))))
    memory.append(OUTCOME, outcome_payload("0", 1, "refused", f"the value {NEW} is too long [refused]"))
    *_, outcome = shown_payloads(memory.entries)
    assert outcome["why"] == f"the value {HIDDEN} is too long [refused]"


def test_no_digest_of_an_item_that_has_it_is_shown() -> None:
    """Whoever knows the rest of the item finds a value that is one of few by trying them all."""
    before = person(OLD)
    bench = EditBench(before)
    bench.desk = _noting(bench)
    bench.commit(edit(before, {**before, "note": String("changed")}))
    (outcome,) = (entry.payload for entry in bench.journal.entries if entry.kind == OUTCOME)
    told = [payload.get("left") for payload in shown_payloads(bench.journal.records())]
    assert outcome["left"]
    assert [digest for digest in told if digest] == [HIDDEN]


def test_entries_of_before_and_of_later_sessions_are_hidden_too() -> None:
    """An undo may be made where no rules file is open, and an edit may have been made before the rule was written."""
    memory = MemoryJournal()
    for number, paths in enumerate([(), SENSITIVE, ()]):
        journal = SensitiveJournal(memory, attributes(*paths) if paths else SensitiveAttributes())
        journal.append(INTENT, intent_payload(str(number), 1, SingleWrite(PutAction("Posts", person(NEW))), HERE))
    assert ["sensitive" in entry.payload for entry in memory.entries] == [False, True, False]
    assert not secret(shown(memory))


def test_a_journal_without_it_is_shown_as_it_is() -> None:
    bench = EditBench(person(OLD))
    bench.commit(edit(person(OLD), person(NEW)))
    assert all("sensitive" not in entry.payload for entry in bench.journal.entries)
    payloads = list(shown_payloads(bench.journal.entries))
    assert all(payload is entry.payload for payload, entry in zip(payloads, bench.journal.entries, strict=True))


@pytest.mark.parametrize("value", [StringSet((OLD, NEW)), List((String(OLD),)), Map({NEW: String(OLD)})])
def test_all_of_a_value_is_hidden(value: Value) -> None:
    memory = noted(SingleWrite(PutAction("Posts", post(email=value))))
    assert not secret(shown(memory))


def test_what_this_version_does_not_understand_is_not_shown_as_it_is() -> None:
    memory = noted(SingleWrite(PutAction("Posts", person(NEW))))
    memory.append(INTENT, {"what": "edit", "id": "x", "put": {"of": NEW}})
    with pytest.raises(InvalidFile):
        shown(memory)
    memory.entries[-1:] = []
    memory.append(INTENT, {"what": "edit", "id": "x", "sensitive": ["email"]})
    with pytest.raises(InvalidFile):
        shown(memory)
