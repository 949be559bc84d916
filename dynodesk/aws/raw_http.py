"""Query and Scan without botocore's client: its addresses, credentials and signatures, but not its parser.

The parser makes an object of everything in a reply, which takes a hundred times longer than receiving it.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore import exceptions as boto
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest, AWSResponse
from botocore.endpoint import EndpointCreator
from botocore.exceptions import ClientError
from botocore.httpsession import URLLib3Session
from botocore.parsers import create_parser
from botocore.serialize import create_serializer
from urllib3.exceptions import HTTPError, ProtocolError, ReadTimeoutError, SSLError

from dynodesk.aws.clients import CONNECT_SECONDS, READ_SECONDS
from dynodesk.aws.wire import Wire, object_of, whole
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.requests import ReadOperation

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients

_MAX_CONNECTIONS = 64
"""Kept open for the next page: as many as segments that anybody reads at the same time."""

_AT_ONCE = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
"""A request goes out in two parts, and the second would wait for the first to be acknowledged: 40 ms a page."""


@dataclass(frozen=True, slots=True)
class RawReply:
    """A reply of success, as long as it was sent and with its checksum."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    """Without compression; not looked into."""
    received: str
    """When the last byte came: UTC, ISO 8601."""


class RawHttp:
    """Safe across threads. Its connections are its own, and made as the client makes those for its reads."""

    def __init__(self, clients: Clients) -> None:
        meta, session = clients.reads.meta, clients.session
        config: Any = meta.config  # these three: its stubs know neither all settings nor two timeouts
        creator: Any = EndpointCreator(session.get_component("event_emitter"))
        endpoint: Any = creator.create_endpoint(
            meta.service_model,
            region_name=clients.region,
            endpoint_url=clients.endpoint_url,
            verify=session.get_config_variable("ca_bundle"),
            timeout=(CONNECT_SECONDS, READ_SECONDS),
            max_pool_connections=_MAX_CONNECTIONS,
            proxies=config.proxies,
            socket_options=_AT_ONCE,
        )
        self._http: URLLib3Session = endpoint.http_session
        self._sign_in, self._region = clients.sign_in, clients.region
        self._url = clients.endpoint_url.rstrip("/") + "/"
        self._model = meta.service_model
        self._serializer = create_serializer(self._model.resolved_protocol, include_validation=False)
        self._parser = create_parser(self._model.resolved_protocol)
        self._agent = session.user_agent()
        self._clock = SystemClock()

    def body_of(self, operation: ReadOperation, parameters: Wire) -> bytes:
        """The JSON object of a request."""
        body: bytes = self._request(operation, parameters)["body"]
        return body

    def send(self, operation: ReadOperation, body: bytes) -> RawReply:
        """Send once. Raises what botocore raises, and `Fault`."""
        headers = {**self._request(operation, {})["headers"], "User-Agent": self._agent}
        request = AWSRequest("POST", self._url, headers, body, stream_output=True)
        SigV4Auth(self._sign_in.keys, self._model.signing_name, self._region).add_auth(request)
        response = self._http.send(request.prepare())
        content, received = self._content(response), self._clock.utc()
        status, answered = response.status_code, response.headers
        if status >= 300:
            raise self._refusal(operation, status, answered, content)
        return RawReply(status, answered, whole(status, answered, content), received)

    def close(self) -> None:
        self._http.close()

    def _request(self, operation: ReadOperation, parameters: Wire) -> dict[str, Any]:
        request: dict[str, Any] = self._serializer.serialize_to_request(
            parameters, self._model.operation_model(operation)
        )
        return request

    def _content(self, response: AWSResponse) -> bytes:
        """The bytes of the reply in one piece, where botocore joins them from many. Raises what botocore raises."""
        try:
            content: bytes = response.raw.read(decode_content=False)
        except SSLError as error:
            raise boto.SSLError(endpoint_url=self._url, error=error) from error
        except ReadTimeoutError as error:
            raise boto.ReadTimeoutError(endpoint_url=self._url, error=error) from error
        except ProtocolError as error:
            raise boto.ConnectionClosedError(endpoint_url=self._url, error=error) from error
        except HTTPError as error:
            raise boto.HTTPClientError(error=error) from error
        response.raw.release_conn()
        return content

    def _refusal(
        self, operation: ReadOperation, status: int, headers: Mapping[str, str], content: bytes
    ) -> ClientError:
        """The error in a reply, as the client raises it, with all of its members. Raises `Fault` for another reply."""
        body = whole(status, headers, content)
        found = object_of(status, headers, body)
        reply = {"status_code": status, "headers": headers, "body": body}
        shape: Any = self._model.operation_model(operation).output_shape
        error: Any = {**found, **self._parser.parse(reply, shape)}
        return ClientError(error, operation)
