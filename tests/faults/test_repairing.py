"""Faults while tallies are repaired: what was written is known, nothing is written twice, and what follows is right."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.cli.diagnostics import exit_code_from
from dynodesk.cli.main import cli
from dynodesk.domain.errors import CannotConnect, CredentialsRefused
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import RepairReport
from dynodesk.domain.values import Map, Number, String
from dynodesk.reconcile.ledger import Ledger
from dynodesk.reconcile.plan_files import plan_text
from tests.aws.tables import plain_client, profile
from tests.faults.proxy import HTML, PASS, Answer, Exchange, Fault, FaultProxy, Rewrite, error
from tests.faults.repairs import CHILDREN, GUARDS, Site
from tests.helpers.social import key, likes
from tests.reconcile.repair_bench import GUARDS as BENCH_GUARDS
from tests.reconcile.repair_bench import VERSION, Bench, drifted

DRIFT = 4


def outcomes(report: RepairReport) -> list[str]:
    return [result.outcome for result in report.results]


def many(count: int, guard: str = VERSION) -> Bench:
    return Bench(*(item for n in range(count) for item in drifted(f"p{n:02}", n + 1, 0)), guard=guard)


# ---------------------------------------------------------------------------------------------------- over real sockets


@pytest.fixture(scope="module")
def line(ministack: str) -> Iterator[tuple[FaultProxy, Clients]]:
    with FaultProxy(ministack) as running:
        opened = open_clients(profile(running.url, read_only=False))
        yield running, opened
        opened.close()


@pytest.fixture
def proxy(line: tuple[FaultProxy, Clients]) -> FaultProxy:
    line[0].clear()
    return line[0]


@pytest.fixture
def site(ministack: str, line: tuple[FaultProxy, Clients], proxy: FaultProxy, tmp_path: Path) -> Site:
    made = Site(plain_client(ministack), line[1], tmp_path, GUARDS[0])
    made.drift(DRIFT)
    return made


OLD_CLOCK = {"Content-Type": "application/x-amz-json-1.0", "Date": "Tue, 05 Mar 2019 10:20:00 GMT"}
REFUSED: dict[str, tuple[Fault, str]] = {
    "clock wrong": (Answer(403, error("InvalidSignatureException").body, OLD_CLOCK), "clock is wrong"),
    "credentials unknown": (error("UnrecognizedClientException"), "does not accept these keys"),
    "not a valid request": (error("ValidationException"), "does not accept the request"),
    "a token used for something else": (
        error("IdempotentParameterMismatchException"),
        "token of this request was used",
    ),
}
"""What no second try would mend, and what is said of it."""


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_that_no_patience_mends_is_sent_once(site: Site, proxy: FaultProxy, name: str) -> None:
    fault, words = REFUSED[name]
    plan = site.planned()
    proxy.always("UpdateItem", fault)
    report = site.desk.apply(plan, Ticket())
    assert outcomes(report) == ["refused"]
    assert words in report.results[0].reason
    assert proxy.counts["UpdateItem"] == 1
    assert site.stored() == (CHILDREN + DRIFT, 0)


DOUBTFUL: dict[str, Fault] = {
    "a sign-in page in place of the reply": HTML,
    "a redirect to elsewhere": Answer(307, headers={"Location": "http://127.0.0.1:9/"}),
    "a proxy's refusal": Answer(403, b"<html>no</html>", {"Content-Type": "text/html"}),
    "a transaction under way": error("TransactionInProgressException"),
    "server error before it was applied": error("InternalServerError", 500),
    "a sign-in page after it was applied": Rewrite(body=b"<html>", headers={"Content-Type": "text/html"}),
    "an answer without attributes": Rewrite(body=b"{}"),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_an_answer_that_cannot_be_trusted_is_resolved_by_reading(site: Site, proxy: FaultProxy, name: str) -> None:
    plan = site.planned()
    proxy.on("UpdateItem", DOUBTFUL[name])
    (result,) = site.desk.apply(plan, Ticket()).results
    was_applied = isinstance(DOUBTFUL[name], Rewrite)
    assert result.outcome == ("settled" if was_applied else "repaired")
    assert site.stored() == (CHILDREN, 1)
    operations = [operation for operation, _ in proxy.bodies]
    assert operations[operations.index("UpdateItem") + 1] == "GetItem"
    assert operations.count("UpdateItem") == (1 if was_applied else 2)


def test_no_request_carries_a_token_that_could_grow_old(site: Site, proxy: FaultProxy) -> None:
    plan = site.planned()
    site.desk.apply(plan, Ticket())
    assert not any("ClientRequestToken" in body for _, body in proxy.bodies)


@pytest.mark.parametrize(("kind", "is_sent"), [("intent", False), ("outcome", True)])
def test_a_full_disk_under_the_journal_stops_before_the_next_request(
    site: Site, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch, kind: str, is_sent: bool
) -> None:
    plan = site.planned()
    really = os.write

    def full(descriptor: int, data: bytes) -> int:
        if f'"kind":"{kind}"'.encode() in bytes(data):
            raise OSError(errno.ENOSPC, "No space left on device")
        return really(descriptor, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        report = site.desk.apply(plan, Ticket())
    assert outcomes(report) == ["unknown" if is_sent else "refused"]
    assert "No space left on device" in report.results[0].reason
    assert proxy.counts["UpdateItem"] == is_sent
    site.start_again()  # with room on the disk
    assert [resolved.outcome for resolved in site.desk.resolve(Ticket())] == ["settled"] * is_sent
    assert outcomes(site.desk.apply(plan, Ticket())) == ["not needed" if is_sent else "repaired"]
    assert site.stored() == (CHILDREN, 1)


def saved_plan(site: Site, folder: Path) -> tuple[str, list[str]]:
    """The id of its one repair, and the command that applies it."""
    plan = site.planned()
    file = folder / "plan.json"
    file.write_text(plan_text(plan), "utf-8")
    return plan.repairs[0].id, ["repair", "apply", str(file), "--yes", site.table, "--first"]


class SpoiltAfterwards(Fault):
    """The update is applied, and before anybody looks a writer sets the tally to a value of its own."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def apply(self, exchange: Exchange) -> None:
        PASS.apply(exchange)
        self._site.client.update_item(
            TableName=self._site.table,
            Key={"PK": {"S": f"POST#{self._site.number}"}, "SK": {"S": "META"}},
            UpdateExpression="SET likeTally = :n, rev = rev + :one",
            ExpressionAttributeValues={":n": {"N": "50"}, ":one": {"N": "1"}},
        )


def test_a_repair_that_is_not_right_afterwards_offers_to_take_it_back(
    site: Site, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path / "home"))
    proxy.on("UpdateItem", SpoiltAfterwards(site))
    repair_id, command = saved_plan(site, tmp_path)
    assert exit_code_from(cli, [*command, "--endpoint-url", proxy.url]) == 1
    printed = capfd.readouterr()
    assert f"to take them back: dynodesk repair undo {repair_id}" in printed.err
    assert "not verified" in printed.out


class PressedWhileSent(Fault):
    """Somebody presses Ctrl-C between the update and its reply."""

    def __init__(self, times: int) -> None:
        self._times = times

    def apply(self, exchange: Exchange) -> None:
        reply = exchange.forwarded()
        for _ in range(self._times):
            os.kill(os.getpid(), signal.SIGINT)
            exchange.wait(0.3)
        exchange.send(reply.head() + reply.body)


@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
def test_ctrl_c_while_an_update_is_under_way_loses_nothing(
    site: Site,
    proxy: FaultProxy,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    times: int,
) -> None:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path / "home"))
    proxy.on("UpdateItem", PressedWhileSent(times))
    repair_id, command = saved_plan(site, tmp_path)
    assert exit_code_from(cli, [*command, "--endpoint-url", proxy.url]) == 130
    assert ("unverified" in capfd.readouterr().out) is (times == 1)
    assert site.stored() == (CHILDREN, 1)
    assert exit_code_from(cli, ["repair", "resolve", "--endpoint-url", proxy.url]) == 0
    resolved = capfd.readouterr().out
    assert resolved.startswith("nothing was left open" if times == 1 else "settled")
    assert (repair_id in resolved) is (times == 2)
    assert exit_code_from(cli, [*command, "--endpoint-url", proxy.url]) == 0
    assert "not needed" in capfd.readouterr().out
    assert proxy.counts["UpdateItem"] == 1


# ------------------------------------------------------------------------------------------- in memory, in virtual time


def test_a_login_that_expires_in_a_wave_pauses_it_and_the_plan_is_finished_afterwards() -> None:
    bench = many(10)
    plan = bench.plan()
    bench.writer.luck = [None, None, None, CredentialsRefused("The credentials have expired.")]
    report = bench.apply(plan)
    assert outcomes(report) == ["repaired"] * 3 + ["refused"] + ["not tried"] * 6
    assert len(bench.writer.sent) == 4
    assert outcomes(bench.apply(plan)) == ["not needed"] * 3 + ["repaired"] * 7
    assert [bench.tally(f"p{n:02}") for n in range(10)] == [0] * 10


def test_a_computer_that_slept_between_two_waves_confirms_the_rest_in_full() -> None:
    bench = many(3)
    plan = bench.plan()

    def sleep_once() -> None:
        bench.writer.after = lambda: None
        bench.clock.sleep(8 * 3600, bench.ticket)
        bench.reader.asked.clear()

    bench.writer.after = sleep_once
    assert outcomes(bench.apply(plan)) == ["repaired"] * 3
    # The first: once to verify it, and once to see whether it holds. The others: two passes before it as well.
    assert len(bench.reader.asked) == 2 + 2 * 4


def test_a_computer_that_slept_between_two_tries_writes_only_what_still_holds() -> None:
    """The request is the same; a like in the night breaks its condition, and everything is confirmed anew."""
    bench = Bench(*drifted("a", 41, 37))
    plan = bench.plan()
    bench.writer.luck = ["request lost"]

    def sleep_once() -> None:
        bench.writer.before = lambda: None
        bench.clock.sleep(8 * 3600, bench.ticket)
        bench.like("a", "zoe")

    bench.writer.before = sleep_once
    assert outcomes(bench.apply(plan)) == ["unknown"]
    assert len(bench.writer.sent) == 1
    assert bench.tally("a") == 42
    assert outcomes(bench.apply()) == ["repaired"]
    assert bench.tally("a") == 38


def lost_network(bench: Bench) -> None:
    def gone(_plan: object) -> None:
        raise CannotConnect("The network is gone.")

    bench.reader.before_page = gone


def busy_parent(bench: Bench) -> None:
    bench.reader.before_page = lambda _plan: bench.change("p01", rev=Number(str(bench.clock.now() + 100)))


@pytest.mark.parametrize("trouble", [lost_network, busy_parent])
def test_a_repair_that_nobody_could_count_again_is_unverified_and_ends_the_run(
    trouble: Callable[[Bench], None],
) -> None:
    bench = many(10)
    plan = bench.plan()
    bench.writer.after = lambda: trouble(bench) if len(bench.writer.sent) == 6 else None
    report = bench.apply(plan)
    assert outcomes(report)[6:] == ["not tried"] * 4
    assert outcomes(report)[1] == "unverified"
    assert "not verified" not in outcomes(report)
    assert not report.found_drift
    assert report.stopped == "POST#p01 / META: unverified"
    assert [bench.tally(f"p{n:02}") for n in range(10)] == [0] * 6 + [7, 8, 9, 10]


@pytest.mark.parametrize("guard", BENCH_GUARDS.values(), ids=BENCH_GUARDS)
@pytest.mark.parametrize(
    ("stored", "real", "written"),
    [
        ("10.0", 7, "7"),
        ("1E1", 7, "7"),
        ("0.5", 0, "0"),
        ("-2.50", 1, "1"),
        ("9007199254740993", 1, "1"),
        ("99999999999999999999999999999999999999", 1, "1"),
        ("-0", 2, "2"),
    ],
)
def test_numbers_in_any_spelling_and_size_are_repaired_to_the_digit(
    guard: str, stored: str, real: int, written: str
) -> None:
    parent = {**key("POST#a", "META"), "likeTally": Number(stored), "rev": Number("7")}
    bench = Bench(parent, *likes("a", real), guard=guard)
    report = bench.apply()
    assert outcomes(report) == ["repaired"]
    assert report.results[0].repair.stored == Number(stored)
    assert bench.parent("a")["likeTally"] == Number(written)


@pytest.mark.parametrize("stored", [String("10"), Map({}), None], ids=["text", "map", "missing"])
def test_what_is_no_number_is_left_out_of_the_plan_with_the_reason(stored: Any) -> None:
    parent = {**key("POST#a", "META"), "rev": Number("7"), **({} if stored is None else {"likeTally": stored})}
    plan = Bench(parent, *likes("a", 3)).plan()
    assert plan.repairs == ()
    (left_out,) = plan.left_out
    assert "likeTally is" in left_out.reason


# ----------------------------------------------------------------------------------------------------------- taken back


def deleted(bench: Bench) -> None:
    bench.reader.delete("Social", {"PK": String("POST#a"), "SK": String("META")})


def made_again(bench: Bench) -> None:
    deleted(bench)
    bench.reader.put("Social", {**key("POST#a", "META"), "likeTally": Number("37"), "rev": Number("1")})


def repaired_again(bench: Bench) -> None:
    bench.change("a", likeTally=Number("40"))
    assert outcomes(bench.apply()) == ["repaired"]


def became_text(bench: Bench) -> None:
    bench.change("a", likeTally=String("37"))


@pytest.mark.parametrize("guard", BENCH_GUARDS.values(), ids=BENCH_GUARDS)
@pytest.mark.parametrize("change", [deleted, made_again, repaired_again, became_text])
def test_a_repair_is_not_taken_back_from_an_item_that_is_another_by_now(
    guard: str, change: Callable[[Bench], None]
) -> None:
    bench = Bench(*drifted("a", 41, 37), guard=guard)
    (repair,) = [result.repair for result in bench.apply().results]
    change(bench)
    before = bench.reader.get("Social", repair.key)
    (undone,) = bench.desk.undo([repair.id], frozenset({"Social"}), bench.ticket)
    assert undone.outcome == "not undone"
    assert undone.reason
    assert bench.reader.get("Social", repair.key) == before
    assert not Ledger.of(bench.journal.records()).undone(repair.id)
