import pytest

from counsel_core.branching import branch_session, rewind_session
from counsel_core.conversation import (
    protection,
    resume_session,
    retry_turn,
    start_session,
    take_turn,
    turn,
    withdraw_turn,
)
from counsel_core.errors import (
    ConflictError,
    FrozenSessionError,
    InputError,
    ProviderUnavailableError,
)
from counsel_core.llm.catalogue import open_model
from counsel_core.overriding import override_state
from counsel_core.records import Finding
from counsel_core.safety.texts import blocked_reply, concern_question, imminent_reply
from counsel_core.storage import sessions as stored
from counsel_core.storage import turns
from tests.fakes_conversation import FakeModel, load_calls, load_turn

CALM = "The rent is due on Monday."
CONCERN = "Sometimes I wish I would not wake up in the morning."
IMMINENT = "I have the pills here and I am going to kill myself tonight."


def fail(request):
    raise ProviderUnavailableError("It broke off.")


def test_imminent_risk_freezes_the_session_and_no_model_is_asked(db, session, say):
    say(CALM)
    before = stored.load_session(db, session.id)
    model = FakeModel()
    answered = take_turn(db, model, session.id, IMMINENT)
    assert model.requests == []
    assert answered.risk.level == "imminent"
    assert answered.risk.evidence
    assert (answered.status, answered.safety_reply, answered.model) == ("answered", True, None)
    assert answered.reply == imminent_reply("en", seen=0, subject="self")
    assert (answered.notice, answered.trace, answered.state_delta) == ("", {}, {})
    now = stored.load_session(db, session.id)
    assert (now.frozen, now.risk, now.turn_count) == (True, "imminent", 2)
    assert (now.state, now.model) == (before.state, before.model)


def test_while_frozen_every_line_is_answered_by_the_fixed_text_in_new_words(db, session, say):
    say(IMMINENT)
    model = FakeModel()
    replies = [take_turn(db, model, session.id, line).reply for line in (CALM, "Hello?", CONCERN)]
    assert model.requests == []
    assert replies == [imminent_reply("en", seen=seen, subject="self") for seen in (1, 2, 3)]


def test_the_fixed_text_is_in_the_sessions_language_and_of_its_region(db, begin):
    chinese = begin(language="zh", agent_settings={"region": "uk"})
    reply = take_turn(db, FakeModel(), chinese.id, "我今晚就要自杀").reply
    assert reply == imminent_reply("zh", "uk", seen=0, subject="self")
    assert "116 123" in reply


def test_a_region_that_is_no_longer_known_keeps_nobody_from_an_answer(db, begin, monkeypatch):
    session = begin(agent_settings={"region": "uk"})
    monkeypatch.setattr(protection, "regions", dict)
    assert take_turn(db, FakeModel(), session.id, IMMINENT).reply == imminent_reply("en", subject="self")


OWN_CONTACTS = """
[[region]]
code = "uk"
label = "United Kingdom"
entry = [{ name = "Ward desk", reach = "call 01 234", source = "https://example.org", verified = true }]

[[region]]
code = "mars"
label = "Mars"
entry = [{ name = "Dome", reach = "call 7", source = "https://example.org", verified = true }]
"""


def test_a_deployers_own_contacts_take_the_place_of_the_shipped_ones(db, begin, settings):
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    settings.resources_file.write_text(OWN_CONTACTS, encoding="utf-8")
    session = begin(agent_settings={"region": "uk"})
    assert begin(agent_settings={"region": "mars"}).settings["region"] == "mars"
    reply = take_turn(db, FakeModel(), session.id, IMMINENT, resources_file=settings.resources_file).reply
    assert "Ward desk: call 01 234" in reply
    assert "116 123" not in reply  # the Samaritans of the shipped file


def test_a_retry_in_a_frozen_session_shows_the_deployers_contacts(db, begin, settings):
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    settings.resources_file.write_text(OWN_CONTACTS, encoding="utf-8")
    session = begin(agent_settings={"region": "mars"})
    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, CALM)
    with db.writing() as connection:
        turns.update_session(connection, session.id, risk="imminent", frozen=True)
    assert "call 7" in retry_turn(db, FakeModel(), session.id, resources_file=settings.resources_file).reply


@pytest.mark.parametrize("wrong", ["[[region]", '[[region]]\ncode = "uk"'])
def test_a_wrong_file_of_contacts_keeps_nobody_from_an_answer(db, begin, settings, caplog, wrong):
    session = begin(agent_settings={"region": "uk"})
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    settings.resources_file.write_text(wrong, encoding="utf-8")
    reply = take_turn(db, FakeModel(), session.id, IMMINENT, resources_file=settings.resources_file).reply
    assert reply == imminent_reply("en", "uk", subject="self")
    assert "resources.toml" in caplog.text


@pytest.mark.parametrize(
    ("lines", "subject"),
    [
        (["My husband hits me.", "Hello?"], "danger"),
        (["My husband hits me and I cut myself."], "general"),  # two dangers, of one level
        (["I want to die.", "I have the pills here."], "self"),  # dangerous by what came before it
        (["The rent went up."], "general"),
        (["My sister wants to die.", "She has saved up pills, I saw them in her drawer."], "another"),
        (["我妹妹攒了很多安眠药。"], "another"),
        (["My husband hates me and I want to kill myself."], "self"),
    ],
)
def test_the_subject_is_that_of_the_last_danger(lines, subject):
    assert protection.find_subject(lines[-1], lines[:-1]) == subject


def test_the_question_is_about_whoever_is_in_danger(db, session):
    line = "I am scared, my brother keeps saying that he wants to die."
    assert take_turn(db, FakeModel(), session.id, line).notice == concern_question("en", subject="another")


def test_a_question_about_safety_comes_once_at_a_rise(db, session):
    model = FakeModel(lambda request: "That sounds hard.")
    lines = (CALM, CONCERN, CONCERN, CALM, CONCERN)
    notices = [take_turn(db, model, session.id, line).notice for line in lines]
    question, again = (concern_question("en", subject="self", seen=seen) for seen in (0, 1))
    assert question != again
    assert notices == ["", question, "", "", again]
    asked = load_turn(db, session.id, 2)
    assert asked.shown == f"{question}\n\nThat sounds hard."
    assert asked.model == "Fake model (fake)"
    # The agent reads what the client saw.
    assert f"{question}\n\nThat sounds hard." in [m.content for m in model.requests[2].messages]
    now = stored.load_session(db, session.id)
    assert (now.risk, now.frozen) == ("concern", False)


def test_the_question_is_asked_though_the_agent_fails(db, session):
    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, CONCERN)
    assert load_turn(db, session.id, 1).shown == concern_question("en", subject="self")
    answered = retry_turn(db, FakeModel(lambda request: "I am here."), session.id)
    assert answered.shown == f"{concern_question('en', subject='self')}\n\nI am here."


def test_a_line_taken_back_leaves_the_risk_it_raised(db, session):
    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, CONCERN)
    withdraw_turn(db, session.id)
    assert stored.load_session(db, session.id).risk == "concern"
    assert take_turn(db, FakeModel(), session.id, CONCERN).notice == concern_question("en", subject="self")


def test_danger_does_not_wait_for_a_failed_line(db, session):
    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, CALM)
    answered = take_turn(db, FakeModel(fail), session.id, IMMINENT)
    assert (answered.number, answered.safety_reply) == (2, True)
    assert [t.status for t in stored.load_turns(db, session.id)] == ["failed", "answered"]


def test_danger_does_not_wait_for_an_answer_being_written(db, session):
    def overtake(request):
        take_turn(db, FakeModel(fail), session.id, IMMINENT, expected_turn=2)
        return "Let us look at the rent."

    with pytest.raises(ConflictError, match="was frozen"):
        take_turn(db, FakeModel(overtake), session.id, CALM)
    first, second = stored.load_turns(db, session.id)
    assert (first.status, first.reply) == ("stopped", "")
    assert "froze the session" in first.error
    assert second.safety_reply
    assert stored.load_session(db, session.id).state == session.state


def test_danger_does_not_wait_for_a_reload_but_is_not_taken_twice(db, session, say):
    say(CALM)
    assert take_turn(db, FakeModel(), session.id, IMMINENT, expected_turn=1).number == 2
    with pytest.raises(ConflictError, match="went on in another window"):
        take_turn(db, FakeModel(), session.id, IMMINENT, expected_turn=2)
    assert stored.load_session(db, session.id).turn_count == 2


def test_nothing_but_a_reviewer_lifts_the_freeze(db, session, say):
    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, CALM)
    say(IMMINENT)
    model = FakeModel()
    # A failed line of before, now the last one of a copy, is answered by the safety text.
    copy = branch_session(db, session.id, 1)
    assert (copy.frozen, copy.risk, copy.turn_count) == (True, "imminent", 1)
    retried = retry_turn(db, model, copy.id)
    assert (retried.safety_reply, retried.model, retried.error) == (True, None, None)
    opening = branch_session(db, session.id, 0)
    short, cut = rewind_session(db, session.id, 0)
    renamed = stored.rename_session(db, session.id, "All is well")
    for held in (copy, opening, short, cut, renamed):
        now = stored.load_session(db, held.id)
        assert (now.frozen, now.risk) == (True, "imminent")
        with pytest.raises(FrozenSessionError, match="reviewer has to resume"):
            override_state(db, held.id, "topic", {"value": "rent"})
        assert take_turn(db, FakeModel(name="other"), held.id, CALM).safety_reply
    assert model.requests == []


def test_a_reviewer_resumes_with_name_and_reason_and_the_agent_goes_on(db, session, say):
    say(CALM, IMMINENT)
    resumed = resume_session(db, session.id, " Dr. Ada\nLind ", "She is with her sister now.")
    assert (resumed.frozen, resumed.risk) == (False, "none")
    (kept,) = stored.load_resumptions(db, session.id)
    assert (kept.reviewer, kept.reason) == ("Dr. Ada Lind", "She is with her sister now.")
    assert (kept.after_turn, kept.level) == (2, "imminent")
    answered = take_turn(db, FakeModel(), session.id, "Thank you.")
    assert answered.reply == "You said: Thank you."
    assert stored.load_session(db, session.id).state["heard"] == [CALM, "Thank you."]
    # The next danger freezes again, and the wording goes on where it was.
    assert take_turn(db, FakeModel(), session.id, IMMINENT).reply == imminent_reply(
        "en", seen=1, subject="self"
    )
    assert stored.load_session(db, session.id).frozen


@pytest.mark.parametrize(
    ("reviewer", "reason"), [("", "She is safe."), ("A", "She is safe."), ("Ada", ""), ("Ada", "  ok  ")]
)
def test_resuming_without_name_or_reason_is_refused(db, session, say, reviewer, reason):
    say(IMMINENT)
    with pytest.raises(InputError, match=r"reviewer's name|reason"):
        resume_session(db, session.id, reviewer, reason)
    assert stored.load_session(db, session.id).frozen


def test_there_is_nothing_to_resume_where_no_risk_stands(db, session):
    with pytest.raises(InputError, match="No risk stands"):
        resume_session(db, session.id, "Ada Lind", "She is safe.")


def test_a_standing_concern_is_cleared_by_a_reviewer(db, session, say):
    say(CONCERN)
    assert resume_session(db, session.id, "Ada Lind", "We talked; she is safe.").risk == "none"


@pytest.fixture
def strict(monkeypatch):
    """The reply check finds fault with replies that hold the word FAULT."""
    found = (Finding("diagnosis", "FAULT"),)
    monkeypatch.setattr(turn, "check_reply", lambda text: found if "FAULT" in text else ())


def test_a_reply_that_must_not_be_shown_is_written_once_more(db, session, strict):
    model = FakeModel(lambda request: "FAULT" if len(model.requests) == 1 else "I hear you.")
    answered = take_turn(db, model, session.id, CALM)
    assert answered.reply == "I hear you."
    assert answered.model == "Fake model (fake)"
    assert answered.findings == (Finding("diagnosis", "FAULT"),)
    assert [call.text for call in load_calls(db, session.id, 1)] == ["FAULT", "I hear you."]
    assert stored.load_session(db, session.id).state["heard"] == [CALM]


def test_a_reply_at_fault_twice_is_replaced_and_both_are_kept(db, session, strict):
    answered = take_turn(db, FakeModel(lambda request: "You have FAULT."), session.id, CALM)
    assert answered.reply == blocked_reply("en")
    assert (answered.model, answered.safety_reply) == (None, False)
    assert answered.findings == (Finding("diagnosis", "FAULT"),) * 2
    assert [call.text for call in load_calls(db, session.id, 1)] == ["You have FAULT."] * 2
    # What the agent noted of the client's line stands.
    assert stored.load_session(db, session.id).state["heard"] == [CALM]


def test_a_failure_while_writing_again_keeps_what_was_found(db, session, strict):
    def answer(request):
        if len(model.requests) == 2:
            raise ProviderUnavailableError("It broke off.")
        return "FAULT"

    model = FakeModel(answer)
    with pytest.raises(ProviderUnavailableError):
        take_turn(db, model, session.id, CALM)
    assert [call.text for call in load_calls(db, session.id, 1)] == ["FAULT", ""]
    assert load_turn(db, session.id, 1).reply == ""


@pytest.mark.parametrize("agent", ["sudosys", "cocoa", "stage_unaware", "plain"])
def test_the_rules_hold_their_steps_when_the_risk_check_raised_a_line(db, settings, agent) -> None:
    # Passive ideation without any of the words that the rules themselves listen for.
    line = "Sometimes I wish I would not wake up anymore."
    session = start_session(db, agent=agent, model="guided", settings=settings)
    taken = take_turn(db, open_model("guided", settings), session.id, line)
    assert taken.risk.level == "concern"
    assert taken.notice
    for cheer in ("worth aiming", "good", "What else has been on your mind"):
        assert cheer not in taken.reply
    assert "safe" in taken.reply or "danger" in taken.reply or "alone" in taken.reply


@pytest.mark.parametrize(
    ("after", "frozen"),
    # The danger is turn 2, the resumption was written after turn 3: a copy that ends in between ends
    # in danger that no reviewer has looked at; one from before it, or with the resumption, does not.
    [(1, False), (2, True), (3, False)],
)
def test_a_branch_that_ends_in_danger_is_frozen_though_its_source_was_resumed(
    db, session, say, after, frozen
):
    say(CALM, IMMINENT, CALM)
    resume_session(db, session.id, "Ada Lind", "She is with her sister.")
    branch = branch_session(db, session.id, after)
    assert (branch.frozen, branch.risk) == ((True, "imminent") if frozen else (False, "none"))
    if frozen:
        model = FakeModel()
        assert take_turn(db, model, branch.id, "Nobody is with me.").safety_reply
        assert model.requests == []
