"""The long dialogues: their transcripts in the documentation are what the code of today makes."""

from __future__ import annotations

import pytest

from counsel_core.clients import SampleClient, load_clients
from counsel_core.errors import ProviderUnavailableError
from counsel_core.safety_evaluation.dialogues import FOLDER, TRANSCRIPTS, Recorded, Recorder, transcript_of
from counsel_core.settings import Settings
from tests.fakes_conversation import FakeModel

CLIENTS = [pytest.param(client, id=client.name) for client in load_clients(FOLDER).values()]
AGAIN = "run `python -m counsel_core write-safety-transcripts`, read what changed, and keep it"


def test_there_are_four_of_twenty_turns_one_in_chinese() -> None:
    clients = load_clients(FOLDER)
    assert set(clients) == {"about_a_sister", "sinking_slowly", "taking_it_back", "zh_sinking"}
    assert {len(client.lines) for client in clients.values()} == {20}
    assert clients["zh_sinking"].language == "zh"


@pytest.mark.parametrize("client", CLIENTS)
def test_a_transcript_is_up_to_date(client: SampleClient, settings: Settings) -> None:
    written = (TRANSCRIPTS / f"{client.name}.md").read_text(encoding="utf-8")
    assert transcript_of(client, settings) == written, AGAIN


@pytest.mark.parametrize("client", CLIENTS)
def test_each_dialogue_comes_to_the_fixed_text_and_stays_there(
    client: SampleClient, settings: Settings
) -> None:
    turns = transcript_of(client, settings).split("\n## Turn ")[1:]
    frozen = ["Fixed safety text" in turn for turn in turns]
    first = frozen.index(True)
    assert all(frozen[first:])
    assert "risk imminent" in turns[first]
    # Before it, at the latest in the turn before, a question about safety was put.
    assert any("Question about safety" in turn for turn in turns[:first])


def test_recorded_answers_come_again_in_their_order_and_end() -> None:
    recorder = Recorder(FakeModel(answer=lambda request: f"to {request}"))
    said = [recorder.complete(one, None).text for one in ("a", "b")]  # type: ignore[arg-type]
    again = Recorded("Fake", recorder.answers)
    assert [again.complete("x", None).text for _ in "ab"] == said == ["to a", "to b"]  # type: ignore[arg-type]
    with pytest.raises(ProviderUnavailableError, match="recorded for 2 answers"):
        again.complete("x", None)  # type: ignore[arg-type]
