"""An address that other AWS tools on this computer go to, and a connection of this program does not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnusedEndpoint:
    """A setting that stands for all tools, and not for a connection that was made to AWS itself."""

    source: str
    """`AWS_ENDPOINT_URL`, or the setting of a named AWS profile."""
    address: str
    """Checked; "" where it is no address that can be shown."""
    used: str
    """Where requests go instead."""

    @property
    def title(self) -> str:
        return f"Not used: {self.source}"

    @property
    def words(self) -> str:
        names = f"names {self.address}" if self.address else "names an endpoint that cannot be used"
        return f"{self.source} {names}. This connection is to AWS and does not go there, but to {self.used}."
