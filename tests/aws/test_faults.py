"""What botocore raises, as our errors: those that no proxy can bring about."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from botocore import exceptions as boto
from urllib3.exceptions import NameResolutionError, SSLError

from dynodesk.aws.faults import Retry, fault_of, translated
from dynodesk.domain.errors import (
    CannotConnect,
    CredentialsRefused,
    DynodeskError,
    InvalidRequest,
    NotAllowed,
    ServiceFailed,
)
from dynodesk.domain.progress import Cancelled

URL = "https://dynamodb.eu-west-1.amazonaws.com/"
CONNECTION: Any = None


def refused() -> Exception:
    error = OSError("failed to connect")
    error.__cause__ = ConnectionRefusedError(111, "Connection refused")
    return error


@pytest.mark.parametrize(
    ("error", "expected", "says"),
    [
        (
            boto.EndpointConnectionError(
                endpoint_url=URL, error=NameResolutionError("h", CONNECTION, socket.gaierror())
            ),
            CannotConnect,
            "name in https://dynamodb.eu-west-1.amazonaws.com is not known",
        ),
        (boto.EndpointConnectionError(endpoint_url=URL, error=refused()), CannotConnect, "Nothing listens at"),
        (boto.EndpointConnectionError(endpoint_url=URL, error=OSError("no route")), CannotConnect, "cannot be reached"),
        (boto.ConnectTimeoutError(endpoint_url=URL, error=None), CannotConnect, "did not answer the attempt"),
        (boto.ReadTimeoutError(endpoint_url=URL, error=None), CannotConnect, "went silent"),
        (boto.ConnectionClosedError(endpoint_url=URL, error=None), CannotConnect, "closed the connection"),
        (boto.ProxyConnectionError(proxy_url="http://u:p@proxy", error=None), CannotConnect, "proxy"),
        (
            boto.SSLError(endpoint_url=URL, error=SSLError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed")),
            CannotConnect,
            "certificate of https://dynamodb.eu-west-1.amazonaws.com is not trusted",
        ),
        (
            boto.SSLError(endpoint_url=URL, error=SSLError("wrong version number")),
            CannotConnect,
            "encrypted connection",
        ),
        (boto.HTTPClientError(error=ValueError("odd")), CannotConnect, "failed"),
        (boto.NoCredentialsError(), CredentialsRefused, "no credentials"),
        (boto.PartialCredentialsError(provider="p", cred_var="aws_secret"), CredentialsRefused, "aws_secret"),
        (boto.ProfileNotFound(profile="dev"), CredentialsRefused, "'dev'"),
        (boto.SSOTokenLoadError(error_msg="x"), CredentialsRefused, "sign-in"),
        (boto.UnauthorizedSSOTokenError(), CredentialsRefused, "sign-in"),
        (boto.TokenRetrievalError(provider="sso", error_msg="x"), CredentialsRefused, "sign-in"),
        (boto.CredentialRetrievalError(provider="custom-process", error_msg="SECRET"), CredentialsRefused, "fetched"),
        (boto.InfiniteLoopConfigError(source_profile="a", visited_profiles=["a"]), CredentialsRefused, "loop"),
        (boto.InvalidRegionError(region_name="a/b"), InvalidRequest, "Region"),
        (boto.UnknownEndpointError(service_name="s", region_name="r"), ServiceFailed, "could not be made"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_each_has_a_name_and_a_next_step(error: Exception, expected: type[DynodeskError], says: str) -> None:
    ours = translated(error, table="T", operation="Query")
    assert type(ours) is expected
    assert says in ours.message
    assert ours.hint
    assert ours.written == "nothing"
    assert "SECRET" not in ours.message + ours.hint + ours.details
    assert "u:p" not in ours.message + ours.hint + ours.details


@pytest.mark.parametrize("error", [KeyError("ours"), TypeError("ours"), Cancelled()])
def test_what_is_not_the_network_s_stays_as_it_is(error: Exception) -> None:
    with pytest.raises(type(error)) as raised:
        translated(error)
    assert raised.value is error


def test_only_the_attempt_to_connect_is_certain_to_have_sent_nothing() -> None:
    assert fault_of(boto.ConnectTimeoutError(endpoint_url=URL, error=None)).not_written
    assert not fault_of(boto.ReadTimeoutError(endpoint_url=URL, error=None)).not_written
    assert not fault_of(boto.ConnectionClosedError(endpoint_url=URL, error=None)).not_written
    assert not fault_of(boto.SSLError(endpoint_url=URL, error=SSLError("bad record mac"))).not_written


def test_a_certificate_is_not_tried_again() -> None:
    assert fault_of(boto.SSLError(endpoint_url=URL, error=SSLError("CERTIFICATE_VERIFY_FAILED"))).retry is Retry.NEVER


@pytest.mark.parametrize(
    ("said", "resource"),
    [
        (
            (
                "User: arn:aws:iam::1:user/me is not authorized to perform: dynamodb:Query on resource: "
                "arn:aws:dynamodb:eu-west-1:1:table/Social/index/GSI1 because no identity-based policy allows it"
            ),
            "arn:aws:dynamodb:eu-west-1:1:table/Social/index/GSI1",
        ),
        ("", "arn:aws:dynamodb:*:*:table/Social"),
    ],
)
def test_a_refusal_has_the_statement_that_allows_it(said: str, resource: str) -> None:
    denied = boto.ClientError({"Error": {"Code": "AccessDeniedException", "Message": said}}, "Query")
    missing = translated(denied, table="Social", operation="Query")
    assert isinstance(missing, NotAllowed)
    statement = f'{{"Effect": "Allow", "Action": ["dynamodb:Query"], "Resource": ["{resource}"]}}'
    assert missing.details.endswith(f"Statement to add to a policy: {statement}")
