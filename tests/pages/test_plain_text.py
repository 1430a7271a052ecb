"""What others wrote is shown as words: nothing of it becomes Markdown, a link, an image or a formula."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages._ui.plain_text import WORD_JOINER, as_text, shorten

HOSTILE = (
    "**bold** _italic_ ~~gone~~ `code` $x^2$ $$y$$",
    ":red[red] :material/home: :smile: :streamlit: :blue-badge[x] :shimmer[x]",
    "[link](http://a.b) ![image](http://a.b/i.png) <img src=x onerror=alert(1)>",
    "https://example.com www.example.com WWW.example.com a@example.com",
    "a -> b <- c <-> d -- e >= f <= g ~= h",
    "# head",
    "1. one",
    "- dash",
    "> quote",
    "&lt; &#42; \\*x\\*",
)


def _as_read(markdown: str) -> str:
    """Return what a reader sees of Markdown in which every mark is escaped (CommonMark 0.31, 2.4)."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown).replace(WORD_JOINER, "")


@pytest.mark.parametrize("words", HOSTILE)
def test_every_mark_is_escaped_and_every_word_stays(words: str) -> None:
    shown = as_text(words)
    assert _as_read(shown) == words
    bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", shown)
    assert not set(bare) & set(string.punctuation)


@pytest.mark.parametrize(
    ("words", "broken"),
    [
        # The patterns are those Streamlit 1.67's StreamlitMarkdown applies to text after parsing.
        ("https://example.com", r"https?://"),
        ("www.example.com", r"www\."),
        ("me@example.com", r"[\w.+-]+@[\w-]+"),
        (":smile:", r":[\w+-]+:"),
        ("a -> b", r"(^|\s)->(\s|$)"),
        ("a <-> b", r"(^|\s)<->(\s|$)"),
        ("a -- b", r"(^|\s)--(\s|$)"),
        ("a >= b", r"(^|\s)>=(\s|$)"),
    ],
)
def test_what_streamlit_rewrites_after_parsing_is_broken_up(words: str, broken: str) -> None:
    unescaped = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", as_text(words))
    assert re.search(broken, words)
    assert not re.search(broken, unescaped, re.IGNORECASE)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc", "Cf", "Zl", "Zp")), max_size=80))
def test_any_text_reads_as_it_was_written_on_one_line(words: str) -> None:
    assert _as_read(as_text(words)) == " ".join(words.split())


def test_control_and_direction_characters_are_left_out() -> None:
    # U+202E would turn the rest of the line around.
    assert as_text("ab\x00c\u202ed") == "abcd"


def test_a_long_text_is_cut_with_an_ellipsis() -> None:
    assert as_text("x" * 300, limit=20) == "x" * 19 + "…"
    assert shorten("one two three", 8) == "one two…"
    assert shorten("short", 8) == "short"
