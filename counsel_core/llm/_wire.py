"""The transport of one streamed request: read in a thread of its own, so that it can be left at once."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, Literal

import httpx2
import openai

from counsel_core.errors import LocalOnlyError, StoppedError
from counsel_core.llm.location import host_of, is_loopback, takes_api_key_header

MAX_BYTES = 20_000_000
"""More than any answer needs, event envelopes included; a server that sends more is left."""

_POLL_SECONDS = 0.1
# Nothing else leaves the machine: the package would add the versions of system and interpreter, and
# whatever headers the environment holds.
_SENT_HEADERS = {"host", "content-type", "content-length", "accept", "accept-encoding", "connection"}
_SENT_HEADERS |= {"user-agent", "transfer-encoding"}


class StalledError(Exception):
    """Nothing came for too long; `limit` says which of the two limits was passed."""

    def __init__(self, limit: Literal["stall", "total"]) -> None:
        self.limit = limit
        super().__init__(limit)


class TooLongError(Exception):
    """The server sent more than MAX_BYTES."""


class WrongContentError(Exception):
    """The server answered 200 with something that is no answer of this API."""

    def __init__(self, content_type: str) -> None:
        self.content_type = content_type
        super().__init__(content_type)


@dataclass
class _Exchange:
    """What the reading thread shares with the asking one."""

    events: SimpleQueue[Any] = field(default_factory=SimpleQueue)
    active: float = field(default_factory=time.monotonic)
    left: Event = field(default_factory=Event)
    connection: socket.socket | None = None

    def leave(self) -> None:
        """Wake the reading thread by ending its connection."""
        self.left.set()
        if self.connection is not None:
            with suppress(OSError):  # it may have ended by itself
                self.connection.shutdown(socket.SHUT_RDWR)

    def sign_of_life(self) -> None:
        self.active = time.monotonic()


_EXCHANGE: ContextVar[_Exchange] = ContextVar("exchange")


def open_client(base_url: str, key: str, *, local_only: bool, connect_seconds: float) -> openai.OpenAI:
    """Return a client that follows no redirect, repeats nothing, and in local-only mode stays on loopback.

    Connections are not kept: each request can be left by ending its own, and none goes stale.
    """
    on_this_machine = is_loopback(httpx2.URL(base_url).host)
    in_header = ("api-key", key) if takes_api_key_header(base_url) else ("authorization", f"Bearer {key}")
    address, _, query = base_url.partition("?")

    def before(request: httpx2.Request) -> None:
        if local_only and not is_loopback(request.url.host):
            raise _not_local(host_of(str(request.url)))
        for name in set(request.headers) - _SENT_HEADERS:
            del request.headers[name]
        request.headers[in_header[0]] = in_header[1]
        request.extensions["trace"] = lambda event, info: _on_connection(event, info, local_only=local_only)

    client = openai.DefaultHttpxClient(
        verify=base_url.startswith("https:"),
        trust_env=not (local_only or on_this_machine),  # no proxy between this machine and itself
        follow_redirects=False,
        timeout=httpx2.Timeout(None, connect=connect_seconds),
        limits=httpx2.Limits(max_keepalive_connections=0),
        event_hooks={"request": [before], "response": [_on_response]},
    )
    return openai.OpenAI(
        api_key=key,
        base_url=address,
        default_query=dict([query.split("=", 1)]) if query else None,
        max_retries=0,
        http_client=client,
    )


def _not_local(host: str) -> LocalOnlyError:
    return LocalOnlyError(
        f"Local-only mode is on, and {host} is not this machine: nothing was sent. "
        "Choose a model on this machine, or turn local-only off on the Models page."
    )


def _on_connection(event: str, info: Mapping[str, Any], *, local_only: bool) -> None:
    if not event.endswith(("connect_tcp.complete", "start_tls.complete")):
        return
    stream = info["return_value"]
    exchange = _EXCHANGE.get()
    exchange.connection = stream.get_extra_info("socket")
    if local_only and not is_loopback(stream.get_extra_info("server_addr")[0]):
        stream.close()
        raise _not_local("the address that the name stands for")
    if exchange.left.is_set():
        exchange.leave()


def _on_response(response: httpx2.Response) -> None:
    exchange = _EXCHANGE.get()
    exchange.sign_of_life()
    response.stream = _Watched(response.stream, exchange)


class _Watched(httpx2.SyncByteStream):
    """A body that tells of every sign of life, and ends when there is too much of it."""

    def __init__(self, inner: Any, exchange: _Exchange) -> None:
        self._inner, self._exchange = inner, exchange

    def __iter__(self) -> Iterator[bytes]:
        received = 0
        for chunk in self._inner:
            self._exchange.sign_of_life()
            received += len(chunk)
            if received > MAX_BYTES:
                raise TooLongError
            yield chunk

    def close(self) -> None:
        self._inner.close()


_END = object()


def stream_chat(
    client: openai.OpenAI, body: Mapping[str, Any], cancel: Event, *, stall_seconds: float, deadline: float
) -> Iterator[Any]:
    """Yield the JSON values of a streamed answer as they come (one value if the server does not stream).

    Raises
    ------
    StoppedError
        `cancel` was set; the connection is ended at once.
    StalledError, TooLongError, WrongContentError, ValueError, openai.OpenAIError, httpx2.HTTPError
        What went wrong, for the provider to name.
    """
    exchange = _Exchange()
    reading: Future[None] = Future()

    def read() -> None:
        try:
            _read(client, body, exchange)
        except BaseException as error:  # noqa: BLE001 - told to the asking thread, which names it
            reading.set_exception(error)
        else:
            reading.set_result(None)
        exchange.events.put(_END)

    # A daemon: the end of the program does not wait for an answer that nobody reads any more.
    Thread(target=read, name="model answer", daemon=True).start()
    try:
        while (event := _next_event(exchange, cancel, stall_seconds, deadline)) is not _END:
            yield event
        reading.result()  # raises what ended the reading
    finally:
        exchange.leave()


def _next_event(exchange: _Exchange, cancel: Event, stall_seconds: float, deadline: float) -> Any:
    while True:
        if cancel.is_set():
            raise StoppedError("Stopped before the answer was whole.")
        now = time.monotonic()
        if now > deadline:
            raise StalledError("total")
        if now - exchange.active > stall_seconds:
            raise StalledError("stall")
        with suppress(Empty):
            return exchange.events.get(timeout=_POLL_SECONDS)


def _read(client: openai.OpenAI, body: Mapping[str, Any], exchange: _Exchange) -> None:
    _EXCHANGE.set(exchange)
    stream = client.post(
        "/chat/completions", cast_to=object, body=dict(body), stream=True, stream_cls=openai.Stream[object]
    )
    with stream:
        content_type = stream.response.headers.get("content-type", "").split(";")[0].strip().lower()
        if content_type.endswith("json"):
            exchange.events.put(stream.response.read() and stream.response.json())
            return
        if "html" in content_type or "xml" in content_type:
            raise WrongContentError(content_type)
        empty = True
        for event in stream:
            exchange.events.put(event)
            empty = False
        if empty:
            raise WrongContentError(content_type or "no content type")
