"""The framework paper's tables 3, 5, 6, 7 come out of our statistics; what is said of the papers is so."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from counsel_core import published
from counsel_core.cli import main
from counsel_core.errors import UnknownNameError
from counsel_core.statistics.adjust import holm
from counsel_core.statistics.correlation import paper_z, pearson
from counsel_core.statistics.profile import euclidean, leave_one_out
from counsel_core.statistics.recommendation import notices_of


def _profile() -> pd.DataFrame:
    return published.load_table("2")[list(published.SCALES)] * list(published.SCALES.values())


@pytest.mark.parametrize(
    ("table", "cells", "within"), [("3", 18, 5e-6), ("5", 45, 1e-6), ("6", 45, 5e-6), ("7", 45, 5e-6)]
)
def test_recomputed_tables_agree_with_the_printed(table: str, cells: int, within: float) -> None:
    found = published.recompute(table)
    assert len(found.cells) == cells
    assert 0 < found.max_abs_error < within


def test_every_differing_cell_is_explained_by_the_rounding_of_what_was_printed() -> None:
    tables = [published.recompute(name) for name in published.RECOMPUTED]
    assert all(cell.explained for table in tables for cell in table.differing)
    assert [(cell.row, cell.column) for cell in tables[0].differing] == [
        ("Mistral 7_2", "Pearson Correlation"),
        ("Mistral 7_2", "P Value"),
    ]


def test_a_cell_that_rounding_cannot_explain_is_told_apart() -> None:
    # printed 0.5000, half a digit 0.00005; the inputs' rounding adds 0.0001
    cell = published.Cell("row", "column", 0.5, 0.5002, half_digit=5e-5, rounding=1.5e-4)
    assert (cell.differs, cell.explained) == (True, False)
    near = published.Cell("row", "column", 0.5, 0.50004, half_digit=5e-5, rounding=1.5e-4)
    assert (near.differs, near.explained) == (False, True)


def test_printed_figures_are_the_papers() -> None:
    # read off the paper: corners of each table
    assert published.load_table("2").loc["GS", "Simplicity"] == 86.8240
    assert math.isnan(published.load_table("2").loc["GS", "Consistency"])
    assert published.load_table("3").loc["GPT4 Preview"].tolist() == [0.830253, 0.040775]
    assert published.load_table("4").loc["Mixtral 7", "Parenting"] == 0.616159
    assert published.load_table("5").loc["GPT3.5_1106", "Parenting"] == 0.049209
    assert published.load_table("6").loc["Mistral 7_2", "Relationships vs Anxiety"] == 0.533439
    assert published.load_table("7").loc["Mixtral 7", "Intimacy vs Parenting"] == -0.155581
    assert published.load_table("8").loc["GPT4 Preview", "context_tokens"] == 128_000
    assert published.load_table("1", "sudosys").loc["SoDuSys"].tolist() == [4, 4.2, 4.1, 3.7]
    assert published.load_table("2", "sudosys").loc["CPsyCounX"].tolist() == [3.6, 3.7, 3.5, 3.7]


def test_names_of_tables_1_and_8_lead_to_the_other_tables() -> None:
    for table in ("1", "8"):
        names = published.load_table(table)
        assert set(names["table_2"]) == set(published.load_table("2").index) - {"GS"}
        assert set(names["table_3"]) == set(published.load_table("3").index)


def test_what_table_8_says_of_closest_metrics_is_so_in_table_2() -> None:
    means = published.load_table("2").drop(columns="Consistency")
    gaps = (means.drop(index="GS") - means.loc["GS"]).abs()
    said = published.load_table("8").set_index("table_2")["closest_metrics"].dropna()
    said = {row: names.split("; ") for row, names in said.items() if names != "none"}
    closest = {row: [metric for metric in gaps if gaps[metric].idxmin() == row] for row in gaps.index}
    assert said == {row: metrics for row, metrics in closest.items() if metrics}


def test_unknown_tables_are_refused_with_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="framework_table_2"):
        published.load_table("9")
    with pytest.raises(UnknownNameError, match="3, 5, 6, 7"):
        published.recompute("4")


def test_command_prints_a_json_line_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["published", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["table"] for line in lines] == ["3", "5", "6", "7"]
    for line in lines:
        assert list(line) == ["table", "cells", "max_abs_error", "differing"]
        errors = [abs(cell["printed"] - cell["recomputed"]) for cell in line["cells"]]
        assert line["max_abs_error"] == max(errors)
        assert all(list(cell) == ["row", "column", "printed", "recomputed"] for cell in line["cells"])
        differing = {(cell["row"], cell["column"]) for cell in line["differing"]}
        by_hand = {
            (cell["row"], cell["column"])
            for cell in line["cells"]
            if f"{cell['recomputed']:.6f}" != f"{cell['printed']:.6f}"
        }
        assert differing == by_hand


def test_command_prints_words_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["published"]) == 0
    out = capsys.readouterr().out
    assert "Mistral 7_2     Pearson Correlation           0.677051     0.677053" in out
    assert "Nine tests, no correction" in out


# --- what contradictions.toml says in numbers ---------------------------------------------------


def test_contradictions_are_whole_and_of_known_papers() -> None:
    found = published.load_contradictions()
    assert {entry.paper for entry in found} == {"framework", "sudosys", "cocoa"}
    assert all(entry.title and entry.says and entry.found for entry in found)
    assert len({entry.title for entry in found}) == len(found)


def _found(title: str) -> str:
    return next(entry.found for entry in published.load_contradictions() if entry.title == title)


def test_without_simplicity_llama_7_leads() -> None:
    frame = leave_one_out(_profile(), "GS")
    rest = frame[frame["without"] == "Simplicity"]
    assert rest["r"].min() >= 0.98
    assert rest.loc[rest["r"].idxmax(), "source"] == "Llama 7"
    assert rest.loc[rest["distance"].idxmin(), "source"] == "Llama 70"
    assert [note.split(",")[0] for note in notices_of(frame)] == ["Without Simplicity"] * 2
    assert "0.98" in _found("One metric carries the ranking")


def test_nothing_is_significant_after_holm() -> None:
    assert f"{min(holm(published.load_table('3')['P Value'].tolist())):.3f}" == "0.367"
    cells = published.load_table("5").to_numpy().ravel()
    assert ((cells < 0.05).sum(), f"{min(holm(cells.tolist())):.2f}") == (7, "0.73")
    assert "0.367" in _found("Nine tests, no correction")
    assert "0.73" in _found("Forty-five tests, no correction")


def test_named_normalisation_would_leave_no_difference() -> None:
    means = published.load_table("2")[list(published.SCALES)] * [1, 1, 1, 0.1, 0.1, 0.1]
    all_r = [pearson(means.loc[row], means.loc["GS"]).r for row in means.index.drop("GS")]
    assert min(all_r) > 0.9998
    assert "0.9998" in _found("Another normalisation than the text names")


def test_z_with_the_right_n_is_smaller() -> None:
    r = published.load_table("4")
    printed = pd.concat([published.load_table("6"), published.load_table("7")], axis=1)
    assert printed.abs().max().max() == 0.533439
    largest = max(
        abs(paper_z(row[a], row[b], n=6)) for _, row in r.iterrows() for a in r for b in r if a != b
    )
    assert f"{largest:.3f}" == "0.349"


def test_mixtral_is_the_farthest() -> None:
    profile = _profile()
    distances = {row: euclidean(profile.loc[row], profile.loc["GS"]) for row in profile.index.drop("GS")}
    assert max(distances, key=distances.__getitem__) == "Mixtral 7"
    assert f"{distances['Mixtral 7']:.3f}" == "0.604"
    assert min(distances, key=distances.__getitem__) == "GPT4 Preview"


def test_cpsycounx_has_the_best_mean_of_sudosys_table_1() -> None:
    means = published.load_table("1", "sudosys").mean(axis=1)
    assert means.round(3).to_dict() == {"CPsyCounX": 4.15, "Qwen2-7B": 3.875, "SoDuSys": 4.0}


# --- frames to draw -----------------------------------------------------------------------------


def test_frames_to_draw_hold_the_printed_cells() -> None:
    r, z, means = published.correlation_frame(), published.z_frame(), published.profile_frame()
    assert (len(r), len(z), len(means)) == (45, 90, 60)
    cell = r.set_index(["source", "topic"]).loc[("GPT4 Preview", "Relationships")]
    assert cell[["r", "p", "n"]].tolist() == [0.894149, 0.016214, 6]
    assert r["p_holm"].min() == pytest.approx(45 * 0.016214)
    one = z.set_index(["source", "topic_1", "topic_2"]).loc[("Mistral 7_2", "Relationships", "Anxiety")]
    assert one["z"] == 0.533439
    simplicity = means[means["metric"] == "Simplicity"].set_index("source")["value"]
    assert simplicity["reference"] == pytest.approx(0.86824)
    assert np.isnan(means["n"]).all()
    assert len(published.rating_frame("2")) == 12
