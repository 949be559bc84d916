"""The job runner: one outcome each, on the GUI thread, whatever happens to whoever asked."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import QObject, QThread, Slot
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from dynodesk.domain.progress import Progress, Ticket
from dynodesk.ui.jobs import Job, JobRunner


class Listener(QObject):
    """Remembers what it was told, and on which thread."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[object] = []
        self.errors: list[BaseException] = []
        self.threads: list[QThread] = []

    @Slot(object)
    def done(self, result: object) -> None:
        self.results.append(result)
        self.threads.append(QThread.currentThread())

    @Slot(object)
    def failed(self, error: BaseException) -> None:
        self.errors.append(error)
        self.threads.append(QThread.currentThread())


@pytest.fixture
def runner(qapp: QObject) -> Iterator[JobRunner]:
    runner = JobRunner(threads=2)
    yield runner
    assert runner.shutdown()
    runner.deleteLater()


@pytest.fixture
def listener(qapp: QObject) -> Listener:
    return Listener()


def test_a_result_arrives_on_the_gui_thread(runner: JobRunner, listener: Listener, qtbot: QtBot) -> None:
    workers: list[int] = []

    def work(_ticket: Ticket) -> str:
        workers.append(threading.get_ident())
        return "37 children"

    job = runner.start(work, title="Count", done=listener.done)
    with qtbot.waitSignal(job.ended):
        pass
    assert listener.results == ["37 children"]
    assert listener.threads == [listener.thread()]
    assert workers != [threading.get_ident()]


def test_a_claimed_failure_goes_to_its_starter_only(runner: JobRunner, listener: Listener, qtbot: QtBot) -> None:
    unclaimed: list[object] = []
    runner.error_raised.connect(unclaimed.append)
    job = runner.start(fail, title="Fail", done=listener.done, failed=listener.failed)
    with qtbot.waitSignal(job.ended):
        pass
    assert [str(error) for error in listener.errors] == ["the reply was cut"]
    assert listener.errors[0].__traceback__ is not None
    assert listener.threads == [listener.thread()]
    assert (listener.results, unclaimed) == ([], [])


def test_an_unclaimed_failure_reaches_the_runner(runner: JobRunner, listener: Listener, qtbot: QtBot) -> None:
    with qtbot.waitSignal(runner.error_raised) as raised:
        runner.start(fail, title="Fail", done=listener.done)
    assert raised.args is not None
    assert str(raised.args[0]) == "the reply was cut"


def fail(_ticket: Ticket) -> None:
    raise OSError("the reply was cut")


def test_a_cancelled_job_reports_neither_result_nor_failure(
    runner: JobRunner, listener: Listener, qtbot: QtBot
) -> None:
    begun = threading.Event()

    def work(ticket: Ticket) -> None:
        begun.set()
        ticket.sleep(60)

    job = runner.start(work, title="Wait", done=listener.done, failed=listener.failed)
    assert begun.wait(5)
    with qtbot.waitSignals([job.cancelled, job.ended]):
        job.cancel()
    assert (listener.results, listener.errors) == ([], [])


def test_a_job_cancelled_before_its_turn_never_runs(runner: JobRunner, listener: Listener, qtbot: QtBot) -> None:
    hold, ran = threading.Event(), threading.Event()
    for _ in range(2):
        runner.start(lambda _ticket: hold.wait(10), title="Hold", done=listener.done)
    late = runner.start(lambda _ticket: ran.set(), title="Late", done=listener.done)
    late.cancel()
    with qtbot.waitSignal(late.cancelled):
        hold.set()
    assert not ran.is_set()


def test_progress_arrives_in_order(runner: JobRunner, listener: Listener, qtbot: QtBot) -> None:
    seen: list[Progress] = []
    listening = threading.Event()

    def work(ticket: Ticket) -> None:
        listening.wait(10)
        for done in range(1, 50_001):
            ticket.checkpoint(Progress(done, 50_000, "page"))

    job = runner.start(work, title="Scan", done=listener.done)
    job.progressed.connect(seen.append)
    listening.set()
    with qtbot.waitSignal(job.ended, timeout=20_000):
        pass
    counts = [progress.done for progress in seen]
    assert counts == sorted(counts)
    assert 0 < len(counts) < 5_000


def test_five_hundred_jobs_each_have_one_outcome(runner: JobRunner, listener: Listener, qtbot: QtBot) -> None:
    def number(n: int, _ticket: Ticket) -> int:
        return n

    gc.freeze()  # what earlier tests left is not gone through twenty times
    for n in range(500):
        runner.start(partial(number, n), title=f"Job {n}", done=listener.done)
        if n % 25 == 0:
            gc.collect()
    qtbot.waitUntil(lambda: len(listener.results) >= 500, timeout=20_000)
    assert sorted(map(int, map(str, listener.results))) == list(range(500))
    qtbot.waitUntil(lambda: not runner.findChildren(Job))


@pytest.mark.parametrize("is_partial", [False, True], ids=["method", "partial"])
def test_an_answer_for_a_closed_page_disappears(runner: JobRunner, qtbot: QtBot, is_partial: bool) -> None:
    told: list[object] = []
    go = threading.Event()

    class Page(QWidget):
        @Slot(object)
        def show_count(self, result: object) -> None:
            told.append(result)

        def show_count_of(self, _what: str, result: object) -> None:
            self.setWindowTitle("counted")
            told.append(result)

    page = Page()
    done = partial(page.show_count_of, "pages") if is_partial else page.show_count
    job = runner.start(lambda _ticket: go.wait(10), title="Count", done=done)
    page.deleteLater()
    qtbot.waitUntil(lambda: not Shiboken.isValid(page))
    with qtbot.waitSignal(job.ended):
        go.set()
    assert told == []


def test_shutdown_says_when_work_does_not_stop(listener: Listener, qapp: QObject) -> None:
    stubborn = JobRunner(threads=1)
    begun, release = threading.Event(), threading.Event()

    def deaf(_ticket: Ticket) -> None:
        begun.set()
        release.wait(10)

    stubborn.start(deaf, title="Stubborn", done=listener.done)
    assert begun.wait(5)
    assert stubborn.shutdown(wait_ms=50) is False
    release.set()
    assert stubborn.shutdown() is True
    stubborn.deleteLater()


def test_started_names_the_work(runner: JobRunner, listener: Listener, qtbot: QtBot) -> None:
    titles: list[str] = []

    def note(job: Job) -> None:
        titles.append(job.title)

    runner.started.connect(note)
    job = runner.start(lambda _ticket: None, title="Scan Social", done=listener.done)
    with qtbot.waitSignal(job.ended):
        pass
    assert titles == ["Scan Social"]
