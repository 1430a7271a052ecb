"""The report of a run: one self-contained page with its tables, its settings and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from counsel_core.records import Json
from counsel_core.runs.plan import Plan

if TYPE_CHECKING:
    import pandas as pd

LIMITS = (
    (
        "The numbers say how similar a source's answers are to the therapists' answers of this data set. "
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
        "`standard` compute what its text means. The two are never mixed."
    ),
)

_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;
color:#1c2430;background:#fff}h2{margin-top:2.5rem}table{border-collapse:collapse;font-size:.85rem}
th,td{padding:.25rem .6rem;border-bottom:1px solid #d5dae1;text-align:left}
td.n{text-align:right;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}@media print{.wide{overflow:visible}}"""

_TITLES = {
    "distances": "Distance to the reference",
    "summary": "Means by source and metric",
    "correlations": "Correlation with the reference",
    "topic_summary": "Means by topic",
    "topics": "Correlation with the reference by topic",
    "z_scores": "Differences between topics",
    "paired": "Paired comparison by question",
}
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
    ordered = [name for name in _TITLES if name in tables]
    ordered += [name for name in tables if name not in _TITLES]
    parts = [
        f"<h1>Evaluation of {escape(plan.dataset_name)}</h1>",
        f"<p>Preset <strong>{escape(plan.preset)}</strong>; metrics: {escape(', '.join(plan.metrics))}.</p>",
        *(
            []
            if facts["complete"]
            else ["<p><strong>The run is not complete: see what is missing.</strong></p>"]
        ),
        "<h2>Limits</h2><ul>",
        *(f"<li>{escape(limit)}</li>" for limit in LIMITS),
        "</ul>",
        *(_section(name, tables[name]) for name in ordered),
        "<h2>Settings and data</h2>",
        _list(facts),
    ]
    head = f"<meta charset='utf-8'><title>Evaluation of {escape(plan.dataset_name)}</title>"
    view = "<meta name='viewport' content='width=device-width'>"
    body = "\n".join(parts)
    head += f"{view}<style>{_STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{body}</body></html>\n"


def _section(name: str, table: pd.DataFrame) -> str:
    title = _TITLES.get(name, name.replace("_", " ").capitalize())
    if not len(table):
        return f"<h2>{escape(title)}</h2><p>There is nothing to show: no source to compare.</p>"
    header = "".join(f"<th scope='col'>{escape(str(column))}</th>" for column in table.columns)
    rows = "".join(
        f"<tr>{''.join(_cell(value) for value in row)}</tr>"
        for row in table.head(_LONGEST).itertuples(index=False)
    )
    left = len(table) - _LONGEST
    more = f"<p>{left:,} more rows are in {escape(name)}.csv.</p>" if left > 0 else ""
    return f"<h2>{escape(title)}</h2><div class='wide'><table><tr>{header}</tr>{rows}</table></div>{more}"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"<td class='n'>{'' if value != value else f'{value:.4f}'}</td>"  # noqa: PLR0124 - NaN
    if isinstance(value, int):
        return f"<td class='n'>{value}</td>"
    return f"<td>{escape('' if value is None else str(value))}</td>"


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
