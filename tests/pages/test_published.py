"""The Published page: the papers' numbers, marked as published, printed beside recomputed."""

from __future__ import annotations

from counsel_core.published import RECOMPUTED, recompute
from pages._ui.published_views import NAMES
from pages._ui.table_downloads import latex_bytes


def test_the_page_says_that_its_numbers_are_published(visit) -> None:
    page = visit("published")
    assert "Nothing here was measured with this program" in page.words


def test_each_table_is_shown_printed_beside_recomputed_the_differing_first(visit) -> None:
    page = visit("published")
    for table in RECOMPUTED:
        page.app.segmented_control(key="published_table").set_value(NAMES[table]).run()
        frame = next(shown.value for shown in page.app.dataframe if "recomputed" in shown.value)
        found = recompute(table)
        assert len(frame) == len(found.cells)
        assert list(frame["differs"].iloc[: len(found.differing)].str[:3]) == ["yes"] * len(found.differing)
        assert (frame["differs"].iloc[len(found.differing) :] == "").all()


def test_what_does_not_fit_is_told(visit) -> None:
    words = visit("published").words
    # Two of the contradictions that can be read off the printed tables.
    for said in ("Simplicity is a school grade", "One metric carries the ranking"):
        assert said in words


def test_every_figure_and_table_can_be_taken_away(visit) -> None:
    page = visit("published")
    keys = {str(button.key) for button in page.app.get("download_button")}
    figures = (
        "published_topics",
        "published_z",
        "published_p",
        "published_profile",
        "sudosys_1",
        "sudosys_2",
    )
    tables = ("published_topics", "published_z", "published_2", "published_3", "sudosys_1", "sudosys_2")
    wanted = {f"{name}_{form}" for name in figures for form in ("png", "svg", "pdf")}
    assert wanted | {f"{name}_{form}" for name in tables for form in ("csv", "tex")} <= keys


def test_latex_escapes_what_latex_reads(visit) -> None:
    import pandas as pd

    text = latex_bytes(pd.DataFrame({"model": [r"50% \input{x} & _y_"], "r": [0.5]})).decode()
    assert r"50\% \textbackslash{}input\{x\} \& \_y\_ & 0.5 \\" in text
