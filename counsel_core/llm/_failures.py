"""From what went wrong on the wire to a named error: which model, which host, what happened, what to do."""

from __future__ import annotations

import email.utils
import re
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import openai

from counsel_core.errors import (
    ContextOverflowError,
    ProviderError,
    ProviderUnavailableError,
    RequestRefusedError,
)
from counsel_core.llm._wire import StalledError, TooLongError, WrongContentError
from counsel_core.llm.location import host_of
from counsel_core.records import ModelSpec

TRANSIENT = {408, 429, 500, 502, 503, 504}
"""Only these are worth the same request again."""

_OVERFLOW = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|exceeds? the (?:available|model'?s?) context|"
    r"(?:prompt|input|request) (?:is )?too (?:long|large)|too many (?:input )?tokens|n_ctx"
)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance")
_KEYLIKE = re.compile(r"(?i)\b(?:sk|pk|key|bearer)[-_ :][\w*.\-]{6,}")


@dataclass(frozen=True)
class Failure:
    """One failed request. `wait` is what the server asks for, in seconds; `said` its own words."""

    error: ProviderError
    transient: bool = False
    wait: float | None = None
    status: int | None = None
    said: str = ""


class Failures:
    """Names the failures of one model; the key is kept out of every text."""

    def __init__(self, spec: ModelSpec, key: str) -> None:
        self._who = f"{spec.label} ({host_of(spec.base_url)})"
        self._model, self._key = spec.model, key

    def name(self, error: Exception, *, begun: bool) -> Failure | None:
        """Return the named failure, or None for an error that is not the server's or the network's.

        `begun` says that part of the answer had come: then it is not asked for again unbidden.
        """
        if isinstance(error, openai.APIStatusError):
            return self._status(error.status_code, error.body, error.response.headers)
        if isinstance(error, StalledError):
            return self._stalled(error)
        if isinstance(error, TooLongError):
            return self.too_long()
        if isinstance(error, WrongContentError):
            return self._wrong_content(error)
        if isinstance(error, openai.APIConnectionError | httpx2.HTTPError | httpx2.StreamError):
            return self._connection(error, begun=begun)
        if isinstance(error, openai.APIError):
            return self.in_stream(error.body if error.body is not None else error.message)
        if isinstance(error, ValueError | RecursionError):  # no JSON, or no UTF-8, in an event
            return self.no_json()
        return None

    def in_stream(self, body: Any) -> Failure:
        """Name an error that the server sent within an answer."""
        said = self._said(body)
        code = body.get("code") if isinstance(body, Mapping) else None
        if _OVERFLOW.search(said.lower()) or code in (400, 401, 403, 404):
            return self._status(code if isinstance(code, int) else 400, body, {})
        text = f"{self._who} broke off its answer with an error{self._quoted(body)}. Try again in a moment."
        return Failure(ProviderUnavailableError(text), said=said)

    def too_long(self) -> Failure:
        """Name an answer that is longer than any should be."""
        text = f"{self._who} does not come to an end: its answer was left as too long. "
        return Failure(ProviderError(text + "Check the server, or choose another model."))

    def no_json(self) -> Failure:
        """Name an event that is no JSON object."""
        text = f"{self._who} sent a part of its answer that is no valid JSON. "
        return Failure(ProviderUnavailableError(text + "Try again; if it stays, check the server."))

    def no_choices(self) -> Failure:
        """Name an answer that holds no choice at all."""
        text = f"{self._who} answered without any text to choose (no `choices`). "
        return Failure(ProviderUnavailableError(text + "Try again; if it stays, check the server."))

    def broke_off(self) -> Failure:
        """Name an answer whose end never came."""
        text = f"{self._who} closed the connection before its answer was complete; what came is not used. "
        return Failure(ProviderUnavailableError(text + "Try again."))

    def blocked(self) -> Failure:
        """Name an answer that the provider's own filter took away."""
        text = f"{self._who} withheld its answer: the provider's content filter blocked it. "
        return Failure(RequestRefusedError(text + "Choose another model for this conversation."))

    def _status(self, status: int, body: Any, headers: Mapping[str, str]) -> Failure:
        said = self._said(body)
        wait = _retry_after(headers)
        if status in (400, 413, 422, 500) and _OVERFLOW.search(said.lower()):
            text = f"The prompt is longer than {self._who} can read{self._quoted(body)}. "
            advice = "Choose a model with a longer context, or start a new session."
            return Failure(ContextOverflowError(text + advice), status=status, said=said)
        if status == 429 and _QUOTA.search(said.lower()):
            text = f"{self._who} refuses: its quota or credit is used up (429). Check the account's billing."
            return Failure(RequestRefusedError(text), status=status, said=said)
        advice = _ADVICE.get(
            status, "Try again in a moment." if status >= 500 else "Check the model's entry."
        )
        # Servers repeat parts of a wrong key: their words on it are not shown.
        quoted = "" if status in (401, 403) else self._quoted(body)
        if status == 404:
            advice = advice.format(model=self._model)
        asked = f" It asks to wait {wait:.0f} s." if wait is not None and wait > 1 else ""
        text = f"{self._who} answered {status}{quoted}.{asked} {advice}"
        kind = ProviderUnavailableError if status in TRANSIENT or status >= 500 else RequestRefusedError
        return Failure(kind(text), status in TRANSIENT, wait, status, said)

    def _stalled(self, error: StalledError) -> Failure:
        if error.limit == "stall":
            text = f"{self._who} sent nothing for longer than its entry in the models file allows. "
        else:
            text = f"{self._who} did not finish in the time that its entry in the models file allows. "
        return Failure(
            ProviderUnavailableError(text + "Try again, allow more time, or choose another model.")
        )

    def _wrong_content(self, error: WrongContentError) -> Failure:
        if error.content_type == "text/event-stream":
            return self.broke_off()
        text = f"{self._who} answered with {error.content_type}, not with a chat answer. "
        advice = "Check the base URL: it usually ends in /v1, and a proxy or log-in page may be in between."
        return Failure(RequestRefusedError(text + advice))

    def _connection(self, error: Exception, *, begun: bool) -> Failure:
        causes = list(_causes(error))
        if begun:
            return self.broke_off()
        if any(isinstance(cause, ssl.SSLError) for cause in causes) or "CERTIFICATE" in repr(causes):
            text = f"No secure connection to {self._who}: its certificate cannot be verified. "
            return Failure(ProviderUnavailableError(text + "Check the base URL and the certificate."))
        if any(isinstance(cause, socket.gaierror) for cause in causes):
            text = f"The host of {self._who} cannot be found. Check the base URL and the network."
            return Failure(ProviderUnavailableError(text), transient=True)
        if any(isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout) for cause in causes):
            text = f"Nothing answers at the address of {self._who}. "
            advice = "Start its server or check the base URL, then try again; or choose another model."
            return Failure(ProviderUnavailableError(text + advice), transient=True)
        text = f"The connection to {self._who} broke before an answer came. Try again."
        return Failure(ProviderUnavailableError(text), transient=True)

    def _said(self, body: Any) -> str:
        """Return the server's words on one line: parameter, code and message."""
        if isinstance(body, Mapping):
            inner = body.get("error", body)
            if isinstance(inner, Mapping):
                body = " ".join(
                    str(inner[key]) for key in ("param", "code", "type", "message") if inner.get(key)
                )
            else:
                body = inner
        text = " ".join(str(body or "").split())
        return _KEYLIKE.sub("[key]", text.replace(self._key, "[key]") if len(self._key) > 4 else text)

    def _quoted(self, body: Any) -> str:
        if isinstance(body, Mapping) and isinstance(body.get("message"), str):
            body = body["message"]
        said = self._said(body)
        if not said or said.lstrip().startswith("<"):
            return ""
        return f' ("{said[:200]}{"…" if len(said) > 200 else ""}")'


_ADVICE = {
    400: "The request does not suit this server; choose another model or check its entry.",
    401: "The key was not accepted: check the variable that the entry names.",
    402: "The account has no credit left.",
    403: "The key may not use this model: check the account's rights.",
    404: "The server knows no such address or no model {model!r}: check base URL and model id.",
    429: "It has too many requests: wait a moment, then try again.",
}


def _causes(error: BaseException | None) -> Any:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, given as milliseconds, seconds or a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        given = headers.get(name, "")
        if re.fullmatch(r"\d+(\.\d+)?", given.strip()):
            return float(given) * unit
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())
