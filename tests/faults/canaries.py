"""Secrets and values are planted wherever the program meets any, faults quote them, and then they are looked for.

`python -m tests.faults.canaries` drives every command through every fault, and the window for a minute; it prints what
was found where as JSON, and ends with 1 where anything was.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha1, sha256
from pathlib import Path
from urllib.parse import quote

from dynodesk.domain.sign_in import ProcessQuestion
from dynodesk.sandbox.seed import Api
from dynodesk.store.programs import AllowedCommands
from tests.faults.proxy import HTML, JSON, Answer, Cut, Fault, FaultProxy, Raw, Rewrite, error
from tests.helpers import ministack

SECRETS = {
    name: base64.b64encode(sha256(name.encode()).digest()).decode()[:40]
    for name in (
        *("typed secret key", "typed session token"),
        *("secret key of the environment", "session token of the environment"),
        *("secret key of a file", "session token of a file"),
        *("secret key of a program", "session token of a program", "what a program says when it fails"),
        *("token of a single sign-on", "password of a proxy", "password in an address"),
    )
}
"""By where each is planted: of the length and the characters of those of AWS."""
VALUE = "Canary-value-of-an-item-0451"
KEY = "CANARY#KEY#0452"
TABLE = "Canaries"
SHINGLE = 14
"""Characters of a canary that are enough to find it by."""
KEEPS_VALUES = ("journal", "staged", "queries", "tabs.json")
"""Files that hold values of tables on purpose, for this user alone: what was written, staged, asked and typed."""
READS = ("Query", "Scan", "GetItem", "BatchGetItem", "TransactGetItems", "DescribeTable", "ListTables")
WRITES = ("UpdateItem", "PutItem", "TransactWriteItems", "BatchWriteItem")


def spelled(secret: str) -> list[str]:
    """Plain, in an address, in base64, over lines, and as the repr of an exception has it."""
    lines = "\n".join(secret[at : at + 9] for at in range(0, len(secret), 9))
    encoded = base64.b64encode(secret.encode()).decode()
    return [secret, quote(secret, safe=""), encoded, lines, repr(ValueError(secret, {"token": lines}))]


@dataclass
class Found:
    commands: int = 0
    files: int = 0
    bytes: int = 0
    hits: list[str] = field(default_factory=list)

    def look(self, where: str, text: str, *, also_values: bool) -> None:
        """Without regard to line ends and quotes, as a reader would put the pieces together."""
        self.bytes += len(text)
        if os.environ.get("CANARIES_SHOW"):
            sys.stderr.write(f"----- {where}\n{text}\n")
        run = re.sub(r"\\[nrt]|[\s\"']", "", text)
        for name, secret in SECRETS.items():
            if any(piece in run for piece in _pieces(secret)):
                self.hits.append(f"{name} in {where}")
        if also_values and (VALUE in text or KEY in text):
            self.hits.append(f"a value in {where}")
        if "Traceback (most recent call last)" in text:
            self.hits.append(f"a traceback in {where}")


def _pieces(secret: str) -> Iterator[str]:
    """From the middle of each spelling, which no cut at an end and no neighbour in base64 changes."""
    inside = [base64.b64encode(b" " * before + secret.encode()).decode() for before in range(3)]
    for text in (secret, quote(secret, safe=""), *inside):
        middle = len(text) // 2
        yield text[middle - SHINGLE // 2 : middle + SHINGLE // 2]


def faults(sent: Sequence[str]) -> dict[str, Fault]:
    """Each quotes the secrets of these names, which the server was sent, in every spelling, wherever text may be."""
    quoted = " | ".join(text for name in sent for text in spelled(SECRETS[name]))
    in_a_header = " ".join(SECRETS[name] for name in sent)
    body = json.dumps({"__type": "x#ValidationException", "message": quoted}).encode()
    reasons = [{"Code": "ValidationError", "Message": quoted}]
    return {
        "nothing wrong": Rewrite(),
        "refused": error("ValidationException", message=quoted),
        "denied": error("AccessDeniedException", message=f"perform: dynamodb:Scan {quoted}"),
        "unknown keys": error("UnrecognizedClientException", message=quoted),
        "expired": error("ExpiredTokenException", message=quoted),
        "no table": error("ResourceNotFoundException", message=quoted),
        "failed": error("InternalServerError", 500, message=quoted),
        "a new error": error("BrandNewException", message=quoted),
        "in the request id": Answer(400, body, {"Content-Type": JSON, "x-amzn-RequestId": in_a_header}),
        "cancelled": error("TransactionCanceledException", message=quoted, more={"CancellationReasons": reasons}),
        "not HTTP": Raw(f"{in_a_header}\r\n\r\n".encode()),
        "a web page": Answer(200, HTML.body + quoted.encode(), {"Content-Type": "text/html"}),
        "not JSON": Answer(200, quoted.encode()),
        "cut": Cut(),
        "quoted in a value": Rewrite(lambda reply: reply.update(Items=[{"PK": {"F": quoted}}], Count=1)),
    }


# ------------------------------------------------------------------------------------------------------------ planting


def plant(folder: Path, proxy: FaultProxy, upstream: str) -> None:
    """A home with AWS files, a table with an item."""
    aws = folder / ".aws"
    (aws / "sso" / "cache").mkdir(parents=True)
    good = {
        "Version": 1,
        "AccessKeyId": "AKIAIOSFODNN7EXAMPLE",
        "SecretAccessKey": SECRETS["secret key of a program"],
        "SessionToken": SECRETS["session token of a program"],
    }
    _script(folder / "gives", f"print({json.dumps(good)!r})")
    bad = SECRETS["what a program says when it fails"]
    _script(folder / "fails", f"import sys; print({bad!r}); sys.stderr.write({bad!r}); sys.exit(3)")
    _script(folder / "rambles", f"print({bad!r})")
    start = "https://canary.awsapps.com/start"
    programs = "".join(
        f"[profile {name}]\nregion = us-east-1\ncredential_process = {folder / name}\n"
        for name in ("gives", "fails", "rambles")
    )
    (aws / "config").write_text(
        f"{programs}[profile signed]\nregion = us-east-1\nsso_session = one\nsso_account_id = 123456789012\n"
        f"sso_role_name = Reader\n[sso-session one]\nsso_start_url = {start}\nsso_region = us-east-1\n"
    )
    (aws / "credentials").write_text(
        "[static]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\n"
        f"aws_secret_access_key = {SECRETS['secret key of a file']}\n"
        f"aws_session_token = {SECRETS['session token of a file']}\n"
    )
    token = {
        "startUrl": start,
        "region": "us-east-1",
        "accessToken": SECRETS["token of a single sign-on"],
        "expiresAt": (datetime.now(UTC) + timedelta(hours=8)).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    (aws / "sso" / "cache" / f"{sha1(b'one', usedforsecurity=False).hexdigest()}.json").write_text(json.dumps(token))
    api = Api(upstream)
    keys = [{"AttributeName": name, "KeyType": kind} for name, kind in (("PK", "HASH"), ("SK", "RANGE"))]
    attributes = [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")]
    made = {"TableName": TABLE, "KeySchema": keys, "AttributeDefinitions": attributes, "BillingMode": "PAY_PER_REQUEST"}
    api.call("CreateTable", made)
    api.call(
        "PutItem",
        {"TableName": TABLE, "Item": {"PK": {"S": KEY}, "SK": {"S": "META"}, "v": {"S": VALUE}, "n": {"N": "1"}}},
    )
    (folder / "rules.toml").write_text(
        f'version = 1\n[[tally]]\nname = "one"\ntable = "{TABLE}"\nattribute = "n"\n'
        'parent = { PK = "CANARY#{a}", SK = "META" }\nchildren = { PK = "CANARY#{a}", SK = "LIKE#{b}" }\n'
        'settle = "200ms"\nwait = "1s"\n'
    )


def _script(path: Path, code: str) -> None:
    """A program that gives credentials, and that a person has allowed."""
    path.write_text(f"#!{sys.executable}\n{code}\n")
    path.chmod(0o700)
    allowed = AllowedCommands(path.parent / "dynodesk" / "config" / "programs.json")
    allowed.add(ProcessQuestion(path.name, (str(path),)).digest)


def environment(folder: Path) -> dict[str, str]:
    taken = ("AWS_", "XDG_", "DBUS_", "HTTP", "http", "DYNODESK_HOME")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(taken)},
        "HOME": str(folder),
        "DYNODESK_HOME": str(folder / "dynodesk"),
        "PYTHONPATH": str(Path(__file__).resolve().parent.parent.parent),
        "QT_QPA_PLATFORM": "offscreen",
        "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY": SECRETS["secret key of the environment"],
        "AWS_SESSION_TOKEN": SECRETS["session token of the environment"],
        "HTTPS_PROXY": f"http://someone:{quote(SECRETS['password of a proxy'], safe='')}@127.0.0.1:9",
    }


# ------------------------------------------------------------------------------------------------------------- driving


def places() -> dict[str, tuple[str, ...]]:
    """Names of what the server is sent there, after where that is from."""
    return {
        "--env": ("secret key of the environment", "session token of the environment"),
        "static": ("secret key of a file", "session token of a file"),
        "gives": ("secret key of a program", "session token of a program"),
    }


def commands(folder: Path, url: str, place: str) -> list[tuple[str, ...]]:
    options = (*(("--env",) if place == "--env" else ("--profile", place)), "--endpoint-url", url)
    asked: tuple[tuple[str, ...], ...] = (
        ("tables",),
        ("query", TABLE, "--partition", KEY),
        ("scan", TABLE),
        ("describe", TABLE),
        ("reconcile", str(folder / "rules.toml")),
    )
    return [(*one, *options) for one in asked]


def elsewhere(url: str) -> list[tuple[str, ...]]:
    """Credentials that cannot be had, and a way that does not lead there."""
    return [
        ("tables", "--profile", "fails", "--endpoint-url", url),
        ("tables", "--profile", "rambles", "--endpoint-url", url),
        ("tables", "--profile", "signed", "--endpoint-url", url),
        ("tables", "--env", "--region", "us-east-1"),
        ("diagnostics",),
    ]


def run(found: Found, folder: Path, arguments: Sequence[str], *, more: str = "") -> None:
    """A command in a process of its own; what it says and what it was called with is looked through."""
    command = [sys.executable, "-m", "dynodesk", *arguments]
    look_at(found, " ".join(arguments[:1]) + more, command, folder, is_result=arguments[0] in {"query", "scan"})


def look_at(found: Found, name: str, command: Sequence[str], folder: Path, *, is_result: bool = False) -> None:
    found.commands += 1
    with subprocess.Popen(
        command,
        env=environment(folder),
        cwd=folder,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            time.sleep(0.1)  # until then it may be what it was forked from
            called = Path(f"/proc/{process.pid}/cmdline").read_text().replace("\0", " ")
        except OSError:  # other systems, or it has ended
            called = ""
        said, complained = process.communicate(timeout=300)
    found.look(f"the command line of {name}", called, also_values=False)
    found.look(f"stdout of {name}", said, also_values=False)
    found.look(f"stderr of {name}", complained, also_values=not is_result)


def look_through(found: Found, folder: Path) -> None:
    """All that the program wrote."""
    for file in sorted((folder / "dynodesk").rglob("*")):
        if file.is_file():
            found.files += 1
            name = file.relative_to(folder).as_posix()
            keeps_values = any(kept in name for kept in KEEPS_VALUES)
            found.look(name, file.read_text("utf-8", errors="replace"), also_values=not keeps_values)


def search(names: Sequence[str], every: int, window_seconds: float) -> Found:
    """Every `every`th command under each of the faults of these names, and the window for some seconds."""
    found = Found()
    with (
        tempfile.TemporaryDirectory(prefix="dynodesk-canaries-") as home,
        ministack.running() as upstream,
        FaultProxy(upstream) as proxy,
    ):
        folder = Path(home)
        plant(folder, proxy, upstream)
        turn = 0
        for name in names:
            for place, sent in places().items():
                spoil(proxy, faults(sent)[name])
                for arguments in commands(folder, proxy.url, place):
                    turn += 1
                    if turn % every == 0:
                        run(found, folder, arguments, more=f" with {place} while {name}")
        proxy.clear()
        for arguments in elsewhere(proxy.url):
            run(found, folder, arguments)
        window = [sys.executable, "-m", "tests.faults.canaries_window"]
        look_at(found, "an address with a password", [*window, "--address"], folder)
        for name in names:
            spoil(proxy, faults(("typed secret key", "typed session token"))[name], share=0.2)
        if window_seconds:
            look_at(found, "the window", [*window, "--window", proxy.url, str(window_seconds)], folder)
        look_through(found, folder)
    return found


def spoil(proxy: FaultProxy, fault: Fault, share: float = 1) -> None:
    if share == 1:
        proxy.clear()
    for operation in (*READS, *WRITES):
        proxy.always(operation, fault, share=share)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="of the window")
    asked = parser.parse_args()
    found = search(list(faults(())), every=1, window_seconds=asked.seconds)
    sys.stdout.write(f"{json.dumps(asdict(found), indent=2)}\n")
    return 1 if found.hits else 0


if __name__ == "__main__":
    sys.exit(main())
