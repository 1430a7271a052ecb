"""The request that goes out to each kind of host: path, query, headers and body, as it documents them."""

import threading
from dataclasses import replace

import pytest

from counsel_core.errors import InputError, RequestRefusedError
from counsel_core.llm.catalogue import open_model, save_model
from counsel_core.llm.location import check_base_url, host_of, location_of, takes_api_key_header
from counsel_core.records import Message, ModelRequest, Task
from counsel_core.settings import read_settings
from tests.fakes import openai_server as fake

KEY = "sk-marked-3b1c88-never-to-be-seen"
REQUEST = ModelRequest(
    task=Task("hosts"),
    messages=(Message("system", ("Be kind.",)), Message("user", ("Hello.",))),
    inputs=None,
    max_tokens=50,
    temperature=0.0,
)
MESSAGES = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello."}]


@pytest.fixture
def server():
    with fake.OpenAIServer() as running:
        yield running


@pytest.fixture
def ask(server, settings, monkeypatch):
    """Sends a request through an entry whose base URL ends in `path`; returns the answer."""
    monkeypatch.setenv("HOST_KEY", KEY)

    def send(path, request=REQUEST, **entry):
        address = f"http://127.0.0.1:{server.port}{path}"
        saved = {"name": "host", "base_url": address, "model": "a-model", "key_variable": "HOST_KEY"}
        save_model({**saved, **entry}, settings)
        return open_model("host", read_settings()).complete(request, threading.Event())

    return send


# Paths of the base URLs that these hosts document; with a scripted server in their place.
@pytest.mark.parametrize(
    ("host", "path", "sent_to", "model"),
    [
        ("OpenAI", "/v1", "/v1/chat/completions", "gpt-4.1-mini"),
        ("OpenRouter", "/api/v1", "/api/v1/chat/completions", "qwen/qwen-2.5-72b-instruct"),
        ("DashScope", "/compatible-mode/v1", "/compatible-mode/v1/chat/completions", "qwen-plus"),
        ("DeepSeek", "", "/chat/completions", "deepseek-chat"),
        ("vLLM, llama.cpp, LM Studio, Ollama", "/v1/", "/v1/chat/completions", "qwen2.5:7b"),
    ],
)
def test_a_plain_host_gets_path_bearer_key_and_body(ask, server, host, path, sent_to, model):
    assert ask(path, model=model).text == "Hello."
    (sent,) = server.log
    assert (sent.path, sent.headers["authorization"]) == (sent_to, f"Bearer {KEY}")
    assert "api-key" not in sent.headers
    assert sent.body == {
        "model": model,
        "messages": MESSAGES,
        "max_tokens": 50,
        "temperature": 0.0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_azures_deployment_gets_its_version_and_its_own_header(ask, server):
    ask("/openai/deployments/my-gpt?api-version=2024-10-21")
    (sent,) = server.log
    assert sent.path == "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"
    assert sent.headers["api-key"] == KEY
    assert "authorization" not in sent.headers
    assert sent.body["messages"] == MESSAGES


def test_azures_v1_form_with_a_version_too(ask, server):
    ask("/openai/v1/?api-version=preview")
    (sent,) = server.log
    assert sent.path == "/openai/v1/chat/completions?api-version=preview"
    assert (sent.headers["api-key"], sent.headers.get("authorization")) == (KEY, None)


@pytest.mark.parametrize(
    ("url", "is_azure"),
    [
        ("https://mine.openai.azure.com/openai/v1", True),
        ("https://mine.openai.azure.com/openai/deployments/x?api-version=2024-10-21", True),
        ("https://mine.services.ai.azure.com/models?api-version=2024-05-01-preview", True),
        ("https://gateway.example.org/openai/deployments/x", True),
        ("https://mine.openai.azure.com.example.org/v1", False),
        ("https://api.groq.com/openai/v1", False),
        ("http://127.0.0.1:8080/v1", False),
    ],
)
def test_azure_is_known_by_its_host_its_path_or_its_query(url, is_azure):
    assert takes_api_key_header(check_base_url(url)) is is_azure


def test_azures_older_versions_know_no_stream_options(ask, server):
    def choose(body):
        refused = fake.status(400, "Unrecognized request argument supplied: stream_options")
        return refused if "stream_options" in body else fake.text("Hi.", tokens=None)

    server.answers_by(choose)
    answer = ask("/openai/deployments/older?api-version=2023-05-15")
    assert (answer.text, answer.tokens_estimated) == ("Hi.", True)
    assert [logged.path for logged in server.log] == [
        "/openai/deployments/older/chat/completions?api-version=2023-05-15"
    ] * 2


def test_azures_content_filter_is_a_refusal_that_is_not_asked_again(ask, server):
    server.answers(fake.status(400, "The response was filtered", code="content_filter"))
    with pytest.raises(RequestRefusedError, match="filtered"):
        ask("/openai/deployments/x?api-version=2024-10-21")
    assert len(server.log) == 1


def test_a_host_whose_models_take_no_system_role_gets_it_with_the_first_line(ask, server):
    def choose(body):
        system = any(message["role"] == "system" for message in body["messages"])
        refused = fake.status(400, "Developer instruction is not enabled: system message not supported")
        return refused if system else fake.text("Hi.")

    server.answers_by(choose)
    assert ask("/api/v1", model="google/gemma-2").text == "Hi."
    assert server.log[-1].body["messages"] == [{"role": "user", "content": "Be kind.\n\nHello."}]
    # What was found out is kept: the next request is not refused again.
    ask("/api/v1", replace(REQUEST, max_tokens=20), model="google/gemma-2")
    assert len(server.log) == 3


def test_a_host_that_thinks_is_told_not_to_by_its_entry(ask, server):
    ask("/compatible-mode/v1", options={"extra_body": {"enable_thinking": False}})
    assert server.log[0].body["enable_thinking"] is False


@pytest.mark.parametrize(
    "query", ["key=secret", "api-version=1&key=secret", "api-version=", "api-version=a%0a"]
)
def test_no_other_query_is_taken(query):
    with pytest.raises(InputError, match="query"):
        check_base_url(f"https://mine.openai.azure.com/openai/deployments/x?{query}")


def test_a_query_does_not_change_where_words_go():
    url = check_base_url("https://mine.openai.azure.com/openai/v1/?api-version=preview")
    assert url == "https://mine.openai.azure.com/openai/v1?api-version=preview"
    assert (host_of(url), location_of(url)) == ("mine.openai.azure.com", "remote")
