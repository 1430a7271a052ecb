import json
import re
from dataclasses import asdict
from datetime import datetime
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import counsel_core.agents
from counsel_core.conversation import resume_session, take_turn, turn
from counsel_core.errors import InputError, ProviderUnavailableError, UnknownNameError
from counsel_core.exports import export_session
from counsel_core.exports.data import read_prompt
from counsel_core.exports.markdown import escape
from counsel_core.overriding import override_state
from counsel_core.records import Finding
from counsel_core.safety.texts import NOTICE, blocked_reply, concern_question, imminent_reply
from counsel_core.storage import sessions as stored
from tests.fakes_conversation import FakeModel

CONCERN = "Sometimes I wish I would not wake up in the morning."
IMMINENT = "I have the pills here and I am going to kill myself tonight."
HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> ![pixel](https://evil.example/p.png) "
    "[here](javascript:alert(1)) https://evil.example www.evil.example me@evil.example &amp; `code`\n"
    "# Heading\n- list\n1. one\n> quote\n---\n===\n    indented\n| a | b |\n|---|---|\n~~~\nfence\n```\n"
    '"quoted" *bold* _it_ $x$ <!-- c --> [^1]\r# After a return\u2028# After a separator'
)


@pytest.fixture
def rich(db, session, say, monkeypatch):
    """A session in which everything happened that an export shows."""
    monkeypatch.setattr(
        turn, "check_reply", lambda text: (Finding("diagnosis", "FAULT"),) if "FAULT" in text else ()
    )
    say("The rent is due.")
    override_state(db, session.id, "topic", {"value": "rent"})
    stored.save_note(db, session.id, 1, "A good start.")
    say(CONCERN)
    say("I am fine.", model=FakeModel(lambda request: "You have FAULT."))

    def fail(request):
        raise ProviderUnavailableError("The server broke off.")

    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, "Hello?", author="sample client")
    say(IMMINENT)
    return stored.load_session(db, session.id)


def test_json_holds_everything(db, rich):
    data = json.loads(export_session(db, rich.id, "json"))
    assert data["format"] == "counsel-session/1"
    assert data["notice"] == json.loads(json.dumps(NOTICE))
    dumped = json.loads(json.dumps(asdict(rich), default=datetime.isoformat))
    assert data["session"] == dumped
    assert data["opening_state"] == {"heard": [], "topic": ""}
    turns = stored.load_turns(db, rich.id)
    assert [turn["client"] for turn in data["turns"]] == [turn.client for turn in turns]
    assert [turn["status"] for turn in data["turns"]] == ["answered"] * 3 + ["failed", "answered"]
    assert [turn["state"]["topic"] for turn in data["turns"]] == ["", "rent", "rent", "rent", "rent"]
    assert [len(turn["state"]["heard"]) for turn in data["turns"]] == [1, 2, 3, 3, 3]
    assert data["turns"][1]["risk"]["level"] == "concern"
    assert data["turns"][1]["shown"] == turns[1].shown
    assert data["turns"][0]["trace"] == {"turn": 1, "read": 2}
    assert data["overrides"][0]["arguments"] == {"value": "rent"}
    assert data["notes"][0]["text"] == "A good start."
    assert data["resumptions"] == []
    for number, written in enumerate(data["turns"], start=1):
        calls = stored.load_attempts(db, rich.id, number)
        assert [call["attempt"] for call in written["calls"]] == [attempt for attempt, _ in calls]
        assert [call["text"] for call in written["calls"]] == [call.text for _, call in calls]
        prompts = [read_prompt(data["prompts"], call["prompt"]) for call in written["calls"]]
        assert prompts == [call.messages for _, call in calls]


def test_a_json_export_grows_with_the_words_of_long_prompts(db, session):
    model = FakeModel(lambda request: f"Reply {len(model.requests)}. " + "It sounds heavy. " * 12)

    def size_after(numbers: range) -> int:
        for number in numbers:
            take_turn(db, model, session.id, f"Line {number}: the rent is due.")
        data = json.loads(export_session(db, session.id, "json"))
        assert read_prompt(data["prompts"], data["turns"][-1]["calls"][0]["prompt"]) == (
            model.requests[-1].messages
        )
        return len(json.dumps(data["prompts"]))

    assert size_after(range(40, 80)) * 2.1 > size_after(range(80, 120))


@pytest.mark.parametrize("form", ["md", "html"])
def test_a_reader_sees_who_said_what_and_what_happened(db, rich, form):
    text = export_session(db, rich.id, form).replace("\\", "")
    for shown in (
        rich.title,
        "Research tool" if "Research tool" in NOTICE["en"] else NOTICE["en"][:20],
        "Frozen: imminent risk was found.",
        "Raised in turn 5.",
        "by a clinician, 1 ×",
        "Echo",
        "Fake model (fake)",
        "English",
        "Window: 0; Region: unknown",
        "What brings you here?",
        "1 · Client",
        "4 · Client (sample client)",
        "The rent is due.",
        "7 + 3 tokens",
        "A good start.",
        "Changed by a clinician",
        "Risk check: concern",
        "Counsellor · safety question, a fixed text",
        concern_question("en", subject="self").split(".")[0].split("'")[0][:30],
        "a fixed text in place of a reply that was held back",
        "Reply check: diagnosis (“FAULT”)",
        blocked_reply("en").split("'")[0].split(",")[0][:30],
        "No answer (failed)",
        "The server broke off.",
        "Counsellor · safety text, fixed",
        imminent_reply("en").split("'")[0].split("\n")[0][:30],
        rich.id,
    ):
        assert shown in text, shown
    # The override stands between the turn it followed and the next.
    assert text.index("You said: The rent") < text.index("Changed by a clinician") < text.index(CONCERN)


def test_a_standing_concern_is_shown_until_it_is_resumed(db, session, say):
    say("The rent is due.", CONCERN)
    standing = export_session(db, session.id, "html")
    assert "Concern for the client" in standing
    assert "Raised in turn 2." in standing
    resume_session(db, session.id, "Ada Lind", "She is with her sister.")
    text = export_session(db, session.id, "html")
    assert "Resumed by Ada Lind" in text
    assert "She is with her sister." in text
    assert 'class="banner"' not in text


def test_a_banner_is_shown_only_where_there_is_reason(db, session, say):
    say("The rent is due.")
    assert 'class="banner"' not in export_session(db, session.id, "html")


class Elements(HTMLParser):
    """The elements and the attributes that a browser would make of an export."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def write(db, begin):
    """Makes a session in which the same words stand in every place that an export shows."""

    def write_everywhere(words: str, title: str):
        session = begin(title=title)
        take_turn(db, FakeModel(lambda request: words, name=title), session.id, words)
        stored.save_note(db, session.id, 1, words)
        override_state(db, session.id, "topic", {"value": words})

        def fail(request):
            raise ProviderUnavailableError(words)

        with pytest.raises(ProviderUnavailableError):
            take_turn(db, FakeModel(fail), session.id, "x")
        return session

    return write_everywhere


TITLE = "</title><script>alert(1)</script> ![t](https://evil.example)"


def test_nothing_that_was_written_becomes_html(db, write):
    plain = Elements(export_session(db, write("Plain words.", "Plain").id, "html"))
    text = export_session(db, write(HOSTILE, TITLE).id, "html")
    found = Elements(text)
    assert found.tags == plain.tags
    assert found.attributes == plain.attributes
    assert "<script>alert(1)</script>" in found.text
    assert "default-src 'none'" in text


def rendered(text: str) -> list:
    """Every token a Markdown reader makes of a text, with the tables and strikethrough that GitHub adds."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    return [inner for token in tokens for inner in (token, *(token.children or ()))]


def test_nothing_that_was_written_becomes_markdown(db, write):
    text = export_session(db, write(HOSTILE, TITLE).id, "md")
    kinds = {token.type for token in rendered(text)}
    forbidden = {
        "image",
        "link_open",
        "html_block",
        "html_inline",
        "code_inline",
        "code_block",
        "hr",
        "em_open",
    }
    forbidden |= {"table_open", "s_open", "ordered_list_open"}
    assert not kinds & forbidden
    headings = [token for token in rendered(text) if token.type == "heading_open"]
    assert [token.tag for token in headings] == ["h1", "h2", "h2"]
    # What a reader that makes links of bare addresses would take for one.
    said = text.split("## The agent's state")[0]
    assert not re.search(r"https?://|www\.\w|\w@\w", said)


@given(st.text(alphabet=st.sampled_from("ab \n*_`[]()<>#+-=.!|~&:/@\\1$^{}\"'")))
def test_escaped_text_reads_as_it_was_written(text):
    # Lines are stripped by the export before they are quoted: blanks at the start would make code.
    tokens = rendered("\n".join(line.strip() for line in escape(text).split("\n")))
    breaks = {"softbreak", "hardbreak"}
    assert {token.type for token in tokens} <= {
        "paragraph_open",
        "paragraph_close",
        "inline",
        "text",
        "text_special",
        *breaks,
    }
    shown = [token.content for token in tokens if token.type.startswith("text")]
    assert "".join("".join(shown).split()) == "".join(text.split())


def test_what_cannot_be_exported_is_refused(db, session):
    with pytest.raises(UnknownNameError, match=r"no export format named 'pdf'.*json, md, html"):
        export_session(db, session.id, "pdf")
    with pytest.raises(InputError, match="no session id"):
        export_session(db, "../x", "json")


@pytest.mark.parametrize("form", ["json", "md", "html"])
def test_a_session_of_an_agent_that_is_gone_can_still_be_exported(db, rich, form, monkeypatch):
    monkeypatch.setattr(counsel_core.agents, "agents", dict)
    assert "echo" in export_session(db, rich.id, form)


def test_half_written_turns_are_exported_too(db, session):
    texts = {}

    def look(request):
        texts.update({form: export_session(db, session.id, form) for form in ("json", "md", "html")})
        return "Yes?"

    take_turn(db, FakeModel(look), session.id, "One")
    assert json.loads(texts["json"])["turns"][0]["status"] == "pending"
    assert "It is being answered." in texts["html"]
    assert "It is being answered" in texts["md"]
