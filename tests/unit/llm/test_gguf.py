"""GGUF files: what their header says, which are offered, and what is refused. Headers are written by hand."""

from __future__ import annotations

import struct
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.doctor import examine
from counsel_core.errors import DataFileError, ProviderUnavailableError, StoppedError
from counsel_core.llm import engines
from counsel_core.llm._base import ChatModel
from counsel_core.llm.catalogue import find_model, list_models, open_model, remove_model, save_model
from counsel_core.llm.gguf import GGUF, USUAL_CONTEXT, found_files, gguf_folder
from counsel_core.llm.gguf_header import GgufFacts, read_facts
from counsel_core.llm.model_file import EntryError
from counsel_core.records import Message, ModelRequest, ModelSpec, Task
from counsel_core.settings import Settings
from tests.smollm2 import smollm2_file

ASKED = ModelRequest(Task("trial"), (Message("user", ("Hello.",)),), None)
BODY = {"messages": [{"role": "user", "content": "Hello."}]}


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def header(**values: str | int | list[str]) -> bytes:
    """Return the header of a GGUF file of version 3 (the specification's layout), dots written as __."""
    out = b"GGUF" + struct.pack("<IQQ", 3, 0, len(values))
    for key, value in values.items():
        out += text(key.replace("__", "."))
        if isinstance(value, str):
            out += struct.pack("<I", 8) + text(value)
        elif isinstance(value, int):
            out += struct.pack("<II", 4, value)
        else:
            out += struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
    return out


WHOLE = header(
    general__architecture="llama",
    general__name="A Model",
    tokenizer__ggml__tokens=["a", "bc"],
    llama__context_length=4096,
    general__license="apache-2.0",
    general__size_label="1B",
    general__file_type=15,
    tokenizer__chat_template="{{ messages }}",
)


def test_the_header_says_name_context_licence_and_size(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(WHOLE + bytes(100))
    assert read_facts(file) == GgufFacts(
        "A Model", "llama", 4096, "1B", "Q4_K_M", "apache-2.0", chats=True, bytes=len(WHOLE) + 100
    )


def test_the_real_file_is_what_its_makers_say() -> None:
    # SmolLM2-135M-Instruct: a llama of 8,192 tokens of context (its model card); the file is called Q4_1.
    facts = read_facts(smollm2_file())
    assert (facts.architecture, facts.context_length, facts.chats) == ("llama", 8192, True)
    assert (facts.quantisation, facts.answers) == ("Q4_1", True)


@pytest.mark.parametrize(("kind", "said"), [(0, "F32"), (5, ""), (32, "BF16"), (33, ""), ("x", "")])
def test_the_quantisation_is_named_or_left_out(tmp_path: Path, kind: int | str, said: str) -> None:
    # llama.cpp's llama_ftype: 0 all F32, 5 was removed, 32 mostly BF16, 33 once was a variant of Q4_0.
    file = tmp_path / "a.gguf"
    file.write_bytes(header(general__architecture="llama", general__file_type=kind))
    assert read_facts(file).quantisation == said


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "no GGUF file"),
        (b"PK\x03\x04" + bytes(50), "no GGUF file"),
        (b"GGUF", "cut off"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 40), "claims"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1 << 60), "a text of"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<I", 99), "unknown kind 99"),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IIQ", 9, 9, 1),
            "array of the kind 9",
        ),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IIQ", 9, 0, 1 << 50),
            "an array of",
        ),
        (WHOLE[:-3], "cut off"),
    ],
)
def test_what_is_no_header_is_refused_by_name(tmp_path: Path, data: bytes, word: str) -> None:
    file = tmp_path / "bad.gguf"
    file.write_bytes(data)
    with pytest.raises(DataFileError, match=word):
        read_facts(file)


@given(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=9))
def test_no_damage_is_more_than_a_named_error(tmp_path_factory, place: int, damage: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "damaged.gguf"
    file.write_bytes(WHOLE[:place] + damage + WHOLE[place + len(damage) :])
    try:
        assert isinstance(read_facts(file), GgufFacts)
    except DataFileError as error:
        assert str(file) in str(error)  # noqa: PT017 - either outcome is right


def put(settings: Settings, name: str, data: bytes = WHOLE) -> Path:
    folder = gguf_folder(settings)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return folder / name


def test_files_of_the_folder_are_offered_and_bad_ones_told(settings: Settings) -> None:
    put(settings, "my model (v2).gguf")
    bad = put(settings, "bad.gguf", b"nothing")
    found = found_files(settings)
    assert isinstance(found[bad], DataFileError)
    (_, spec) = list_models(settings)
    assert (spec.name, spec.location, spec.context_length) == ("gguf/my-model-v2", "process", 4096)
    assert spec.label == "A Model (my model (v2).gguf)"
    assert open_model(spec.name, settings).spec == spec


def test_files_that_cannot_write_are_not_offered_and_equal_names_are_numbered(settings: Settings) -> None:
    put(settings, "a b.gguf")
    put(settings, "a-b.gguf")
    encoder = put(settings, "encoder.gguf", header(general__architecture="nomic-bert"))
    part = put(settings, "big-00002-of-00002.gguf", header(split__no=1))
    assert [spec.name for spec in list_models(settings)] == ["guided", "gguf/a-b", "gguf/a-b-2"]
    said = {row.subject: row.found for row in examine(settings) if row.subject.startswith("file ")}
    assert set(said) == {f"file {encoder.name}", f"file {part.name}"}
    assert all("no language model" in found for found in said.values())


def test_the_doctor_names_a_damaged_file(settings: Settings) -> None:
    put(settings, "bad.gguf", b"nothing")
    (row,) = [row for row in examine(settings) if row.subject == "file bad.gguf"]
    assert row.state == "missing"
    assert "no GGUF file" in row.found


def test_a_file_elsewhere_is_an_entry_with_a_path(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "far.gguf"
    file.write_bytes(header(general__architecture="llama", llama__context_length=131072))
    save_model({"name": "far", "provider": "gguf", "path": str(file)}, settings)
    assert find_model("far", settings).model == str(file)
    # No more memory than usual is given to a file of long context, unless the entry says so.
    assert open_model("far", settings).spec.context_length == USUAL_CONTEXT
    entry = {"name": "far", "provider": "gguf", "path": str(file), "context_length": 20000}
    save_model(entry, settings)
    assert open_model("far", settings).spec.context_length == 20000
    remove_model("far", settings)
    assert [spec.name for spec in list_models(settings)] == ["guided"]


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        ({"path": "models/a.gguf"}, "path"),
        ({"path": ""}, "path"),
        ({"path": "/a.gguf", "base_url": "http://127.0.0.1/v1"}, "base_url"),
        ({"path": "/a.gguf", "provider": "ollama"}, "provider"),
        (
            {"path": "/a.gguf", "provider": "openai_compatible", "base_url": "http://[::1]/v1", "model": "m"},
            "path",
        ),
    ],
)
def test_a_wrong_entry_is_refused_by_its_key(settings: Settings, entry: dict[str, str], key: str) -> None:
    with pytest.raises(EntryError) as refused:
        save_model({"name": "wrong", "provider": "gguf", **entry}, settings)
    assert refused.value.key == key


def test_a_file_that_is_gone_or_no_model_is_named(settings: Settings) -> None:
    spec = ModelSpec("gone", "gguf", "Gone", "process", model="/nowhere/gone.gguf")
    with pytest.raises(ProviderUnavailableError, match=r"Gone cannot be opened.*cannot be read"):
        GGUF.open(spec, settings)
    only_a_header = put(settings, "header.gguf")
    model = GGUF.open(ModelSpec("h", "gguf", "Header", "process", model=str(only_a_header)), settings)
    with pytest.raises(ProviderUnavailableError, match="Header could not be run"):
        model.complete(ASKED, threading.Event())


def test_without_the_package_no_file_is_offered(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(settings, "a.gguf")
    monkeypatch.setattr("counsel_core.llm.gguf._PACKAGE", "package_that_is_not_there")
    assert [spec.name for spec in list_models(settings)] == ["guided"]
    save_model({"name": "mine", "provider": "gguf", "path": str(file)}, settings)
    with pytest.raises(ProviderUnavailableError, match="pip install"):
        open_model("mine", settings)


class Slow:
    """An engine that says a word every hundredth of a second until it is told to stop."""

    def __init__(self) -> None:
        self.words = 0

    def handle_chat_completions(self, body, take):
        assert body["return_progress"]
        while not take({"choices": [{"delta": {"content": "word ", "reasoning_content": "hm "}}]}):
            self.words += 1
            time.sleep(0.01)


def test_one_slot_is_waited_for_and_the_wait_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    monkeypatch.setattr(engines, "_load", lambda file, context: slow)
    engine = engines.Engine(Path("x"), 10)
    first, second = threading.Event(), threading.Event()

    def ask_first() -> None:
        with pytest.raises(StoppedError):
            engine.ask(BODY, first)

    busy = threading.Thread(target=ask_first)
    busy.start()
    while not slow.words:
        time.sleep(0.01)
    assert not engine.release()  # it is at work
    threading.Timer(0.2, second.set).start()
    with pytest.raises(StoppedError, match="another session"):
        engine.ask(BODY, second)
    first.set()
    busy.join(5)
    assert engine.release(patience=5)
    assert not engine.is_loaded


def test_idle_memory_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        engines,
        "_load",
        lambda file, context: type("Quick", (), {"handle_chat_completions": lambda *_: None})(),
    )
    monkeypatch.setattr(engines, "IDLE_SECONDS", 0.2)
    engine = engines.Engine(Path("x"), 10)
    engine.ask(BODY, threading.Event())
    assert engine.is_loaded
    end = time.monotonic() + 10
    while engine.is_loaded:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_end_of_the_program_stops_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_load", lambda file, context: Slow())
    engine = engines.Engine(Path("x"), 10)
    threading.Timer(0.2, engine.close, args=(5,)).start()
    # What was written so far is no answer: it must not be saved as one.
    with pytest.raises(StoppedError, match="program ended"):
        engine.ask(BODY, threading.Event())


class Scripted:
    """An engine that refuses roles that do not alternate, as some files' templates do; then answers."""

    def __init__(self, *deltas: dict[str, str], finish: str | None = "stop") -> None:
        self.deltas, self.finish = deltas, finish
        self.asked: list[list[str]] = []

    def handle_chat_completions(self, body, take):
        roles = [message["role"] for message in body["messages"]]
        self.asked.append(roles)
        if any(role != ("user", "assistant")[at % 2] for at, role in enumerate(roles)):
            raise ValueError("Jinja Exception: Conversation roles must alternate user/assistant")
        take({"choices": [], "prompt_progress": {"total": 9, "processed": 9}})
        for delta in self.deltas:
            take({"choices": [{"delta": delta}]})
        take({"choices": [{"delta": {}, "finish_reason": self.finish}], "usage": {"prompt_tokens": 9}})


def run(monkeypatch: pytest.MonkeyPatch, settings: Settings, engine: object) -> ChatModel:
    monkeypatch.setattr(engines, "_load", lambda file, context: engine)
    monkeypatch.setattr(engines, "_engines", {})
    file = put(settings, "a.gguf")
    return GGUF.open(ModelSpec("a", "gguf", "A", "process", model=str(file)), settings)


def test_a_template_that_takes_no_system_role_is_served(settings, monkeypatch) -> None:
    engine = Scripted({"content": "Hello."})
    model = run(monkeypatch, settings, engine)
    told = (Message("system", ("Be kind.",)), Message("assistant", ("Welcome.",)), Message("user", ("Hi",)))
    request = ModelRequest(Task("trial"), told, None)
    assert model.complete(request, threading.Event()).text == "Hello."
    assert model.complete(request, threading.Event()).text == "Hello."
    joined = ["user", "assistant", "user"]
    # What was found out is kept: the second request is not refused first.
    assert engine.asked == [["system", "assistant", "user"], joined, joined]


def test_thinking_is_kept_apart_whichever_way_it_comes(settings, monkeypatch) -> None:
    parts = ({"reasoning_content": "First."}, {"content": "<think>Then."}, {"content": "</think>\n\nHello."})
    done = run(monkeypatch, settings, Scripted(*parts)).complete(ASKED, threading.Event())
    assert (done.text, done.reasoning, done.finish) == ("Hello.", "First.\nThen.", "stop")


def test_an_answer_without_an_end_is_none(settings, monkeypatch) -> None:
    model = run(monkeypatch, settings, Scripted({"content": "Hel"}, finish=None))
    with pytest.raises(ProviderUnavailableError, match="broke off"):
        model.complete(ASKED, threading.Event())


def test_a_test_call_is_left_when_its_time_is_over(settings, monkeypatch) -> None:
    slow = Slow()
    model = run(monkeypatch, settings, slow)
    short = GGUF.open(replace(model.spec, options={"total_seconds": 0.3}), settings)
    with pytest.raises(ProviderUnavailableError, match="did not answer within"):
        short.complete(ASKED, threading.Event())
    written = slow.words
    time.sleep(0.3)
    assert slow.words <= written + 1  # the engine was told


def test_one_file_is_held_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_load", lambda file, context: Scripted())
    monkeypatch.setattr(engines, "_engines", {})
    first = engines.engine_of(Path("x"), 10)
    first.ask(BODY, threading.Event())
    assert first.is_loaded
    engines.engine_of(Path("x"), 20).ask(BODY, threading.Event())
    assert not first.is_loaded
