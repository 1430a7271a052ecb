"""The response unpacker: topics, status and reply from what a model really wrote (SuDoSys, section 2.2.2).

Strict JSON, else every JSON object in the answer read loosely, else mended; the last that holds a reply
wins, so that a template echoed before or after the answer does not. What was cut is refused.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from counsel_core.errors import ReplyFormatError
from counsel_core.llm.fitting import fold
from counsel_core.llm.structured import last_passing
from counsel_core.records import FinishReason, Json

FIELDS = ("topics", "status", "reply", "reason")

_STATUS = re.compile(r"[+-]?[01](?:\.0*)?")
# What a template has in the place of an answer: "<your reply>", "[reply]", "【回复】", "...", "string".
_BLANKS = r"<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}|【[^【】]*】|《[^《》]*》|string|[.…_—\-]+"
_WORDS = (
    r"(?:str|text|reply|your (?:reply|answer|response)(?: here| to the client)?|回复|你的回复|回复内容)[.…]*"
)
# Models fill a template in without taking its brackets away; a template's own words are no sentence.
_BRACKETED_SENTENCE = re.compile(r"<[^<>]*\w[^<>]*[^.…\s][.!?。！？]>")
_TOPIC_BLANK = re.compile(_BLANKS, re.IGNORECASE)
_REPLY_BLANK = re.compile(f"{_BLANKS}|{_WORDS}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What one raw output holds.

    `topics` has the protocol's keys that were given a value; "" says that the topic is to be pruned.
    `missing` keys keep the value they have (a deviation from T_S := T'_S); `dropped` are unknown ones.
    """

    topics: dict[str, str]
    status: int
    reply: str
    reason: str = ""
    repairs: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    pruned: tuple[str, ...] = ()


def unpack(
    text: str, keys: Sequence[str], finish: FinishReason = "stop", echoes: Collection[str] = ()
) -> Unpacked:
    """Unpack a raw output for the topics `keys` of the present stage.

    Parameters
    ----------
    text
        What the model wrote.
    keys
        The topics of the present stage; others are dropped.
    finish
        "length" if the model was stopped by its limit: then an object without its end is refused.
    echoes
        Replies and topic values that the instruction itself contains, as examples; they are no answer.

    Raises
    ------
    ReplyFormatError
        The answer was cut, is empty, an array, an error page or prose, or has no reply.

    Examples
    --------
    >>> unpack("{'topics': {'Problems': 'rent'}, 'status': '+1', 'reply': 'I see.'}", ["problems"]).topics
    {'problems': 'rent'}
    """
    known = {_bare(echo) for echo in echoes}
    unpacked, repairs = last_passing(text, finish, lambda value: _read(value, keys, known))
    return Unpacked(
        topics=unpacked.topics,
        status=unpacked.status,
        reply=unpacked.reply,
        reason=unpacked.reason,
        repairs=repairs,
        missing=tuple(key for key in keys if key not in unpacked.topics),
        dropped=tuple(unpacked.dropped),
        pruned=tuple(key for key, value in unpacked.topics.items() if not value),
    )


@dataclass
class _Draft:
    """An answer while it is read."""

    reply: str
    status: int = 0
    reason: str = ""
    topics: dict[str, str] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _read(value: Json, keys: Sequence[str], echoes: Collection[str]) -> tuple[_Draft, tuple[str, ...]]:
    notes: list[str] = []
    fields, others = _split_fields(_unwrap(value, notes), notes)
    draft = _Draft(reply=_read_reply(fields.get("reply"), echoes, notes), notes=notes)
    draft.status = _read_status(fields, notes)
    reason = fields.get("reason")
    draft.reason = "" if reason is None else _as_text(reason)
    _read_topics(draft, fields, others, {fold(key): key for key in keys}, echoes)
    return draft, tuple(notes)


def _unwrap(value: Json, notes: list[str]) -> Json:
    if len(value) == 1:
        ((key, inner),) = value.items()
        if isinstance(inner, Mapping) and "reply" in {fold(str(name)) for name in inner}:
            notes.append(f"The answer stood inside the key {key!r}.")
            return dict(inner)
    return value


def _split_fields(value: Json, notes: list[str]) -> tuple[Json, Json]:
    """Part the four fields, in any case, from the other keys."""
    fields: Json = {}
    others: Json = {}
    for given, inner in value.items():
        name = fold(str(given))
        if name not in FIELDS:
            others[str(given)] = inner
            continue
        if name != given:
            notes.append(f"The key {given!r} was read as {name!r}.")
        fields[name] = inner
    return fields, others


def _read_reply(value: Any, echoes: Collection[str], notes: list[str]) -> str:
    if value is None:
        raise ReplyFormatError('The key "reply" is missing.', "缺少键“reply”。")
    if not isinstance(value, str):
        shown = json.dumps(value, ensure_ascii=False, default=str)[:80]
        raise ReplyFormatError(
            f'"reply" has to be a text; it is {shown}.', f"“reply”必须是一段文字；现在是{shown}。"
        )
    if not value.strip() or not any(unicodedata.category(character)[0] in "LNS" for character in value):
        raise ReplyFormatError(
            '"reply" is empty; it has to hold what you say to the client.',
            "“reply”是空的；它必须是你对来访者说的话。",
        )
    if _bare(value) not in echoes and _BRACKETED_SENTENCE.fullmatch(value.strip()):
        notes.append("The template's angle brackets around the reply were removed.")
        value = value.strip()[1:-1]
    if _bare(value) in echoes or _REPLY_BLANK.fullmatch(value.strip()):
        raise ReplyFormatError(
            f'"reply" only repeats the template ("{value.strip()[:80]}"); put sentences of your own there, '
            "that answer what the client said last.",
            "“reply”只是照抄了模板；请在那里写上你自己的话，回应来访者刚才说的内容。",
        )
    return _clean(value)


def _read_status(fields: Json, notes: list[str]) -> int:
    """Return -1, 0 or 1; whatever is none of them is 0, and noted."""
    if "status" not in fields:
        notes.append("No status was given; it counts as 0.")
        return 0
    given = fields["status"]
    written = "" if isinstance(given, bool) else unicodedata.normalize("NFKC", str(given)).replace("−", "-")
    if not _STATUS.fullmatch(written.strip()):
        notes.append(f"The status {str(given)[:40]!r} is none of -1, 0 and 1; it counts as 0.")
        return 0
    if not isinstance(given, int):
        notes.append(f"The status {given!r} was read as a number.")
    return int(float(written))


def _read_topics(
    draft: _Draft, fields: Json, others: Json, keys: Mapping[str, str], echoes: Collection[str]
) -> None:
    given = fields.get("topics") or {}
    if not isinstance(given, Mapping):
        shown = json.dumps(given, ensure_ascii=False, default=str)[:80]
        raise ReplyFormatError(
            f'"topics" has to be an object of keys and texts; it is {shown}.',
            f"“topics”必须是由键和文字组成的对象；现在是{shown}。",
        )
    beside = {key: value for key, value in others.items() if fold(key) in keys}
    if beside:
        draft.notes.append("Topics beside the reply were read as topics.")
    elif "topics" not in fields:
        draft.notes.append("No topics were given; all keep their value.")
    for key in others:
        if key not in beside:
            draft.dropped.append(key)
            draft.notes.append(f"The unknown key {key!r} was left out.")
    found = {**beside, **{str(key): value for key, value in given.items()}}
    for key, value in found.items():
        _read_topic(draft, key, value, keys, echoes)


def _read_topic(
    draft: _Draft, given: str, value: Any, keys: Mapping[str, str], echoes: Collection[str]
) -> None:
    key = keys.get(fold(given))
    if key is None:
        draft.dropped.append(given)
        draft.notes.append(f"The unknown topic {given!r} was left out.")
        return
    if key != given:
        draft.notes.append(f"The topic {given!r} was read as {key!r}.")
    if value is None:
        return
    text = _as_text(value)
    if _bare(text) in echoes or _TOPIC_BLANK.fullmatch(text.strip()):
        draft.notes.append(f"The topic {key!r} only repeated the template; it keeps its value.")
        return
    if not isinstance(value, str):
        draft.notes.append(f"The value of {key!r} was made a text.")
    draft.topics[key] = text if text.strip() else ""


def _bare(text: str) -> str:
    """Return a text without the brackets, case and full stop that a copy of the template may change."""
    return text.strip("<>‹›《》.。 \n\t").casefold()


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, list | tuple):
        return "; ".join(text for item in value if (text := _as_text(item)).strip())
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_as_text(inner)}" for key, inner in value.items())
    return "" if value is None else json.dumps(value)


def _clean(text: str) -> str:
    """Join surrogate pairs and replace lone ones, which no database can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
