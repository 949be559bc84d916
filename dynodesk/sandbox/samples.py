"""The sandbox's tables: the same items for the same scale on every machine."""

from __future__ import annotations

import math

from dynodesk.domain.errors import InvalidRequest
from dynodesk.sandbox.sample_table import SampleTable
from dynodesk.sandbox.samples_courses import courses
from dynodesk.sandbox.samples_social import social
from dynodesk.sandbox.samples_stats import stats
from dynodesk.sandbox.samples_types import readings, type_zoo
from dynodesk.sandbox.samples_workspaces import workspaces

__all__ = ["LARGEST_SCALE", "SampleTable", "sample_tables"]

LARGEST_SCALE = 100.0
"""About 80,000 items in `Social`: beyond this the embedded server only tries one's patience."""


def sample_tables(scale: float = 1.0) -> tuple[SampleTable, ...]:
    """All sample tables. `scale` multiplies what is plentiful; named items and the tables of values stay as they are.

    Raises `InvalidRequest` for a scale that is not above 0 and at most `LARGEST_SCALE`.
    """
    if not (math.isfinite(scale) and 0 < scale <= LARGEST_SCALE):
        raise InvalidRequest(
            f"The sandbox cannot have the scale {scale:g}.", hint=f"Use a number above 0 and up to {LARGEST_SCALE:g}."
        )
    return (social(scale), *workspaces(scale), stats(scale), courses(scale), type_zoo(), readings())
