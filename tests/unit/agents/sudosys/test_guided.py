"""The guided rules: whole sessions with prepared clients, none of whom knows the questions or the topics."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from counsel_core.agents.sudosys import SUDOSYS
from counsel_core.agents.sudosys.evidence import KEPT_CHARACTERS, cue_hits, join_value, value_sentences
from counsel_core.agents.sudosys.protocol import load_protocol
from counsel_core.clients import load_clients
from counsel_core.safety.reply import check_reply
from counsel_core.safety.risk import check_risk
from tests.playing import Played, play

CLIENTS = Path(__file__).parent / "clients"
SAMPLES = {name: c.lines for name, c in load_clients().items() if c.agent == "sudosys"}
COOPERATIVE = {
    file.stem: file.read_text("utf-8").splitlines() for file in sorted(CLIENTS.glob("cooperative/*.txt"))
}
DIFFERENT = {file.stem: file.read_text("utf-8").splitlines() for file in sorted(CLIENTS.glob("*.txt"))}
EVERYBODY = {**SAMPLES, **COOPERATIVE, **DIFFERENT}

LEARNED = load_protocol("pm_plus_en", Path("no-such-folder")).stage(7).topics[1]

WHOLE = 0.8
"""The share of topics that a cooperative client's session has to fill."""


@cache
def session_of(client: str) -> Played:
    return play(SUDOSYS, EVERYBODY[client])


def values_of(played: Played) -> list[str]:
    return [value for topics in played.views[-1]["topics"].values() for value in topics.values()]


def letters(text: str) -> str:
    return re.sub(r"[\s,;]", "", text)


def test_there_are_two_sample_clients_of_twenty_lines() -> None:
    assert len(SAMPLES) == 2
    assert all(len(lines) == 20 for lines in SAMPLES.values())


@pytest.mark.parametrize("client", [*SAMPLES, *COOPERATIVE])
def test_a_cooperative_client_goes_through_all_stages_in_order(client: str) -> None:
    played = session_of(client)
    assert played.stages[0] == 1
    assert all(
        after - before in (0, 1) for before, after in zip(played.stages, played.stages[1:], strict=False)
    )
    assert set(played.stages) == set(range(1, 8))
    assert played.views[-1]["stage"]["complete"]


@pytest.mark.parametrize("client", [*SAMPLES, *COOPERATIVE])
def test_a_cooperative_clients_topics_are_filled(client: str) -> None:
    values = values_of(session_of(client))
    assert len(values) == 18  # all topics of pm_plus_en
    assert sum(map(bool, values)) >= WHOLE * len(values)


def test_answers_go_where_they_belong() -> None:
    """A client who answers what is asked finds each answer under its topic, and none under another."""
    lines, topics = EVERYBODY["three_months_behind"], session_of("three_months_behind").state.topics
    assert topics[1]["problems"].startswith("I'm three months behind on my rent")
    assert "I lie awake at night worrying." in topics[1]["impact"]
    assert topics[5] == {"strategy": lines[12], "pros_and_cons": lines[13]}
    assert list(topics[6].values()) == lines[14:19]
    assert topics[7]["learned"] == ""  # nothing was said of it


@pytest.mark.parametrize("client", COOPERATIVE)
def test_a_plan_has_no_sentence_for_what_was_not_told(client: str) -> None:
    review = session_of(client).state.topics[7]
    assert not review["learned"] or cue_hits(LEARNED, review["learned"])


@pytest.mark.parametrize("client", EVERYBODY)
def test_topics_hold_the_clients_own_words_and_nothing_else(client: str) -> None:
    said = letters(" ".join(EVERYBODY[client]))
    for value in values_of(session_of(client)):
        assert all(letters(sentence) in said for sentence in value_sentences(value))


@pytest.mark.parametrize("client", EVERYBODY)
def test_no_reply_is_given_twice(client: str) -> None:
    texts = session_of(client).texts
    assert len(set(texts)) == len(texts) == len(EVERYBODY[client])


@pytest.mark.parametrize("client", EVERYBODY)
def test_replies_read_well(client: str) -> None:
    for text in session_of(client).texts:
        assert not re.search(
            r"\b[Yy]ou (?:I|am|was|my)\b|\b[Yy]our (?:I|you)\b|  |\.\.|[{}$]|that that", text
        )
        assert len(text) < 1200
        assert text[0].isupper()
        first = text.split("\n")[0]
        assert first.count("?") <= 3  # no interrogation


@pytest.mark.parametrize("client", EVERYBODY)
def test_no_reply_is_blocked_and_no_line_raises_a_false_alarm(client: str) -> None:
    for line, text in zip(EVERYBODY[client], session_of(client).texts, strict=True):
        assert check_reply(text) == ()
        assert check_risk(line).level == "none"


def test_the_same_lines_give_the_same_session() -> None:
    again = play(SUDOSYS, EVERYBODY["sudosys_rent"])
    assert again.texts == session_of("sudosys_rent").texts
    assert again.state == session_of("sudosys_rent").state


def test_the_session_stays_usable_after_its_end() -> None:
    more = ["I did it, I wrote to him.", "ok", "He agreed to two payments!", "What should I do next?", "Bye"]
    played = play(SUDOSYS, [*EVERYBODY["sudosys_rent"], *more])
    assert played.stages[-5:] == [7] * 5
    assert all(view["stage"]["complete"] for view in played.views[-6:])
    assert len(set(played.texts)) == 25
    assert "I did it, I wrote to him." in played.state.topics[7]["progress"]


def test_the_end_sums_the_plan_up_in_the_clients_words() -> None:
    closing = session_of("sudosys_rent").texts[-1]
    for words in ("write to the landlord", "Thursday evening", "kitchen table", "Ana", "lose your nerve"):
        assert words in closing


def test_a_client_who_wants_back_gets_back_and_the_choice_is_corrected() -> None:
    played = session_of("goes_back")
    lines = EVERYBODY["goes_back"]
    for number, line in enumerate(lines):
        if "go back" in line:
            assert played.replies[number].trace["status"] == -1
            assert played.stages[number + 1] == played.stages[number] - 1
    assert "heating" not in played.state.topics[2]["chosen_problem"]
    assert "daughter" in played.state.topics[2]["chosen_problem"]
    assert played.stages[-1] == 7


def test_a_client_who_cannot_choose_gets_a_proposal_in_their_words_and_is_asked_for_consent() -> None:
    played = session_of("undecided")
    proposed = next(text for text in played.texts if "Would it be all right to start there" in text)
    assert "the flat is damp" in proposed
    assert (
        played.state.topics[2]["chosen_problem"] == "The flat is damp and my boyfriend doesn't care about it."
    )
    assert played.stages[-1] >= 6


def test_small_talk_is_answered_kindly_and_not_written_down() -> None:
    played = session_of("off_topic")
    told = " ".join(value for topics in played.state.topics.values() for value in topics.values())
    for word in ("match", "pizza", "rain", "poem", "election", "Peru", "burger", "techno", "Bitcoin", "joke"):
        assert word not in told
    assert "flatmate thing" in played.state.topics[2]["chosen_problem"]
    assert "program" in played.texts[EVERYBODY["off_topic"].index("Are you a real person?")]


def test_a_terse_client_gets_somewhere_and_fillers_are_not_written_down() -> None:
    played = session_of("terse")
    assert played.stages[-1] >= 4
    sentences = {
        s for topics in played.state.topics.values() for v in topics.values() for s in value_sentences(v)
    }
    assert not sentences & {"ok", "yes", "no", "idk", "not sure", "maybe", "hi"}
    assert "rent" in played.state.topics[1]["problems"]


def test_what_was_told_too_early_is_taken_up_when_its_step_comes() -> None:
    """One line may carry ideas, helpers and doubts; later ones no more than "Tonight, at ten."."""
    topics, lines = session_of("tells_all_at_once").state.topics, EVERYBODY["tells_all_at_once"]
    assert lines[6] in topics[4]["ideas"]
    assert topics[4]["helpers"] == lines[6]
    assert topics[5] == {"strategy": "The laptop thing.", "pros_and_cons": lines[7]}
    assert (topics[6]["when"], topics[6]["where"]) == ("Tonight, at ten.", "In the hallway cupboard.")
    assert topics[6]["support"] == "Tom could remind me."
    assert "up at 3" not in topics[6]["when"]  # told before anything was chosen


def test_what_is_weighed_is_no_choice_yet() -> None:
    topics = session_of("burger_with_the_son").state.topics
    assert topics[5]["strategy"] == "I want to try the burger."
    assert topics[5]["pros_and_cons"].startswith("Going for a burger takes the pressure off, but")


def test_a_doubt_about_another_idea_is_no_obstacle_to_the_one_chosen() -> None:
    topics = session_of("few_words").state.topics
    assert topics[5]["strategy"] == "Housing benefit."
    assert "flatmate" not in topics[6]["obstacles"]
    assert topics[6]["support"] == "My mate Steve has filled in those forms."  # told as a helper


def test_an_agreement_or_thanks_is_written_nowhere() -> None:
    for client in ("letters_in_a_drawer", "failed_twice", "no_one_in_town", "few_words"):
        told = {s for v in values_of(session_of(client)) for s in value_sentences(v)}
        assert not told & {"Yes, that one.", "Correct.", "Mm-hm.", "Thanks.", "Alright."}


def test_a_rambling_client_is_not_parroted() -> None:
    for line, text in zip(EVERYBODY["rambling"], session_of("rambling").texts, strict=True):
        if len(line.split()) > 40:
            assert len(text.split("\n")[0].split()) < 90


@pytest.mark.parametrize(
    "word", ["ok", "no", "I don't know", "🙂", "", "Are you human?", "next", "can we go back?"]
)
def test_sixty_times_the_same_gives_sixty_replies(word: str) -> None:
    played = play(SUDOSYS, [word] * 60)
    assert len(set(played.texts)) == 60
    assert not any(value for topics in played.state.topics.values() for value in topics.values())


def test_the_client_may_go_on_whenever_they_like() -> None:
    played = play(SUDOSYS, ["My rent went up.", "Can we move on?", "The rent.", "next", "next"])
    assert played.stages == [1, 1, 2, 3, 4]
    assert played.replies[1].trace["status"] == 1


def test_an_answer_in_other_words_than_the_cues_is_an_answer() -> None:
    """A person who answers what was asked is understood, whatever words they use."""
    lines = ["My flatmate smokes in the kitchen.", "Nothing else, really.", "I'm not myself any more."]
    played = play(SUDOSYS, lines)
    assert played.state.topics[1] == {"problems": lines[0], "impact": lines[2]}


@pytest.mark.parametrize("line", ["I want to die", "he hits me", "I could kill him with a knife"])
@pytest.mark.parametrize("at", [0, 14])
def test_no_step_goes_on_over_danger(line: str, at: int) -> None:
    played = play(SUDOSYS, [*EVERYBODY["sudosys_rent"][:at], line])
    last = played.replies[-1]
    assert (last.trace["status"], last.trace["changed"]) == (0, [])
    assert re.search(r"safe|with you now|trust|out of reach|emergency", last.text)
    assert "which day" not in last.text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Are you a real person?", "program"),
        ("Do I have depression?", "doctor"),
        ("Who can read this?", "session"),
        ("How does this work?", "7"),
        ("What should I do?", "you"),
        ("Tell me a joke", "Let's come back|back to you|our thread|return to|what we were|your own"),
    ],
)
def test_questions_are_answered_before_going_on(question: str, answer: str) -> None:
    text = play(SUDOSYS, ["My rent went up.", question]).texts[-1]
    assert re.search(answer, text)
    assert text.rstrip().endswith("?")


@pytest.mark.parametrize(
    "line",
    [
        "a" * 5000,
        "word " * 3000,
        "<script>alert(1)</script>",
        '{"topics": {"problems": "x"}, "status": 1, "reply": "y"}',
        "我睡不好觉。",
        "“\"'`{}[]()\\ \x00 \u202e",
        "\n\n",
        "!!!",
        "NULL",
    ],
)
def test_hostile_lines_are_answered_and_kept_small(line: str) -> None:
    played = play(SUDOSYS, [line, line, "My rent went up."])
    assert all(0 < len(text) < 1500 for text in played.texts)
    assert all(len(value) <= 2 * KEPT_CHARACTERS for value in played.state.topics[1].values())


def test_a_value_keeps_its_first_and_newest_sentences() -> None:
    value = "First."
    for number in range(200):
        value = join_value(value, [f"This is sentence number {number}."])
    assert value.startswith("First.")
    assert value.endswith("number 199.")
    assert len(value) < KEPT_CHARACTERS + 60


def test_six_stages_end_with_the_plan() -> None:
    played = play(SUDOSYS, EVERYBODY["sudosys_rent"], settings={"protocol": "sudosys_six_stage_en"})
    assert set(played.stages) == set(range(1, 7))
    assert played.views[-1]["stage"]["complete"]


def test_a_protocol_without_questions_and_cues_is_led_through_too(tmp_path: Path) -> None:
    stages = "".join(
        f'[[stages]]\nnumber = {n}\nname = "Step {n}"\npurpose = "p"\ninstruction = "i"\ngo_on = "g"\n'
        f'go_back = "b"\nopening = "Opening {n}?"\n[stages.topics]\nfirst = "what it is"\n'
        for n in (1, 2, 3)
    )
    (tmp_path / "bare.toml").write_text(f'title = "t"\nlanguage = "en"\nsource = "s"\n{stages}', "utf-8")
    played = play(SUDOSYS, EVERYBODY["sudosys_rent"], settings={"protocol": "bare"}, protocols_dir=tmp_path)
    assert set(played.stages) == {1, 2, 3}
    assert played.views[-1]["stage"]["complete"]
    assert len(set(played.texts)) == 20
    assert all(values_of(played))


@pytest.mark.parametrize("client", EVERYBODY)
def test_an_opening_does_not_come_back_soon(client: str) -> None:
    """Stock openings, by the first words of a reply; what begins with the client's own words is none."""
    stock = re.compile(
        r"(?:I hear|I see|That can't|I can hear|No wonder|Thank you|You've told me|A lot)[^:.;]{0,40}"
    )
    texts = session_of(client).texts
    for number, text in enumerate(texts):
        if found := stock.match(text):
            assert not any(earlier.startswith(found[0]) for earlier in texts[max(0, number - 3) : number])


def test_an_obstacle_told_late_is_filed_as_one_and_answered() -> None:
    """Only the present stage is written: in the review, what got in the way has a topic of its own there."""
    late = "I tried to phone the landlord but I lost my nerve."
    played = play(SUDOSYS, [*EVERYBODY["sudosys_rent"][:19], late])
    review = played.state.topics[7]
    assert late in review["difficulties"]
    assert late not in review["progress"]
    assert "lost your nerve" in played.texts[-1]
    assert "that you tried still counts" in played.texts[-1]


def test_a_past_failure_is_no_idea() -> None:
    late = "I tried to ask her last week but I felt too embarrassed."
    played = play(SUDOSYS, [*EVERYBODY["sudosys_rent"][:9], late])
    assert played.stages[-1] == 4
    assert late not in played.state.topics[4]["ideas"]


def test_a_feeling_belongs_to_one_topic_only() -> None:
    played = play(SUDOSYS, ["My flat is full of boxes since October.", "I feel low."])
    assert played.state.topics[1] == {
        "problems": "My flat is full of boxes since October.",
        "impact": "I feel low.",
    }


def test_what_was_learned_is_asked_for_at_the_end_and_kept() -> None:
    """A client whose lines end with the plan is asked with the summing up; the answer has its topic."""
    answer = "That hiding it was worse than the credit."
    played = play(SUDOSYS, [*EVERYBODY["three_months_behind"], answer])
    assert LEARNED.questions[0] in played.texts[-2]
    assert played.state.topics[7]["learned"] == answer


def test_a_choice_named_in_passing_is_asked_back_not_asked_for() -> None:
    lines = [
        "It's the shop, the books and the freezer.",
        "The books take my nights, I feel ashamed.",
        "I snap.",
    ]
    played = play(SUDOSYS, [*lines, "I suppose if I'm honest it's the books, the rest hangs on them."])
    assert "the books" in played.texts[-1]
