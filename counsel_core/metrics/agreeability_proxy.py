"""A proxy for agreeability where no language model judges: nearness to agreeing and disagreeing sentences."""

from __future__ import annotations

from functools import cache

import numpy as np

from counsel_core.errors import DataFileError
from counsel_core.metrics._base import Metric, MetricContext, Scored, ScoreInput
from counsel_core.metrics._similarity import best_matches, embedder_of, sentences_of
from counsel_core.metrics._texts import guarded
from counsel_core.settings import DATA
from counsel_core.toml_file import parse_toml

NEEDS = frozenset({"question"})
STANCE_FILE = DATA / "metrics" / "stance.toml"


@cache
def stances() -> tuple[list[str], list[str]]:
    """Return the sentences that agree and those that disagree; DataFileError where one list is missing."""
    try:
        content = parse_toml(STANCE_FILE.read_bytes(), str(STANCE_FILE))
    except OSError as error:
        raise DataFileError(str(STANCE_FILE), f"it cannot be read ({error}); restore the file") from error
    for key in ("agree", "disagree"):
        listed = content.get(key)
        if not listed or not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            raise DataFileError(str(STANCE_FILE), "a list of sentences was expected", key=key)
    return list(content["agree"]), list(content["disagree"])


def _score(given: ScoreInput, context: MetricContext) -> Scored:
    embedder = embedder_of(context)
    agree, disagree = stances()
    sentences = sentences_of(given.answer)
    leanings = best_matches(embedder, sentences, agree) - best_matches(embedder, sentences, disagree)
    value = float(np.clip(5 + 5 * leanings.mean(), 0, 10))
    detail = {"sentences": len(sentences), "leaning": float(leanings.mean()), "encoder": embedder.name}
    return Scored(value, detail=detail)


AGREEABILITY_PROXY = Metric(
    name="agreeability_proxy",
    label="Agreeability (proxy)",
    description="A proxy, judged by no one: whether the answer's sentences lie nearer to agreeing sentences "
    "than to disagreeing ones, 0 to 10. It reads the answer alone, and values lie close to 5.",
    source="This project: mean difference of the best cosines, 5 + 5·(agree − disagree); MiniLM embeddings",
    bounds=(0.0, 10.0),
    scale=1 / 10,
    work="encoder",
    needs=NEEDS,
    differs="The paper has no proxy. `paper` reads the texts as given; `standard` reads the mended ones "
    "and leaves other languages than English out. Never compare its values with judged ones.",
    score=guarded(_score, NEEDS),
    proxy_of="agreeability",
)
