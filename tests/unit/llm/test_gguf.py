"""GGUF files: what their header says, which are offered, and what is refused. Headers are written by hand."""

from __future__ import annotations

import struct
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.errors import DataFileError, ProviderUnavailableError, StoppedError
from counsel_core.llm import engines
from counsel_core.llm.catalogue import find_model, list_models, open_model, remove_model, save_model
from counsel_core.llm.gguf import GGUF, USUAL_CONTEXT, body_of, found_files, gguf_folder
from counsel_core.llm.gguf_header import GgufFacts, read_facts
from counsel_core.llm.model_file import EntryError
from counsel_core.records import Message, ModelRequest, ModelSpec, Task
from counsel_core.settings import Settings
from tests.smollm2 import smollm2_file

ASKED = ModelRequest(Task("trial"), (Message("user", ("Hello.",)),), None)


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
    tokenizer__chat_template="{{ messages }}",
)


def test_the_header_says_name_context_licence_and_size(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(WHOLE + bytes(100))
    assert read_facts(file) == GgufFacts("A Model", "llama", 4096, "1B", "apache-2.0", True, len(WHOLE) + 100)


def test_the_real_file_is_what_its_makers_say() -> None:
    # SmolLM2-135M-Instruct: a llama of 8,192 tokens of context (its model card).
    facts = read_facts(smollm2_file())
    assert (facts.architecture, facts.context_length, facts.chats) == ("llama", 8192, True)


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
    with pytest.raises(ProviderUnavailableError, match="pip install"):
        GGUF.open(ModelSpec("a", "gguf", "A", "process", model=str(file)), settings)


class Slow:
    """An engine that says a word every hundredth of a second until it is told to stop."""

    def __init__(self) -> None:
        self.words = 0

    def handle_chat_completions(self, body, take):
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
            engine.ask(body_of(ASKED), first)

    busy = threading.Thread(target=ask_first)
    busy.start()
    while not slow.words:
        time.sleep(0.01)
    assert not engine.release()  # it is at work
    threading.Timer(0.2, second.set).start()
    with pytest.raises(StoppedError, match="another session"):
        engine.ask(body_of(ASKED), second)
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
    engine.ask(body_of(ASKED), threading.Event())
    assert engine.is_loaded
    end = time.monotonic() + 10
    while engine.is_loaded:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_thinking_is_kept_apart_and_the_end_of_the_program_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_load", lambda file, context: Slow())
    engine = engines.Engine(Path("x"), 10)
    threading.Timer(0.2, engine.close, args=(5,)).start()
    stream = engine.ask(body_of(ASKED), threading.Event())
    assert set(stream.pieces) == {"word "}
    assert set(stream.reasoning) == {"hm "}
