"""Placeholders: nothing found leaves, everything comes back."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.errors import DataFileError, InputError
from counsel_core.llm._base import Caller
from counsel_core.llm.cache import keeping_answers
from counsel_core.llm.catalogue import open_model, save_model, set_local_only
from counsel_core.llm.redacting import RedactingModel
from counsel_core.privacy.identifiers import find_identifiers
from counsel_core.privacy.redaction import build_redaction
from counsel_core.privacy.words import load_words, save_words
from counsel_core.records import Message, ModelRequest, ModelSpec, Task
from tests.fakes_conversation import FakeModel

PIECES = st.sampled_from(
    [
        "ann@example.org",
        "020 7946 0958",
        "Ann",
        " and ",
        "[EMAIL 1]",
        "[ name 2 ]",
        "4111 1111 1111 1111",
        "王小明",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=10), max_size=8).map("".join)
WORDS = ("Ann", "王小明")


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_what_is_redacted_comes_back_and_nothing_found_is_left(texts: list[str]) -> None:
    redaction = build_redaction(texts, WORDS)
    for text in texts:
        sent = redaction.redact(text)
        assert redaction.restore(sent) == text
        assert (sent != text) == bool(find_identifiers(text, WORDS))


def test_the_same_original_has_the_same_placeholder_in_every_text() -> None:
    redaction = build_redaction(["Ann: a@b.org", "a@b.org and c@d.org, Ann"], WORDS)
    assert redaction.redact("Ann: a@b.org") == "[NAME 1]: [EMAIL 1]"
    assert redaction.redact("a@b.org and c@d.org, Ann") == "[EMAIL 1] and [EMAIL 2], [NAME 1]"


def test_a_placeholder_that_a_text_holds_already_is_not_used() -> None:
    redaction = build_redaction(["I am [name 1], not Ann."], WORDS)
    assert redaction.redact("I am [name 1], not Ann.") == "I am [name 1], not [NAME 2]."
    assert redaction.restore("Hello [name 1], hello [ Name 2 ].") == "Hello [name 1], hello Ann."


def test_a_placeholder_that_stands_for_nothing_stays() -> None:
    assert build_redaction(["Ann"], WORDS).restore("[PHONE 9]") == "[PHONE 9]"


def test_in_json_an_original_is_escaped() -> None:
    redaction = build_redaction(['The word is a"b.'], ['a"b'])
    assert json.loads(redaction.restore('{"reply": "[NAME 1]"}', in_json=True)) == {"reply": 'a"b'}


class Hosted(FakeModel):
    """A model on another machine."""

    @property
    def spec(self) -> ModelSpec:
        return replace(super().spec, location="remote", base_url="https://api.example.org/v1")


def asked(*parts: str, schema: object = None) -> ModelRequest:
    return ModelRequest(
        Task("t"), (Message("system", ("Be kind.",)), Message("user", parts)), None, schema=schema
    )


def test_a_hosted_model_gets_placeholders_and_its_answer_the_originals() -> None:
    behind = FakeModel(lambda request: "I will tell [name 1] at [EMAIL 1].")
    calls: list[object] = []
    caller = Caller(RedactingModel(behind, WORDS), calls.append)
    done = caller.complete(asked("Ann is at ", "ann@example.org", "."))
    assert done.text == "I will tell Ann at ann@example.org."
    sent = "".join(message.content for request in behind.requests for message in request.messages)
    assert sent == "Be kind.[NAME 1] is at [EMAIL 1]."
    # What is kept of the call is what left the machine.
    assert "".join(message.content for message in calls[0].messages) == sent
    assert calls[0].text == done.text


def test_a_cache_keeps_what_was_sent_and_what_came(settings) -> None:
    with keeping_answers(settings, use=True) as keep:
        calls: list[object] = []
        model = keep(RedactingModel(Hosted(lambda request: "Hello [NAME 1]."), WORDS))
        for name in ("Ann", "王小明"):  # sent alike: the second is answered from the cache
            assert Caller(model, calls.append).complete(asked(f"I am {name}.")).text == f"Hello {name}."
    assert [call.cached for call in calls] == [False, True]
    assert {call.messages[1].content for call in calls} == {"I am [NAME 1]."}
    for file in settings.data_dir.rglob("*"):
        assert not file.is_file() or b"Ann" not in file.read_bytes()


def test_a_request_without_identifiers_is_sent_as_it_is() -> None:
    behind = FakeModel()
    request = asked("The rent went up.")
    RedactingModel(behind, WORDS).complete(request, threading.Event())
    assert behind.requests == [request]


def test_every_hosted_model_is_opened_behind_the_screen_and_no_other(settings) -> None:
    entry = {"base_url": "https://api.example.org/v1", "model": "m"}
    save_model({"name": "away", **entry}, settings)
    save_model({"name": "near", **entry, "base_url": "http://127.0.0.1:9/v1"}, settings)
    set_local_only(False, settings)
    save_words("Ann", settings)
    opened = open_model("away", settings)
    assert isinstance(opened, RedactingModel)
    assert opened.words == ("Ann",)
    for name in ("near", "guided"):
        assert not isinstance(open_model(name, settings), RedactingModel)


def test_words_are_kept_for_their_owner_alone(settings) -> None:
    assert load_words(settings) == ()
    assert save_words("Ann\n\nBob", settings) == ("Ann", "Bob")
    file = settings.data_dir / "private_words.txt"
    assert file.stat().st_mode & 0o077 == 0
    assert load_words(settings) == ("Ann", "Bob")
    with pytest.raises(InputError, match="at most 500"):
        save_words("\n".join(map(str, range(501))), settings)
    assert load_words(settings) == ("Ann", "Bob")


def test_with_a_list_that_cannot_be_read_no_hosted_model_is_opened(settings) -> None:
    save_model({"name": "away", "base_url": "https://api.example.org/v1", "model": "m"}, settings)
    set_local_only(False, settings)
    (settings.data_dir / "private_words.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataFileError, match="cannot be read"):
        open_model("away", settings)
