"""The second text: what is mended, what is left alone, and that no text takes long."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.datasets.text import LOST, MARKUP, NO_BREAK, clean, clean_topic, flaws

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="<>&\u2018\u2019"), max_size=60)


@pytest.mark.parametrize(
    ("given_text", "mended"),
    [
        ("It ends.Next comes this.", "It ends. Next comes this."),
        ("Really?Yes!And so on.", "Really? Yes! And so on."),
        ("no\u00a0break\u202fspaces", "no break spaces"),
        ("zero\u200bwidth", "zerowidth"),
        ("don\u2019t, \u2018so\u2019", "don't, 'so'"),
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("a<br/>b", "a\nb"),
        ("<ul><li>One</li><li>Two</li></ul>", "One  Two"),
        ("<b>bold</b> and <a href='https://a.b/?x=1&y=2'>link</a>", "bold and link"),
        ("Before<script>alert('x < y')</script>, after", "Before, after"),
        ("Before<STYLE>p { color: red }</Style>, after", "Before, after"),
        ("Before<!-- <b>hidden</b> > too -->, after", "Before, after"),
        ("an unclosed <script> hides nothing", "an unclosed  hides nothing"),
        ("AT&amp;T &lt;b&gt; &#39;x&#39; &nbsp;y", "AT&T <b> 'x'  y"),
        ("<o:p></o:p>Word", "Word"),
    ],
)
def test_faults_are_mended(given_text: str, mended: str) -> None:
    assert clean(given_text) == mended


@pytest.mark.parametrize(
    "text",
    [
        "I <3 you, and 2 < 3 > 1",
        "<sigh> I don't know <name>",
        "www.LivingYes.org and https://a.b/x.Html and me.You@example.org",
        "e.g. this, the U.S.A. and 3.5 points",
        "R&D, AT&T, a&b",
        "“quoted” — and so on …",
        "我睡不着。怎么办？",
        "",
    ],
)
def test_what_is_no_fault_is_left_alone(text: str) -> None:
    assert clean(text) == text


@given(WORDS)
def test_a_clean_text_stays_as_it_is(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(WORDS)
def test_letters_and_digits_all_stay(text: str) -> None:
    def letters(words: str) -> str:
        return "".join(filter(str.isalnum, words))

    assert letters(clean(text)) == letters(text)


@given(WORDS, st.sampled_from(["b", "i", "p", "div", "SPAN", "li"]), WORDS)
def test_marks_go_and_words_stay(before: str, name: str, inside: str) -> None:
    mended = clean(f"{before}<{name} class='x'>{inside}</{name}>")
    assert "<" not in mended
    assert (
        mended.replace(" ", "").replace("\n", "").endswith(clean(inside).replace(" ", "").replace("\n", ""))
    )


@given(st.text(max_size=60))
def test_a_text_without_flaws_has_no_lost_spaces_or_no_break_spaces_mended(text: str) -> None:
    assert ("\u00a0" in text) == (NO_BREAK in flaws(text))
    if LOST in flaws(text):
        assert any(sign in text for sign in ".!?")
    if MARKUP not in flaws(text) and clean(text) != text:
        assert "<" not in text or "<" in clean(text)


@pytest.mark.parametrize(
    "piece",
    ["<", "<a", "<script>", "<!--", "&amp;", "&#", "x", "x@", "a.B", "</script><script>", "<p ", "&a"],
)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    text = piece * (131_072 // len(piece))
    started = time.thread_time()
    clean(text)
    flaws(text)
    assert time.thread_time() - started < 1


def test_topics_are_trimmed_and_keep_their_spelling() -> None:
    assert clean_topic("  Family\u00a0 Conflict\u200b\n") == "Family Conflict"
    assert clean_topic("睡眠 ") == "睡眠"
    assert clean_topic(" \u200b ") == ""
