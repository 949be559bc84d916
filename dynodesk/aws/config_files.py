"""The profiles that the AWS configuration files name, found without the AWS library and without using any of them."""

from __future__ import annotations

import configparser
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_CONFIG = ("AWS_CONFIG_FILE", "~/.aws/config")
_CREDENTIALS = ("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials")
_OTHER_SECTIONS = ("sso-session", "services", "plugins", "preview")


@dataclass(frozen=True, slots=True)
class AwsProfile:
    """A profile by name, and what the files say of it; no key is ever among that."""

    name: str
    region: str = ""
    source: str = ""
    """Where its credentials come from, in words; "" where the files name nothing."""


@dataclass(frozen=True, slots=True)
class AwsProfiles:
    profiles: tuple[AwsProfile, ...]
    problems: tuple[str, ...]
    """Sentences on the sections and files that cannot be used, none of them quoting a value."""


def profile_names() -> AwsProfiles:
    """The profiles of the configuration and the credentials file, in their order. Raises nothing for bad files.

    AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name other files than the usual ones.
    """
    problems: list[str] = []
    found: dict[str, dict[str, str]] = {}
    path = _path(*_CONFIG)
    for section, values in _sections(path, problems):
        name = _profile_name(section, path, problems)
        if name is not None:
            found[name] = values
    for name, values in _sections(_path(*_CREDENTIALS), problems):
        found.setdefault(name, {}).update(values)
    profiles = tuple(AwsProfile(name, values.get("region", ""), _source(values)) for name, values in found.items())
    return AwsProfiles(profiles, tuple(problems))


def _path(variable: str, usual: str) -> Path:
    path = Path(os.path.expandvars(os.environ.get(variable, usual)))
    try:
        return path.expanduser()
    except RuntimeError:  # there is no such user, hence no such file
        return path


def _sections(path: Path, problems: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    if not path.is_file():
        return
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except configparser.Error as fault:
        # its own words quote the line, which may hold a key
        problems.append(f"{path} cannot be read{_line(fault)}.")
    except UnicodeDecodeError:
        problems.append(f"{path} cannot be read: it is not UTF-8 text.")
    except OSError as fault:
        problems.append(f"{path} cannot be read: {fault.strerror or type(fault).__name__}.")
    else:
        for section in parser.sections():
            yield section, dict(parser.items(section))


def _line(fault: configparser.Error) -> str:
    line = getattr(fault, "lineno", None)
    if isinstance(fault, configparser.ParsingError) and line is None and fault.errors:
        line = fault.errors[0][0]
    return "" if line is None else f": line {line} is not as it must be"


def _profile_name(section: str, path: Path, problems: list[str]) -> str | None:
    """The name in a section's title, such as [profile shop]; None where it is no profile that AWS tools find."""
    if section == "default":
        return section
    if section.startswith("profile"):
        try:
            words = shlex.split(section)
        except ValueError:
            words = []
        if len(words) == 2:
            return words[1]
        problems.append(f'[{section}] in {path} is not readable: write [profile "the name"], in quotes.')
    elif not section.startswith(_OTHER_SECTIONS):
        problems.append(f"[{section}] in {path} is not a profile: write [profile {shlex.quote(section)}].")
    return None


def _source(values: Mapping[str, str]) -> str:
    if "role_arn" in values:
        return "a role"
    if "sso_session" in values or "sso_start_url" in values:
        return "single sign-on"
    if "aws_access_key_id" in values:
        return "keys in the file"
    if "credential_process" in values:
        return _program(values["credential_process"])
    return "a login" if "login_session" in values else ""


def _program(command: str) -> str:
    """The program alone: what follows it may be a password."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    return f"the program {words[0]}" if words else "a program"
