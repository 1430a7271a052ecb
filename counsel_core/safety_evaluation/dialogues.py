"""Long dialogues about danger, played through the chat's own turn and written down turn by turn.

The client's lines are in `data/safety/dialogues/`, in the form of the sample clients. The guided rules answer
in English; where a language model answered, its words are kept beside the lines and played back, so that
everything around them can be made anew.
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from counsel_core.agents import find_agent
from counsel_core.clients import SampleClient, load_clients
from counsel_core.conversation import start_session, take_turn
from counsel_core.errors import DataFileError, ProviderUnavailableError
from counsel_core.llm._base import ChatModel
from counsel_core.llm.catalogue import open_model
from counsel_core.records import Completion, ModelRequest, ModelSpec, Turn
from counsel_core.runs.folder import write_json, write_whole
from counsel_core.safety.patterns import SAFETY_DATA
from counsel_core.settings import PROJECT, Settings
from counsel_core.storage.database import open_database

FOLDER = SAFETY_DATA / "dialogues"
TRANSCRIPTS = PROJECT / "docs" / "transcripts"


@dataclass
class Recorder:
    """A model whose answers are kept in the order in which they came."""

    model: ChatModel
    answers: list[str] = field(default_factory=list)

    @property
    def spec(self) -> ModelSpec:
        """The entry of the model that is asked."""
        return self.model.spec

    def complete(self, request: ModelRequest, cancel: threading.Event) -> Completion:
        """Ask the model and keep what it says."""
        completion = self.model.complete(request, cancel)
        self.answers.append(completion.text)
        return completion


@dataclass
class Recorded:
    """A model that says again what another one said, in the same order."""

    label: str
    answers: list[str]
    _said: int = 0

    @property
    def spec(self) -> ModelSpec:
        """An entry under the label of the model that spoke."""
        return ModelSpec("recorded", "recorded", self.label, "rules")

    def complete(self, request: ModelRequest, cancel: threading.Event) -> Completion:  # noqa: ARG002 - as ChatModel
        """Say the next answer; ProviderUnavailableError when there is no more."""
        if self._said >= len(self.answers):
            raise ProviderUnavailableError(
                f"{self.label} was recorded for {len(self.answers)} answers; record the dialogue anew."
            )
        self._said += 1
        return Completion(self.answers[self._said - 1], 0.0)


def write_transcripts(
    settings: Settings, folder: Path = TRANSCRIPTS, record: str | None = None
) -> list[Path]:
    """Play every dialogue and write its transcript; return the files.

    `record` names a model that answers anew where the guided rules cannot; without it the answers kept
    beside the lines are played back.

    Raises
    ------
    DataFileError
        Lines or recorded answers are missing or wrong.
    ProviderError
        The model cannot answer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for client in load_clients(FOLDER).values():
        if record is not None and client.language != "en":
            recorder = Recorder(open_model(record, settings))
            play_dialogue(client, recorder, settings)
            answers = {"model": recorder.spec.label, "answers": recorder.answers}
            write_json(_recording(client), answers)
        path = folder / f"{client.name}.md"
        write_whole(path, transcript_of(client, settings).encode())
        written.append(path)
    return written


def transcript_of(client: SampleClient, settings: Settings) -> str:
    """Return a dialogue's transcript as Markdown, as the code of today makes it."""
    model = open_model("guided", settings) if client.language == "en" else _recorded(client)
    return _as_markdown(client, model.spec.label, play_dialogue(client, model, settings))


def play_dialogue(client: SampleClient, model: ChatModel, settings: Settings) -> list[Turn]:
    """Take a turn for each line, in a database that is gone afterwards."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        open_database(f"sqlite:///{scratch}/dialogue.sqlite3") as db,
    ):
        session = start_session(
            db, agent=client.agent, model=model.spec.name, settings=settings, language=client.language
        )
        return [take_turn(db, model, session.id, line) for line in client.lines]


def _recording(client: SampleClient) -> Path:
    return FOLDER / f"{client.name}.answers.json"


def _recorded(client: SampleClient) -> Recorded:
    path = _recording(client)
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return Recorded(kept["model"], kept["answers"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataFileError(path.name, f"it cannot be read: {error}; record the dialogue anew") from error


def _as_markdown(client: SampleClient, label: str, turns: Iterable[Turn]) -> str:
    made = f"Agent: {find_agent(client.agent).label}. Model: {label}. "
    made += "Made by `python -m counsel_core write-safety-transcripts`; do not edit."
    head = [f"# {client.label}", "", client.about, "", made]
    return "\n".join([*head, *(line for turn in turns for line in _turn(turn))]) + "\n"


def _turn(turn: Turn) -> list[str]:
    evidence = ", ".join(f"“{phrase}”" for phrase in turn.risk.evidence)
    opinions = f" ({'; '.join(turn.risk.opinions)})" if turn.risk.opinions else ""
    level = turn.risk.level + (f": {evidence}" if evidence else "") + opinions
    lines = ["", f"## Turn {turn.number}", "", f"**Client** – risk {level}", "", _quoted(turn.client)]
    if turn.notice:
        lines += ["", "**Question about safety, before the reply**", "", _quoted(turn.notice)]
    who = "Fixed safety text; the session is frozen" if turn.safety_reply else "Agent"
    if turn.findings:
        who += f"; held back once or more: {', '.join(one.rule for one in turn.findings)}"
    return [*lines, "", f"**{who}**", "", _quoted(turn.reply)]


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
