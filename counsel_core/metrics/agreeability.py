"""Agreeability: how far the answer agrees with the question, judged by a language model."""

from __future__ import annotations

from counsel_core.metrics._base import Metric
from counsel_core.metrics._judging import HIGHEST, LOWEST, judged
from counsel_core.metrics._texts import PAPER, guarded

NEEDS = frozenset({"question"})

AGREEABILITY = Metric(
    name="agreeability",
    label="Agreeability",
    description="How far the answer agrees with what the question says or plans, 0 to 10, judged by a "
    "language model. More is not better: a counsellor sometimes has to disagree.",
    source=f"{PAPER}, section 4.2.6, Algorithm 6",
    bounds=(LOWEST, HIGHEST),
    scale=1 / 10,
    work="judge",
    needs=NEEDS,
    differs="The same judge and prompt in both; `standard` shows it the mended texts and leaves other "
    "languages than English out. The prompt is worded anew, so values compare with the paper's in"
    " kind, not in the digit; they depend on the judge, which is recorded with each raw answer.",
    score=guarded(judged("agreeability"), NEEDS),
)
