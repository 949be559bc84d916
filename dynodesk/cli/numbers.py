"""Numbers on the command line."""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation

import click

LEAST_UNITS, MOST_UNITS = Decimal("0.001"), Decimal(10) ** 15
"""Fewer a second than this is longer than anybody waits for one reply; more than this nobody pays for."""


class NumberRange(click.FloatRange):
    """A range that `nan`, which is neither below nor above anything, is not in."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


class Units(click.ParamType[Decimal]):
    name = "units"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            units = Decimal(value)
        except InvalidOperation:
            units = Decimal(-1)
        if not units.is_finite() or not LEAST_UNITS <= units <= MOST_UNITS:
            self.fail(f"{value} is not a number of read units ({LEAST_UNITS} or more)", param, ctx)
        return units
