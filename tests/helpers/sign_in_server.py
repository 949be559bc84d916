"""AWS STS and IAM Identity Center on this computer, as far as signing in needs them, over real sockets.

with SignInServer() as server:
    means = SignInMeans(asker, services=server.services)
    ... open_clients(profile, means=means) ...
    assert server.counts["AssumeRole"] == 1
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

ACCOUNT = "123456789012"
DEVICE = f"arn:aws:iam::{ACCOUNT}:mfa/alice"
CODE = "424242"
_NAMESPACE = 'xmlns="https://sts.amazonaws.com/doc/2011-06-15/"'


class Refusal(Exception):
    def __init__(self, status: int, code: str, message: str = "no") -> None:
        super().__init__(code)
        self.status, self.code, self.message = status, code, message


class SignInServer:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """Requests by operation; by path for those that are none."""
        self.lasts = 3600
        """Seconds for which the credentials of roles last."""
        self.code = CODE
        self.codes_seen: list[str] = []
        self.denied_roles: set[str] = set()
        self.polls: list[str] = []
        """What the next questions for a token are answered with: an error of OAuth. Then there is a token."""
        self.token_lasts = 8 * 3600
        self.code_lasts = 600
        self.verification = "https://device.sso.eu-west-1.example.com/"
        self.tokens: set[str] = set()
        """Tokens that are good."""
        self.who: dict[str, str] = {}
        """Access key id to the ARN that it is of; of those that it gave out, and of others that a test names."""
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @property
    def services(self) -> dict[str, str]:
        return dict.fromkeys(("sts", "sso", "sso-oidc"), self.url)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="sign-in server")
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    # -- STS

    def sts(self, asked: dict[str, str], signed_by: str) -> str:
        match asked["Action"]:
            case "GetCallerIdentity":
                arn = self.who.get(signed_by, f"arn:aws:iam::{ACCOUNT}:user/{signed_by}")
                account = arn.split(":")[4]
                return f"<Arn>{arn}</Arn><UserId>U</UserId><Account>{account}</Account>"
            case "AssumeRole":
                self._check_role(asked, signed_by)
                return self._role(asked)
            case "AssumeRoleWithWebIdentity":
                if asked["WebIdentityToken"] != "good-token":
                    raise Refusal(400, "InvalidIdentityToken", "The token is none of ours.")
                return self._role(asked)
            case action:
                raise Refusal(400, "InvalidAction", action)

    def _check_role(self, asked: dict[str, str], signed_by: str) -> None:
        role = asked["RoleArn"]
        who = self.who.get(signed_by, f"arn:aws:iam::{ACCOUNT}:user/{signed_by}")
        if role in self.denied_roles:
            message = f"User: {who} is not authorized to perform: sts:AssumeRole on resource: {role}"
            raise Refusal(403, "AccessDenied", message)
        if ":assumed-role/" in who and int(asked.get("DurationSeconds", "0")) > 3600:
            message = (
                "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining"
            )
            raise Refusal(400, "ValidationError", message)
        if "SerialNumber" in asked:
            self.codes_seen.append(asked["TokenCode"])
            if (asked["SerialNumber"], asked["TokenCode"]) != (DEVICE, self.code):
                message = "MultiFactorAuthentication failed with invalid MFA one time pass code. "
                raise Refusal(403, "AccessDenied", message)

    def _role(self, asked: dict[str, str]) -> str:
        account, name = asked["RoleArn"].split(":")[4], asked["RoleArn"].rpartition("/")[2]
        arn = f"arn:aws:sts::{account}:assumed-role/{name}/{asked['RoleSessionName']}"
        key = self.new_key(arn)
        ends = datetime.now(UTC) + timedelta(seconds=self.lasts)
        return (
            f"<AssumedRoleUser><Arn>{arn}</Arn><AssumedRoleId>R</AssumedRoleId></AssumedRoleUser>"
            f"<Credentials><AccessKeyId>{key}</AccessKeyId><SecretAccessKey>made-secret</SecretAccessKey>"
            f"<SessionToken>made-token</SessionToken><Expiration>{ends:%Y-%m-%dT%H:%M:%SZ}</Expiration></Credentials>"
        )

    def new_key(self, arn: str) -> str:
        key = f"ASIA{secrets.token_hex(8).upper()}"
        self.who[key] = arn
        return key

    # -- IAM Identity Center

    def oidc(self, operation: str, asked: dict[str, Any]) -> dict[str, Any]:
        match operation:
            case "register":
                ends = int(time.time()) + 90 * 86400
                return {"clientId": "client", "clientSecret": "client-secret", "clientSecretExpiresAt": ends}
            case "device_authorization":
                return {
                    "deviceCode": "device-code",
                    "userCode": "ABCD-EFGH",
                    "verificationUri": self.verification,
                    "verificationUriComplete": f"{self.verification}?user_code=ABCD-EFGH",
                    "expiresIn": self.code_lasts,
                    "interval": 5,
                }
            case _:
                if self.polls:
                    raise Refusal(400, self.polls.pop(0))
                token = secrets.token_hex(16)
                self.tokens.add(token)
                return {
                    "accessToken": token,
                    "tokenType": "Bearer",
                    "expiresIn": self.token_lasts,
                    "refreshToken": "refresh",
                }

    def portal(self, account: str, role: str, token: str) -> dict[str, Any]:
        if token not in self.tokens:
            raise Refusal(401, "UnauthorizedException", "Session token not found or invalid")
        if role in self.denied_roles:
            raise Refusal(403, "ForbiddenException", "No access")
        key = self.new_key(f"arn:aws:sts::{account}:assumed-role/AWSReservedSSO_{role}/alice")
        ends = int((time.time() + self.lasts) * 1000)
        return {
            "roleCredentials": {
                "accessKeyId": key,
                "secretAccessKey": "made-secret",
                "sessionToken": "made-token",
                "expiration": ends,
            }
        }


class _Server(ThreadingHTTPServer):
    owner: SignInServer
    daemon_threads = True


_OIDC = {"/client/register": "register", "/device_authorization": "device_authorization", "/token": "token"}
_OAUTH = {
    "AuthorizationPendingException": "authorization_pending",
    "SlowDownException": "slow_down",
    "ExpiredTokenException": "expired_token",
    "AccessDeniedException": "access_denied",
}


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        owner = self.server.owner
        operation = _OIDC.get(self.path)
        if operation is not None:
            owner.counts[operation] += 1
            self._answer_json(lambda: owner.oidc(operation, json.loads(body)))
            return
        asked = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        owner.counts[asked.get("Action", self.path)] += 1
        signed_by = self.headers.get("Authorization", "").partition("Credential=")[2].partition("/")[0]
        try:
            action = asked["Action"]
            result = owner.sts(asked, signed_by)
            text = f"<{action}Response {_NAMESPACE}><{action}Result>{result}</{action}Result></{action}Response>"
            self._send(200, "text/xml", text)
        except Refusal as no:
            error = f"<Error><Type>Sender</Type><Code>{no.code}</Code><Message>{no.message}</Message></Error>"
            text = f"<ErrorResponse {_NAMESPACE}>{error}<RequestId>R</RequestId></ErrorResponse>"
            self._send(no.status, "text/xml", text)

    def do_GET(self) -> None:
        owner, parts = self.server.owner, urlsplit(self.path)
        if parts.path != "/federation/credentials":
            owner.counts[parts.path] += 1
            self._send(404, "text/plain", "")
            return
        owner.counts["GetRoleCredentials"] += 1
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        token = self.headers.get("x-amz-sso_bearer_token", "")
        self._answer_json(lambda: owner.portal(asked["account_id"], asked["role_name"], token))

    def do_PUT(self) -> None:
        self.server.owner.counts[self.path] += 1
        self._send(404, "text/plain", "")

    def _answer_json(self, answer: Any) -> None:
        try:
            self._send(200, "application/json", json.dumps(answer()))
        except Refusal as no:
            said = {"error": _OAUTH.get(no.code, no.code), "error_description": no.message, "message": no.message}
            self._send(no.status, "application/json", json.dumps(said), {"x-amzn-ErrorType": no.code})

    def _send(self, status: int, kind: str, text: str, more: dict[str, str] | None = None) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        """Nothing on stderr."""
