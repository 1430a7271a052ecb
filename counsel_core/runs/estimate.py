"""What a run will cost before it is started: how much there is to score, and how often a judge is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from counsel_core.llm.catalogue import find_model
from counsel_core.llm.pricing import cost, cost_text
from counsel_core.metrics import find_metric
from counsel_core.metrics._base import Work
from counsel_core.metrics._judging import prompt_characters
from counsel_core.records import ModelSpec, QADataset
from counsel_core.runs.plan import Plan
from counsel_core.runs.units import read_units
from counsel_core.settings import Settings

TOKENS_A_RATING = 10
"""A rating is written as a small JSON object."""

CHARACTERS_A_TOKEN = 4
"""English text has about four characters a token with the usual tokenizers."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The work of a run. Equal pairs of question and answer are scored, and judged, once.

    `blocked` answers are not scored. `tokens` is what the judge reads of questions and answers, roughly;
    `instructions` is what else it reads, and `written` what its ratings take. A model that thinks before
    it rates writes more. `cost` is None where no judge is named or no price of it is known; answers that
    are in the cache cost nothing again, which is not counted.
    """

    answers: int
    blocked: int
    scores: dict[Work, int]
    calls: int
    tokens: int
    instructions: int = 0
    written: int = 0
    cost: float | None = None


def estimate(
    dataset: QADataset,
    sources: Sequence[str],
    names: Sequence[str],
    *,
    repeats: int = 1,
    judge: ModelSpec | None = None,
) -> Estimate:
    """Return how much work the metrics of these sources are, and what it costs at the judge's prices."""
    metrics = [find_metric(name) for name in names]
    units = read_units(dataset, sources)
    work: dict[str, Work] = {metric.name: metric.work for metric in metrics}
    scores: Counter[Work] = Counter()
    characters = around = 0
    own = {metric.name: prompt_characters(metric.name) for metric in metrics if metric.work == "judge"}
    for unit, name in units.tasks(metrics):
        scores[work[name]] += 1
        if work[name] == "judge":
            given = units.inputs[unit]
            characters += len(given.answer) + len(given.question or "")
            around += own[name]
    calls = scores["judge"] * repeats
    tokens = round(characters * repeats / CHARACTERS_A_TOKEN)
    instructions = round(around * repeats / CHARACTERS_A_TOKEN)
    written = calls * TOKENS_A_RATING
    blocked = sum(one.unit is None for one in units.placed)
    return Estimate(
        answers=len(units.placed) - blocked,
        blocked=blocked,
        scores=dict(scores),
        calls=calls,
        tokens=tokens,
        instructions=instructions,
        written=written,
        cost=None if judge is None else cost(judge, tokens + instructions, written),
    )


def judge_cost(dataset: QADataset, plan: Plan, settings: Settings) -> str:
    """Return in a line what the judge of a plan will be asked, and what that costs."""
    judge = find_model(plan.judge or "", settings)
    repeats: int = plan.settings.get("repeats", 1)
    found = estimate(dataset, plan.sources, plan.metrics, repeats=repeats, judge=judge)
    read = found.tokens + found.instructions
    price = cost_text(found.cost, judge)
    return f"judge: {found.calls:,} calls, about {read:,} tokens to read; expected cost: {price}"
