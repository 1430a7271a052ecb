"""A new evaluation: what is scored, how, what it will cost, and its start."""

from __future__ import annotations

from typing import Any

import streamlit as st

from counsel_core.records import OTHER_THERAPISTS, REFERENCE, QADataset
from counsel_core.runs.naming import source_label
from counsel_core.runs.plan import make_plan
from counsel_core.runs.runs import start
from pages._ui.dataset_picker import dataset_picker, read_saved
from pages._ui.errors import problems_shown
from pages._ui.metrics_choice import is_judged, judge_choice, metric_choice, preset_choice
from pages._ui.metrics_cost import cost_note, estimated
from pages._ui.metrics_settings import (
    emotion_choice,
    overlap_choice,
    repeats_choice,
    second_emotion_choice,
    workers_choice,
)
from pages._ui.run_picker import show_run
from pages._ui.workspace import settings


def new_evaluation() -> None:
    """Show the form, its cost, and the button that starts the run."""
    saved = dataset_picker()
    if saved is None:
        return
    dataset = read_saved(saved)
    _about(dataset)
    sources = _sources(dataset, saved.key)
    left, right = st.columns(2)
    with left:
        preset = preset_choice()
    with right:
        judge = judge_choice([one for one in sources if one not in (REFERENCE, OTHER_THERAPISTS)])
    names = metric_choice(judged=judge is not None, preset=preset)
    chosen, emotions, workers = _details(names)
    cost = estimated(dataset.sha256, str(saved), sources, names, int(chosen.get("repeats", 1)), dataset)
    cost_note(cost, judge if is_judged(names) else None)
    title = st.text_input("Title", dataset.name[:120], max_chars=200, key=f"run_title_{saved.key}")
    ready = bool(sources and names and cost.answers)
    if st.button(
        "Start the evaluation",
        type="primary",
        icon=":material/play_arrow:",
        disabled=not ready,
        key="start_run",
    ):
        with problems_shown():
            plan = make_plan(
                dataset,
                app=settings(),
                preset=preset,
                names=names,
                judge=judge.name if judge and is_judged(names) else None,
                emotions=emotions,
                settings=chosen,
                sources=sources,
            )
            show_run(start(plan, dataset, settings(), title=title, workers=workers).id)
            st.rerun()


def _about(dataset: QADataset) -> None:
    blocked = sum(answer.blocked for answer in dataset.answers)
    held = f" · {blocked:,} held back by the reply check, counted but never scored" if blocked else ""
    st.caption(f"{len(dataset.items):,} questions · {len(dataset.answers):,} answers{held}")


def _sources(dataset: QADataset, key: str) -> list[str]:
    chosen = st.multiselect(
        "Sources",
        dataset.sources,
        default=dataset.sources,
        format_func=source_label,
        key=f"sources_{key}",
        persist_state="session",
        help="Who answered. Every source is compared with the reference: the therapists' answers. Other "
        "therapists, where the file has them, are the human yardstick.",
    )
    models = [source for source in chosen if source not in (REFERENCE, OTHER_THERAPISTS)]
    if REFERENCE not in chosen:
        st.warning(
            "Without the reference there is nothing to compare with: means only.", icon=":material/info:"
        )
    elif not models:
        st.info(
            "No model's answers are chosen: means of the therapists alone. Upload answers of models, or let "
            "models answer, on the Datasets page.",
            icon=":material/info:",
        )
    return [source for source in dataset.sources if source in chosen]


def _details(names: list[str]) -> tuple[dict[str, Any], str | None, int]:
    """Return the settings that the chosen metrics have, the emotion model, and the number of processes."""
    chosen: dict[str, Any] = {}
    emotions = None
    columns = iter(st.columns(5 if is_judged(names) else 4))
    if "emotion_consistency" in names:
        with next(columns):
            emotions = emotion_choice()
        with next(columns):
            if second := second_emotion_choice():
                chosen["second_emotions"] = second
        with next(columns):
            chosen["rbo_p"] = overlap_choice()
    if is_judged(names):
        with next(columns):
            chosen["repeats"] = repeats_choice()
    with next(columns):
        return chosen, emotions, workers_choice()
