"""A turn against a server that misbehaves: the line stays, the error says what happened, a retry answers."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from counsel_core.conversation import retry_turn, start_session, take_turn
from counsel_core.errors import ProviderError, ProviderUnavailableError, RequestRefusedError
from counsel_core.llm.catalogue import open_model, save_model
from counsel_core.settings import Settings
from counsel_core.storage.database import Database
from counsel_core.storage.sessions import load_attempts, load_session, load_turns
from tests.fakes import openai_server as fake

LINES = "My rent went up.", "My sister shouts at me."
AGENTS = "plain", "sudosys"  # one asks for a text, the other for an object
FAULTS: dict[str, tuple[fake.Answer, type[ProviderError], str]] = {
    "time-out": (fake.hang(), ProviderUnavailableError, "sent nothing for longer than its entry"),
    "stall in mid-answer": (
        fake.hang(after="That"),
        ProviderUnavailableError,
        "sent nothing for longer than its entry",
    ),
    "401": (fake.status(401), RequestRefusedError, "answered 401.*key was not accepted"),
    "429": (fake.status(429, retry_after=0), ProviderUnavailableError, "answered 429.*wait a moment"),
    "500": (fake.status(500), ProviderUnavailableError, "answered 500.*Try again"),
    "refused connection": (fake.drop(after=""), ProviderUnavailableError, "broke before an answer came"),
    "drop in mid-stream": (fake.drop(), ProviderUnavailableError, "before its answer was complete"),
    "end without an end": (
        fake.events(fake.event("That"), done=False),
        ProviderUnavailableError,
        "before its answer was complete",
    ),
    "HTML": (fake.page(), RequestRefusedError, "answered with text/html"),
    "HTML with 502": (fake.page(502), ProviderUnavailableError, "answered 502"),
}
SILENT = "time-out", "stall in mid-answer"


@pytest.fixture
def server(fault: str, settings: Settings) -> Iterator[fake.OpenAIServer]:
    with fake.OpenAIServer() as scripted:
        # A short patience only where silence is what is tested: a busy machine answers late.
        options = {"retries": 0, "stall_seconds": 2.0 if fault in SILENT else 30.0}
        save_model(
            {"name": "near", "base_url": scripted.base_url, "model": "m", "options": options}, settings
        )
        yield scripted


def good(agent: str, reply: str) -> fake.Answer:
    """Answer in the form that the agent asks for."""
    whole = {"topics": {"problems": "rent"}, "status": 0, "reply": reply}
    return fake.text(reply if agent == "plain" else json.dumps(whole))


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("fault", FAULTS)
def test_the_line_stays_and_a_retry_answers_it(
    db: Database, settings: Settings, server: fake.OpenAIServer, agent: str, fault: str
) -> None:
    answer, kind, said = FAULTS[fault]
    session = start_session(db, agent=agent, model="near", settings=settings)
    model = open_model("near", settings)
    server.answers(good(agent, "That is hard."), answer, answer, good(agent, "What did she say?"))
    take_turn(db, model, session.id, LINES[0])
    before = load_session(db, session.id)
    for attempt in (
        lambda: take_turn(db, model, session.id, LINES[1]),
        lambda: retry_turn(db, model, session.id),
    ):
        with pytest.raises(kind, match=said) as caught:
            attempt()
        turns = load_turns(db, session.id)
        assert [(turn.client, turn.status) for turn in turns] == list(
            zip(LINES, ("answered", "failed"), strict=True)
        )
        assert (turns[1].error, turns[1].reply) == (str(caught.value), "")
        assert load_session(db, session.id).state == before.state
    assert retry_turn(db, model, session.id).reply == "What did she say?"
    calls = load_attempts(db, session.id, 2)
    assert [(number, call.error is None) for number, call in calls] == [(1, False), (2, False), (3, True)]
    assert len({call.messages for _, call in calls}) == 1
