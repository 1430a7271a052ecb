"""The figures of the risk check: shares with their intervals, false alarms by category, misses on request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from counsel_core.safety.evaluation import (
    ABOUT,
    TARGETS,
    Measured,
    load_figures,
    measure,
    read_labelled,
)
from counsel_core.safety.risk import check_risk
from counsel_core.safety.screening import screen
from pages._ui.table_downloads import table_downloads

UNTOUCHED, OTHERS = "untouched", "by others"
SETS = {
    OTHERS: (
        "By other authors",
        "Written and labelled by two authors who knew neither the rules nor the project's own lines.",
    ),
    UNTOUCHED: (
        "The project's own",
        "No pattern, weight or threshold was set by them; lines and rules have one origin: they flatter.",
    ),
}
MADE_UP = "All were made up. No clinician has seen them. Intervals: 95 %, Wilson."
LANGUAGES = {"all": "Both languages", "en": "English", "zh": "Chinese"}
CHECKS = {"Rules and second opinion": screen, "Rules alone": check_risk}

LEVELS = (
    ("none", "Ordinary distress, idioms, denials, grief, fiction", "The agent answers."),
    (
        "concern",
        "Passive wish to die, self-harm, abuse or danger, commanding voices, fear for another, doubt",
        "A direct question about safety stands before the agent's reply, once per rise.",
    ),
    (
        "imminent",
        "Intent, plan, means at hand, a time, or already done",
        "Everything freezes; a fixed text answers with contacts; a reviewer resumes with a reason.",
    ),
)
LIMITS = (
    "English and Chinese only; other languages pass unchecked.",
    "The second opinion may raise what the rules found, never lower it; if it fails, the rules stand.",
    "In doubt the check raises: false alarms are the price, and are counted here.",
    "A low level says nothing about a person. Whoever deploys this must not rely on it to notice danger.",
)


def safety_figures() -> None:
    """Show the shipped figures of the untouched lines, beside what the project aims at."""
    which = st.segmented_control(
        "Lines", list(SETS), format_func=lambda key: SETS[key][0], default=OTHERS, key="safety_set"
    )
    rules, both = load_figures()[which or OTHERS]
    count = sum(
        rules["shares"]["all"][key]["n"] for key in ("imminent_raised", "concern_raised", "none_kept")
    )
    st.caption(f"{count} lines, in English and Chinese. {SETS[which or OTHERS][1]} {MADE_UP}")
    language = st.segmented_control(
        "Language", list(LANGUAGES), format_func=LANGUAGES.__getitem__, default="all", key="safety_language"
    )
    part = language or "all"
    for column, key in zip(st.columns(3), ("imminent_raised", "concern_raised", "none_kept"), strict=True):
        one = both["shares"][part][key]
        column.metric(
            ABOUT[key].capitalize(),
            _percent(one),
            f"aim {TARGETS[key]:.0%}: {_met(one, key)}",
            delta_color="off",
            delta_arrow="off",
        )
    frame = shares_frame({"rules alone": rules, "with second opinion": both}, part)
    st.dataframe(frame, hide_index=True, key="safety_shares")
    table_downloads(frame, "risk_check", key="safety_shares")
    st.subheader("False alarms by category", anchor=False)
    alarms = alarms_frame(both["kept_by_category"])
    st.dataframe(alarms, hide_index=True, key="safety_alarms")
    table_downloads(alarms, "risk_check_false_alarms", key="safety_alarms")
    st.caption("Made anew by `python -m counsel_core evaluate-safety`; a file of your own lines works too.")


def shares_frame(checks: Mapping[str, Mapping[str, Any]], part: str) -> pd.DataFrame:
    """Return what each check reaches of each aim, with counts and intervals."""
    rows = []
    for key, aim in TARGETS.items():
        row: dict[str, Any] = {"of lines that are": ABOUT[key], "aim": f"{aim:.0%}"}
        for name, told in checks.items():
            one = told["shares"][part][key]
            row[name] = f"{_percent(one)} ({one['count']} of {one['n']}; {_interval(one)})"
        rows.append(row | {"reached": _met(checks["with second opinion"]["shares"][part][key], key)})
    return pd.DataFrame(rows)


def alarms_frame(kept: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return how many harmless lines of each category were raised, the worst first."""
    rows = [
        {"category": name, "raised": one["n"] - one["count"], "of": one["n"], "left alone": _percent(one)}
        for name, one in kept.items()
    ]
    return pd.DataFrame(sorted(rows, key=lambda row: -row["raised"] / row["of"]))


def safety_misses() -> None:
    """List on request what was missed; the lines are distressing to read."""
    st.warning(
        "These lines speak of suicide, self-harm and violence. They are made up, and still hard to read.",
        icon=":material/visibility_off:",
    )
    name = st.segmented_control("Check", list(CHECKS), default="Rules and second opinion", key="safety_check")
    if not st.toggle("Measure now and show the lines", key="safety_show") or name is None:
        return
    with st.spinner("Reading the untouched lines …"):
        measured = _measured(name)
    wrong = (*measured.misses, *measured.false_alarms)
    missed = pd.DataFrame(
        [(one.level, found, one.language, one.category, one.text) for one, found in wrong],
        columns=["is", "found", "language", "category", "line"],
    )
    st.caption(
        f"{len(measured.misses)} found less grave than they are, {len(measured.false_alarms)} false alarms."
    )
    if not missed.empty:
        st.dataframe(missed, hide_index=True, key="safety_missed")
        table_downloads(missed, "risk_check_misses", key="safety_missed")


@st.cache_data(max_entries=4, show_spinner=False)
def _measured(name: str) -> Measured:
    return measure(read_labelled(), CHECKS[name], name, UNTOUCHED)


def safety_levels() -> None:
    """Say what the levels mean, what follows from them, and what the check cannot do."""
    st.table(pd.DataFrame(LEVELS, columns=["level", "means", "what follows"]).set_index("level"))
    st.markdown("\n".join(f"- {limit}" for limit in LIMITS))


def _percent(one: Mapping[str, Any]) -> str:
    return "–" if not one["n"] else f"{one['count'] / one['n']:.0%}"


def _interval(one: Mapping[str, Any]) -> str:
    return "–" if one["low"] is None else f"{one['low']:.0%} to {one['high']:.0%}"


def _met(one: Mapping[str, Any], key: str) -> str:
    if not one["n"]:
        return "nothing to count"
    return "reached" if one["count"] / one["n"] >= TARGETS[key] else "not reached"
