"""What an evaluation will cost, before it is started."""

from __future__ import annotations

import streamlit as st

from counsel_core.records import ModelSpec, QADataset
from counsel_core.runs.estimate import Estimate, estimate


@st.cache_data(max_entries=64, show_spinner="Counting the work …")
def estimated(
    sha256: str,  # noqa: ARG001 - with the way it is read, the cache's key
    how: str,  # noqa: ARG001
    sources: list[str],
    names: list[str],
    repeats: int,
    _dataset: QADataset,
) -> Estimate:
    """Return how much work the chosen metrics are, counted once for each choice."""
    return estimate(_dataset, sources, names, repeats=repeats)


def cost_note(cost: Estimate, judge: ModelSpec | None) -> None:
    """Say how much there is to score, and what a judge reads."""
    total = sum(cost.scores.values())
    kinds = {"text": "from text alone", "encoder": "by encoders of this machine", "judge": "by the judge"}
    parts = [f"{cost.scores[work]:,} {words}" for work, words in kinds.items() if cost.scores.get(work)]
    said = f"**{cost.answers:,} answers, {total:,} scores**: {', '.join(parts) or 'nothing to score'}."
    with st.container(border=True, key="cost"):
        st.markdown(f":material/receipt_long: {said} Equal pairs of question and answer are scored once.")
        if judge is None:
            st.caption("Costs nothing but time on this machine.")
            return
        st.markdown(
            f"**{cost.calls:,} calls of the judge** read about {cost.tokens:,} tokens of questions and "
            "answers; its instructions and what it answers come on top."
        )
        if judge.location == "remote":
            price = st.number_input(
                "Price of a million input tokens",
                min_value=0.0,
                value=0.0,
                key="price",
                persist_state="session",
                help="As its provider lists it, in any currency. It is not sent anywhere.",
            )
            if price:
                st.caption(
                    f"About {cost.tokens / 1e6 * price:,.2f} for what is read of questions and answers."
                )
