"""The exception tree. Each message says what was given, what was expected and what to do."""

from __future__ import annotations

from collections.abc import Iterable


class CounselError(Exception):
    """The root of every error that a page or the command line may show to a user."""


class InputError(CounselError):
    """Something a user typed or chose cannot be used as it is."""


class UnknownNameError(InputError):
    """A name that is not among the choices; the message lists them."""

    def __init__(self, kind: str, given: str, choices: Iterable[str]) -> None:
        self.kind, self.given, self.choices = kind, given, tuple(choices)
        listed = f"Choose one of: {', '.join(self.choices)}." if self.choices else "There is none at all."
        super().__init__(f"There is no {kind} named {given!r}. {listed}")


class DataFileError(CounselError):
    """A protocol, technique, client or other data file is wrong: file, line and key are named."""

    def __init__(self, file: str, reason: str, *, line: int | None = None, key: str = "") -> None:
        self.file, self.reason, self.line, self.key = file, reason, line, key
        place = "".join((f", line {line}" if line else "", f", key {key}" if key else ""))
        super().__init__(f"{file}{place}: {reason}")


class DatasetError(CounselError):
    """An uploaded file cannot be read as a data set: file, row and column are named where known."""

    def __init__(self, file: str, reason: str, *, row: int | None = None, column: str = "") -> None:
        self.file, self.reason, self.row, self.column = file, reason, row, column
        place = "".join((f", row {row}" if row else "", f", column {column!r}" if column else ""))
        super().__init__(f"{file}{place}: {reason}")


class RunError(CounselError):
    """A run cannot be started, resumed or read: its folder holds another plan, or is being worked on."""


class StorageError(CounselError):
    """The database cannot be read or written: locked, read-only, full, or of another version."""


class ConflictError(CounselError):
    """The session has moved on elsewhere: in another tab, for one."""


class BusyError(ConflictError):
    """It is being answered right now, or too much is at once: waiting a moment helps."""


class FrozenSessionError(CounselError):
    """The session is frozen after an imminent risk; a reviewer has to resume it first."""


class StoppedError(CounselError):
    """The user stopped the answer before it was whole."""


class ProviderError(CounselError):
    """A model could not answer."""


class MissingKeyError(ProviderError):
    """The environment variable that should hold the key of a hosted model is not set."""


class LocalOnlyError(ProviderError):
    """Local-only mode is on and the model is not on this machine."""


class UnsupportedTaskError(ProviderError):
    """The model cannot do what was asked: rules where a language model is needed, for one."""


class RequestRefusedError(ProviderError):
    """The server refused the request as such (400, 401, 403, 404): asking again changes nothing."""


class ContextOverflowError(ProviderError):
    """The prompt is longer than the model's context."""


class ProviderUnavailableError(ProviderError):
    """The server did not answer, broke off, or is overloaded: trying again may help."""


class ReplyFormatError(CounselError):
    """A model's raw output is not what was asked for; the message is told to the model.

    `chinese` says the same to a model that was asked in Chinese.
    """

    def __init__(self, message: str, chinese: str = "") -> None:
        self.chinese = chinese
        super().__init__(message)


class AgentReplyError(CounselError):
    """After the allowed tries no usable reply came. `raw` is the last raw output."""

    def __init__(self, message: str, raw: str = "") -> None:
        self.raw = raw
        super().__init__(message)
