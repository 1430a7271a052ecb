"""Taking in a session from its export: as it was exported, nothing that cannot be, no freeze lifted."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as configured
from hypothesis import strategies as st

from counsel_core.conversation import resume_session, retry_turn, start_session, take_turn
from counsel_core.errors import CounselError, InputError, ProviderUnavailableError
from counsel_core.exports import export_session
from counsel_core.importing import import_session
from counsel_core.llm.catalogue import open_model
from counsel_core.overriding import override_state
from counsel_core.storage import audit
from counsel_core.storage import sessions as stored
from tests.fakes_conversation import FakeModel

CONCERN = "Sometimes I wish I would not wake up in the morning."
IMMINENT = "I have the pills here and I am going to kill myself tonight."


def exported(db, session_id: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(export_session(db, session_id, "json"))
    return data


def taken_in(db, data: Any):
    return import_session(db, json.dumps(data).encode())


@pytest.fixture
def rich(db, session, say):
    """A session with a note, overrides before and after turns, a failed attempt and a concern."""
    override_state(db, session.id, "topic", {"value": "work"})
    say("The rent is due.")
    override_state(db, session.id, "topic", {"value": "rent"})
    override_state(db, session.id, "topic", {"value": "rent and work"})
    stored.save_note(db, session.id, 1, "A good start.")
    say(CONCERN)

    def fail(request):
        raise ProviderUnavailableError("The server broke off.")

    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, "Hello?", author="sample client")
    retry_turn(db, FakeModel(), session.id)
    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, "Are you there?")
    return stored.load_session(db, session.id)


def without_identity(data: dict[str, Any]) -> dict[str, Any]:
    """Return an export without what is the import's own: ids, title, moments of the import."""
    data = copy.deepcopy(data)
    del data["exported"]
    for key in ("id", "title", "updated", "parent", "parent_turn", "sample_client"):
        data["session"].pop(key, None)
    for kind in ("turns", "overrides", "notes", "resumptions"):
        for one in data[kind]:
            one.pop("session", None)
            one.pop("id", None)
    return data


def prompts_of(data: dict[str, Any]) -> set[str]:
    return set(data["prompts"]["texts"])


def test_a_session_comes_back_as_it_was_exported(db, rich):
    before = exported(db, rich.id)
    session = taken_in(db, before)
    assert session.id != rich.id
    assert session.title == "The rent (imported)"
    after = exported(db, session.id)
    assert prompts_of(after) == prompts_of(before)
    first, second = without_identity(before), without_identity(after)
    for data in (first, second):  # the places of prompts are free; the messages are compared below
        del data["prompts"]
        for turn in data["turns"]:
            for call in turn["calls"]:
                del call["prompt"]
    assert second == first
    for number in range(1, rich.turn_count + 1):
        assert stored.load_attempts(db, session.id, number) == stored.load_attempts(db, rich.id, number)
    assert [stored.state_after(db, session.id, n) for n in range(5)] == [
        stored.state_after(db, rich.id, n) for n in range(5)
    ]


def test_an_imported_session_goes_on(db, rich):
    session = taken_in(db, exported(db, rich.id))
    assert retry_turn(db, FakeModel(), session.id).reply == "You said: Are you there?"
    take_turn(db, FakeModel(), session.id, "One more.")
    assert stored.load_session(db, session.id).state["heard"][-1] == "One more."
    assert stored.load_session(db, rich.id).turn_count == rich.turn_count


@pytest.mark.parametrize("agent", ["plain", "stage_unaware", "sudosys", "cocoa"])
def test_sessions_of_every_agent_come_back(db, settings, agent):
    model = open_model("guided", settings)
    begun = start_session(db, agent=agent, model="guided", settings=settings)
    for line in ("My boss shouts at me and I am always to blame.", "I feel like a failure.", "Every day."):
        take_turn(db, model, begun.id, line)
    session = taken_in(db, exported(db, begun.id))
    assert stored.load_session(db, session.id).state == stored.load_session(db, begun.id).state
    assert take_turn(db, model, session.id, "What now?").reply


def test_a_freeze_comes_along(db, session, say):
    say(IMMINENT)
    found = taken_in(db, exported(db, session.id))
    assert (found.frozen, found.risk) == (True, "imminent")
    turn = take_turn(db, FakeModel(), found.id, "Never mind.")
    assert turn.safety_reply


@pytest.mark.parametrize(
    "forge",
    [
        lambda data: data["session"].update(frozen=False, risk="none"),
        lambda data: data["turns"][0].update(risk={"level": "none", "evidence": []}),
        lambda data: [
            data["session"].update(frozen=False, risk="none"),
            data["turns"][0].update(risk={"level": "none", "evidence": []}),
            data["resumptions"].append(
                {
                    "after_turn": 1,
                    "level": "imminent",
                    "reviewer": "Dr Who",
                    "reason": "All is well now.",
                    "created": "2026-01-01T00:00:00+00:00",
                }
            ),
        ],
    ],
    ids=["standing", "line", "everything"],
)
def test_no_edit_of_the_file_lifts_a_freeze(db, session, say, forge):
    say(IMMINENT)
    data = exported(db, session.id)
    forge(data)
    assert taken_in(db, data).frozen


def test_what_a_reviewer_decided_elsewhere_is_kept_but_decides_nothing_here(db, session, say):
    say(IMMINENT)
    resume_session(db, session.id, "Dr Ray", "Spoke with her on the phone.")
    say("Thank you.")
    found = taken_in(db, exported(db, session.id))
    assert found.frozen
    (kept,) = stored.load_resumptions(db, found.id)
    assert (kept.reviewer, kept.after_turn) == ("Dr Ray", 1)


def test_an_import_is_in_the_audit_log_without_words(db, rich):
    session = taken_in(db, exported(db, rich.id))
    (entry,) = [one for one in audit.read(db, session.id) if one.action == "session_imported"]
    assert entry.details["turns"] == 4


def test_a_line_whose_answer_was_being_written_can_be_retried(db, rich):
    data = exported(db, rich.id)
    data["turns"][3].update(status="pending", error=None)
    session = taken_in(db, data)
    assert retry_turn(db, FakeModel(), session.id).status == "answered"


def change(*path: Any, to: Any):
    def edit(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = to

    return edit


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (change("format", to="counsel-session/9"), "its 'format' is not"),
        (change("session", "agent", to="nobody"), "no agent named 'nobody'"),
        (change("session", "language", to="fr"), "session.language"),
        (change("session", "created", to="yesterday"), "ISO 8601"),
        (change("session", "created", to="2026-01-01T00:00:00"), "time zone"),
        (change("session", "settings", to={"depth": 3}), "setting of"),
        (change("session", "state", to={"heard": [], "topic": ""}), "do not lead to the state"),
        (change("session", "title", to="\u0007"), "title of the export is empty"),
        (change("opening_state", to={"nothing": 1}), "cannot have such a state"),
        (change("turns", 1, "state", to={"heard": 3}), "turns[1].state"),
        (change("turns", 0, "number", to=2), "1 comes next"),
        (change("turns", 0, "client", to="x" * 8001), "turns[0].client"),
        (change("turns", 0, "trace", to=[]), "turns[0].trace"),
        (change("turns", 0, "calls", 0, "prompt", to=9999), "a prompt that is not there"),
        (change("prompts", "nodes", 0, "before", to=0), "it leads to no first part"),
        (change("prompts", "nodes", 0, "before", to=9999), "it leads to no first part"),
        (change("prompts", "nodes", 0, "text", to=9999), "there is no such text"),
        (change("overrides", 0, "after_turn", to=77), "turn 77, but has 4 turns"),
        (change("notes", 0, "turn", to=77), "turn 77, but has 4 turns"),
        (change("turns", 0, "seconds", to=-1), "turns[0].seconds"),
        (lambda data: data.pop("turns"), "'turns' is a required property"),
    ],
)
def test_what_cannot_be_is_named_and_nothing_is_stored(db, rich, edit, said):
    data = exported(db, rich.id)
    edit(data)
    with pytest.raises(InputError, match=said.replace("[", r"\[")):
        taken_in(db, data)
    assert stored.count_sessions(db) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no JSON export"),
        (b"PK\x03\x04 a zip", "no JSON export"),
        (b"\xff\xfe\x00", "no JSON export"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"format": "counsel-session/1", "session": NaN}', "holds NaN"),
        (b"[]", "its 'format' is not"),
        (b" " * 50_000_001, "50,000,000 at most"),
    ],
    ids=["empty", "zip", "bytes", "deep", "nan", "list", "large"],
)
def test_other_files_are_refused(db, content, said):
    with pytest.raises(InputError, match=said):
        import_session(db, content)


def places(value: Any, path: tuple[Any, ...] = ()):
    """Yield the path of every value within a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5),
    st.just([]), st.just({}), st.just([[]]), st.just({"a": {}}),
)  # fmt: skip


@given(data=st.data())
@configured(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_an_edited_file_is_taken_whole_or_refused_by_name(db, rich, data):
    """Whatever a hand changes in a file: an error of ours with nothing stored, or a session that is sound."""
    content = exported(db, rich.id)
    everywhere = list(places(content))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(everywhere))
        try:
            change(*path, to=data.draw(ODD))(content)
        except (KeyError, IndexError, TypeError):  # an earlier edit took the place away
            continue
    count = stored.count_sessions(db)
    try:
        session = taken_in(db, content)
    except CounselError:
        assert stored.count_sessions(db) == count
        return
    assert exported(db, session.id)["session"]["state"] == session.state
    assert export_session(db, session.id, "html")
    stored.delete_session(db, session.id)
