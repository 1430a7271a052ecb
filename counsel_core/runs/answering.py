"""One-shot answers to a data set's questions by models and agents, checked before anyone sees them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from counsel_core.agents import find_agent
from counsel_core.agents._base import TurnContext, check_settings
from counsel_core.errors import AgentReplyError, InputError, ProviderError
from counsel_core.language.embeddings import embedder_for
from counsel_core.llm._base import Caller, ChatModel
from counsel_core.llm.cache import keeping_answers
from counsel_core.llm.catalogue import open_model
from counsel_core.llm.traffic import threads_for
from counsel_core.records import (
    OTHER_THERAPISTS,
    REFERENCE,
    Answer,
    Json,
    Language,
    ModelCall,
    QADataset,
    QAItem,
    Utterance,
)
from counsel_core.runs.call_facts import call_facts
from counsel_core.runs.calling import land_each
from counsel_core.runs.journal import Journal
from counsel_core.runs.snapshot import digest_of
from counsel_core.safety.reply import check_reply
from counsel_core.safety.risk import check_risk
from counsel_core.safety.texts import imminent_reply
from counsel_core.settings import Settings

ONE_SHOT = "plain"
"""The agent that gives a model the question and nothing else."""
_RULES = "guided"
_CHINESE = re.compile("[\u3400-\u9fff]")
_TRIES = 2
"""A reply that must not be shown is asked for once more, as in a session."""


@dataclass(frozen=True, slots=True)
class Respondent:
    """Who answers: an agent with a model, under the name its answers will have."""

    source: str
    agent: str
    model: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of one respondent to one item, or what went wrong. `blocked` says why it is held back."""

    item: str
    source: str
    text: str = ""
    blocked: str = ""
    error: str = ""
    calls: tuple[Json, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """The item and the source."""
        return self.item, self.source

    def as_json(self) -> Json:
        """Return the reply as the journal holds it."""
        value: Json = {"item": self.item, "source": self.source, "text": self.text, "calls": list(self.calls)}
        return value | {key: one for key in ("blocked", "error") if (one := getattr(self, key))}


@dataclass(frozen=True, slots=True)
class Answered:
    """A data set with the new answers, and what is not among them. `stopped` says why it ended early."""

    dataset: QADataset
    failed: tuple[Reply, ...] = ()
    blocked: int = 0
    without_question: int = 0
    left: int = 0
    stopped: tuple[str, ...] = ()
    calls: int = field(default=0)
    replies: tuple[Reply, ...] = ()


def journal_of(out: Path) -> Path:
    """Return the file beside a written data set that its answers are kept in as they come."""
    return out.with_name(f"{out.name}.answers.jsonl")


def read_respondents(models: Iterable[str], agents: Iterable[str]) -> tuple[Respondent, ...]:
    """Return who answers: each model by itself, and each agent, with rules or, as `agent@model`, a model.

    Raises
    ------
    UnknownNameError
        There is no such agent.
    InputError
        Nobody was named, or a name that the data set keeps for therapists.

    Examples
    --------
    >>> read_respondents(["qwen"], ["cocoa@qwen"])[1]
    Respondent(source='cocoa@qwen', agent='cocoa', model='qwen')
    """
    chosen = [Respondent(name, ONE_SHOT, name) for name in models]
    for name in agents:
        agent, _, model = name.partition("@")
        chosen.append(Respondent(name, find_agent(agent).name, model or _RULES))
    if not chosen:
        raise InputError("Nobody was named to answer: give models, agents, or both.")
    for one in chosen:
        if one.source in (REFERENCE, OTHER_THERAPISTS):
            raise InputError(f"A model named {one.source!r} cannot answer: that is the therapists' column.")
    return tuple(dict.fromkeys(chosen))


def answer_dataset(
    dataset: QADataset,
    respondents: Sequence[Respondent],
    settings: Settings,
    journal_file: Path,
    *,
    cancel: threading.Event | None = None,
    listen: Callable[[int, int], None] = lambda done, total: None,
    use_cache: bool = True,
) -> Answered:
    """Let each respondent answer each question it has not answered yet; replies are kept as they land.

    A question that speaks of an imminent risk is not given to anyone: the fixed safety text stands there,
    blocked, for it is nobody's answer. A reply that the reply check refuses twice is kept blocked too.

    Parameters
    ----------
    journal_file
        Where replies are kept; what it holds of the same work is not asked again, failures are.
    listen
        Called with how many replies there are, of how many.
    use_cache
        Whether what a model was asked before, in whichever run, is answered from the cache.

    Raises
    ------
    RunError
        The journal is of other work, or cannot be written.
    UnknownNameError, LocalOnlyError, MissingKeyError
        A model cannot be asked.
    StorageError
        The cache cannot be used.
    """
    stop = cancel or threading.Event()
    models = {one.model: open_model(one.model, settings) for one in respondents}
    tasks = _tasks(dataset, respondents)
    journal = Journal(journal_file, _digest(dataset, respondents, models), _read_reply)
    stopped: list[str] = []
    try:
        total = sum(len(items) for items in tasks.values())

        done = sum(_is_done(journal, item, one) for one, items in tasks.items() for item in items)

        def deliver(replies: list[Reply]) -> None:
            nonlocal done
            journal.append(replies)
            done += sum(not reply.error for reply in replies)
            listen(done, total)

        asks = any(model.spec.location != "rules" for model in models.values())
        with keeping_answers(settings, use=use_cache and asks) as kept:
            for one, items in tasks.items():
                due = [item for item in items if not _is_done(journal, item, one)]
                work = _Answering(one, kept(models[one.model]), settings, stop)
                end = land_each(
                    due,
                    work.reply,
                    error_of=lambda reply: reply.error,
                    deliver=deliver,
                    cancel=stop,
                    at_once=threads_for(work.model.spec),
                )
                stopped += [f"{one.source}: {end}"] if end else []
        return _result(dataset, tasks, list(journal.entries.values()), stopped)
    finally:
        journal.close()


@dataclass(frozen=True, slots=True)
class _Answering:
    """One respondent at work."""

    who: Respondent
    model: ChatModel
    settings: Settings
    cancel: threading.Event

    def reply(self, item: QAItem) -> Reply:
        """Answer one item; a failure is part of the reply."""
        question = item.question or ""
        language: Language = "zh" if _CHINESE.search(question) else "en"
        risk = check_risk(question)
        if risk.level == "imminent":
            why = f"the question speaks of an imminent risk: {', '.join(risk.evidence)}"
            return Reply(item.id, self.who.source, imminent_reply(language), why)
        calls: list[ModelCall] = []
        try:
            text, blocked = self._ask(question, language, calls, danger=risk.level != "none")
        except (ProviderError, AgentReplyError) as error:
            return Reply(item.id, self.who.source, error=str(error), calls=tuple(map(call_facts, calls)))
        return Reply(item.id, self.who.source, text, blocked, calls=tuple(map(call_facts, calls)))

    def _ask(
        self, question: str, language: Language, calls: list[ModelCall], *, danger: bool
    ) -> tuple[str, str]:
        agent = find_agent(self.who.agent)
        own = check_settings(agent, {})
        opening = agent.begin(own, language, self.settings.protocols_dir)
        first = [Utterance("counsellor", opening.text)] if opening.text else []
        for tried in range(_TRIES):
            context = TurnContext(
                Caller(self.model, calls.append, self.cancel, round=tried),
                embedder_for(language),
                language,
                own,
                opening.material,
                turn=1,
                danger=danger,
            )
            text = agent.respond(opening.state, [*first, Utterance("client", question)], context).text
            if not text.strip():
                raise AgentReplyError(f"{agent.label} wrote an empty reply.")
            found = check_reply(text)
            if not found:
                return text, ""
        return text, "; ".join(f"{one.rule}: {one.evidence}" for one in found)


def _tasks(dataset: QADataset, respondents: Sequence[Respondent]) -> dict[Respondent, list[QAItem]]:
    """Return the items each respondent has no answer to yet; those without a question cannot be answered."""
    there = {(answer.item, answer.source) for answer in dataset.answers}
    return {
        one: [item for item in dataset.items if item.question and (item.id, one.source) not in there]
        for one in respondents
    }


def _is_done(journal: Journal[Reply], item: QAItem, who: Respondent) -> bool:
    reply = journal.entries.get((item.id, who.source))
    return reply is not None and not reply.error


def _result(
    dataset: QADataset,
    tasks: dict[Respondent, list[QAItem]],
    replies: Sequence[Reply],
    stopped: Sequence[str],
) -> Answered:
    by_key = {reply.key: reply for reply in replies}
    answers = list(dataset.answers)
    failed, left = [], 0
    for who, items in tasks.items():
        for item in items:
            reply = by_key.get((item.id, who.source))
            if reply is None:
                left += 1
            elif reply.error:
                failed.append(reply)
            else:
                answers.append(Answer(item.id, who.source, reply.text, item.row, blocked=bool(reply.blocked)))
    return Answered(
        dataset=replace(dataset, answers=tuple(answers)),
        failed=tuple(failed),
        blocked=sum(bool(reply.blocked) for reply in replies),
        without_question=sum(not item.question for item in dataset.items),
        left=left,
        stopped=tuple(stopped),
        calls=sum(len(reply.calls) for reply in replies),
        replies=tuple(replies),
    )


def _digest(dataset: QADataset, respondents: Sequence[Respondent], models: dict[str, ChatModel]) -> str:
    who = [(one.source, one.agent, one.model, models[one.model].spec.model) for one in respondents]
    return sha256(f"{digest_of(dataset)}\n{who!r}".encode()).hexdigest()


def _read_reply(value: Json) -> Reply:
    return Reply(
        value["item"],
        value["source"],
        value["text"],
        value.get("blocked", ""),
        value.get("error", ""),
        tuple(value["calls"]),
    )
