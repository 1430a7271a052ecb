"""The report of a run: one self-contained page with its tables, its settings and its limits."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from counsel_core.metrics import find_metric
from counsel_core.records import Json
from counsel_core.runs.naming import COLUMN_LABELS, agent_label, name_agents, together
from counsel_core.runs.plan import Plan
from counsel_core.runs.report_figures import ReportFigure, report_figures

if TYPE_CHECKING:
    import pandas as pd

LIMITS = (
    (
        "The numbers say how similar a source's answers are to the reference answers of this data set. "
        "They do not say that the answers are good, safe or helpful, and no model is thereby fit to counsel."
    ),
    (
        "Correlations are taken over a handful of metrics: intervals are wide, and the order of sources may "
        "change when one metric is left out."
    ),
    (
        "A value is missing where a text is missing or too short, never zero; each mean shows how many "
        "values it has."
    ),
    (
        "Results of the preset `paper` repeat the published computation with its quirks; those of "
        "`standard` compute what its text means. Scores of the two are never mixed; Z between topics is "
        "given by both formulas, and each row says by which."
    ),
    (
        "A proxy is an embedding similarity that stands in for a judge's rating: it is no rating. How many "
        "of the metrics behind a number are proxies stands beside it."
    ),
    (
        "n counts metrics where several are compared at once (distance, correlation, Z), and answers or "
        "questions elsewhere. Paired comparison: Wilcoxon's signed-rank test (statistic) with the "
        "rank-biserial correlation (effect, −1 to 1); measure `value` compares with the reference, "
        "`closeness` two sources' distances to it."
    ),
)

_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;
color:#1c2430;background:#fff}h2{margin-top:2.5rem}table{border-collapse:collapse;font-size:.85rem}
th,td{padding:.25rem .6rem;border-bottom:1px solid #d5dae1;text-align:left}
td.n{text-align:right;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}figure{margin:1rem 0}figure img{max-width:100%;height:auto}
figcaption,.note{color:#4d5c60;font-size:.85rem}th{font-weight:600}
details{margin:1rem 0}summary{cursor:pointer;font-weight:600}@media print{.wide{overflow:visible}}"""

_TITLES = {
    "distances": "Distance to the reference",
    "correlations": "Correlation with the reference",
    "summary": "Means by source and metric",
    "topics": "Correlation with the reference by topic",
    "z_scores": "Differences between topics",
    "paired": "Paired comparison by question",
}
_FOLDED = {
    "model_cards": "Source by source",
    "without_each": "Without one metric",
    "contrasts": "Two sources compared",
    "beside": "Reported beside the metrics",
    "emotion_models": "Emotion consistency by two emotion models",
    "topic_summary": "Means by topic",
    "topic_distances": "Distance by topic",
}
"""Tables for a second look: closed until they are clicked."""
_FOUR_DIGITS = 5e-5
"""A smaller number than this would be shown as 0."""
_LONGEST = 500
"""Rows shown of one table; the CSV beside the report has all of them."""


def report_page(plan: Plan, facts: Json, tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the report as an HTML page that needs no other file. Every text is escaped.

    Parameters
    ----------
    facts
        What is written to `run.json`.
    tables
        The tables by the stem of their file.
    """
    title = f"Evaluation of {escape(plan.dataset_name)}"
    tables = {name: name_agents(table) for name, table in tables.items()}
    figures = report_figures(plan, tables)
    parts = [
        f"<h1>{title}</h1>",
        _about_reference(facts),
        _facts_line(plan, facts),
        "<h2>In words</h2>",
        *_words(tables["recommendations"]),
        *(_section(name, _TITLES[name], tables[name], figures) for name in _TITLES if name in tables),
        *(_folded(name, title, tables[name]) for name, title in _FOLDED.items() if name in tables),
        "<h2>Missing values</h2>",
        _missing(facts["missing"]),
        "<h2>Limits</h2><ul>",
        *(f"<li>{escape(limit)}</li>" for limit in LIMITS),
        "</ul>",
        "<h2>Settings and data</h2>",
        f"<details><summary>All that the run was made of</summary>{_list(facts)}</details>",
    ]
    head = f"<meta charset='utf-8'><title>{title}</title><meta name='viewport' content='width=device-width'>"
    body = "\n".join(parts)
    head += f"<style>{_STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{body}</body></html>\n"


def _about_reference(facts: Json) -> str:
    """Return what the data set says of its references, which every number here rests on."""
    said = facts["dataset"]["about"].get("reference")
    return f"<p><strong>The reference answers: {escape(said)}</strong></p>" if said else ""


def _facts_line(plan: Plan, facts: Json) -> str:
    labels = ", ".join(find_metric(name).label for name in plan.metrics)
    blocked = sum(facts["blocked"].values())
    rows = {
        "Preset": plan.preset,
        "Metrics": labels,
        "Judge": plan.judge or "none",
        "Questions": f"{facts['dataset']['items']:,}",
        "Answers": "; ".join(
            f"{agent_label(source)} {number:,}" for source, number in facts["answers"].items()
        ),
        "Held back by the reply check": f"{blocked:,}",
        "Gold answers": f"policy {facts['dataset']['policy']}",
        "Written": facts["written"],
    }
    cells = "".join(
        f"<tr><th scope='row'>{key}</th><td>{escape(value)}</td></tr>" for key, value in rows.items()
    )
    unfinished = "<p><strong>The run is not complete: see what is missing.</strong></p>"
    return f"<table>{cells}</table>{'' if facts['complete'] else unfinished}"


def _words(recommendations: pd.DataFrame) -> list[str]:
    said = list(recommendations["text"])
    first, by_topic = said[:1], "".join(f"<li>{escape(text)}</li>" for text in said[1:])
    parts = [f"<p>{escape(text)}</p>" for text in first]
    if by_topic:
        parts.append(f"<details><summary>By topic</summary><ul>{by_topic}</ul></details>")
    return [*parts, *(f"<p class='note'>{escape(limit)}</p>" for limit in recommendations["limits"].unique())]


def _folded(name: str, title: str, table: pd.DataFrame) -> str:
    return f"<details><summary>{escape(title)}</summary>{_table(name, table)}</details>"


def _missing(missing: Sequence[Json]) -> str:
    if not missing:
        return "<p>None.</p>"
    counted: Counter[tuple[str, str, str]] = Counter()
    for one, reason in zip(missing, together([str(one["reason"]) for one in missing]), strict=True):
        counted[agent_label(one["source"]), find_metric(one["metric"]).label, reason] += one["n"]
    rows = "".join(
        f"<tr><td>{escape(source)}</td><td>{escape(metric)}</td>"
        f"<td class='n'>{n}</td><td>{escape(reason)}</td></tr>"
        for (source, metric, reason), n in counted.most_common()
    )
    head = "".join(f"<th scope='col'>{name}</th>" for name in ("source", "metric", "n", "reason"))
    return f"<div class='wide'><table><tr>{head}</tr>{rows}</table></div>"


def _picture(figure: ReportFigure) -> str:
    data = base64.b64encode(figure.svg).decode()
    image = f"<img alt='{escape(figure.words)}' src='data:image/svg+xml;base64,{data}'>"
    return f"<figure>{image}<figcaption>{escape(figure.caption)}</figcaption></figure>"


def _section(name: str, title: str, table: pd.DataFrame, figures: Sequence[ReportFigure]) -> str:
    pictures = "".join(_picture(figure) for figure in figures if figure.before == name)
    return f"<h2>{escape(title)}</h2>{pictures}{_table(name, table)}"


def _table(name: str, table: pd.DataFrame) -> str:
    if not len(table):
        return "<p>There is nothing to show: no source to compare.</p>"
    if "metric" in table:
        table = table.assign(metric=[find_metric(one).label for one in table["metric"]])
    named = [COLUMN_LABELS.get(str(column), str(column)) for column in table.columns]
    header = "".join(f"<th scope='col'>{escape(column)}</th>" for column in named)
    rows = "".join(
        f"<tr>{''.join(_cell(value) for value in row)}</tr>"
        for row in table.head(_LONGEST).itertuples(index=False)
    )
    left = len(table) - _LONGEST
    more = f"<p>{left:,} more rows are in {escape(name)}.csv.</p>" if left > 0 else ""
    return f"<div class='wide'><table><tr>{header}</tr>{rows}</table></div>{more}"


def _cell(value: object) -> str:
    if isinstance(value, float | int):
        return f"<td class='n'>{_number(value)}</td>"
    return f"<td>{escape('' if value is None else str(value))}</td>"


def _number(value: float) -> str:
    if math.isnan(value):
        return ""
    if float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.1e}" if abs(value) < _FOUR_DIGITS else f"{value:.4f}"


def _list(value: object) -> str:
    """Return JSON as nested lists."""
    if isinstance(value, Mapping):
        items = "".join(f"<li>{escape(str(key))}: {_list(one)}</li>" for key, one in value.items())
        return f"<ul>{items}</ul>"
    if isinstance(value, list):
        if all(not isinstance(one, Mapping | list) for one in value):
            return escape(", ".join(map(str, value)) or "none")
        return f"<ul>{''.join(f'<li>{_list(one)}</li>' for one in value)}</ul>"
    return escape("none" if value is None else str(value))
