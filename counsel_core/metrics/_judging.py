"""Metrics that a language model judges: what it is asked, how it is read, and what is kept of it."""

from __future__ import annotations

import hashlib
import math
import re
import statistics
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from counsel_core.errors import AgentReplyError, InputError, ReplyFormatError
from counsel_core.llm._base import Caller
from counsel_core.llm.fencing import fence_for
from counsel_core.llm.structured import ask, read_object
from counsel_core.metrics._base import MetricContext, Scored, ScoreInput
from counsel_core.records import Completion, Message, ModelRequest, Task

PROMPTS = Path(__file__).parent / "prompts"
LOWEST, HIGHEST = 0.0, 10.0
MOST_REPEATS = 50
_BARE = re.compile(r"\s*(\d{1,2}(?:\.\d+)?)\s*(?:/\s*10)?\.?\s*")

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "number", "minimum": LOWEST, "maximum": HIGHEST}},
    "required": ["score"],
}


def judged(name: str) -> Callable[[ScoreInput, MetricContext], Scored]:
    """Return the function of a judged metric: the mean of `repeats` ratings from 0 to 10.

    Kept in `detail`: the judge, a digest of the prompt, every raw answer, each rating (null where it
    could not be read), and their standard deviation (n − 1). A model that cannot be reached is no
    rating: its ProviderError goes through.
    """

    def score(given: ScoreInput, context: MetricContext) -> Scored:
        if context.judge is None:
            raise InputError(
                f"{name} is judged by a language model; name one as the judge, or use the proxy."
            )
        repeats = _repeats(context)
        request = build_request(name, given.question or "", given.answer, deterministic=repeats == 1)
        raw: list[list[str]] = []
        ratings: list[float | None] = []
        problem = ""
        for repeat in range(repeats):
            answers: list[str] = []
            raw.append(answers)
            try:
                ratings.append(_rate(context.judge, replace(request, repeat=repeat), answers))
            except AgentReplyError as error:
                ratings.append(None)
                problem = str(error)
        read = [rating for rating in ratings if rating is not None]
        detail = {
            "judge": context.judge.model.spec.label,
            "prompt_sha256": prompt_digest(name),
            "ratings": ratings,
            "sd": statistics.stdev(read) if len(read) > 1 else None,
            "raw": raw,
        }
        if not read:
            return Scored(None, f"the judge gave no rating from 0 to 10: {problem}", detail)
        return Scored(statistics.fmean(read), detail=detail)

    return score


def build_request(name: str, message: str, answer: str, *, deterministic: bool) -> ModelRequest:
    """Return what the judge is asked. Asked once, it answers at temperature 0; repeats use its own.

    Each text stands in a fence that does not occur in it, so that no text can end its fence.
    """
    fence = fence_for(message + answer)
    text = (
        f"The message:\n<<{fence}\n",
        message,
        f"\n{fence}>>\n\nThe answer:\n<<{fence}\n",
        answer,
        f"\n{fence}>>\n\nRate the answer.",
    )
    return ModelRequest(
        task=Task(f"judge_{name}"),
        messages=(Message("system", (_prompt("rater"), "\n", _prompt(name))), Message("user", text)),
        inputs={"message": message, "answer": answer},
        schema=SCHEMA,
        max_tokens=512,
        temperature=0.0 if deterministic else None,
    )


def prompt_digest(name: str) -> str:
    """Return what tells this wording of a judge's prompt from others."""
    return hashlib.sha256((_prompt("rater") + _prompt(name)).encode()).hexdigest()[:16]


def prompt_characters(name: str) -> int:
    """Return how many characters a judge reads beside a question and an answer."""
    empty = build_request(name, "", "", deterministic=True)
    return sum(len(message.content) for message in empty.messages)


def _rate(judge: Caller, request: ModelRequest, answers: list[str]) -> float:
    def read(completion: Completion) -> tuple[float, tuple[str, ...]]:
        answers.append(completion.text)
        if bare := _BARE.fullmatch(completion.text):
            rating = float(bare[1])
            if rating <= HIGHEST:
                return rating, ("A bare number was read as the score.",)
        value, repairs = read_object(completion, SCHEMA)
        rating = value["score"]
        if not math.isfinite(rating):
            raise ReplyFormatError("In score, a number from 0 to 10 was expected.")
        return float(rating), repairs

    return ask(judge, request, read)


def _repeats(context: MetricContext) -> int:
    given = context.settings.get("repeats", 1)
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= MOST_REPEATS:
        raise InputError(f"repeats is {given!r}; give a whole number from 1 to {MOST_REPEATS}.")
    return given


@cache
def _prompt(name: str) -> str:
    return (PROMPTS / f"{name}_en.txt").read_text(encoding="utf-8")
