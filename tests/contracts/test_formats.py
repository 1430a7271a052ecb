"""What every format of data sets holds to."""

from __future__ import annotations

import pytest

from counsel_core.datasets import formats
from counsel_core.datasets._base import DatasetFormat, Entry, Table

ROLES = {"question", "reference", "topic", "id", "models", "source", "answer", "upvotes", "views", "blocked"}


@pytest.fixture(params=formats().values(), ids=formats())
def each(request: pytest.FixtureRequest) -> DatasetFormat:
    return request.param


def test_it_says_what_it_is(each: DatasetFormat) -> None:
    assert each.label
    assert each.description.endswith(".")
    assert each.needs | each.takes <= ROLES
    assert not each.needs & each.takes


def test_orders_are_distinct() -> None:
    assert len({each.order for each in formats().values()}) == len(formats())


def test_columns_named_after_the_roles_are_found_and_nothing_else_is_guessed(each: DatasetFormat) -> None:
    usual = {"counselchat": {"id": "questionID", "question": "questionText", "answer": "answerText"}}
    named = {role: usual.get(each.name, {}).get(role, role) for role in sorted(each.needs)}
    table = Table("a.csv", "csv", "utf-8", tuple(named.values()), ())
    guessed = each.guess(table, {})
    assert {role: guessed[role] for role in named} == named
    nothing = Table("a.csv", "csv", "utf-8", ("x1", "x2"), ())
    assert not each.needs & each.guess(nothing, {}).keys()


def test_a_column_that_the_user_named_is_guessed_for_nothing_else(each: DatasetFormat) -> None:
    table = Table("a.csv", "csv", "utf-8", ("question", "answer", "text"), ())
    assert "question" not in each.guess(table, {"topic": "question"}).values()


def test_every_row_becomes_entries_or_notes_with_its_number(each: DatasetFormat) -> None:
    roles = sorted(each.needs | (each.takes & {"id", "topic"}))
    cells = {"source": "reference", "upvotes": "1", "views": "1"}
    rows = tuple((number, [cells.get(role, f"{role} {number}") for role in roles]) for number in (2, 5, 9))
    table = Table("a.csv", "csv", "utf-8", tuple(roles), rows)
    read = list(each.read(table, {role: role for role in roles}))
    assert {entry.row for entry in read} == {2, 5, 9}
    assert all(isinstance(entry, Entry) and entry.id for entry in read)
