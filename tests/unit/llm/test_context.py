"""What surely does not fit into a context is not sent; an answer gets no more room than is left."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from counsel_core.errors import ContextOverflowError
from counsel_core.llm._context import fit_context
from counsel_core.llm.openai_compatible import OPENAI_COMPATIBLE
from counsel_core.records import Message, ModelRequest, ModelSpec, Task
from counsel_core.settings import Settings
from tests.fakes import openai_server as fake

SPEC = ModelSpec("m", "openai_compatible", "Small model", "loopback", "http://x", "m", context_length=1000)


def asking(tokens, max_tokens=300):
    """Return a request whose prompt is estimated at so many tokens: four characters each, and 4 a message."""
    return ModelRequest(Task("t"), (Message("user", ("word" * (tokens - 4),)),), None, max_tokens=max_tokens)


@pytest.mark.parametrize(
    ("prompt", "max_tokens", "sent"),
    [
        (700, 300, 300),  # fits exactly
        (700, 301, 300),
        (100, 8000, 900),
        (936, 300, 64),
        (937, 300, 300),  # fewer than 64 left: the estimate is not that exact, the server decides
        (1300, 300, 300),
    ],
)
def test_an_answer_gets_what_is_left(prompt, max_tokens, sent):
    assert fit_context(asking(prompt, max_tokens), SPEC).max_tokens == sent


def test_beyond_1_3_of_the_context_it_is_refused_with_numbers_and_advice():
    with pytest.raises(ContextOverflowError) as caught:
        fit_context(asking(1301), SPEC)
    assert str(caught.value) == (
        "The prompt has about 1,301 tokens, and Small model reads 1,000 (context_length in its entry): "
        "nothing was sent. Choose a model with a longer context, or start a new session."
    )


def test_without_a_known_context_nothing_changes():
    request = asking(1_000_000)
    assert fit_context(request, replace(SPEC, context_length=None)) is request


def test_it_is_never_sent_and_clipped_on_the_way():
    with fake.OpenAIServer() as server:
        model = OPENAI_COMPATIBLE.open(replace(SPEC, base_url=server.base_url), Settings(Path("unused"), ""))
        with pytest.raises(ContextOverflowError):
            model.complete(asking(1301), threading.Event())
        assert server.log == []
        model.complete(asking(900), threading.Event())
        assert server.log[0].body["max_tokens"] == 100
