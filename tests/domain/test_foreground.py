"""Background work waits while the window is drawn, and not for ever."""

from __future__ import annotations

import threading

from dynodesk.domain.foreground import Foreground


def test_work_goes_on_when_the_window_is_done() -> None:
    foreground, began, went_on = Foreground(), threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        foreground.give_way()
        went_on.set()

    with foreground:
        with foreground:
            thread = threading.Thread(target=work)
            thread.start()
            assert began.wait(5)
        assert foreground.is_busy
    assert went_on.wait(5)
    thread.join()
    assert not foreground.is_busy


def test_nobody_waits_for_ever() -> None:
    foreground = Foreground()
    with foreground:
        foreground.give_way()
        assert foreground.is_busy
