"""No secret stays in a text, in whatever spelling; everything else does."""

from __future__ import annotations

import base64
import textwrap
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.domain.profiles import Credentials
from dynodesk.domain.redaction import HIDDEN, PIECE, SHORTEST_SECRET, Redaction, redaction

SECRET = "q7/Rz+planted=secret&of 40 characters ÿ?"
TOKEN = "FwoGZXIvYXdzEBYaD" * 240
"""As long as those of AWS."""

SPELLINGS = {
    "plain": lambda secret: secret,
    "in quotes": repr,
    "in an address": lambda secret: quote(secret, safe=""),
    "in a path of an address": quote,
    "in an address within an address": lambda secret: quote(quote(secret, safe=""), safe=""),
    "base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "base64 of addresses": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode(),
    "base64, not at the beginning": lambda secret: base64.b64encode(f"user:{secret}:end".encode()).decode(),
    "base64, one further": lambda secret: base64.b64encode(f"users:{secret}:end".encode()).decode(),
    "hexadecimal": lambda secret: secret.encode().hex(),
    "over lines": lambda secret: "\n".join(textwrap.wrap(secret.replace(" ", "_"), 7)).replace("_", " "),
    "over lines of a list": lambda secret: str([secret[at : at + 9] for at in range(0, len(secret), 9)]).replace(
        ",", ""
    ),
    "over lines, written out": lambda secret: repr("\n".join(secret[at : at + 5] for at in range(0, len(secret), 5))),
}


@pytest.fixture
def knowing() -> Redaction:
    made = Redaction()
    made.remember(SECRET, TOKEN, "", None)
    return made


@pytest.mark.parametrize("spelled", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("secret", [SECRET, TOKEN], ids=["short", "long"])
def test_a_known_secret_goes_in_any_spelling(spelled: object, secret: str, knowing: Redaction) -> None:
    assert callable(spelled)
    written = str(spelled(secret))
    shown = knowing.hide(f"before <{written}> after")
    assert shown.startswith("before ")
    assert shown.endswith(" after")
    assert HIDDEN in shown
    left = shown.removeprefix("before <").removesuffix("> after").replace(HIDDEN, "")
    # of base64 the ends stay, where they are shared with what stands beside the secret
    assert len(left) <= 16
    for at in range(len(written) - PIECE + 1):
        assert written[at : at + PIECE] not in shown


@given(st.integers(0, 30), st.integers(PIECE, 40))
def test_a_part_of_a_secret_is_known_by_itself(first: int, length: int) -> None:
    knowing = Redaction()
    knowing.remember(SECRET)
    part = SECRET.replace(" ", "")[first : first + length]
    if len(part) >= PIECE:
        assert knowing.hide(f"cut: {part}") == f"cut: {HIDDEN}"


def test_what_is_too_short_to_be_a_secret_stays_in_sentences(knowing: Redaction) -> None:
    knowing.remember("dummy")
    assert knowing.hide("a dummy sentence") == "a dummy sentence"
    knowing.remember("x" * SHORTEST_SECRET)
    assert knowing.hide(f"<{'x' * SHORTEST_SECRET}>") == f"<{HIDDEN}>"


@given(st.text(max_size=200))
def test_other_text_stays_as_it_is(text: str) -> None:
    knowing = Redaction()
    knowing.remember("Zq9#Zq9#Zq9#Zq9#")
    plain = "".join(character for character in text if character not in ":=/@")
    assert knowing.hide(plain) == plain or len(plain) > 39


LIKELY = [
    ("Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/2026, Signature=abc", "Authorization: [hidden]"),
    ("'X-Amz-Security-Token': b'IQoJb3JpZ2luX2VjE'", "'X-Amz-Security-Token': [hidden]"),
    ("x-amz-sso_bearer_token: aoaAAAAA", "x-amz-sso_bearer_token: [hidden]"),
    ("Proxy-Authorization: Basic dXNlcjpwYXNz", "Proxy-Authorization: [hidden]"),
    ("Set-Cookie: session=1", "Set-Cookie: [hidden]"),
    ('{"SecretAccessKey": "wJalrXUtnFEMI", "x": 1}', '{"SecretAccessKey": "[hidden]", "x": 1}'),
    ("aws_secret_access_key = wJalrXUtn", "aws_secret_access_key = [hidden]"),
    ('"SessionToken":"IQoJb3Jp"', '"SessionToken":"[hidden]"'),
    ('"accessToken": "eyJhb", "refreshToken": "Aorc"', '"accessToken": "[hidden]", "refreshToken": "[hidden]"'),
    ("clientSecret: s3cr3t", "clientSecret: [hidden]"),
    ("?X-Amz-Signature=0123abcd&b=2", "?X-Amz-Signature=[hidden]&b=2"),
    ("password='hunter2'", "password='[hidden]'"),
    ("Bearer abcdefgh.ijkl", "Bearer [hidden]"),
    ("http://user:pass@proxy:8080/x", "http://[hidden]@proxy:8080/x"),
    ("key AKIAIOSFODNN7EXAMPLE was", "key [hidden] was"),
    ("ASIAIOSFODNN7EXAMPLE", "[hidden]"),
    ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEK3Y", "[hidden]"),
]


@pytest.mark.parametrize(("text", "shown"), LIKELY, ids=[text[:24] for text, _ in LIKELY])
def test_what_looks_like_a_secret_goes_too(text: str, shown: str) -> None:
    assert Redaction().hide(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "ProvisionedThroughputExceededException (HTTP 400), request 5T7B4NQ9VV4KQNSO5AEMVJF66Q9ASUAAJG000",
        "arn:aws:iam::123456789012:role/Support may not do dynamodb:UpdateItem on Social",
        "/usr/lib/python3.11/site-packages/botocore/endpoint.py:281 _send",
        "https://dynamodb.eu-west-1.amazonaws.com did not answer within 60 seconds.",
        "The secret access key is missing.",
        "table Social, index byAuthor, 1,204 items, 3.5 units",
    ],
)
def test_what_support_needs_stays(text: str) -> None:
    assert Redaction().hide(text) == text


def test_keys_are_known_from_the_moment_there_are_any() -> None:
    Credentials("AKIAIOSFODNN7EXAMPLE", "made-up-Secret-never-seen-elsewhere", "made-up-Token-never-seen-elsewhere")
    assert redaction.hide("up-Secret-never-seen") == HIDDEN
    assert redaction.hide("up-Token-never-seen") == HIDDEN


def test_a_tag_is_the_same_for_the_same_and_says_nothing_elsewhere() -> None:
    here, elsewhere = Redaction(), Redaction()
    assert here.tag("POST#1") == here.tag("POST#1") != here.tag("POST#2")
    assert here.tag("POST#1") != elsewhere.tag("POST#1")
