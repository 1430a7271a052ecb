"""A scripted server that speaks the OpenAI chat API on a random loopback port, well or badly.

    with OpenAIServer() as server:
        server.answers(text("Hello."), status(429, retry_after=1), text("Hello again."))
        ... point a model's base URL at server.base_url ...
        assert len(server.log) == 3

A script is a queue of answers (the last one stays), or a function of the request's JSON body. An answer is
a function that gets the handler and the body, and writes what it likes.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
Answer = Callable[["Handler", Body], None]


@dataclass
class Logged:
    """One request as it came in; `left` is set when the client went away before the end."""

    path: str
    headers: dict[str, str]
    body: Body
    at: float = field(default_factory=time.monotonic)
    left: threading.Event = field(default_factory=threading.Event)


class OpenAIServer:
    """The server; `log` holds the chat requests in their order."""

    def __init__(self, models: Sequence[str] = ("scripted",)) -> None:
        self.log: list[Logged] = []
        self.closing = threading.Event()
        self.models = tuple(models)
        self._script: list[Answer] = [text("Hello.")]
        self._lock = threading.Lock()
        self._server = _Listening(("127.0.0.1", 0), Handler)
        self._server.scripted = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        """What goes into a model's entry."""
        return f"http://127.0.0.1:{self.port}/v1"

    def answers(self, *script: Answer) -> None:
        """Answer the next requests in this order; the last answer stays."""
        with self._lock:
            self._script = list(script)

    def answers_by(self, choose: Callable[[Body], Answer]) -> None:
        """Answer every request as `choose` says of its body."""
        self.answers(lambda handler, body: choose(body)(handler, body))

    def next_answer(self) -> Answer:
        """Take the next answer of the script."""
        with self._lock:
            return self._script.pop(0) if len(self._script) > 1 else self._script[0]

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Listening(ThreadingHTTPServer):
    """Takes many connections at the same moment; others would wait a second to be tried again."""

    daemon_threads = True
    request_queue_size = 256


class Handler(BaseHTTPRequestHandler):
    """Reads one request, logs it, and lets the script answer."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    logged: Logged

    @property
    def scripted(self) -> OpenAIServer:
        return self.server.scripted  # type: ignore[attr-defined,no-any-return]

    def do_GET(self) -> None:
        if not self.path.endswith("/models"):
            self.send_json(404, {"error": {"message": f"no such path: {self.path}"}})
            return
        listed = [{"id": model, "object": "model"} for model in self.scripted.models]
        self.send_json(200, {"object": "list", "data": listed})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        self.logged = Logged(self.path, {key.lower(): value for key, value in self.headers.items()}, body)
        self.scripted.log.append(self.logged)
        try:
            self.scripted.next_answer()(self, body)
        except (BrokenPipeError, ConnectionResetError):
            self.logged.left.set()
            self.close_connection = True

    def send_body(self, code: int, content: bytes, content_type: str, headers: dict[str, str]) -> None:
        self.send_response(code)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(content)))
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(content)

    def send_json(self, code: int, content: Any, headers: dict[str, str] | None = None) -> None:
        self.send_body(code, json.dumps(content).encode(), "application/json", headers or {})

    def start_stream(self, content_type: str = "text/event-stream") -> None:
        self.send_response(200)
        self.send_header("content-type", content_type)
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def send_event(self, event: Any) -> None:
        data = event if isinstance(event, str) else json.dumps(event)
        self.wfile.write(f"data: {data}\n\n".encode())
        self.wfile.flush()

    def pause(self, seconds: float) -> None:
        """Wait, but no longer than the client or the server is there."""
        until = time.monotonic() + seconds
        self.connection.setblocking(False)
        try:
            while time.monotonic() < until and not self.scripted.closing.wait(0.01):
                try:
                    gone = self.connection.recv(1, socket.MSG_PEEK) == b""
                except BlockingIOError:
                    continue
                if gone:
                    raise BrokenPipeError
        finally:
            self.connection.setblocking(True)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Keep quiet: the log is in `OpenAIServer.log`."""

    def reset(self) -> None:
        """End the connection with a reset, as a crashed server does."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.rfile.close()
        raise BrokenPipeError


def event(content: str | None = None, finish: str | None = None, **delta: Any) -> Body:
    """One chunk of a streamed answer."""
    said = {**({} if content is None else {"content": content}), **delta}
    choice = {"index": 0, "delta": said, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "model": "scripted", "choices": [choice]}


def events(*script: Any, pause: float = 0.0, done: bool = True) -> Answer:
    """Stream these events as they are; a number between them is a pause in seconds."""

    def answer(handler: Handler, body: Body) -> None:
        handler.start_stream()
        for item in script:
            if isinstance(item, float):
                handler.pause(item)
                continue
            handler.send_event(item)
            if pause:
                handler.pause(pause)
        if done:
            handler.send_event("[DONE]")

    return answer


def text(
    content: str,
    *,
    finish: str = "stop",
    pieces: int = 3,
    pause: float = 0.0,
    reasoning: str = "",
    tokens: tuple[int, int] | None = (7, 3),
) -> Answer:
    """Stream a whole answer in pieces, with a pause before each."""

    def answer(handler: Handler, body: Body) -> None:
        size = max(1, -(-len(content) // pieces))
        script: list[Any] = [event(role="assistant")]
        if reasoning:
            script.append(event(reasoning_content=reasoning))
        script += [event(content[start : start + size]) for start in range(0, len(content), size)]
        script.append(event(finish=finish))
        if tokens and body.get("stream_options", {}).get("include_usage"):
            usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
            script.append({"choices": [], "usage": usage})
        events(*script, pause=pause)(handler, body)

    return answer


def by_schema(fill: Callable[[str, Body], Any] | None = None) -> Answer:
    """Stream the smallest object that fits the schema sent; `fill(key, schema)` may give a value."""

    def answer(handler: Handler, body: Body) -> None:
        schema = body["response_format"]["json_schema"]["schema"]
        text(json.dumps(_fitting(schema, "", fill), ensure_ascii=False))(handler, body)

    return answer


def _fitting(schema: Body, key: str, fill: Callable[[str, Body], Any] | None) -> Any:
    given = fill(key, schema) if fill else None
    if given is not None:
        return given
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: _fitting(inner, name, fill) for name, inner in schema.get("properties", {}).items()}
    plain = {
        "string": f"some {key}",
        "integer": int(schema.get("minimum", 0)),
        "number": 0.0,
        "boolean": True,
    }
    return plain.get(kind, [] if kind == "array" else None)


def status(
    code: int, message: str = "", /, *, retry_after: str | float | None = None, **error: Any
) -> Answer:
    """Answer with an error as OpenAI words it."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    content = {"error": {"message": message or f"scripted error {code}", **error}}
    return lambda handler, body: handler.send_json(code, content, headers)


def page(code: int = 200) -> Answer:
    """Answer with an HTML page, as proxies and log-in walls do."""
    content = b"<!DOCTYPE html><html><body><h1>Bad gateway</h1></body></html>"
    return lambda handler, body: handler.send_body(code, content, "text/html; charset=utf-8", {})


def raw(content: bytes, content_type: str = "text/event-stream", code: int = 200) -> Answer:
    """Answer with these bytes."""
    return lambda handler, body: handler.send_body(code, content, content_type, {})


def redirect(target: str) -> Answer:
    """Send the client elsewhere."""
    return lambda handler, body: handler.send_body(307, b"", "text/plain", {"location": target})


def whole(content: str, finish: str = "stop") -> Answer:
    """Answer without streaming, though asked to stream."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
    usage = {"prompt_tokens": 5, "completion_tokens": 2}
    return lambda handler, body: handler.send_json(200, {"choices": [choice], "usage": usage})


def drop(after: str = "Once upon") -> Answer:
    """Break the connection in mid-answer (before any, if `after` is empty)."""

    def answer(handler: Handler, body: Body) -> None:
        if after:
            handler.start_stream()
            handler.send_event(event(after))
            handler.pause(0.05)
        handler.reset()

    return answer


def hang(seconds: float = 60.0, after: str = "") -> Answer:
    """Say nothing for long, at once or after the first words; notices a client that leaves."""

    def answer(handler: Handler, body: Body) -> None:
        if after:
            handler.start_stream()
            handler.send_event(event(after))
        handler.pause(seconds)
        handler.close_connection = True

    return answer


def refuses(**limits: str) -> Callable[[Body], Answer | None]:
    """Return a check that refuses request bodies holding a key whose JSON matches a pattern.

    `refuses(response_format="json_schema")` refuses every body whose `response_format` speaks of
    json_schema, with a 400 that says so; None means that nothing is wrong.
    """

    def check(body: Body) -> Answer | None:
        for key, pattern in limits.items():
            if key in body and re.search(pattern, json.dumps(body[key])):
                return status(400, f"{key}: {pattern} is not supported", param=key)
        return None

    return check
