"""The access of a connection at which somebody has allowed what it is set to."""

from __future__ import annotations

from dynodesk.domain.access import Access
from dynodesk.domain.profiles import Profile


def granted(profile: Profile) -> Access:
    access = Access(profile)
    if access.is_for_asking:
        access.allow()
    return access
