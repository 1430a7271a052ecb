"""Metrics that ask a judge: several calls at once, each result kept as it lands."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from counsel_core.errors import AgentReplyError, ProviderError
from counsel_core.llm._base import Caller, ChatModel
from counsel_core.llm.traffic import threads_for
from counsel_core.metrics import find_metric
from counsel_core.metrics._base import MetricContext, ScoreInput
from counsel_core.records import Json, ModelCall
from counsel_core.runs.call_facts import call_facts
from counsel_core.runs.calling import land_each
from counsel_core.runs.journal import Entry, Key
from counsel_core.runs.text_scoring import score_one


def score_by_judge(
    tasks: Sequence[Key],
    inputs: Sequence[ScoreInput],
    context: MetricContext,
    judge: ChatModel,
    *,
    deliver: Callable[[list[Entry]], None],
    cancel: threading.Event,
    at_once: int | None = None,
) -> str:
    """Score tasks by a judge; return '' or, after repeated failures, the word that says why it stopped.

    An item whose calls fail is delivered with its error; an answer of the judge that cannot be read
    is a missing value. `deliver` is called in this thread. `at_once` items are at work at the same time;
    None: as many as keep the judge busy.
    """

    def score(task: Key) -> Entry:
        unit, name = task
        calls: list[ModelCall] = []
        asking = replace(context, judge=Caller(judge, calls.append, cancel))
        try:
            entry = score_one(find_metric(name), unit, inputs[unit], asking)
        except ProviderError as error:
            return Entry(unit, name, detail=_with_calls({}, calls), error=str(error))
        except AgentReplyError as error:
            return Entry(unit, name, None, str(error), _with_calls({}, calls))
        return replace(entry, detail=_with_calls(entry.detail, calls))

    return land_each(
        tasks,
        score,
        error_of=lambda entry: entry.error,
        deliver=deliver,
        cancel=cancel,
        at_once=at_once or threads_for(judge.spec),
    )


def _with_calls(detail: Json, calls: Sequence[ModelCall]) -> Json:
    """Return the detail with every raw answer of the judge, and a hash of the prompt it answers."""
    return {**detail, "calls": [_call(call) for call in calls]}


def _call(call: ModelCall) -> Json:
    prompt = "\x00".join(f"{message.role}\x00{message.content}" for message in call.messages)
    thought = {"reasoning": call.reasoning} if call.reasoning else {}
    digest = hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return {"prompt": digest, "text": call.text, **thought, **call_facts(call)}
