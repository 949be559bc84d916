"""Credentials that expire in the middle: asked for once; reads go on where they were, writes are known."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.identity import identity_of
from dynodesk.aws.raw import RawPages
from dynodesk.aws.reader import DynamoReader
from dynodesk.aws.writer import GuardedWriter
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.profiles import Credentials, Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ScanPlan
from dynodesk.domain.sign_in import KeysQuestion
from dynodesk.domain.values import Number, String
from dynodesk.domain.writes import GuardedPut
from tests.aws.tables import PROFILE_ID, likes, make_table, plain_client
from tests.faults.proxy import PASS, Exchange, Fault, FaultProxy, LoseReply, error
from tests.faults.repairs import CHILDREN, GUARDS, Site
from tests.helpers.sign_in_server import ACCOUNT, CODE, DEVICE, SignInServer
from tests.helpers.signing_in import Person, means

ITEMS, PAGE = 12, 2
OPERATIONS = ("Scan", "Query", "GetItem", "DescribeTable", "UpdateItem", "PutItem")
CONFIG = f"""
[profile keys]
aws_access_key_id = AKIAKEYS
aws_secret_access_key = s
[profile mfa]
region = us-east-1
role_arn = arn:aws:iam::{ACCOUNT}:role/Reader
source_profile = keys
mfa_serial = {DEVICE}
"""


class Expiring(Fault):
    """Refuses what is signed with keys that have expired, and passes on the rest by another fault."""

    def __init__(self) -> None:
        self.expired: set[str] = set()
        self.otherwise: Fault = PASS

    def apply(self, exchange: Exchange) -> None:
        signer = re.search(r"Credential=([^/]+)/", exchange._handler.headers["Authorization"])
        if signer is not None and signer[1] in self.expired:
            error("ExpiredTokenException").apply(exchange)
        else:
            self.otherwise.apply(exchange)


class Bench:
    def __init__(self, proxy: FaultProxy, server: SignInServer) -> None:
        self.proxy, self.server = proxy, server
        self.expiring = Expiring()
        for operation in OPERATIONS:
            proxy.always(operation, self.expiring)
        self.person = Person(*[CODE] * 9)
        profile = Profile(
            PROFILE_ID, "test", "endpoint", "profile", "mfa", endpoint_url=proxy.url, stage="dev", read_only=False
        )
        self.clients = open_clients(profile, means=means(self.person, server.services))

    def expire(self) -> None:
        """What is signed with now is not taken any more."""
        self.expiring.expired.add(self.clients.sign_in.keys.access_key or "")

    @property
    def prompts(self) -> int:
        """Since the connection was opened."""
        return len(self.person.asked) - 1


@pytest.fixture(scope="module")
def table(ministack: str) -> str:
    return make_table(plain_client(ministack), likes(ITEMS))


@pytest.fixture
def server() -> Iterator[SignInServer]:
    with SignInServer() as running:
        yield running


@pytest.fixture
def proxy(ministack: str) -> Iterator[FaultProxy]:
    with FaultProxy(ministack) as running:
        yield running


@pytest.fixture
def bench(proxy: FaultProxy, server: SignInServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    (tmp_path / "config").write_text(CONFIG)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    made = Bench(proxy, server)
    yield made
    made.clients.close()


def scan(clients: Clients, table: str) -> Iterator[int]:
    plan = ScanPlan(table, page_limit=PAGE)
    for page in DynamoReader(clients, Meter()).scan(plan, Ticket()):
        yield len(page.items)


def raw(clients: Clients, table: str) -> Iterator[int]:
    pages = RawPages(clients, Meter())
    for page in pages.raw_pages(ScanPlan(table, page_limit=PAGE), Ticket()):
        yield page.count
    pages.close()


@pytest.mark.parametrize("read", [scan, raw])
def test_a_read_goes_on_at_the_page_that_it_was_at(
    bench: Bench, table: str, read: Callable[[Clients, str], Iterator[int]]
) -> None:
    pages = read(bench.clients, table)
    counts = [next(pages), next(pages)]
    bench.expire()
    counts += pages
    assert sum(counts) == ITEMS
    assert bench.prompts == 1
    sent = [body for operation, body in bench.proxy.bodies if operation == "Scan"]
    assert sent[2] == sent[3]  # the page whose credentials had expired, and the same once more
    assert len(sent) == len(counts) + 1


def test_four_tabs_share_one_prompt(bench: Bench, table: str) -> None:
    begun, expired = threading.Barrier(5), threading.Event()

    def tab() -> int:
        pages = scan(bench.clients, table)
        count = next(pages)
        begun.wait(10)
        assert expired.wait(10)
        return count + sum(pages)

    with ThreadPoolExecutor(4) as pool:
        tabs = [pool.submit(tab) for _ in range(4)]
        begun.wait(10)
        bench.expire()
        bench.person.let_answer.clear()
        expired.set()
        while bench.proxy.counts["Scan"] < 8:
            assert not any(each.done() for each in tabs)
            threading.Event().wait(0.01)
        bench.person.let_answer.set()
        assert [each.result(timeout=20) for each in tabs] == [ITEMS] * 4
    assert bench.prompts == 1


def test_a_renewal_that_is_refused_ends_the_read_and_the_tab_works_after_signing_in(bench: Bench, table: str) -> None:
    pages = scan(bench.clients, table)
    next(pages)
    bench.expire()
    bench.person.codes = [None, CODE]
    with pytest.raises(CredentialsRefused, match="sign-in was cancelled"):
        next(pages)
    with pytest.raises(CredentialsRefused, match="when you were asked last"):
        next(scan(bench.clients, table))
    assert bench.prompts == 1
    bench.clients.sign_in.again(Ticket())
    assert sum(scan(bench.clients, table)) == ITEMS
    assert bench.prompts == 2


def test_credentials_that_are_refused_even_when_new_are_not_asked_for_for_ever(bench: Bench, table: str) -> None:
    bench.proxy.clear()
    bench.proxy.always("Scan", error("ExpiredTokenException"))
    with pytest.raises(CredentialsRefused, match="have expired"):
        next(scan(bench.clients, table))
    assert (bench.prompts, bench.proxy.counts["Scan"]) == (2, 3)


def test_a_write_is_refused_unwritten_and_the_next_read_asks(bench: Bench, ministack: str) -> None:
    table = make_table(plain_client(ministack))
    bench.expire()
    key = {"PK": String("NEW"), "SK": String("A")}
    put = GuardedPut(table, key, {**key, "n": Number("1")})
    writer = GuardedWriter(bench.clients, Meter())
    with pytest.raises(CredentialsRefused) as raised:
        writer.write(put)
    assert (raised.value.written, bench.prompts, bench.proxy.counts["PutItem"]) == ("nothing", 0, 1)
    assert DynamoReader(bench.clients, Meter()).get(table, key) is None
    assert bench.prompts == 1
    writer.write(put)
    assert DynamoReader(bench.clients, Meter()).get(table, key) == put.item


# ------------------------------------------------------------------------------------------------------------- repairs


@pytest.fixture
def site(ministack: str, bench: Bench, tmp_path: Path) -> Site:
    made = Site(plain_client(ministack), bench.clients, tmp_path / "journal", GUARDS[0])
    made.drift(4)
    return made


def test_a_repair_whose_credentials_expire_writes_nothing_and_is_made_after_signing_in(
    site: Site, bench: Bench
) -> None:
    plan = site.planned()

    class ExpireAtTheWrite(Fault):
        def apply(self, exchange: Exchange) -> None:
            bench.expire()
            bench.expiring.apply(exchange)

    bench.proxy.clear()
    bench.proxy.on("UpdateItem", ExpireAtTheWrite())
    for operation in OPERATIONS:
        bench.proxy.always(operation, bench.expiring)
    report = site.desk.apply(plan, Ticket())
    assert [result.outcome for result in report.results] == ["refused"]
    assert "expired" in report.results[0].reason
    assert site.stored() == (CHILDREN + 4, 0)
    report = site.desk.apply(plan, Ticket())
    assert [result.outcome for result in report.results] == ["repaired"]
    assert (site.stored(), bench.prompts) == ((CHILDREN, 1), 1)


def test_a_write_in_doubt_is_resolved_after_signing_in(site: Site, bench: Bench) -> None:
    plan = site.planned()

    class LoseReplyAndExpire(Fault):
        def apply(self, exchange: Exchange) -> None:
            LoseReply().apply(exchange)
            bench.expire()

    bench.proxy.clear()
    bench.proxy.on("UpdateItem", LoseReplyAndExpire())
    for operation in OPERATIONS:
        bench.proxy.always(operation, bench.expiring)
    report = site.desk.apply(plan, Ticket())
    assert [result.outcome for result in report.results] == ["settled"]
    assert (site.stored(), bench.prompts, bench.proxy.counts["UpdateItem"]) == ((CHILDREN, 1), 1, 1)


def test_a_wave_of_repairs_whose_credentials_expire_ends_exact_and_writes_nothing_twice(
    site: Site, bench: Bench
) -> None:
    for _ in range(4):
        site.drift(4)
    plan = site.planned(5)

    class ExpireAtTheWrite(Fault):
        def apply(self, exchange: Exchange) -> None:
            bench.expire()
            bench.expiring.apply(exchange)

    bench.proxy.clear()
    bench.proxy.on("UpdateItem", ExpireAtTheWrite(), nth=3)
    for operation in OPERATIONS:
        bench.proxy.always(operation, bench.expiring)
    bench.person.codes = [None, CODE]
    report = site.desk.apply(plan, Ticket())
    outcomes = [result.outcome for result in report.results]
    assert set(outcomes[:2]) <= {"repaired", "unverified"}  # written; the look at it may need the login too
    assert outcomes[2] == "refused"
    assert not {"repaired", "settled", "unverified", "unknown"} & set(outcomes[3:]), outcomes
    assert [site.stored(n) for n in range(1, 6)] == [(CHILDREN, 1)] * 2 + [(CHILDREN + 4, 0)] * 3
    assert bench.prompts == 1
    bench.clients.sign_in.again(Ticket())
    site.desk.apply(plan, Ticket())
    assert [site.stored(n) for n in range(1, 6)] == [(CHILDREN, 1)] * 5
    assert bench.prompts == 2


# ---------------------------------------------------------------------------------------------------------- typed keys


def test_typed_keys_are_replaced_by_those_of_the_same_account_and_role_only(
    proxy: FaultProxy, server: SignInServer, table: str
) -> None:
    def key(arn: str) -> Credentials:
        return Credentials(server.new_key(arn), "secret-of-forty-characters-or-thereabouts", "token")

    role = f"arn:aws:sts::{ACCOUNT}:assumed-role/Support"
    first, again, other = (
        key(f"{role}/alice"), key(f"{role}/alice-later"), key("arn:aws:sts::999999999999:assumed-role/Support/alice"),
    )  # fmt: skip
    person, kept = Person(keys=(other, again)), list[Credentials]()
    expiring = Expiring()
    proxy.always("Scan", expiring)
    clients = open_clients(
        Profile(PROFILE_ID, "shop", "aws", "keys", secret="profile-x", region="us-east-1"),
        first,
        means=means(person, {**server.services, "dynamodb": proxy.url}),
        keep_typed=kept.append,
    )
    identity: Any = identity_of(clients, Ticket())
    assert identity.account == ACCOUNT
    expiring.expired.add(first.access_key_id)
    with pytest.raises(CredentialsRefused, match="999999999999:assumed-role/Support/alice"):
        sum(scan(clients, table))
    assert clients.sign_in.keys.access_key == first.access_key_id
    clients.sign_in.again(Ticket())
    assert sum(scan(clients, table)) == ITEMS
    assert person.asked == [KeysQuestion("shop", for_aws=True)] * 2
    assert kept == [again]
    clients.close()
