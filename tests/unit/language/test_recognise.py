"""English or not; the sentences were written for this test."""

from __future__ import annotations

import pytest

from counsel_core.language.recognise import is_english

ENGLISH = (
    "I feel alone since my mother died.",
    "Depressed",
    "ok thanks :)",
    "12345",
    "",
    "…!?",
    "Mon Dieu, I did not see that coming and it hurts.",
    "My friend 王 says that I should not worry so much.",
    "Die young? I do not want that, and no one should.",
    "I HAVE NO IDEA WHAT TO DO ABOUT MY SON",
    "Café, résumé, naïve: words that English took over.",
)
OTHER = (
    "我最近睡不好觉。",
    "眠れません。どうすればいいですか。",
    "Я не могу спать и не знаю, что делать.",
    "لا أستطيع النوم.",
    "No puedo dormir y no sé qué hacer con mi vida.",
    "Je ne peux pas dormir et je ne sais pas quoi faire.",
    "Ich kann nicht schlafen und weiß nicht, was ich tun soll.",
    "Non riesco a dormire e non so che cosa fare della mia vita.",
    "Não consigo dormir e não sei o que fazer com a minha vida.",
    "Ik kan niet slapen en ik weet niet wat ik moet doen.",
    "我觉得 very sad 因为工作压力太大了。",
)


@pytest.mark.parametrize("text", ENGLISH)
def test_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize("text", OTHER)
def test_other_languages(text: str) -> None:
    assert not is_english(text)


def test_an_english_text_with_its_translation_counts_as_english() -> None:
    assert is_english(f"{ENGLISH[0]} I do not know what to do about it.\n{OTHER[4]}")
