"""The choice of a model: the file, what is wrong with it, local-only, keys, probing, discovery, guided."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from counsel_core.errors import (
    DataFileError,
    InputError,
    LocalOnlyError,
    MissingKeyError,
    StoppedError,
    UnknownNameError,
    UnsupportedTaskError,
)
from counsel_core.llm.catalogue import (
    effective_local_only,
    find_model,
    list_models,
    open_model,
    probe,
    providers,
    remove_model,
    save_model,
    set_local_only,
)
from counsel_core.llm.discovery import find_servers
from counsel_core.llm.location import check_base_url, host_of, location_of
from counsel_core.llm.model_file import ModelsFile, check_model, read_models, write_models
from counsel_core.records import Message, ModelRequest, Task
from counsel_core.settings import Settings
from tests.fakes import openai_server as fake

LOCAL = {"name": "here", "base_url": "http://127.0.0.1:8080/v1", "model": "small"}
REMOTE = {
    "name": "there",
    "base_url": "https://api.example.org/v1",
    "model": "large",
    "key_variable": "THERE_KEY",
}
ENTRY = '[[model]]\nname = "a"\nmodel = "m"\nbase_url = "http://localhost"\n'


@pytest.fixture
def own(tmp_path):
    return Settings(data_dir=tmp_path / "data", database_url="")


def write(settings, text):
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    settings.models_file.write_text(text, encoding="utf-8")


class TestList:
    def test_without_a_file_there_is_the_guided_one(self, own):
        (only,) = list_models(own)
        assert (only.name, only.label, only.location) == (
            "guided", "Guided (rules, no language model)", "rules",
        )  # fmt: skip
        assert sorted(providers()) == ["gguf", "guided", "openai_compatible"]

    def test_what_is_saved_is_listed_and_found(self, own):
        options = {"stall_seconds": 90, "extra_body": {"enable_thinking": False, "a b": [1, "x"]}}
        save_model({**LOCAL, "label": 'A "small" one', "context_length": 8192, "options": options}, own)
        save_model(REMOTE, own)
        assert [spec.name for spec in list_models(own)] == ["guided", "here", "there"]
        here = find_model("here", own)
        assert (here.label, here.location, here.context_length) == ('A "small" one', "loopback", 8192)
        assert here.options == options
        assert find_model("there", own).location == "remote"
        assert find_model("there", own).label == "there"

    def test_saving_a_name_again_replaces_it_in_its_place(self, own):
        save_model(LOCAL, own)
        save_model(REMOTE, own)
        save_model({**LOCAL, "model": "other"}, own)
        assert [(spec.name, spec.model) for spec in list_models(own)[1:]] == [
            ("here", "other"),
            ("there", "large"),
        ]

    def test_removing(self, own):
        save_model(LOCAL, own)
        remove_model("here", own)
        assert len(list_models(own)) == 1
        with pytest.raises(UnknownNameError, match="here"):
            remove_model("here", own)

    def test_an_unknown_name_lists_the_choices(self, own):
        save_model(LOCAL, own)
        with pytest.raises(UnknownNameError, match="guided, here"):
            open_model("nowhere", own)

    def test_a_broken_file_leaves_the_guided_model(self, own):
        write(own, "[[model]\n")
        with pytest.raises(DataFileError):
            list_models(own)
        assert open_model("guided", own).spec.name == "guided"
        assert effective_local_only(replace(own, local_only=False)) is True

    def test_saving_at_once_from_two_tabs_loses_nothing(self, own):
        names = [f"m{number}" for number in range(8)]
        threads = [threading.Thread(target=save_model, args=({**LOCAL, "name": name}, own)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(spec.name for spec in list_models(own)[1:]) == names


class TestFile:
    @pytest.mark.parametrize(
        ("text", "line", "key", "reason"),
        [
            (f"{ENTRY}context_length = \n", 5, "", "not valid TOML"),
            ("local_only = 1\n", 1, "local_only", "true or false"),
            ("\nhost = 1\n", 2, "host", "unknown"),
            ('model = "x"\n', 1, "model", r"\[\[model\]\]"),
            ('[[model]]\nname = "a"\nmodel = "m"\n', 1, "base_url", "missing"),
            (ENTRY.replace("http://", ""), 4, "base_url", "http or https"),
            (ENTRY.replace('"a"', '"guided"'), 2, "name", "cannot be"),
            (ENTRY.replace('"a"', '"a b"'), 2, "name", "cannot be"),
            (ENTRY.replace('"a"', "5"), 2, "name", "has to be a text"),
            (ENTRY.replace('"a"', '"b"') + ENTRY + ENTRY, 10, "name", "earlier model"),
            (f"{ENTRY}\n[model.options]\nstall = 1\n", 7, "options.stall", "unknown"),
            (f"{ENTRY}\n[model.options]\nretries = 1.5\n", 7, "options.retries", "whole number"),
            (f"{ENTRY}context_length = true\n", 5, "context_length", "tokens"),
            (f'{ENTRY}api_key = "x"\n', 5, "api_key", "unknown"),
        ],
    )
    def test_a_mistake_is_named_by_line_key_and_reason(self, own, text, line, key, reason):
        write(own, text)
        with pytest.raises(DataFileError, match=reason) as caught:
            read_models(own.models_file)
        assert (caught.value.line, caught.value.key) == (line, key)
        assert str(own.models_file) in str(caught.value)

    def test_a_key_in_the_place_of_its_variable_is_not_repeated(self, own):
        write(
            own,
            '[[model]]\nname = "a"\nmodel = "m"\nbase_url = "http://localhost"\nkey_variable = "sk-7f3-x"\n',
        )
        with pytest.raises(DataFileError, match="environment variable") as caught:
            read_models(own.models_file)
        assert "sk-7f3" not in str(caught.value)
        assert caught.value.line == 5

    def test_no_text(self, own):
        own.data_dir.mkdir(parents=True)
        own.models_file.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(DataFileError, match="UTF-8"):
            read_models(own.models_file)

    def test_a_failed_write_leaves_the_old_file(self, own, monkeypatch):
        save_model(LOCAL, own)
        before = own.models_file.read_bytes()

        def full(self, target):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "replace", full)
        with pytest.raises(DataFileError, match="No space left"):
            save_model(REMOTE, own)
        assert own.models_file.read_bytes() == before
        assert [path.name for path in own.data_dir.iterdir()] == ["models.toml"]

    @hypothesis_settings(deadline=None)
    @given(
        label=st.text(
            st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Cf", "Zs", "Co", "Cn"]), max_size=30
        ),
        extra=st.recursive(
            st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=10),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
            ),
            max_leaves=6,
        ),
    )
    def test_what_is_written_is_read_again(self, tmp_path_factory, label, extra):
        path = tmp_path_factory.mktemp("models") / "models.toml"
        spec = check_model({**LOCAL, "label": label, "options": {"extra_body": {"x": extra}}})
        write_models(path, ModelsFile((spec,), local_only=False))
        assert read_models(path) == ModelsFile((spec,), local_only=False)


class TestLocalOnly:
    def test_it_is_on_unless_turned_off(self, own):
        save_model(REMOTE, own)
        keyed = replace(own, secrets={"THERE_KEY": "k" * 20})
        with pytest.raises(LocalOnlyError, match=r"api\.example\.org"):
            open_model("there", keyed)
        set_local_only(False, own)
        assert effective_local_only(own) is False
        assert open_model("there", keyed).spec.name == "there"
        set_local_only(True, own)
        with pytest.raises(LocalOnlyError):
            open_model("there", keyed)

    def test_the_environment_decides(self, own):
        set_local_only(False, own)
        locked = replace(own, local_only=True, local_only_locked=True)
        assert effective_local_only(locked) is True
        with pytest.raises(InputError, match="COUNSEL_LOCAL_ONLY"):
            set_local_only(False, locked)

    @pytest.mark.parametrize(
        ("url", "location"),
        [
            ("http://127.0.0.1:11434/v1", "loopback"),
            ("http://127.9.8.7/v1", "loopback"),
            ("http://localhost:1234/v1", "loopback"),
            ("http://LOCALHOST/v1", "loopback"),
            ("http://[::1]:8080/v1", "loopback"),
            ("http://localhost.evil.com/v1", "remote"),
            ("http://127.0.0.1.nip.io/v1", "remote"),
            ("http://127.0.0.1%40evil.com/v1", "remote"),
            ("http://localhost./v1", "remote"),
            ("http://0.0.0.0:8080/v1", "remote"),
            ("http://192.168.0.5/v1", "remote"),
            ("http://2130706433/v1", "remote"),
            ("http://0x7f.1/v1", "remote"),
            ("http://[::ffff:127.0.0.1]/v1", "remote"),
        ],
    )
    def test_loopback_is_this_machine_by_its_very_name(self, url, location):
        assert location_of(check_base_url(url)) == location

    @pytest.mark.parametrize(
        "url",
        [
            "http://127.0.0.1@evil.com/v1", "http://localhost:80@evil.com/v1", "http://localhost\\@evil.com/v1",
            "http://localhost /v1", "http://local\thost/v1", "ftp://localhost/v1", "localhost:8080", "", "http://",
            "http://localhost:99999/v1", "http://[::1/v1", "https://x.org/v1?key=secret-key", "http://x.org/#v1",
        ],
    )  # fmt: skip
    def test_urls_that_could_hide_their_host_are_refused(self, url):
        with pytest.raises(InputError, match="base URL") as caught:
            check_base_url(url)
        assert "secret-key" not in str(caught.value)

    def test_texts_show_the_host_only(self):
        assert host_of("https://api.example.org/deployments/secret/v1") == "api.example.org"
        assert host_of("http://[::1]:8080/v1") == "[::1]:8080"


def test_a_missing_key_names_its_variable(own):
    save_model(REMOTE, own)
    set_local_only(False, own)
    with pytest.raises(MissingKeyError, match="THERE_KEY"):
        open_model("there", own)


class TestProbe:
    def test_a_model_that_answers(self, own):
        with fake.OpenAIServer() as server:
            server.answers(fake.text("ready", tokens=(9, 1)))
            spec = save_model({**LOCAL, "base_url": server.base_url}, own)
            answer = probe(spec, own)
        assert (answer.ok, answer.message) == (True, "ready")
        assert 0 < answer.seconds < 5
        assert answer.tokens_per_second == pytest.approx(1 / answer.seconds)

    def test_a_model_that_does_not(self, own):
        with fake.OpenAIServer() as server:
            server.answers(fake.status(503, "loading"))
            answer = probe(save_model({**LOCAL, "base_url": server.base_url}, own), own)
            assert len(server.log) == 1  # a test call is asked once
        assert (answer.ok, "503" in answer.message) == (False, True)

    def test_what_local_only_blocks_and_why(self, own):
        answer = probe(save_model(REMOTE, own), own)
        assert not answer.ok
        assert "Local-only mode is on" in answer.message

    def test_the_guided_model(self, own):
        assert probe(find_model("guided", own), own).ok


class TestDiscovery:
    def test_servers_are_listed_as_what_they_serve(self):
        with (
            fake.OpenAIServer(models=("qwen2.5:7b", "llama3")) as server,
            fake.OpenAIServer(models=()) as empty,
        ):
            found = find_servers([server.port, empty.port, 9])
        assert [(one.base_url, one.models) for one in found] == [(server.base_url, ("qwen2.5:7b", "llama3"))]

    def test_somebody_else_there_and_somebody_silent(self):
        import socket

        with socket.create_server(("127.0.0.1", 0)) as silent:
            started = time.monotonic()
            assert find_servers([silent.getsockname()[1]]) == ()
            assert time.monotonic() - started < 10


class TestGuided:
    request = ModelRequest(
        Task("turn", rules=lambda name: f"Hello, {name}."), (Message("user", ("x",)),), "Ann"
    )

    def complete(self, own, **changes):
        return open_model("guided", own).complete(replace(self.request, **changes), threading.Event())

    def test_it_answers_from_the_typed_inputs(self, own):
        answer = self.complete(own)
        assert (answer.text, answer.finish) == ("Hello, Ann.", "stop")
        assert (answer.prompt_tokens, answer.completion_tokens) == (None, None)

    def test_a_task_without_rules_needs_a_language_model(self, own):
        with pytest.raises(UnsupportedTaskError, match=r"'judge'.*a language model is needed"):
            self.complete(own, task=Task("judge"))

    def test_chinese_needs_a_language_model(self, own):
        with pytest.raises(UnsupportedTaskError, match=r"English only.*Chinese a language model"):
            self.complete(own, language="zh")

    def test_stopped(self, own):
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(StoppedError):
            open_model("guided", own).complete(self.request, cancel)


def test_opening_a_model_loads_nothing_heavy(own):
    import subprocess
    import sys

    save_model(LOCAL, own)
    code = (
        "import sys\nfrom pathlib import Path\nfrom counsel_core.llm.catalogue import open_model\n"
        "from counsel_core.settings import Settings\n"
        f"open_model('here', Settings(data_dir=Path({str(own.data_dir)!r}), database_url=''))\n"
        "print([m for m in ('openai', 'httpx2', 'torch', 'jsonschema', 'json_repair') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True, cwd=Path.cwd()).strip() == "[]"
