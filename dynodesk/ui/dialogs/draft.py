"""A connection as far as it is filled in, and what is wrong with it. Plain Python: the dialog shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from dynodesk.domain.profiles import (
    USUAL_SECRET_LENGTH,
    Credentials,
    CredentialSource,
    Endpoint,
    Kind,
    Profile,
    ProfileError,
    Stage,
    check_endpoint,
    check_keys,
    check_local_region,
    check_name,
    check_region,
    looks_like_key,
    secret_name,
)

Field = Literal["address", "aws_profile", "access_key_id", "secret_access_key", "session_token", "region", "name"]

_FOR_AWS: tuple[CredentialSource, ...] = ("profile", "keys", "environment")
_FOR_THIS_COMPUTER: tuple[CredentialSource, ...] = ("dummy", "keys", "profile", "environment")
_FOR_AWS_ADDRESS: tuple[CredentialSource, ...] = ("keys", "profile", "environment")
_FOR_OTHERS: tuple[CredentialSource, ...] = ("keys",)


@dataclass(frozen=True, slots=True)
class Checked:
    """`problems` by field; a field left empty is among them. `notices` says what was tidied in the keys."""

    problems: Mapping[Field, ProfileError]
    notices: tuple[str, ...]
    credentials: Credentials | None
    """The typed keys; None where other credentials are used or some key is wrong."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Texts as they stand in the fields. None stands for what the person has not decided: it follows the rest."""

    id: str
    kind: Kind
    address: str = ""
    picked_source: CredentialSource | None = None
    aws_profile: str = ""
    aws_region: str = ""
    """The Region that the AWS profile names; it holds where none is typed."""
    access_key_id: str = field(default="", repr=False)
    secret_access_key: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)
    region: str = ""
    typed_name: str | None = None
    picked_stage: Stage | None = None
    keys_for: str | None = None
    """The address that the connection has keys for from before, "" for AWS; None where it has none."""
    may_write: bool = False
    """Whether repairs may be made through it."""

    # -- what follows from the rest

    @property
    def endpoint(self) -> Endpoint | None:
        """The address, if there is one that can be used."""
        if self.kind != "endpoint":
            return None
        try:
            return check_endpoint(self.address)
        except ProfileError:
            return None

    @property
    def sources(self) -> tuple[CredentialSource, ...]:
        """The credentials that may be sent there, the most likely first."""
        if self.kind == "aws":
            return _FOR_AWS
        endpoint = self.endpoint
        if endpoint is None or endpoint.is_loopback:
            return _FOR_THIS_COMPUTER
        return _FOR_AWS_ADDRESS if endpoint.is_aws else _FOR_OTHERS

    @property
    def source(self) -> CredentialSource:
        sources = self.sources
        return self.picked_source if self.picked_source in sources else sources[0]

    @property
    def can_leave_keys(self) -> bool:
        """Keys from before go on being used where no others are typed, but never for another address."""
        endpoint = self.endpoint
        return self.source == "keys" and self.keys_for == ("" if endpoint is None else endpoint.url)

    @property
    def stage(self) -> Stage:
        if self.picked_stage is not None:
            return self.picked_stage
        endpoint = self.endpoint
        return "dev" if endpoint is not None and endpoint.is_loopback else "production"

    def name(self, others: Iterable[Profile]) -> str:
        """As typed, or one that says where the connection leads and is not taken."""
        if self.typed_name is not None:
            return self.typed_name
        plain = self._telling_name()
        if not plain:
            return ""
        taken = [other.name for other in others if other.id != self.id]
        names = [plain, *(f"{plain} {n}" for n in range(2, len(taken) + 2))]
        return next((name for name in names if not _is_refused(name, taken)), "")

    def _telling_name(self) -> str:
        if self.kind == "endpoint":
            endpoint = self.endpoint
            return "" if endpoint is None else endpoint.url.partition("://")[2]
        if self.source == "profile":
            return self.aws_profile
        return f"AWS {self.region.strip()}".strip()

    # -- what is wrong

    def checked(self, others: Iterable[Profile]) -> Checked:
        others = tuple(others)
        problems: dict[Field, ProfileError] = {}
        notices: tuple[str, ...] = ()
        credentials = None
        if self.kind == "endpoint":
            try:
                check_endpoint(self.address)
            except ProfileError as problem:
                problems["address"] = problem
        if self.source == "profile" and not self.aws_profile:
            problems["aws_profile"] = ProfileError("No AWS profile is chosen.", hint="Choose one, or type keys.")
        if self.source == "keys":
            credentials, notices = self._checked_keys(problems)
        try:
            self._check_region()
        except ProfileError as problem:
            problems["region"] = problem
        try:
            self._check_name(others)
        except ProfileError as problem:
            problems["name"] = problem
        return Checked(problems, notices, credentials)

    def _checked_keys(self, problems: dict[Field, ProfileError]) -> tuple[Credentials | None, tuple[str, ...]]:
        if self.can_leave_keys and not (self.access_key_id or self.secret_access_key or self.session_token):
            return None, ()
        endpoint = self.endpoint
        for_aws = self.kind == "aws" or (endpoint is not None and endpoint.is_aws)
        # a stand-in, so that an access key id is checked as soon as it is there
        secret = self.secret_access_key or "x" * USUAL_SECRET_LENGTH
        try:
            typed = check_keys(self.access_key_id, secret, self.session_token, for_aws=for_aws)
        except ProfileError as problem:
            problems[cast(Field, problem.field)] = problem
            typed = None
        if not self.secret_access_key:
            problems["secret_access_key"] = ProfileError("The secret access key is missing.")
            typed = None
        return (typed.credentials, typed.notices) if typed else (None, ())

    def _check_region(self) -> None:
        endpoint = self.endpoint
        if self.kind == "endpoint" and not (endpoint and endpoint.is_aws):
            check_local_region(self.region)
        elif self.region.strip() or not (
            self.source == "environment" or (self.source == "profile" and self.aws_region)
        ):
            check_region(self.region, endpoint)

    def _check_name(self, others: tuple[Profile, ...]) -> None:
        name = self.name(others)
        if self.typed_name is None and not name:
            return  # there is a proposal once what it is made of is right
        check_name(name, (other.name for other in others if other.id != self.id))
        if looks_like_key(name):
            raise ProfileError("The name looks like a key.", hint="Names are shown and saved readable.")

    # -- what it becomes

    def profile(self, others: Iterable[Profile]) -> Profile:
        source = self.source
        return Profile(
            id=self.id,
            name=self.name(others),
            kind=self.kind,
            credentials=source,
            aws_profile=self.aws_profile if source == "profile" else "",
            secret=secret_name(self.id) if source == "keys" else "",
            region=self.region,
            endpoint_url=self.address.strip() if self.kind == "endpoint" else "",
            stage=self.stage,
            read_only=not self.may_write,
        )


def _is_refused(name: str, taken: list[str]) -> bool:
    try:
        check_name(name, taken)
    except ProfileError:
        return True
    return False
