"""Active listening: how much of the question's content the answer gives back, judged by a language model."""

from __future__ import annotations

from counsel_core.metrics._base import Metric
from counsel_core.metrics._judging import HIGHEST, LOWEST, judged
from counsel_core.metrics._texts import PAPER, guarded

NEEDS = frozenset({"question"})

ACTIVE_LISTENING = Metric(
    name="active_listening",
    label="Active listening",
    description="How much of the question's message, subject and reasons comes back in the answer, 0 to 10, "
    "judged by a language model. It is about content, not wording or agreement.",
    source=f"{PAPER}, section 4.2.7, Algorithm 7",
    bounds=(LOWEST, HIGHEST),
    scale=1 / 10,
    work="judge",
    needs=NEEDS,
    differs="The same judge and prompt in both; `standard` shows it the mended texts and leaves other "
    "languages than English out. The prompt is worded anew, so values compare with the paper's in"
    " kind, not in the digit; they depend on the judge, which is recorded with each raw answer.",
    score=guarded(judged("active_listening"), NEEDS),
)
