"""Whether a text is English: by its script, and by the small words that every text is full of."""

from __future__ import annotations

import re
from functools import lru_cache

FOREIGN_SHARE = 0.2
"""From this share of letters outside the Latin script on, a text is not read as English."""

_LETTER = re.compile(r"[^\W\d_]")
_NOT_LATIN = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_WORD = re.compile(r"[^\W\d_]+")

_ENGLISH_WORDS = (
    "the and of to is are you your that it for with this have has not be been was were but what my they "
    "there their from would could should will which how when who we our his her about because if them can at"
)
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
# Words that English does not have; a word of several of these languages counts for each.
# Words that English has too, or that its short lines are made of, are left out.
_OTHERS = tuple(
    frozenset(words.split())
    for words in (
        "el los las que una es por para se su con del lo como más pero está muy mi usted",
        "le les des et est que qui une dans pour pas sur avec vous je il elle nous mais ce cette votre",
        "der das den dem und ist nicht ein eine ich sie mit auf für zu sich auch wie du wir ihr aber sind",
        "il gli che di è una non con sono mi ti si della anche ma più io lo questo nel",
        "que um uma é para não se por mais mas como eu você seu sua está isso na muito",
        "het een en dat niet je zijn voor maar ook wel naar deze jij wij",
        "och att det som en på är av för med den inte jag du har om ett vi kan",
        "nie się na że jest jak ale co za od czy przez mnie ja dla bardzo tak",
        "bir bu için çok ne gibi daha ama var değil sen kadar ile",
    )
)


@lru_cache(maxsize=8192)
def is_english(text: str) -> bool:
    """Tell whether a text reads as English; true where nothing speaks against it (a number, one word).

    An English text with as much in a second language, a translation below it for one, counts as English.

    Examples
    --------
    >>> is_english("I cannot sleep, and my sister says that I worry too much.")
    True
    >>> is_english("我睡不好觉。"), is_english("Ich schlafe nicht gut und das macht mich müde.")
    (False, False)
    """
    if not text.isascii() and len(_NOT_LATIN.findall(text)) >= FOREIGN_SHARE * len(_LETTER.findall(text)) > 0:
        return False
    words = [word.lower() for word in _WORD.findall(text)]
    english = sum(word in _ENGLISH for word in words)
    if 4 * english >= len(words):  # no other of these languages comes near that share of English words
        return True
    return 2 * english >= max(sum(word in other for word in words) for other in _OTHERS)
