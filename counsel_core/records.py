"""Every record that crosses a module's border: the vocabulary of the project on one screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Json = dict[str, Any]
Language = Literal["en", "zh"]
Speaker = Literal["client", "counsellor"]
RiskLevel = Literal["none", "concern", "imminent"]
TurnStatus = Literal["pending", "answered", "failed", "stopped"]
FinishReason = Literal["stop", "length"]

Preset = Literal["paper", "standard"]
GoldPolicy = Literal["upvotes", "first", "longest", "all"]

REFERENCE = "reference"  # the gold standard: the therapists' answers every source is compared with
OTHER_THERAPISTS = "other_therapists"  # their further answers: the human yardstick beside every model

LANGUAGES: tuple[Language, ...] = ("en", "zh")
RISK_LEVELS: tuple[RiskLevel, ...] = ("none", "concern", "imminent")

LONGEST_LINE = 8000  # characters of what a client says in one turn


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one side said once; a transcript is a sequence of these, oldest first."""

    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a model. Its parts are concatenated; storage keeps each part once."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[str, ...]

    @property
    def content(self) -> str:
        """The text the model reads."""
        return "".join(self.parts)


@dataclass(frozen=True, slots=True)
class Task:
    """What a request is for. `rules` answers it from the typed inputs, without a language model.

    A task without rules needs a language model: the guided provider refuses it by name.
    """

    name: str
    rules: Callable[[Any], str] | None = None


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A question to a model: messages to read, and their inputs. `repeat` asks an equal one anew."""

    task: Task
    messages: tuple[Message, ...]
    inputs: Any
    language: Language = "en"
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 1024
    temperature: float | None = None
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer; what it wrote as thinking is apart. Token counts may be unknown or estimated."""

    text: str
    seconds: float
    finish: FinishReason = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens_estimated: bool = False
    reasoning: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class ModelCall:
    """The record of one attempt to get an answer, kept whether it succeeded or not."""

    task: str
    model: str
    messages: tuple[Message, ...]
    text: str
    seconds: float
    repairs: tuple[str, ...] = ()
    error: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens_estimated: bool = False
    reasoning: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model a user can choose. `location` says where words go: nowhere, a server here, a host."""

    name: str
    provider: str
    label: str
    location: Literal["rules", "process", "loopback", "remote"]
    base_url: str = ""
    model: str = ""
    key_variable: str = ""
    context_length: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Risk:
    """What the risk check found in one utterance: the phrases, and which second opinions raised it."""

    level: RiskLevel = "none"
    evidence: tuple[str, ...] = ()
    opinions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing an agent's reply must not do, with the phrase that shows it."""

    rule: str
    evidence: str


@dataclass(frozen=True, slots=True)
class AgentReply:
    """What an agent makes of one client utterance; `trace` holds every intermediate, as JSON."""

    text: str
    state: Any
    trace: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Session:
    """A chat, or later a simulated dialogue. `state` is the agent's state after the last turn."""

    id: str
    title: str
    agent: str
    model: str
    language: Language
    settings: Json
    material: Json
    opening: str
    state: Json
    created: datetime
    updated: datetime
    turn_count: int = 0
    complete: bool = False
    risk: RiskLevel = "none"
    frozen: bool = False
    sample_client: str | None = None
    parent: str | None = None
    parent_turn: int | None = None
    overridden: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `notice` is the safety text put before the reply, `model` the label of what wrote it."""

    session: str
    number: int
    status: TurnStatus
    client: str
    created: datetime
    author: Literal["person", "sample client"] = "person"
    reply: str = ""
    notice: str = ""
    safety_reply: bool = False
    risk: Risk = field(default_factory=Risk)
    findings: tuple[Finding, ...] = ()
    trace: Json = field(default_factory=dict)
    state_delta: Json = field(default_factory=dict)
    error: str | None = None
    model: str | None = None
    seconds: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens_estimated: bool = False

    @property
    def shown(self) -> str:
        """The counsellor's whole line as the client sees it."""
        return "\n\n".join(part for part in (self.notice, self.reply) if part)


@dataclass(frozen=True, slots=True)
class Override:
    """A clinician's change to the state between two turns, kept and marked as such."""

    session: str
    after_turn: int
    kind: str
    arguments: Json
    summary: str
    created: datetime


@dataclass(frozen=True, slots=True)
class Note:
    """A reader's remark on a turn (0 is the opening)."""

    id: int
    session: str
    turn: int
    text: str
    created: datetime


@dataclass(frozen=True, slots=True)
class RowNote:
    """What was repaired or dropped in one row of a file; rows count from 1, the header is row 1."""

    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class QAItem:
    """One question. `question` is None where the file has none; texts stay as given.

    `columns` holds the file's other columns of few values, any of which may serve as the topic.
    """

    id: str
    question: str | None
    topic: str | None
    row: int
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of one source to one item, as given. `position` tells apart several of one source.

    A blocked answer was held back by the reply check: it is counted, never shown and never scored.
    """

    item: str
    source: str
    text: str
    row: int
    position: int = 0
    blocked: bool = False


@dataclass(frozen=True, slots=True)
class QADataset:
    """Questions with the answers of several sources. `sha256` is that of the file's bytes."""

    name: str
    sha256: str
    format: str
    encoding: str
    policy: GoldPolicy
    items: tuple[QAItem, ...]
    answers: tuple[Answer, ...]
    repaired: tuple[RowNote, ...] = ()
    dropped: tuple[RowNote, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources in order: the reference, other therapists, then as they come in the file."""
        named = dict.fromkeys(answer.source for answer in self.answers)
        first = [source for source in (REFERENCE, OTHER_THERAPISTS) if source in named]
        return (*first, *(source for source in named if source not in first))


@dataclass(frozen=True, slots=True)
class Score:
    """What one metric gives one answer. A missing value has its reason and is None, never 0.

    `detail` holds what the value was made of, as JSON: a judge's raw answers, ranked emotions.
    """

    item: str
    topic: str | None
    source: str
    metric: str
    value: float | None
    reason: str = ""
    position: int = 0
    detail: Json = field(default_factory=dict)
