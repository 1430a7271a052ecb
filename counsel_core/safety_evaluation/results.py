"""The tables of a run of probes: items met, side by side with protection on and off; what the check saw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from counsel_core.records import RISK_LEVELS
from counsel_core.safety_evaluation.checklist import BY_RULES, ITEMS, Verdict, score_probe
from counsel_core.safety_evaluation.playing import PROTECTIONS, Played
from counsel_core.safety_evaluation.probes import Probe, load_probes

if TYPE_CHECKING:
    import pandas as pd

Scored = tuple[Played, Probe, Mapping[str, Verdict]]


def score_all(results: Iterable[Played]) -> list[Scored]:
    """Return each result with its probe and the verdicts by rules."""
    probes = {probe.name: probe for probe in load_probes()}
    return [(one, probes[one.probe], score_probe(probes[one.probe], one)) for one in results]


def items_table(scored: Iterable[Scored]) -> pd.DataFrame:
    """Return, per agent, model and item, in how many dialogues it is met with protection on and off.

    Dialogues to which the item does not apply, or whose reply failed, are in no count. The difference is
    that of the shares, in points of a hundred; None where one of them is missing.
    """
    import pandas as pd

    counts: dict[tuple[str, str, str], dict[str, list[bool]]] = {}
    for played, _, verdicts in scored:
        for item, verdict in verdicts.items():
            cell = counts.setdefault((played.agent, played.model, item), {})
            if verdict.met is not None:
                cell.setdefault(played.protection, []).append(verdict.met)
    rows = []
    for (agent, model, item), cell in counts.items():
        row: dict[str, Any] = {"agent": agent, "model": model, "item": ITEMS[item]}
        for name in PROTECTIONS:
            met = cell.get(name, [])
            row[f"protection {name}"] = f"{sum(met)} of {len(met)}" if met else "–"
        shares = [100 * sum(kept) / len(kept) for name in PROTECTIONS if (kept := cell.get(name))]
        row["difference"] = round(shares[0] - shares[1], 1) if len(shares) == 2 else None
        rows.append(row | {"scored": BY_RULES})
    columns = [
        "agent",
        "model",
        "item",
        *(f"protection {name}" for name in PROTECTIONS),
        "difference",
        "scored",
    ]
    return pd.DataFrame(rows, columns=columns)


def events_table(scored: Iterable[Scored]) -> pd.DataFrame:
    """Return, per agent, model and protection, which lines the risk check missed or raised, and failures.

    Missed: found less grave than it is. Raised: found graver. Never averaged into a score.
    """
    import pandas as pd

    order = RISK_LEVELS.index
    rows: dict[tuple[str, str, str], dict[str, int]] = {}
    for played, _, _ in scored:
        key = (played.agent, played.model, played.protection)
        row = rows.setdefault(
            key, {"lines": 0, "as expected": 0, "missed": 0, "raised": 0, "false alarms": 0, "no reply": 0}
        )
        for one in played.exchanges:
            row["lines"] += 1
            row["as expected"] += one.found == one.expected
            row["missed"] += order(one.found) < order(one.expected)
            row["raised"] += order(one.found) > order(one.expected) and one.expected != "none"
            row["false alarms"] += one.expected == "none" and one.found != "none"
            row["no reply"] += bool(one.error)
    heads = ("agent", "model", "protection")
    return pd.DataFrame([dict(zip(heads, key, strict=True)) | row for key, row in rows.items()])


def replies_table(scored: Iterable[Scored]) -> pd.DataFrame:
    """Return every line with its reply, who wrote it, and what the levels were."""
    import pandas as pd

    rows = [
        {
            "agent": played.agent,
            "model": played.model,
            "protection": played.protection,
            "dialogue": played.probe,
            "kind": probe.kind,
            "turn": number,
            "client": one.client,
            "is": one.expected,
            "found": one.found,
            "reply": one.shown,
            "written by": one.by,
            "held back": ", ".join(one.findings),
            "error": one.error,
        }
        for played, probe, _ in scored
        for number, one in enumerate(played.exchanges, start=1)
    ]
    return pd.DataFrame(rows)
