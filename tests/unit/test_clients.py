from dataclasses import replace
from datetime import UTC, datetime

import pytest

from counsel_core.agents import find_agent
from counsel_core.clients import load_clients, next_line, read_client
from counsel_core.errors import DataFileError
from counsel_core.records import Turn

ANNA = """
label = "Anna, 34"
agent = "sudosys"
language = "en"
about = "The rent is due."
lines = ["The rent is due.", " It's my sister, too. "]
"""


def test_a_client_is_read_whole():
    client = read_client("anna.toml", ANNA.encode())
    assert (client.name, client.label, client.agent, client.language) == ("anna", "Anna, 34", "sudosys", "en")
    assert client.lines == ("The rent is due.", "It's my sister, too.")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('label = "Anna, 34"\n', "", r"anna.toml, key label: it is missing or empty"),
        ('"Anna, 34"', "34", r"key label: it is missing or empty; it takes a text"),
        ('"en"', '"fr"', r"key language: it is 'fr'; it takes en or zh"),
        ("about", "abuot", r"key abuot: this key is not known; there are label"),
        ('["The rent is due.", " It\'s my sister, too. "]', "[]", r"key lines: it takes a list of one line"),
        ('["The rent is due.", " It\'s my sister, too. "]', '"One"', r"key lines: it takes a list"),
        ('" It\'s my sister, too. "', '" "', r"key lines\[2\]: it is missing or empty"),
        ('" It\'s my sister, too. "', "7", r"key lines\[2\]: it is missing or empty"),
        ("The rent is due.", "x" * 8001, r"8,001 characters; at most 8,000"),
        ('language = "en"', 'language = "en', r"anna.toml, line 4: it is not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_place_and_reason(old, new, message):
    assert old in ANNA
    with pytest.raises(DataFileError, match=message):
        read_client("anna.toml", ANNA.replace(old, new).encode())


def test_a_file_in_another_encoding_is_refused():
    with pytest.raises(DataFileError, match="not UTF-8"):
        read_client("anna.toml", ANNA.replace("Anna", "Ännä").encode("cp1252"))


def test_clients_of_a_folder_are_found_by_name(tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.toml").write_text(ANNA)
    (tmp_path / "README.md").write_text("No client.")
    assert list(load_clients(tmp_path)) == ["a", "b"]


def test_a_client_says_line_after_line_and_then_nothing():
    client = read_client("anna.toml", ANNA.encode())
    said = Turn("0" * 16, 1, "answered", "x", datetime.now(UTC), author="sample client")
    typed = replace(said, author="person")
    assert next_line(client, []) == "The rent is due."
    assert next_line(client, [said]) == "It's my sister, too."
    assert next_line(client, [said, typed, typed]) == "It's my sister, too."
    assert next_line(client, [typed, said, replace(said, number=2)]) is None


def test_the_clients_that_come_with_the_project_are_sound():
    clients = load_clients()
    for agent in ("sudosys", "cocoa"):
        assert sum(client.agent == agent for client in clients.values()) >= 2
    for client in clients.values():
        assert client.language in find_agent(client.agent).languages
        assert len(client.lines) >= 8
