"""The Models page: what answers, a test of it, models of one's own, and what may leave the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from counsel_core.agents.cocoa.evaluation import load_figures
from counsel_core.errors import ProviderUnavailableError
from counsel_core.llm import discovery
from counsel_core.llm.cache import CompletionCache, cache_file
from counsel_core.llm.catalogue import (
    effective_local_only,
    find_model,
    list_models,
    save_model,
    set_local_only,
)
from counsel_core.llm.downloads import Offer, recommended
from counsel_core.llm.model_file import read_models
from counsel_core.privacy.words import load_words
from counsel_core.records import Completion
from counsel_core.settings import read_settings
from tests.smollm2 import smollm2_file

HOSTED = {
    "name": "hosted",
    "label": "A hosted model",
    "base_url": "https://api.example.org/v1",
    "model": "m-1",
    "key_variable": "EXAMPLE_KEY",
}
KEY = "sk-marked-key-that-must-appear-nowhere"


def test_the_guided_rules_are_there_from_the_start_and_named_as_rules(visit) -> None:
    page = visit("models")
    assert "Guided (rules, no language model)" in page.words
    page.press("test_guided")
    assert "Rules answer at once" in page.words


def test_a_model_is_added_without_its_key(visit, settings, monkeypatch) -> None:
    monkeypatch.setenv("EXAMPLE_KEY", KEY)
    assert visit("models").press("add_model").app.text_input(key="model_label_")
    dialog = visit.of_dialog("model_dialog()", "from pages._ui.model_form import model_dialog")
    for key, value in {
        "model_label_": "A hosted model",
        "model_url_": HOSTED["base_url"],
        "model_id_": "m-1",
        "model_variable_": "EXAMPLE_KEY",
    }.items():
        dialog.app.text_input(key=key).set_value(value)
    dialog.app.run()
    dialog.press("save_model")
    assert "a-hosted-model" in {spec.name for spec in list_models(settings)}
    page = visit("models")
    assert "key in EXAMPLE_KEY (set)" in page.words
    assert KEY not in page.words
    assert KEY not in settings.models_file.read_text()


def test_a_wrong_address_is_refused_with_its_reason(visit, settings) -> None:
    dialog = visit.of_dialog("model_dialog()", "from pages._ui.model_form import model_dialog")
    dialog.app.text_input(key="model_label_").set_value("Mine")
    dialog.app.text_input(key="model_url_").set_value("ftp://example.org")
    dialog.app.text_input(key="model_id_").set_value("m")
    dialog.app.run()
    dialog.press("save_model")
    assert "The base URL is no http or https address" in dialog.words
    assert [spec.name for spec in list_models(settings)] == ["guided"]


def test_a_model_is_changed_and_removed(visit, settings) -> None:
    save_model(HOSTED, settings)
    page = visit("models").press("edit_hosted")
    assert page.app.text_input(key="model_url_hosted").value == HOSTED["base_url"]
    find = "from counsel_core.llm.catalogue import find_model", "from pages._ui.workspace import settings"
    dialog = visit.of_dialog(
        'remove_dialog(find_model("hosted", settings()))',
        "from pages._ui.model_form import remove_dialog",
        *find,
    )
    dialog.press("confirm_remove")
    assert [spec.name for spec in list_models(settings)] == ["guided"]


def test_a_remote_model_is_kept_out_until_local_only_is_turned_off_knowingly(visit, settings) -> None:
    save_model(HOSTED, settings)
    page = visit("models")
    assert "Kept out by local-only mode" in page.words
    assert page.app.button(key="test_hosted").disabled
    page.press("local_only")
    assert "They would go to: api.example.org." in page.words
    assert effective_local_only(settings)
    dialog = visit.of_dialog(
        'change_dialog(False, ["api.example.org"])', "from pages._ui.local_only import change_dialog"
    )
    dialog.press("confirm_local_only")
    assert not effective_local_only(settings)
    page = visit("models")
    assert "To: api.example.org." in page.words
    assert not page.app.button(key="test_hosted").disabled


@pytest.mark.parametrize(("value", "title"), [("1", "is on"), ("0", "is off")])
def test_the_switch_is_locked_when_the_environment_decides(
    visit, monkeypatch, value: str, title: str
) -> None:
    monkeypatch.setenv("COUNSEL_LOCAL_ONLY", value)
    page = visit("models")
    assert f"Local-only mode {title}" in page.words
    assert "COUNSEL_LOCAL_ONLY decides" in page.words
    assert page.app.button(key="local_only").disabled


def test_a_wrong_models_file_is_named_and_the_guided_rules_still_answer(visit, settings) -> None:
    settings.models_file.parent.mkdir(parents=True, exist_ok=True)
    settings.models_file.write_text("local_only = maybe\n")
    assert "Guided (rules, no language model)" in visit("models").words
    assert "Explore an agent" in visit("home").words
    assert "models.toml, line 1" in visit("models").words
    page = visit("chat")
    assert page.app.selectbox(key="setup_model").options == ["Guided (rules, no language model)"]
    assert "models.toml, line 1" in page.words


def test_a_wrong_setting_of_the_environment_is_a_clear_message(visit, monkeypatch) -> None:
    monkeypatch.setenv("COUNSEL_LOCAL_ONLY", "perhaps")
    assert "COUNSEL_LOCAL_ONLY is 'perhaps'; use 1 (on) or 0 (off)." in visit("models").words


def test_a_server_that_does_not_answer_is_said(visit, settings, unused_tcp_port) -> None:
    save_model({"name": "gone", "base_url": f"http://127.0.0.1:{unused_tcp_port}/v1", "model": "x"}, settings)
    assert "Does not answer" in visit("models").press("test_gone").words
    assert read_settings().local_only


def test_a_server_found_on_this_machine_is_added_by_a_click(visit, settings, monkeypatch) -> None:
    server = discovery.FoundServer("http://127.0.0.1:11434/v1", "Ollama", ("qwen2:7b",))
    monkeypatch.setattr(discovery, "find_servers", lambda: (server,))
    page = visit("models")
    assert "the usual port of Ollama" in page.words
    page.press("add_found_11434_qwen2:7b")
    (added,) = (spec for spec in list_models(settings) if spec.provider != "guided")
    assert (added.base_url, added.model, added.location) == (server.base_url, "qwen2:7b", "loopback")
    assert "the usual port of Ollama" not in visit("models").words


def test_without_a_server_the_page_says_where_it_looked(visit, monkeypatch) -> None:
    monkeypatch.setattr(discovery, "find_servers", lambda: ())
    assert "LM Studio 1234" in visit("models").words


def test_the_rules_detection_is_told_with_n_and_interval(visit) -> None:
    page = visit("models")
    told = {metric.label: metric.value for metric in page.app.metric}
    (untouched,) = [one for one in load_figures() if one.split == "untouched"]
    assert told["A type that fits, of distorted sentences"].startswith(f"{untouched.recall:.0%} (")
    assert "no clinician has seen them" in page.words
    table = next(frame.value for frame in page.app.dataframe if "recall" in frame.value)
    assert len(table) == 13
    assert table["of sentences"].sum() == untouched.distorted


def test_a_recommended_model_is_described_before_it_is_fetched(visit, settings, monkeypatch) -> None:
    first = recommended()[0]
    page = visit("models")
    assert page.app.button(key=f"ask_{first.file}").disabled
    assert "nothing is asked of the hub" in page.words
    set_local_only(False, settings)
    offer = Offer(first, 1_100_000_000, "0" * 64, "b" * 40, "apache-2.0")
    monkeypatch.setattr("pages._ui.model_downloads.describe", lambda model, settings, hub: offer)
    page = visit("models").press(f"ask_{first.file}")
    assert "1.10 GB · licence: apache-2.0" in page.words
    assert "0" * 64 in page.words
    assert not (settings.data_dir / "models").exists()
    # Nobody listens there: the download ends with a clear word, and nothing is left behind.
    monkeypatch.setattr("counsel_core.llm.download_jobs.download", _refused)
    page.press(f"fetch_{first.file}")
    page.until(lambda: page.has(f"seen_{first.file}"))
    assert "the hub is away" in page.words
    page.press(f"seen_{first.file}")
    assert page.has(f"ask_{first.file}")


def _refused(*given: object, **named: object) -> None:
    raise ProviderUnavailableError("the hub is away")


def test_prices_and_limits_are_kept_with_the_model(visit, settings) -> None:
    dialog = visit.of_dialog("model_dialog()", "from pages._ui.model_form import model_dialog")
    dialog.app.text_input(key="model_url_").set_value("http://127.0.0.1:1/v1")
    dialog.app.text_input(key="model_id_").set_value("m")
    dialog.app.number_input(key="model_price_input_").set_value(0.5)
    dialog.app.text_input(key="model_currency_").set_value("EUR")
    dialog.app.number_input(key="model_at_once_").set_value(2)
    dialog.press("save_model")
    (spec,) = [one for one in list_models(settings) if one.name != "guided"]
    # What was left empty is not written: the usual limits hold.
    assert spec.options == {"price_input": 0.5, "price_currency": "EUR", "at_once": 2}
    again = visit.of_dialog(
        f"model_dialog(find_model({spec.name!r}, settings()))",
        "from pages._ui.model_form import model_dialog",
        "from pages._ui.workspace import settings",
        "from counsel_core.llm.catalogue import find_model",
    )
    assert again.app.number_input(key=f"model_at_once_{spec.name}").value == 2
    again.app.text_input(key=f"model_currency_{spec.name}").set_value("")
    again.press("save_model")
    assert find_model(spec.name, settings).options == {"price_input": 0.5, "at_once": 2}


def test_kept_answers_are_counted_and_cleared(visit, settings) -> None:
    assert "Nothing is kept." in visit("models").words
    with CompletionCache(cache_file(settings)) as cache:
        cache.keep(b"1", "A model", Completion("Hello.", 0.1))
        cache.find(b"1")
    page = visit("models")
    assert "**1 answer**" in page.words
    (table,) = [frame.value for frame in page.app.dataframe if "used again" in frame.value]
    assert table.iloc[0][["model", "answers", "used again"]].to_list() == ["A model", 1, 1]
    assert page.press("clear_cache").has("confirm_clear_cache")
    visit.of_dialog("clear_dialog()", "from pages._ui.cache_card import clear_dialog").press(
        "confirm_clear_cache"
    )
    assert "Nothing is kept." in visit("models").words


def test_price_and_context_stand_beside_a_model(visit, settings) -> None:
    options = {"price_input": 0.5, "price_output": 2, "price_currency": "USD"}
    save_model({**HOSTED, "context_length": 32768, "options": options}, settings)
    assert (
        "32,768 tokens of context · a million tokens: 0.50 USD read, 2.00 USD written"
        in visit("models").words
    )


def test_a_damaged_file_is_told_and_memory_is_given_back(visit, settings, monkeypatch) -> None:
    folder = settings.data_dir / "models"
    folder.mkdir(parents=True)
    (folder / "bad.gguf").write_bytes(b"nothing")
    held: list[Path] = []  # whatever other tests of this process left in memory
    monkeypatch.setattr("pages._ui.model_downloads.loaded", lambda: tuple(held))
    monkeypatch.setattr("pages._ui.model_downloads.release_all", held.clear)
    page = visit("models")
    assert "bad.gguf is not offered." in page.words
    assert "it is no GGUF file" in page.words
    assert not page.has("release_models")
    held.append(folder / "big.gguf")
    page = visit("models").press("release_models")
    assert held == []
    assert not page.has("release_models")


PATH_DIALOG = "model_path_dialog()", "from pages._ui.model_path_form import model_path_dialog"


def test_a_file_is_added_by_its_path(visit, settings) -> None:
    file = smollm2_file()
    assert visit("models").has("add_file")
    dialog = visit.of_dialog(*PATH_DIALOG)
    dialog.app.text_input(key="model_path_").set_value(f" {file} ")
    dialog.app.run()
    dialog.press("save_model_path")
    (spec,) = read_models(settings.models_file).models
    assert (spec.provider, spec.location, spec.model) == ("gguf", "process", str(file))
    assert file.name in spec.label
    page = visit("models")
    assert str(file) in page.words
    assert page.press(f"edit_{spec.name}").app.text_input(key=f"model_path_{spec.name}").value == str(file)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("models/mine.gguf", "give the whole path"),
        ("/nowhere/mine.gguf", "No such file"),
        ("/dev/null", "no GGUF file"),
        ("/a\0b", "cannot be read"),
        ("", "give the whole path"),
    ],
)
def test_a_path_that_holds_no_model_is_refused(visit, settings, path: str, said: str) -> None:
    dialog = visit.of_dialog(*PATH_DIALOG)
    dialog.app.text_input(key="model_path_").set_value(path)
    dialog.app.run()
    dialog.press("save_model_path")
    assert said in dialog.words
    assert not settings.models_file.exists()


def test_private_words_are_kept_and_tried(visit, settings) -> None:
    page = visit("models")
    page.app.text_area(key="private_words").set_value("Ann")
    page.app.text_area(key="redaction_try").set_value("Ann: ann@example.org").run()
    assert "[NAME 1]: [EMAIL 1]" in page.words
    assert "2 things replaced" in page.words
    page.press("save_private_words")
    assert load_words(settings) == ("Ann",)
