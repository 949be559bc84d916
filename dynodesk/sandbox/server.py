"""The sandbox's server process: `python -m dynodesk.sandbox.server [--port N] [--scale F | --empty]`.

Runs the embedded DynamoDB on 127.0.0.1, fills it with the sample tables and then prints one line of JSON:
`{"ready": true, "port": N, "endpoint": "http://127.0.0.1:N"}`, or `{"ready": false, "message": "…", "hint": "…"}`
if that failed. Serves until its standard input ends, so it never outlives the process that holds the other
end, however that ends.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.test import run_wsgi_app
from werkzeug.wsgi import get_input_stream

from dynodesk.domain.errors import CannotConnect, DynodeskError, InvalidRequest
from dynodesk.sandbox.comparisons import compare_as_the_service_does
from dynodesk.sandbox.expressions import read_expressions_as_the_service_does
from dynodesk.sandbox.samples import sample_tables
from dynodesk.sandbox.seed import AUTHORIZATION, seed
from dynodesk.sandbox.transactions import transact_as_the_service_does
from dynodesk.sandbox.updates import update_as_the_service_does

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HOST = "127.0.0.1"
LARGEST_PORT = 65535
LARGEST_BODY = 32 * 1024 * 1024
"""Bytes. DynamoDB takes 16 MB in a request; Base64 and escapes make more of it on the wire."""


class OneAtATime:
    """A WSGI application that lets one DynamoDB request at a time reach `app`, and nothing but DynamoDB requests.

    The embedded server loses updates when two requests run at once. A request is read from its client before it
    takes its turn and the reply is sent after it, so a slow client delays nobody else.
    """

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app
        self._turn = threading.Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not environ.get("HTTP_X_AMZ_TARGET", "").startswith(("DynamoDB_", "DynamoDBStreams_")):
            return _refuse(start_response, "400 Bad Request", "UnknownOperationException", "This is DynamoDB only.")
        try:
            body = get_input_stream(environ, max_content_length=LARGEST_BODY).read()
        except RequestEntityTooLarge:
            return _refuse(start_response, "413 Content Too Large", "RequestTooLarge", "The request is too large.")
        except ClientDisconnected:
            return _refuse(start_response, "400 Bad Request", "IncompleteBody", "The request did not arrive whole.")
        whole: WSGIEnvironment = {
            **environ,
            "wsgi.input": io.BytesIO(body),
            "CONTENT_LENGTH": str(len(body)),
            # Tables belong to an account and a Region. The sandbox is one place, whatever keys and Region are used.
            "HTTP_AUTHORIZATION": AUTHORIZATION,
        }
        whole.pop("HTTP_TRANSFER_ENCODING", None)
        with self._turn:
            chunks, status, headers = run_wsgi_app(self._app, whole, buffered=True)
        start_response(status, headers.to_wsgi_list())
        return chunks


def _refuse(start_response: StartResponse, status: str, kind: str, message: str) -> Iterable[bytes]:
    body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{kind}", "message": message}).encode()
    start_response(status, [("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", str(len(body)))])
    return [body]


class _PatientHandler(WSGIRequestHandler):
    """Gives up on a connection that stands still. Says nothing about requests that go well."""

    timeout = 30
    protocol_version = "HTTP/1.1"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


def listening(port: int, app: WSGIApplication) -> BaseWSGIServer:
    """A server for `app` on the loopback interface; 0 is any free port.

    Raises `CannotConnect` if the port is taken or may not be used, `InvalidRequest` if there is no such port.
    """
    if not 0 <= port <= LARGEST_PORT:
        raise InvalidRequest(
            f"Port {port} is no port.", hint=f"Choose one up to {LARGEST_PORT}, or 0 for any free one."
        )
    try:
        bound = socket.create_server((HOST, port))
    except OSError as fault:
        raise CannotConnect(
            f"Port {port} on {HOST} cannot be used: {fault}.", hint="Choose another port, or 0 for any free one."
        ) from fault
    with bound:
        # The server works on a duplicate of the socket.
        return make_server(HOST, port, app, threaded=True, request_handler=_PatientHandler, fd=bound.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until standard input ends. 0: it did; 1: the sandbox could not be started."""
    parser = argparse.ArgumentParser(prog="python -m dynodesk.sandbox.server", description="The sandbox's server.")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0: any free one")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the sample tables")
    parser.add_argument("--empty", action="store_true", help="no sample tables")
    options = parser.parse_args(arguments)
    # Ctrl-C in a terminal reaches every process in it: ending this one is the business of the one that started it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    watch = threading.Thread(target=_end_with_input, name="watch", daemon=True)
    watch.start()
    answers, sys.stdout = sys.stdout, sys.stderr  # what the embedded server prints is no part of the answer
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    compare_as_the_service_does()
    read_expressions_as_the_service_does()
    update_as_the_service_does()
    transact_as_the_service_does()
    try:
        server = listening(options.port, OneAtATime(DomainDispatcherApplication(create_backend_app)))
        endpoint = f"http://{HOST}:{server.port}"
        threading.Thread(target=server.serve_forever, name="sandbox", daemon=True).start()
        seed(endpoint, () if options.empty else sample_tables(options.scale))
    except DynodeskError as error:
        print(json.dumps({"ready": False, "message": error.message, "hint": error.hint}), file=answers, flush=True)
        return 1
    print(json.dumps({"ready": True, "port": server.port, "endpoint": endpoint}), file=answers, flush=True)
    watch.join()
    return 0


def _end_with_input() -> None:
    """End this process, at whatever it is, as soon as nobody holds the other end of its standard input."""
    sys.stdin.read()
    # A thread cannot end the others in a kinder way, and there is nothing to save.
    os._exit(0)


def _leave(_signal: int, _frame: object) -> NoReturn:
    os._exit(0)  # taking everything apart first would take seconds, for which a window waits


if __name__ == "__main__":
    sys.exit(main())
