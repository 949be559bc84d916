"""Where the code of a request sends it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """ "" leaves it to the configuration of whoever runs the code. Credentials are always left to that."""

    region: str = ""
    endpoint: str = ""
    """A URL, for what is not DynamoDB's own endpoint of the Region."""


DEFAULT = Place()
