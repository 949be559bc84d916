"""Time passes only in waits, and everything that is due in them happens in order."""

from __future__ import annotations

import threading

import pytest

from dynodesk.domain.progress import Cancelled, Ticket
from tests.simulator.timeline import Steps, Timeline, moment, seconds_at


def note(timeline: Timeline, said: list[tuple[str, float]], name: str, *pauses: float) -> Steps:
    said.append((name, timeline.now()))
    for pause in pauses:
        yield pause
        said.append((name, timeline.now()))


def test_what_is_due_in_a_wait_happens_in_it_in_order() -> None:
    timeline = Timeline()
    said: list[tuple[str, float]] = []
    timeline.start(note(timeline, said, "a", 2.0, 10.0), after=1.0)
    timeline.start(note(timeline, said, "b"), after=2.0)
    timeline.sleep(5.0, Ticket())
    assert said == [("a", 1.0), ("b", 2.0), ("a", 3.0)]
    assert timeline.now() == 5.0
    timeline.advance(8.0)
    assert said[3:] == [("a", 13.0)]
    assert not timeline.step()


def test_code_in_a_thread_takes_turns_with_everybody_else() -> None:
    timeline = Timeline()
    said: list[tuple[str, float]] = []

    def tool() -> None:
        for _ in range(3):
            said.append(("tool", timeline.now()))
            timeline.sleep(2.0, Ticket())

    thread = timeline.in_thread(tool)
    timeline.start(thread, after=0.5)
    timeline.start(note(timeline, said, "writer", 2.0, 2.0))
    timeline.advance(10.0)
    assert said == [(name, at) for at in (0.0, 2.0, 4.0) for name, at in (("writer", at), ("tool", at + 0.5))]
    assert thread.is_over
    assert threading.active_count() == 1


def test_a_fault_in_a_thread_is_raised_by_the_step_in_which_it_happened() -> None:
    timeline = Timeline()
    ticket = Ticket()
    timeline.start(timeline.in_thread(lambda: timeline.sleep(60.0, ticket)))
    timeline.advance(1.0)
    ticket.cancel()
    with pytest.raises(Cancelled):
        timeline.advance(60.0)


def test_evidence_has_the_time_of_the_timeline() -> None:
    assert seconds_at(moment(12.345678)) == pytest.approx(12.345678, abs=1e-6)
