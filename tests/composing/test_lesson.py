"""The lesson on real servers: what it says is lost or counted twice is, and its table goes with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest

from dynodesk.composing.lesson import METHODS, MOST_CLIENTS, MOST_INCREMENTS, ONE_LOST_IN, Place, Score, teach
from dynodesk.domain.actions import ComposedRequest, TransactWrite
from dynodesk.domain.capacity import Meter
from dynodesk.domain.composed import Done, Refused, RequestSender
from dynodesk.domain.errors import InvalidRequest, ServiceFailed
from dynodesk.domain.profiles import Kind
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.wiring import SANDBOX_PROFILE, Workspace, open_workspace

pytestmark = pytest.mark.server

INCREMENTS, CLIENTS = 40, 8


def _opened(url: str) -> Iterator[Workspace]:
    workspace = open_workspace(SANDBOX_PROFILE, Ticket(), sandbox_url=url)
    yield workspace
    left = [name for name in workspace.catalog.table_names(Ticket()) if "lesson" in name]
    workspace.close()
    assert left == []


@pytest.fixture
def sandbox_space(moto: str) -> Iterator[Workspace]:
    yield from _opened(moto)


@pytest.fixture(params=["sandbox", "ministack"])
def any_space(request: pytest.FixtureRequest, moto: str, ministack: str) -> Iterator[Workspace]:
    yield from _opened({"sandbox": moto, "ministack": ministack}[request.param])


def place_of(workspace: Workspace, sender: RequestSender | None = None) -> Place:
    chosen = sender or workspace.new_request_sender(Meter())
    return Place(workspace.profile, chosen, workspace.catalog, workspace.tables)


@dataclass
class Listening:
    """Sends through another one, and tells of each request before it goes."""

    sender: RequestSender
    before: Callable[[ComposedRequest], object]
    sent: list[ComposedRequest] = field(default_factory=list)

    def send(self, request: ComposedRequest, ticket: Ticket) -> Done | Refused:
        self.before(request)
        self.sent.append(request)
        return self.sender.send(request, ticket)


def test_each_way_of_counting_comes_out_as_it_must(any_space: Workspace) -> None:
    heard: list[tuple[Score, ...]] = []
    scores = teach(place_of(any_space), INCREMENTS, CLIENTS, heard.append, Ticket())
    unheard = INCREMENTS // ONE_LOST_IN
    assert [score.method for score in scores] == list(METHODS)
    assert all(score.told == score.begun == INCREMENTS and score.has_ended for score in scores)
    assert [score.unheard for score in scores] == [unheard] * len(METHODS)
    overwritten, added, guarded, transacted = scores
    assert overwritten.lost > 0
    assert (overwritten.doubled, overwritten.stored) == (0, INCREMENTS - overwritten.lost)
    assert (added.lost, added.doubled, added.stored) == (0, unheard, INCREMENTS + unheard)
    assert (guarded.lost, guarded.doubled) == (0, unheard)
    assert guarded.retries >= unheard
    assert (transacted.lost, transacted.doubled, transacted.stored) == (0, 0, INCREMENTS)
    assert heard[-1] == scores
    assert not any(score.begun for score in heard[0])
    for earlier, later in pairwise(heard):
        assert all(old.told <= new.told for old, new in zip(earlier, later, strict=True))


def test_who_counts_alone_overwrites_nobody(sandbox_space: Workspace) -> None:
    scores = teach(place_of(sandbox_space), ONE_LOST_IN, 1, _nothing, Ticket())
    assert [score.lost for score in scores] == [0] * len(METHODS)
    assert [score.doubled for score in scores] == [0, 1, 1, 0]


def test_a_transaction_is_sent_again_as_it_was(sandbox_space: Workspace) -> None:
    sender = Listening(sandbox_space.new_request_sender(Meter()), _nothing)
    teach(place_of(sandbox_space, sender), ONE_LOST_IN, 2, _nothing, Ticket())
    transactions = [request for request in sender.sent if isinstance(request, TransactWrite)]
    tokens = {request.token for request in transactions}
    assert (len(transactions), len(tokens)) == (ONE_LOST_IN + 1, ONE_LOST_IN)
    assert len(set(map(str, transactions))) == ONE_LOST_IN


def test_a_stopped_lesson_leaves_nothing(sandbox_space: Workspace) -> None:
    ticket = Ticket()

    def stop(scores: tuple[Score, ...]) -> None:
        if scores[0].begun:
            ticket.cancel()

    with pytest.raises(Cancelled):
        teach(place_of(sandbox_space), MOST_INCREMENTS, CLIENTS, stop, ticket)


def test_when_one_client_fails_all_stop_and_it_is_told(sandbox_space: Workspace) -> None:
    failure = ServiceFailed("The service is not well.")

    def fail(request: ComposedRequest) -> None:
        if isinstance(request, TransactWrite):
            raise failure

    sender = Listening(sandbox_space.new_request_sender(Meter()), fail)
    with pytest.raises(ServiceFailed) as raised:
        teach(place_of(sandbox_space, sender), INCREMENTS, CLIENTS, _nothing, Ticket())
    assert raised.value is failure


@pytest.mark.parametrize("kind", ["endpoint", "aws"])
def test_nothing_is_sent_anywhere_but_to_the_sandbox(sandbox_space: Workspace, kind: Kind) -> None:
    sender = Listening(sandbox_space.new_request_sender(Meter()), _nothing)
    place = replace(place_of(sandbox_space, sender), profile=replace(SANDBOX_PROFILE, kind=kind))
    with pytest.raises(InvalidRequest, match="sandbox only"):
        teach(place, INCREMENTS, CLIENTS, _nothing, Ticket())
    assert sender.sent == []


@pytest.mark.parametrize(
    ("increments", "clients"), [(0, 1), (1, 0), (MOST_INCREMENTS + 1, 1), (1, MOST_CLIENTS + 1), (-1, -1)]
)
def test_numbers_out_of_range_are_refused(sandbox_space: Workspace, increments: int, clients: int) -> None:
    with pytest.raises(InvalidRequest, match="1 to 1,000 increments by 1 to 16 clients"):
        teach(place_of(sandbox_space), increments, clients, _nothing, Ticket())


@pytest.mark.parametrize(
    ("told", "stored", "begun", "lost", "doubled"),
    [(5, 7, 8, 0, 0), (5, 3, 8, 2, 0), (8, 10, 8, 0, 2), (0, 0, 0, 0, 0)],
)
def test_what_is_still_under_way_is_neither_lost_nor_counted_twice(
    told: int, stored: int, begun: int, lost: int, doubled: int
) -> None:
    score = Score("add", told=told, stored=stored, begun=begun)
    assert (score.lost, score.doubled) == (lost, doubled)


def _nothing(_told: object) -> None:
    """Nobody listens."""
