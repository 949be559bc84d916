"""What is planted is found nowhere; `python -m tests.faults.canaries` looks for longer."""

from __future__ import annotations

import pytest

from tests.faults.canaries import SECRETS, Found, search, spelled


@pytest.mark.server
@pytest.mark.slow
def test_no_secret_and_no_value_is_found_anywhere() -> None:
    found = search(["refused", "in the request id", "nothing wrong"], every=4, window_seconds=7)
    assert found.hits == []
    assert found.commands > 10
    assert found.files > 3
    assert found.bytes > 5_000


def test_what_is_looked_for_would_be_found() -> None:
    assert len(SECRETS) == 12
    for secret in SECRETS.values():
        for text in spelled(secret):
            found = Found()
            found.look("here", f"before {text} after", also_values=True)
            assert len(found.hits) == 1, text
