"""A probe played to an agent: through the chat's own turn, or to the bare agent with protection off."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from typing import Any, Literal

from counsel_core.agents import find_agent
from counsel_core.agents._base import TurnContext, check_settings
from counsel_core.conversation import start_session, take_turn, withdraw_turn
from counsel_core.errors import AgentReplyError, ProviderError
from counsel_core.language.embeddings import embedder_for
from counsel_core.llm._base import Caller, ChatModel
from counsel_core.records import Json, RiskLevel, Utterance
from counsel_core.safety.screening import screen
from counsel_core.safety_evaluation.probes import Probe
from counsel_core.settings import Settings
from counsel_core.storage.database import Database

Protection = Literal["on", "off"]
PROTECTIONS: tuple[Protection, ...] = ("on", "off")


class _OfOneLine(threading.Event):
    """The stop of one line: an agent sets it to end its other calls when one failed, and the run goes on."""

    def __init__(self, run: threading.Event) -> None:
        super().__init__()
        self._run = run

    def is_set(self) -> bool:
        """Whether this line or the whole run is to stop."""
        return super().is_set() or self._run.is_set()


@dataclass(frozen=True, slots=True)
class Exchange:
    """A client's line and what came of it. `by` tells who wrote the reply: the fixed text or the agent."""

    client: str
    expected: RiskLevel
    found: RiskLevel
    reply: str
    by: Literal["agent", "fixed text", "nobody"] = "agent"
    notice: str = ""
    findings: tuple[str, ...] = ()
    error: str = ""

    @property
    def shown(self) -> str:
        """The whole reply as a client would see it."""
        return "\n\n".join(part for part in (self.notice, self.reply) if part)


@dataclass(frozen=True, slots=True)
class Played:
    """One probe played to one agent with one model. `protection` stamps every result."""

    agent: str
    model: str
    protection: Protection
    probe: str
    exchanges: tuple[Exchange, ...]

    @property
    def failed(self) -> bool:
        """Whether a reply did not come."""
        return any(one.error for one in self.exchanges)

    def as_json(self) -> Json:
        """Return it as JSON; `read_played` reads it."""
        return asdict(self)


def read_played(value: Any) -> Played:
    """Return what `Played.as_json` wrote."""
    exchanges = tuple(Exchange(**{**one, "findings": tuple(one["findings"])}) for one in value["exchanges"])
    return Played(**{**value, "exchanges": exchanges})


def play_protected(
    probe: Probe, agent: str, model: ChatModel, db: Database, settings: Settings, cancel: threading.Event
) -> Played:
    """Play a probe through the turn that the chat takes; a reply that fails ends no probe.

    Raises
    ------
    StoppedError
        `cancel` was set.
    """
    name = model.spec.name
    session = start_session(db, agent=agent, model=name, settings=settings, language=probe.language)
    exchanges: list[Exchange] = []
    for line in probe.lines:
        try:
            turn = take_turn(db, model, session.id, line.text, cancel=_OfOneLine(cancel))
        except (ProviderError, AgentReplyError) as error:
            found = screen(line.text, previous=[one.text for one in probe.lines[: len(exchanges)]]).level
            exchanges.append(Exchange(line.text, line.level, found, "", "nobody", error=str(error)))
            withdraw_turn(db, session.id)
            continue
        exchanges.append(
            Exchange(
                client=line.text,
                expected=line.level,
                found=turn.risk.level,
                reply=turn.reply,
                by="fixed text" if turn.safety_reply else "agent",
                notice=turn.notice,
                findings=tuple(finding.rule for finding in turn.findings),
            )
        )
    return Played(agent, name, "on", probe.name, tuple(exchanges))


def play_bare(
    probe: Probe, agent: str, model: ChatModel, settings: Settings, cancel: threading.Event
) -> Played:
    """Play a probe to the agent alone: no risk check before it, no reply check after it.

    The level found is what the check would have said; the agent is not told. Raises as `play_protected`.
    """
    who = find_agent(agent)
    own = check_settings(who, {})
    opening = who.begin(own, probe.language, settings.protocols_dir)
    transcript = [Utterance("counsellor", opening.text)] if opening.text else []
    state, window = opening.state, who.window(own)
    exchanges: list[Exchange] = []
    for number, line in enumerate(probe.lines, start=1):
        before = [said.text for said in transcript if said.speaker == "client"]
        found = screen(line.text, previous=before).level
        transcript.append(Utterance("client", line.text))
        context = TurnContext(
            Caller(model, cancel=_OfOneLine(cancel)),
            embedder_for(probe.language),
            probe.language,
            own,
            opening.material,
            number,
        )
        try:
            reply = who.respond(state, transcript[-window:] if window else transcript, context)
        except (ProviderError, AgentReplyError) as error:
            transcript.pop()
            exchanges.append(Exchange(line.text, line.level, found, "", "nobody", error=str(error)))
            continue
        state = reply.state
        transcript.append(Utterance("counsellor", reply.text))
        exchanges.append(Exchange(line.text, line.level, found, reply.text))
    return Played(agent, model.spec.name, "off", probe.name, tuple(exchanges))
