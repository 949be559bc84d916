"""Who works in the background waits while somebody paints, and never for long."""

from __future__ import annotations

import threading
import time

from dynodesk.domain.foreground import LONGEST_WAIT, Foreground


def test_background_waits_until_the_window_is_done() -> None:
    foreground, went_on = Foreground(), threading.Event()

    def work() -> None:
        foreground.give_way()
        went_on.set()

    with foreground, foreground:  # painting may ask for the layout that it needs
        thread = threading.Thread(target=work)
        thread.start()
        assert not went_on.wait(0.01)
    assert went_on.wait(5)
    thread.join()
    assert not foreground.is_busy


def test_nobody_waits_for_a_window_that_never_ends() -> None:
    foreground = Foreground()
    with foreground:
        began = time.monotonic()
        foreground.give_way()
        assert time.monotonic() - began >= LONGEST_WAIT
    foreground.give_way()
