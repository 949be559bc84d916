"""What is said of composed requests while they are typed, and what is sent in the end."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from dynodesk.domain.action_json import parameters_json
from dynodesk.domain.actions import (
    BoundStatement,
    ComposedOperation,
    ComposedRequest,
    PutAction,
    SingleStatement,
    StatementTransaction,
    TransactWrite,
    actions_of,
)
from dynodesk.domain.composition import ActionRemark, CheckedDraft, Draft, DraftAction, check_draft, draft_of
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import Binary, Item, List, Map, Number, NumberSet, String, StringSet, Value
from tests.domain.composed_requests import ComposedRequests
from tests.helpers.small_tables import NAMES, READINGS, SOCIAL, like, post

TABLES = {table.name: table for table in (SOCIAL, READINGS, NAMES)}
POST_KEY: tuple[tuple[str, Value], ...] = (("PK", String("POST#a91f")), ("SK", String("META")))
LIKE = DraftAction("Put", "Social", tuple(like("a91f", "7c20", 200).items()), condition="attribute_not_exists(SK)")
COUNT = DraftAction("Update", "Social", POST_KEY, "ADD likeTally 1", "attribute_exists(PK)")
BY_ID = "SELECT * FROM Names WHERE id = ?"
TRANSACTION = Draft("TransactWriteItems", (LIKE, COUNT), token="7d1e0b52-5f0e-4c1c-9e36-2b8e5d0640c2")


def check(draft: Draft, *items: Item) -> CheckedDraft:
    return check_draft(draft, TABLES, {"Social": items})


def update(text: str, condition: str = "attribute_exists(PK)") -> Draft:
    return Draft("UpdateItem", (DraftAction("Update", "Social", POST_KEY, text, condition),))


def put(*attributes: tuple[str, Value], table: str = "Names") -> Draft:
    return Draft("PutItem", (DraftAction("Put", table, attributes),))


def transaction(*actions: DraftAction) -> Draft:
    return Draft("TransactWriteItems", actions, token="t")


def statements(*texts: str, parameters: tuple[Value, ...] = ()) -> Draft:
    operation: ComposedOperation = "ExecuteTransaction" if len(texts) > 1 else "ExecuteStatement"
    return Draft(operation, statements=tuple(BoundStatement(text, parameters) for text in texts), token="t")


def said(checked: CheckedDraft) -> list[str]:
    return [
        f"{remark.severity} {'whole' if each.action is None else each.action} {remark.part}: {remark.message}"
        for each in checked.remarks
        for remark in (each.remark,)
    ]


def only(checked: CheckedDraft) -> ActionRemark:
    (remark,) = checked.remarks
    return remark


def mended(remark: ActionRemark) -> Draft:
    assert remark.mended is not None
    return remark.mended


# -------------------------------------------------------------------------------------------------------- what holds


def test_a_like_with_its_guards_holds() -> None:
    checked = check(TRANSACTION)
    assert said(checked) == []
    assert checked.oks == (
        "2 actions on 2 different items of one Region",
        "105 B of 4 MB: what is sent, counted as items are",
        "3 names and 1 value, each used; longest expression 25 B of 4 KB",
        "ADD likeTally is guarded: a deleted item stays deleted",
        "sent again with its token within 10 minutes, it is not done twice",
    )
    assert isinstance(checked.request, TransactWrite)
    assert checked.request.token == TRANSACTION.token
    assert checked.actions == checked.request.actions


def test_a_draft_that_holds_is_the_request_it_came_from() -> None:
    sent = 0
    for seed in range(300):
        request = ComposedRequests(Random(seed)).request()
        tables = {action.table: _table_of(action.table, request) for action in actions_of(request)}
        tables["t"] = TableInfo("t", KeySchema((KeyAttribute("pk", "S"),), (KeyAttribute("sk", "S"),)))
        checked = check_draft(draft_of(request), tables)
        assert (checked.request is None) == any(each.remark.severity == "error" for each in checked.remarks)
        if checked.request is not None:
            sent += 1
            assert parameters_json(checked.request) == parameters_json(request)
    assert sent > 10


def _table_of(name: str, request: ComposedRequest) -> TableInfo:
    """One whose key the first action on it has."""
    for action in actions_of(request):
        if action.table == name:
            key = {} if isinstance(action, PutAction) else action.key
            return TableInfo(
                name, KeySchema((KeyAttribute("pk", "S"),), tuple(KeyAttribute(each, "N") for each in list(key)[1:]))
            )
    raise AssertionError("asked for tables of actions only")


# ---------------------------------------------------------------------------------------------------------- the whole


def test_a_transaction_has_1_to_100_actions() -> None:
    assert said(check(transaction())) == [
        "error whole TransactItems: a transaction has 1 to 100 actions, this one has 0"
    ]
    gets = tuple(DraftAction("Get", "Names", (("id", String(str(number))),)) for number in range(101))
    assert check(Draft("TransactGetItems", gets[:100])).request is not None
    too_many = check(Draft("TransactGetItems", gets))
    assert too_many.request is None
    assert said(too_many) == ["error whole TransactItems: a transaction has 1 to 100 actions, this one has 101"]


def test_no_two_actions_are_on_one_item() -> None:
    def delete(at: str) -> DraftAction:
        return DraftAction("Delete", "Readings", (("device", String("d")), ("at", Number(at))))

    checked = check(transaction(delete("1"), delete("2"), delete("1.0"), replace(LIKE), replace(COUNT)))
    assert said(checked) == ["error 2 Key: actions 1 and 3 are on one item, and one transaction takes one for each"]
    whole = DraftAction("Put", "Social", tuple(post("a91f", 1).items()))
    assert said(check(transaction(COUNT, whole))) == [
        "error 1 Item: actions 1 and 2 are on one item, and one transaction takes one for each"
    ]


def test_a_transaction_has_at_most_4_megabytes() -> None:
    def large(number: int) -> DraftAction:
        return DraftAction("Put", "Names", (("id", String(str(number))), ("text", String("x" * 399_000))))

    assert check(transaction(*map(large, range(10)))).request is not None
    checked = check(transaction(*map(large, range(11))))
    assert checked.bytes == 11 * (399_000 + 4 + 2) + 12
    assert said(checked) == ["error whole TransactItems: 4.2 MB are sent; a transaction has at most 4 MB"]


@pytest.mark.parametrize("token", ["", "x" * 37])
def test_a_token_that_cannot_be_is_replaced(token: str) -> None:
    remark = only(check(replace(TRANSACTION, token=token)))
    assert remark.remark.part == "ClientRequestToken"
    assert remark.remark.message == f"a token has 1 to 36 characters, this one has {len(token)}"
    assert len(mended(remark).token) == 36
    assert check(mended(remark)).request is not None


def test_a_single_request_has_one_action_of_its_kind() -> None:
    assert said(check(Draft("PutItem"))) == ["error whole TransactItems: PutItem takes one action, this has 0"]
    assert said(check(Draft("PutItem", (COUNT,)))) == [
        "error 0 TransactItems: PutItem takes no Update",
        "warning 0 UpdateExpression: sent again after a lost reply, this counts twice",
    ]


def test_tables_that_are_not_known_are_named_and_guessed() -> None:
    remark = only(check(put(("id", String("1")), table="Namse")))
    assert (remark.action, remark.remark.part) == (0, "TableName")
    assert remark.remark.message == "this connection knows no table Namse"
    assert check(mended(remark)).request is not None
    assert said(check(put(("id", String("1")), table=""))) == ["error 0 TableName: no table is chosen"]
    unread = DraftAction("Update", "elsewhere", POST_KEY, "SET PK = 5, a = ", "b =")
    assert said(check(Draft("UpdateItem", (unread,)))) == [
        "error 0 TableName: this connection knows no table elsewhere",
        "error 0 UpdateExpression: an attribute or a value is missing at the end",
        "error 0 ConditionExpression: an attribute or a value is missing at the end",
    ]


# ----------------------------------------------------------------------------------------------------- items and keys


@pytest.mark.parametrize(
    ("draft", "attribute", "message"),
    [
        (put(("id", String(""))), 0, "key attribute id: a key cannot be empty"),
        (put(("id", String("é" * 1025))), 0, "key attribute id: 2050 bytes; a key of this kind has at most 2048"),
        (put(("id", Number("1"))), 0, "id is part of the key with type S, this is a Number"),
        (put(("id", String("1")), ("id", String("2"))), 1, "id is given twice"),
        (put(("id", String("1")), ("", String("2"))), 1, "an attribute has an empty name"),
        (
            put(("id", String("1")), ("x" * 65_536, String("2"))),
            1,
            f"the attribute name {'x' * 40}… is longer than 65535 bytes",
        ),
        (put(("id", String("1")), ("n", Number("1E126"))), 1, "n: 1E126 is outside the range of a DynamoDB number"),
        (put(("id", String("1")), ("n", Number("x"))), 1, "n: 'x' is not a number (character 1)"),
        (put(("id", String("1")), ("s", StringSet(()))), 1, "s: an empty set cannot be stored"),
        (
            put(("id", String("1")), ("s", NumberSet((Number("1"), Number("1.0"))))),
            1,
            "s: a set holds the same member twice",
        ),
        (
            put(("id", String("1")), ("m", Map({"a": List((StringSet(()),))}))),
            1,
            "m.a[0]: an empty set cannot be stored",
        ),
        (put(("id", String("\ud800"))), 0, "id: character 1 is half of a surrogate pair and cannot be stored"),
        (
            put(("id", String("1")), ("t", String("x" * 204_800)), ("u", String("x" * 204_800))),
            None,
            "the item has 409605 bytes; DynamoDB takes 409600",
        ),
        (
            put(*POST_KEY, ("GSI1PK", Number("5")), table="Social"),
            2,
            "GSI1PK is a key of the index GSI1 with type S, this is a Number",
        ),
        (
            put(*POST_KEY, ("kind", String("")), table="Social"),
            2,
            "index GSI2: key attribute kind: a key cannot be empty",
        ),
        (
            put(("device", String("d")), ("at", Binary(b"1")), table="Readings"),
            1,
            "at is part of the key with type N, this is a Binary",
        ),
    ],
)
def test_what_no_item_has_is_marked_at_its_attribute(draft: Draft, attribute: int | None, message: str) -> None:
    checked = check(draft)
    remark = only(checked)
    assert (remark.action, remark.attribute, remark.remark.part) == (0, attribute, "Item")
    assert remark.remark.message == message
    assert checked.request is None


@pytest.mark.parametrize(
    ("draft", "attributes"),
    [
        (put(("id", Number("1.50"))), (("id", String("1.50")),)),
        (
            put(("device", String("d")), ("at", String("7")), table="Readings"),
            (("device", String("d")), ("at", Number("7"))),
        ),
        (put(("id", String("1")), ("id", String("2"))), (("id", String("1")),)),
        (put(("id", String("1")), ("s", StringSet(()))), (("id", String("1")),)),
        (
            put(("id", String("1")), ("s", NumberSet((Number("1"), Number("1.0"))))),
            (("id", String("1")), ("s", NumberSet((Number("1"),)))),
        ),
        (put(*POST_KEY, ("GSI1PK", Number("5")), table="Social"), (*POST_KEY, ("GSI1PK", String("5")))),
        (
            Draft("GetItem", (DraftAction("Get", "Names", (("id", String("1")), ("sk", String("2")))),)),
            (("id", String("1")),),
        ),
    ],
)
def test_what_can_be_mended_is_mended(draft: Draft, attributes: tuple[tuple[str, Value], ...]) -> None:
    better = mended(only(check(draft)))
    assert better.actions[0].attributes == attributes
    assert check(better).request is not None


def test_a_key_that_is_missing_gets_its_row() -> None:
    checked = check(Draft("DeleteItem", (DraftAction("Delete", "Readings"),)))
    assert said(checked) == [
        "error 0 Key: key attribute device is missing",
        "error 0 Key: key attribute at is missing",
    ]
    assert mended(checked.remarks[1]).actions[0].attributes == (("at", Number("")),)


# -------------------------------------------------------------------------------------------------------- expressions


@pytest.mark.parametrize(
    ("text", "condition", "expected"),
    [
        ("SET a = 1 REMOVE a.b", "attribute_exists(PK)", "error 0 UpdateExpression: a and a.b lie within each other"),
        ("SET a = 1, a = 2", "attribute_exists(PK)", "error 0 UpdateExpression: a and a are changed in one update"),
        (
            "SET SK = 'x'",
            "attribute_exists(PK)",
            "error 0 UpdateExpression: SK is part of the key, which no update changes",
        ),
        ("SET a = 1", "begins_with(n, 5)", "error 0 ConditionExpression: "),
        ("", "attribute_exists(PK)", "error 0 UpdateExpression: the expression is empty"),
        ("SET rev = rev + 1", "attribute_exists(PK) AND rev = 4", None),
        ("SET rev = rev + 1", "rev = 4", None),
        ("SET rev = if_not_exists(rev, 0) + 1", "rev = 4", None),
    ],
)
def test_expressions_are_checked_where_they_stand(text: str, condition: str, expected: str | None) -> None:
    found = said(check(update(text, condition)))
    assert len(found) == (expected is not None)
    assert expected is None or found[0].startswith(expected)


def test_a_sum_that_fails_where_its_attribute_is_missing_is_told() -> None:
    draft = replace(TRANSACTION, actions=(replace(COUNT, update="ADD likeTally 1 SET m.rev = m.rev + 1"),))
    checked = check(draft)
    remark = only(checked)
    assert checked.request is not None
    assert remark.remark.message == "m.rev + 1 fails where m.rev is missing; if_not_exists(m.rev, 0) would not"
    assert mended(remark).actions[0].update == "ADD likeTally 1 SET m.rev = if_not_exists(m.rev, 0) + 1"
    assert said(check(mended(remark))) == []
    assert said(check(draft, {**post("a91f", 1), "m": Map({"rev": Number("1")})})) == []


def test_names_with_dots_and_odd_names_stay_what_they_are() -> None:
    action = DraftAction(
        "Update",
        "Social",
        POST_KEY,
        'SET "a.b" = 1, a.b = 2, "user-id" = 3, "/hello" = 4, _version = 5, status = 6, "my col" = 7, "follower#" = 8',
        '"2021-03-03" = 1 AND attribute_exists(PK)',
    )
    request = check(Draft("UpdateItem", (action,))).request
    assert request is not None
    sent = parameters_json(request)
    assert sent["UpdateExpression"].startswith("SET #n0 = :v0, #n1.#n2 = :v1, #n3 = :v2")
    assert sent["ExpressionAttributeNames"] == {
        f"#n{at}": name
        for at, name in enumerate(
            ["a.b", "a", "b", "user-id", "/hello", "_version", "status", "my col", "follower#", "2021-03-03", "PK"]
        )
    }
    assert len(sent["ExpressionAttributeValues"]) == 9  # exactly those that are used


def test_an_update_that_makes_an_item_has_to_be_agreed_to() -> None:
    unguarded = update("SET note = 'x'", "")
    checked = check(unguarded)
    remark = only(checked)
    assert checked.request is not None
    assert checked.creates == (0,)
    assert remark.remark.message.startswith("where there is no such item, this update makes one")
    guarded = check(mended(remark))
    assert guarded.draft.actions[0].condition == "attribute_exists(PK)"
    assert (said(guarded), guarded.creates) == ([], ())
    assert "SET note is guarded: a deleted item stays deleted" in guarded.oks
    agreed = check(Draft("UpdateItem", (replace(unguarded.actions[0], may_create=True),)))
    assert (said(agreed), agreed.creates) == ([], ())
    assert agreed.request == checked.request
    assert not any("guarded" in ok for ok in agreed.oks)
    assert not any("guarded" in ok for ok in check(update("REMOVE note", "")).oks)


def test_a_count_without_a_guard_is_safe_with_a_token_only() -> None:
    count = replace(COUNT, condition="attribute_exists(PK)")
    assert said(check(Draft("UpdateItem", (count,)))) == [
        "warning 0 UpdateExpression: sent again after a lost reply, this counts twice"
    ]
    assert said(check(transaction(count))) == []


def test_a_condition_check_has_a_condition() -> None:
    remark = only(check(transaction(DraftAction("ConditionCheck", "Social", POST_KEY))))
    assert remark.remark.message == "a condition check needs its condition"
    assert mended(remark).actions[0].condition == "attribute_exists(PK)"
    assert check(mended(remark)).request is not None


def test_an_item_that_was_read_tells_its_types_and_its_size() -> None:
    draft = update("SET title = title + 5", "attribute_exists(title)")
    counts = ["warning 0 UpdateExpression: sent again after a lost reply, this counts twice"]
    assert said(check(draft, post("other", 1))) == counts
    refused, *rest = said(check(draft, post("a91f", 1)))
    assert refused.startswith("warning 0 UpdateExpression: refused for 1 of 1 items looked at: title is a String")
    assert rest == counts
    grown = check(update("SET more = body"), {**post("a91f", 1), "body": String("x" * 300_000)})
    assert said(grown) == [
        "warning 0 UpdateExpression: as the item was read, it would have 600,053 bytes then; DynamoDB takes 409,600"
    ]


def test_what_a_kind_has_no_use_for_is_left_alone() -> None:
    action = DraftAction("Get", "Social", POST_KEY, "SET", "no condition", 'title, "a.b"[0]')
    checked = check(Draft("GetItem", (action,), consistent=False))
    assert said(checked) == []
    assert checked.request is not None
    assert draft_of(checked.request).actions == (replace(action, update="", condition=""),)


# --------------------------------------------------------------------------------------------------------- statements


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        (statements(BY_ID, parameters=(String("1"),)), []),
        (statements(BY_ID), ["error 0 Parameters: the statement takes 1 value, not 0"]),
        (
            statements(BY_ID, parameters=(Number("x"),)),
            ["error 0 Parameters: value 1: 'x' is not a number (character 1)"],
        ),
        (statements("nothing"), ["error 0 Statement: nothing begins no statement"]),
        (
            statements("DELETE FROM Elsewhere WHERE id = 'x'"),
            ["error 0 Statement: this connection knows no table Elsewhere"],
        ),
        (
            statements("EXISTS(SELECT * FROM Names WHERE id = 'x')"),
            ["error 0 Statement: EXISTS is a condition of a transaction"],
        ),
        (
            statements("SELECT * FROM Names WHERE id = 'x'", "DELETE FROM Names WHERE id = 'y'"),
            ["error 0 TransactStatements: a transaction reads or it writes: SELECT has no place beside what writes"],
        ),
        (statements("EXISTS(SELECT * FROM Names WHERE id = 'x')", "DELETE FROM Names WHERE id = 'y'"), []),
        (
            statements("SELECT * FROM Names", "SELECT * FROM Names WHERE id = 'x'"),
            [
                "error 0 Statement: in a transaction SELECT is for one item of a table: WHERE needs id = …",
                "warning 0 Statement: this reads all of Names: WHERE does not hold id to a value",
            ],
        ),
        (
            statements(BY_ID.replace("?", repr("x" * 8_192))),
            ["error 0 Statement: a statement has at most 8,192 bytes"],
        ),
        (
            statements(BY_ID.replace("?", repr("x" * 40_000))),
            ["error 0 Statement: a statement has at most 8,192 bytes"],
        ),
        (Draft("ExecuteStatement"), ["error whole Statement: ExecuteStatement takes one statement, this has 0"]),
        (
            Draft("ExecuteTransaction", token="t"),
            ["error whole TransactStatements: a transaction has 1 to 100 statements, this one has 0"],
        ),
    ],
)
def test_statements_are_checked(draft: Draft, expected: list[str]) -> None:
    checked = check(draft)
    assert said(checked) == expected
    assert (checked.request is None) == bool(expected)


def test_statements_are_sent_in_one_form() -> None:
    checked = check(statements("DELETE FROM Names -- all\nWHERE id='x';"))
    assert checked.request == SingleStatement(BoundStatement("DELETE FROM Names  \nWHERE id = 'x'"))
    both = check(statements("DELETE FROM Names WHERE id = 'x'", "DELETE FROM Names WHERE id = 'y'"))
    assert isinstance(both.request, StatementTransaction)
    assert both.oks == (
        "2 statements, all of them write",
        "sent again with its token within 10 minutes, it is not done twice",
    )


def test_a_name_in_the_place_of_a_text_is_mended() -> None:
    checked = check(statements('SELECT * FROM Names WHERE id = "x"'))
    better = mended(checked.remarks[0])
    assert better.statements[0].text == "SELECT * FROM Names WHERE id = 'x'"
