"""The endpoint that the environment or an AWS profile sets for DynamoDB, which a connection to AWS leaves aside.

Where such a setting was forgotten, or set by somebody else, a connection would show one place and work in another, and
send its signatures there. Who wants that endpoint connects to it by its address.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from botocore.session import Session

from dynodesk.domain.profiles import Profile, ProfileError, check_endpoint
from dynodesk.domain.unused_endpoints import UnusedEndpoint

_VARIABLES = ("AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL")


def unused_endpoint(session: Session, profile: Profile, used: str) -> UnusedEndpoint | None:
    """The setting that other AWS tools would go by, in their order; None where there is none or all ignore it.

    `session` reads the AWS configuration files where the profile takes its credentials from there. `used` is the
    address that requests go to. A connection that names an endpoint itself has its own way everywhere.
    """
    if profile.kind != "aws":
        return None
    config: Mapping[str, object] = session.get_scoped_config() if profile.credentials == "profile" else {}
    ignored = os.environ.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") or config.get("ignore_configured_endpoint_urls")
    if str(ignored).lower() == "true":
        return None
    settings = (*_of_environment(), *_of_profile(session, profile, config))
    found = next(((source, url) for source, url in settings if url), None)
    if found is None:
        return None
    source, url = found
    try:
        address = check_endpoint(url).url
    except ProfileError:  # what is wrong with it may be a password inside
        address = ""
    return None if address == used else UnusedEndpoint(source, address, used)


def _of_environment() -> Iterator[tuple[str, str]]:
    for variable in _VARIABLES:
        yield variable, os.environ.get(variable, "")


def _of_profile(session: Session, profile: Profile, config: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    named = config.get("services")  # anything may stand there, settings of its own too
    services = session.full_config.get("services", {}).get(named, {}) if isinstance(named, str) else {}
    of_dynamodb = services.get("dynamodb", {})
    source = f"endpoint_url of the AWS profile {profile.aws_profile}"
    for settings in (of_dynamodb, config):
        url = settings.get("endpoint_url") if isinstance(settings, Mapping) else None
        yield source, url if isinstance(url, str) else ""
