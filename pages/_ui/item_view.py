"""One question with its answers side by side, and what stands behind every score."""

from __future__ import annotations

import streamlit as st

from counsel_core.metrics import find_metric
from counsel_core.metrics._base import MetricContext, ScoreInput
from counsel_core.metrics.explaining import explain
from counsel_core.records import REFERENCE, Answer, Json, QAItem, Score
from counsel_core.runs.naming import source_label
from counsel_core.runs.results import edition
from counsel_core.runs.runs import Run, load_details
from pages._ui.item_lenses import LENSES, TEXT, marked_text
from pages._ui.item_scores import item_scores
from pages._ui.measures import count_text
from pages._ui.plain_text import as_text
from pages._ui.run_results import run_dataset

SHOWN_AT_FIRST, MOST_AT_ONCE = 3, 6


def item_view(run: Run, item_id: str) -> None:
    """Show a question, its answers under the lens that is chosen, and its scores with their reasons."""
    dataset = run_dataset(run)
    item = next((one for one in dataset.items if one.id == item_id), None)
    if item is None:
        st.info("This question is not in the data set of the run.", icon=":material/search_off:")
        return
    answers = [one for one in dataset.answers if one.item == item_id and _belongs(one, run)]
    lenses = [name for name, one in LENSES.items() if set(one.metrics) & {*run.plan.metrics, TEXT}]
    lens = st.segmented_control(
        "Look at",
        lenses,
        default=lenses[0],
        required=True,
        key="item_lens",
        help="What the metrics see in the answers, as the preset of the run reads them.",
    )
    _question(item)
    _answers(run, item, answers, lens or TEXT)
    item_scores(run, item_id)


def _belongs(answer: Answer, run: Run) -> bool:
    return answer.source == REFERENCE or answer.source in run.plan.sources


def _question(item: QAItem) -> None:
    with st.container(border=True, key="item_question"):
        st.caption(f"Question · {as_text(item.topic or 'no topic', 60)} · row {item.row}")
        st.markdown(marked_text(item.question, ()) if item.question else "*The file has no question text.*")


def _answers(run: Run, item: QAItem, answers: list[Answer], lens: str) -> None:
    shown = [one for one in answers if not one.blocked]
    if held := len(answers) - len(shown):
        st.caption(f":material/block: {count_text(held, 'answer')} held back by the reply check: not shown.")
    answered = {one.source for one in answers}
    if silent := [source_label(source) for source in run.plan.sources if source not in answered]:
        st.caption(f"No answer to this question: {as_text(', '.join(silent), 300)}.")
    names = list(dict.fromkeys(one.source for one in shown))
    names.sort(key=lambda name: name != REFERENCE)
    chosen = names
    if len(names) > SHOWN_AT_FIRST:
        chosen = st.multiselect(
            "Answers of",
            names,
            default=names[:SHOWN_AT_FIRST],
            format_func=source_label,
            key=f"answers_of_{run.id}",
        )
    gold = next((one.text for one in shown if one.source == REFERENCE), None)
    visible = [one for name in chosen for one in shown if one.source == name]
    if len(visible) > MOST_AT_ONCE and not st.toggle(
        f"Show all {len(visible)} answers, not the first {MOST_AT_ONCE} alone", key=f"all_answers_{run.id}"
    ):
        visible = visible[:MOST_AT_ONCE]
    for start in range(0, len(visible), SHOWN_AT_FIRST):
        row = visible[start : start + SHOWN_AT_FIRST]
        for column, answer in zip(st.columns(len(row)), row, strict=True):
            with column, st.container(border=True):
                more = f", answer {answer.position + 1}" if answer.position else ""
                st.markdown(f"**{as_text(source_label(answer.source), 80)}**{more}")
                reference = None if answer.source == REFERENCE else gold
                _answer(run, answer, ScoreInput(answer.text, item.question, reference), lens)


def _answer(run: Run, answer: Answer, given: ScoreInput, lens: str) -> None:
    chosen = LENSES[lens]
    metric = next((name for name in chosen.metrics if name in run.plan.metrics), "")
    seen: Json = {}
    if chosen.stored:
        stored = _details(run.id, edition(run), answer.item, run)
        seen = {
            one.metric: one.detail
            for one in stored
            if (one.source, one.position) == (answer.source, answer.position)
        }
    elif metric:
        seen = _explained(run.id, metric, answer.item, answer.source, answer.position, run, given)
    chosen.show(seen, answer.text, f"{answer.source}_{answer.position}")


@st.cache_data(max_entries=256, show_spinner=False)
def _explained(
    run_id: str,  # noqa: ARG001 - with what it is about, the cache's key
    metric: str,
    item: str,  # noqa: ARG001
    source: str,  # noqa: ARG001
    position: int,  # noqa: ARG001
    _run: Run,
    _given: ScoreInput,
) -> Json:
    return explain(find_metric(metric), _given, MetricContext(_run.plan.preset, _run.plan.settings))


@st.cache_data(max_entries=64, show_spinner="Reading what was kept of the scores …")
def _details(run_id: str, results: int, item: str, _run: Run) -> list[Score]:  # noqa: ARG001 - the cache's key
    return load_details(_run, item)
