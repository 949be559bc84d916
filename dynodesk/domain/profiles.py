"""Connection profiles and the credentials typed for them; what is refused before anything is sent.

A profile says where to connect and which secret to use. It names the secret and never holds it.
"""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal, get_args
from urllib.parse import SplitResult, urlsplit

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.redaction import redaction

Kind = Literal["sandbox", "endpoint", "aws"]
CredentialSource = Literal["dummy", "profile", "keys", "environment"]
Stage = Literal["sandbox", "production", "staging", "dev"]

LONGEST_NAME = 100  # characters
LONGEST_TOKEN = 15_000  # characters; leaves room for both keys within what a keyring secret may hold
LEAST_TOKEN = 100  # characters; far below what AWS issues
USUAL_SECRET_LENGTH = 40  # characters of a secret access key, for as long as AWS has issued them

_LOCALHOST = "localhost"
_METADATA_SERVICES = (ip_network("169.254.0.0/16"), ip_network("fe80::/10"), ip_network("fd00:ec2::/32"))
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?")
_ENDS_IN_NUMBER = re.compile(r"(^|\.)(\d+|0x[0-9a-f]*)\.?$")
_REGION = re.compile(r"[a-z]{2,4}(-[a-z]+){1,3}-[0-9]{1,2}")
# Machines and buckets of anybody have names of AWS too: only those that the service itself has count.
_AWS_HOST = re.compile(
    r"((\d{12}|streams|vpce-[a-z0-9-]+)\.)?(streams-)?(dynamodb|ddb)(-fips)?\."
    rf"(?P<region>{_REGION.pattern})"
    r"(\.vpce)?\.(amazonaws\.(com(\.cn)?|eu)|api\.aws|api\.amazonwebservices\.(com\.cn|eu)"
    # those of Regions apart from the Internet
    r"|c2s\.ic\.gov|sc2s\.sgov\.gov|cloud\.adc-e\.uk|csp\.hci\.ic\.gov"
    r"|api\.(aws\.(ic\.gov|scloud|hci\.ic\.gov)|cloud-aws\.adc-e\.uk))"
)
_LOCAL_REGION = re.compile(r"[A-Za-z0-9-]{1,64}")
_ACCESS_KEY_ID = re.compile(r"(AKIA|ASIA)[A-Z0-9]{12,28}")
_QUOTES = "'\"`\u2018\u2019\u201c\u201d"


class ProfileError(DynodeskError):
    """A connection that cannot work or would not be safe as it was filled in; the message names the field.

    Among typed keys `field` is the attribute of `Credentials` that is wrong.
    """

    code = "profile"
    next_step = "Correct this field of the connection."

    def __init__(self, message: str, *, hint: str = "", field: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field


@dataclass(frozen=True, slots=True)
class Profile:
    """One saved connection.

    `id` never changes and ties together what is kept for the connection. `aws_profile` is a name in the AWS
    configuration files, `secret` the name under which the keyring holds the typed keys; each is "" when the
    credentials come from elsewhere. A stage left out counts as production, the one with the most care.
    """

    id: str
    name: str
    kind: Kind
    credentials: CredentialSource
    aws_profile: str = ""
    secret: str = ""
    region: str = ""
    endpoint_url: str = ""
    stage: Stage = "production"
    read_only: bool = True

    @property
    def title(self) -> str:
        """`shop-prod, production`: tells it from others, also from those that are for another stage."""
        return self.name if self.name == self.stage else f"{self.name}, {self.stage}"


def new_profile_id() -> str:
    return secrets.token_hex(16)


def secret_name(profile_id: str) -> str:
    """The name under which the keyring holds the keys of a profile."""
    return f"profile-{profile_id}"


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """Keys as they are handed to the signer. Printing one shows the end of the access key id and nothing more."""

    access_key_id: str
    secret_access_key: str
    session_token: str = ""

    def __post_init__(self) -> None:
        redaction.remember(self.secret_access_key, self.session_token)

    def __repr__(self) -> str:
        # the last four of a short made-up id would be all of it
        shown = self.access_key_id[-4:] if len(self.access_key_id) >= 16 else ""
        return f"Credentials(…{shown})"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A checked endpoint address: scheme, host and port, nothing else."""

    url: str
    is_loopback: bool
    is_aws: bool
    """It is DynamoDB's own at AWS, not merely some host whose name ends as those of AWS do."""
    region: str = ""
    """The Region in an address at AWS."""


@dataclass(frozen=True, slots=True)
class TypedKeys:
    """Keys as typed or pasted, cleaned; `notices` says what was changed or looks odd, without showing it."""

    credentials: Credentials
    notices: tuple[str, ...]


def check_profile(profile: Profile, others: Iterable[Profile] = ()) -> Profile:
    """The profile with its texts tidied. `others` are the profiles it must differ from; its own id is skipped.

    Raises ProfileError.
    """
    if not re.fullmatch(r"[0-9a-f]{8,64}", profile.id):
        raise ProfileError("The connection has no valid id.")
    for value, allowed, field in (
        (profile.kind, get_args(Kind), "kind"),
        (profile.credentials, get_args(CredentialSource), "credentials"),
        (profile.stage, get_args(Stage), "stage"),
    ):
        if value not in allowed:
            raise ProfileError(f"The connection's {field} is none of {', '.join(allowed)}.")
    name = check_name(profile.name, (other.name for other in others if other.id != profile.id))
    if profile.kind == "aws" and profile.endpoint_url:
        raise ProfileError("A connection to AWS has no endpoint address.", hint='Choose the kind "endpoint".')
    endpoint = check_endpoint(profile.endpoint_url) if profile.kind == "endpoint" else None
    _check_source(profile, endpoint)
    return Profile(
        id=profile.id,
        name=name,
        kind=profile.kind,
        credentials=profile.credentials,
        aws_profile=profile.aws_profile,
        secret=profile.secret,
        region=_checked_region(profile, endpoint),
        endpoint_url="" if endpoint is None else endpoint.url,
        stage=profile.stage,
        read_only=profile.read_only,
    )


def _check_source(profile: Profile, endpoint: Endpoint | None) -> None:
    source = profile.credentials
    if source == "dummy" and profile.kind != "sandbox" and not (endpoint and endpoint.is_loopback):
        raise ProfileError(
            "Dummy keys are for this machine only.",
            hint="Give the keys that belong to this endpoint, or choose an AWS profile.",
        )
    if source != "dummy" and profile.kind == "sandbox":
        raise ProfileError("The sandbox takes dummy keys only.")
    if source in {"profile", "environment"} and endpoint and not (endpoint.is_loopback or endpoint.is_aws):
        raise ProfileError(
            "Credentials for AWS are not sent to a host that is not AWS.",
            hint="Give the keys that belong to this endpoint.",
        )
    if (source == "profile") != bool(profile.aws_profile):
        raise ProfileError("An AWS profile name belongs to credentials from an AWS profile, and only to those.")
    if (source == "keys") != bool(profile.secret):
        raise ProfileError("A secret's name belongs to typed keys, and only to those.")


def _checked_region(profile: Profile, endpoint: Endpoint | None) -> str:
    if profile.kind == "sandbox" or (endpoint and not endpoint.is_aws):
        return check_local_region(profile.region)
    # the AWS configuration and the environment can name the Region themselves
    if not profile.region.strip() and profile.credentials in {"profile", "environment"}:
        return ""
    return check_region(profile.region, endpoint)


def check_name(text: str, taken: Iterable[str] = ()) -> str:
    """The connection's name without surrounding space. Names that look alike count as the same."""
    name = text.strip()
    if not name:
        raise ProfileError("The connection needs a name.")
    if len(name) > LONGEST_NAME:
        raise ProfileError(f"The connection's name is longer than {LONGEST_NAME} characters.")
    if any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in name):
        raise ProfileError("The connection's name contains an invisible or control character.")
    if _folded(name) in {_folded(other) for other in taken}:
        raise ProfileError(f'There is a connection named "{name}" already.', hint="Choose another name.")
    return name


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def check_region(text: str, endpoint: Endpoint | None = None) -> str:
    """A Region's code, such as eu-west-1, and that of the endpoint. Whether AWS has such a Region only AWS can say."""
    region = text.strip().lower()
    if not region:
        raise ProfileError("The Region is missing.", hint="Give its code, such as eu-west-1.")
    if _REGION.fullmatch(region[:-1]) and region[-1].isascii() and region[-1].isalpha():
        raise ProfileError("That is an availability zone.", hint=f"The Region is {region[:-1]}.")
    if region in {"aws", "aws-cn", "aws-us-gov", "us-gov"}:
        raise ProfileError("That is a partition, not a Region.", hint="Give a code such as eu-west-1.")
    if region.removeprefix("fips-") != region or region.removesuffix("-fips") != region:
        raise ProfileError(
            "That is a FIPS alias, not a Region.",
            hint="Give the Region's code, and the FIPS address as an endpoint.",
        )
    if _REGION.fullmatch(region):
        if endpoint and endpoint.region not in {"", region}:
            raise ProfileError(
                f"The endpoint is in {endpoint.region}, not in {region}: it refuses what is signed for another Region.",
                hint=f"Give {endpoint.region}, or the address in {region}.",
            )
        return region
    raise ProfileError("The Region does not look like one.", hint="Give its code, such as eu-west-1.")


def check_local_region(text: str) -> str:
    """Emulators take any word for a Region; us-east-1 when none is given."""
    region = text.strip() or "us-east-1"
    if not _LOCAL_REGION.fullmatch(region):
        raise ProfileError("The Region may hold letters, digits and hyphens only.")
    return region


def check_endpoint(text: str) -> Endpoint:
    """An address such as http://127.0.0.1:8000 or https://dynamodb.eu-west-1.amazonaws.com.

    Plain http only to this machine; nothing but scheme, host and port; never an address of the kind that cloud
    machines serve their own credentials from. Raises ProfileError.
    """
    url = text.strip()
    if not url:
        raise ProfileError("The endpoint is missing.", hint="Give an address such as http://127.0.0.1:8000.")
    # urlsplit drops tabs and newlines without a word, and browsers read a backslash as a slash
    if not url.isascii() or any(character <= " " or character in '\\"<>^`{|}\x7f' for character in url):
        raise ProfileError(
            "The endpoint contains a character that no address has.",
            hint="Write international host names in their xn-- form.",
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ProfileError("The endpoint's host or port is not valid.") from None  # its text may quote a password
    _check_shape(url, parts, port)
    host = (parts.hostname or "").lower()
    address = _address_of(host)
    is_loopback = host.rstrip(".") == _LOCALHOST if address is None else address.is_loopback
    if parts.scheme == "http" and not is_loopback:
        raise ProfileError(
            "Plain http is for this machine only: requests would travel readable and unprotected.",
            hint="Use https.",
        )
    shown = f"[{host}]" if ":" in host else host
    at_aws = _AWS_HOST.fullmatch(host)
    return Endpoint(
        url=f"{parts.scheme}://{shown}" + ("" if port is None else f":{port}"),
        is_loopback=is_loopback,
        is_aws=at_aws is not None,
        region="" if at_aws is None else at_aws["region"],
    )


def _check_shape(url: str, parts: SplitResult, port: int | None) -> None:
    if parts.scheme not in {"http", "https"}:
        raise ProfileError("The endpoint must begin with https:// or http://.")
    if "@" in parts.netloc:
        raise ProfileError(
            "The endpoint contains a user name or password.", hint="Keys are given separately, never in the address."
        )
    if not parts.hostname:
        raise ProfileError("The endpoint has no host.")
    if port == 0 or parts.netloc.endswith(":"):
        raise ProfileError("The endpoint's port must be from 1 to 65535.")
    if parts.path not in {"", "/"} or "?" in url or "#" in url:
        raise ProfileError("The endpoint has a path or query.", hint="Give scheme, host and port only.")


def _address_of(host: str) -> IPv4Address | IPv6Address | None:
    """The address a host stands for when it is written as one; None for a name. Raises ProfileError."""
    try:
        address = ip_address(host)
    except ValueError:
        # resolvers read 2852039166, 0xa9fea9fe and 127.1 as addresses too: what hides one is refused
        if _ENDS_IN_NUMBER.search(host) or not _HOST.fullmatch(host) or len(host) > 253:
            raise ProfileError("The endpoint's host is not valid.") from None
        return None
    if isinstance(address, IPv6Address):
        if address.scope_id:
            raise ProfileError("The endpoint's address names a network interface.")
        plain = address.ipv4_mapped or address
    else:
        plain = address
    if any(plain in network for network in _METADATA_SERVICES):
        raise ProfileError("The endpoint is a link-local address, where cloud machines serve their own credentials.")
    if plain.is_unspecified or plain.is_multicast or (plain.is_reserved and not plain.is_loopback):
        raise ProfileError("The endpoint's address is not one of a single machine.")
    return plain


def check_keys(
    access_key_id: str, secret_access_key: str, session_token: str = "", *, for_aws: bool = True
) -> TypedKeys:
    """Keys as typed or pasted. Emulators take any made-up keys: `for_aws=False` leaves their form alone.

    Raises ProfileError, which names the field and never shows what it held.
    """
    notices: list[str] = []
    key_id = _tidied("access key id", access_key_id, notices)
    secret = _tidied("secret access key", secret_access_key, notices)
    token = _tidied("session token", session_token, notices)
    if _ACCESS_KEY_ID.fullmatch(secret) and not _ACCESS_KEY_ID.fullmatch(key_id):
        raise ProfileError("The access key id and the secret access key are swapped.", field="secret_access_key")
    if not key_id:
        raise ProfileError("The access key id is missing.", field="access_key_id")
    if not secret:
        raise ProfileError("The secret access key is missing.", field="secret_access_key")
    if for_aws and _ACCESS_KEY_ID.fullmatch(secret):
        raise ProfileError("The secret access key is an access key id.", field="secret_access_key")
    if len(token) > LONGEST_TOKEN:
        raise ProfileError(f"The session token is longer than {LONGEST_TOKEN:,} characters.", field="session_token")
    if for_aws:
        _check_aws_keys(key_id, secret, token, notices)
    return TypedKeys(Credentials(key_id, secret, token), tuple(notices))


def _check_aws_keys(key_id: str, secret: str, token: str, notices: list[str]) -> None:
    if not re.fullmatch(r"[A-Z0-9]{16,128}", key_id):
        raise ProfileError(
            "The access key id does not look like one.",
            hint="It is 16 or more capital letters and digits, most often beginning with AKIA or ASIA.",
            field="access_key_id",
        )
    if key_id.startswith("ASIA") and not token:
        raise ProfileError(
            "The session token is missing.",
            hint="An access key id that begins with ASIA works only with its token.",
            field="session_token",
        )
    if key_id.startswith("AKIA") and token:
        raise ProfileError(
            "The session token does not belong to this access key id.",
            hint="One that begins with AKIA has none. Leave the token empty, or paste all three of the same login.",
            field="session_token",
        )
    if len(token) == USUAL_SECRET_LENGTH and len(secret) >= LEAST_TOKEN:
        raise ProfileError("The secret access key and the session token are swapped.", field="session_token")
    if token and len(token) < LEAST_TOKEN:
        notices.append(
            f"The session token has {len(token)} characters, usually it has hundreds: check that all of it was copied."
        )
    if len(secret) != USUAL_SECRET_LENGTH:
        notices.append(
            f"The secret access key has {len(secret)} characters, usually it has {USUAL_SECRET_LENGTH}: "
            "check that all of it was copied."
        )


def _tidied(field: str, text: str, notices: list[str]) -> str:
    trimmed = text.strip()
    if trimmed != text:
        notices.append(f"Space around the {field} was removed.")
    unquoted = trimmed.strip(_QUOTES).strip()
    if unquoted != trimmed:
        notices.append(f"Quotes around the {field} were removed.")
    for position, character in enumerate(unquoted, start=1):
        if not "!" <= character <= "~":
            what = "a space or control character" if character.isascii() else "a character that no key has"
            raise ProfileError(
                f"The {field} contains {what} at position {position}.",
                hint="Copy it again.",
                field=field.replace(" ", "_"),
            )
    return unquoted


_KEY_ID_INSIDE = re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,28}(?![A-Za-z0-9])")
_LONG_RUN = re.compile(r"(?<![A-Za-z0-9/+])(?:[A-Za-z0-9/+]{40}|[A-Za-z0-9/+]{100,})(?![A-Za-z0-9/+])")


def looks_like_key(text: str) -> bool:
    """Whether a text that should hold a name holds an access key id, a secret key or a token instead."""
    if _KEY_ID_INSIDE.search(text):
        return True
    return any(
        any(c.isupper() for c in run) and any(c.islower() for c in run) and any(c.isdigit() for c in run)
        for run in _LONG_RUN.findall(text)
    )
