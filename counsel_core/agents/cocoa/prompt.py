"""The final prompt, static and dynamic, and the reply that is read from it (equations 5 and 6)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from counsel_core.agents.cocoa.guided import write_reply
from counsel_core.agents.cocoa.inputs import Plan, ReplyInputs
from counsel_core.agents.cocoa.knowledge import Technique, strategies
from counsel_core.agents.cocoa.rendering import render, render_exchange, render_fragment
from counsel_core.errors import ReplyFormatError
from counsel_core.llm._base import Caller
from counsel_core.llm.structured import ask
from counsel_core.records import Completion, Language, ModelRequest, Task

TASK = Task("cocoa reply", write_reply)
MAX_LENGTH = 2000
"""Characters; what is longer is no counsellor's line."""

_THINKING = re.compile(r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THINKING_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_OTHER_LINES = re.compile(
    r"\n\s*(?:\*\*)?(?:client|counsell?or|therapist|来访者|咨询师)(?:\*\*)?\s*[:：]", re.IGNORECASE
)
_HEADING = re.compile(r"^\s*#+\s", re.MULTILINE)
_SPEAKER = re.compile(r"(?:\*\*)?(?:counsell?or|therapist|咨询师)\s*[:：](?:\*\*)?\s*", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“「](?P<inside>[^\"“”「」]+)[\"”」]")
_STEP = re.compile(
    r"\b(?:stage|step)\s+\d+\b|第\s*[0-9一二三四五六]\s*(?:个)?(?:阶段|步)|\bcbt technique", re.IGNORECASE
)
_LAST_SENTENCE = re.compile(r".*[.!?。！？…](?:[\"”」』')）]*)", re.DOTALL)


def write(caller: Caller, inputs: ReplyInputs) -> str:
    """Return the counsellor's line: Static, plus Dynamic where there is a plan.

    Raises
    ------
    AgentReplyError
        After three tries the reply is still empty, or names the technique or its stage.
    """
    language, plan = inputs.language, inputs.plan
    request = ModelRequest(
        task=TASK,
        messages=render(
            "reply",
            language,
            strategies=list_strategies(language),
            utterances=render_exchange(inputs.latest.counsellor, inputs.latest.client, language),
            dynamic=render_dynamic(plan, language) if plan else "",
        ),
        inputs=inputs,
        language=language,
        max_tokens=768,
    )
    return ask(caller, request, _reader(inputs))


def render_dynamic(plan: Plan, language: Language) -> str:
    """Return the dynamic prompt: t* with its description, the stage and the example."""
    text = plan.technique.texts[language]
    stage = text.stages[plan.stage - 1]
    return render_fragment(
        "dynamic",
        language,
        technique=text.label,
        what=text.what,
        helps=text.helps,
        stage=f"{stage.name}{': ' if language == 'en' else '：'}{stage.goal}",
        example=plan.example,
    )


@cache
def list_strategies(language: Language) -> str:
    """Return the eight strategies of emotional support, each with what it is and an example."""
    colon, example = (": ", "For example: ") if language == "en" else ("：", "例如：")
    lines = []
    for strategy in strategies().values():
        text = strategy.texts[language]
        label = strategy.name if language == "en" else f"{strategy.name}（{text.label}）"
        lines.append(f"- {label}{colon}{text.what} {example}{text.example}")
    return "\n".join(lines)


def read_reply(completion: Completion, plan: Plan | None) -> tuple[str, tuple[str, ...]]:
    """Read a reply in plain text: thinking, a speaker's name and quotation marks around it are taken off.

    So are further lines of the dialogue that the model went on to write. A reply cut by the token limit
    ends with its last whole sentence.

    Raises
    ------
    ReplyFormatError
        It is empty, has no whole sentence, has headings, is far too long, or names the technique or a
        numbered stage.
    """
    bare, repairs = _bare(completion)
    if not any(letter.isalnum() for letter in bare):
        raise ReplyFormatError(
            "The reply is empty or was cut within its first sentence. Write two to four sentences.",
            "回复是空的，或在第一句话内就中断了。请写两到四句话。",
        )
    if _HEADING.search(bare) or len(bare) > MAX_LENGTH:
        raise ReplyFormatError(
            f"The reply has headings or over {MAX_LENGTH} characters. Write the counsellor's line alone, "
            "two to four sentences.",
            f"回复中有标题，或超过{MAX_LENGTH}个字符。请只写咨询师说的话，两到四句。",
        )
    named = plan and _named(bare, plan.technique)
    if named:
        raise ReplyFormatError(
            f"The reply says {named!r}: it must not name the technique, a stage or a step. Say it plainly.",
            f"回复中出现了“{named}”：不能提技术名称、阶段或步骤。请换成平实的说法。",
        )
    return bare, repairs


def _bare(completion: Completion) -> tuple[str, tuple[str, ...]]:
    """Return the reply without what does not belong to it, and what was left out."""
    repairs: list[str] = []
    text = _without_thinking(completion.text)
    if text != completion.text.strip():
        repairs.append("thinking before the reply left out")
    bare = _SPEAKER.sub("", text, count=1) if _SPEAKER.match(text) else text
    other = _OTHER_LINES.search(bare)
    if other:
        bare = bare[: other.start()].strip()
        repairs.append("lines written for the client or for a later turn left out")
    quoted = _QUOTED.fullmatch(bare)
    bare = (quoted["inside"] if quoted else bare).strip()
    if not text.startswith(bare):
        repairs.append("speaker's name or quotation marks left out")
    if completion.finish == "length":
        whole = _LAST_SENTENCE.match(bare)
        bare = whole[0].strip() if whole else ""
        repairs.append("cut at the token limit: ends with its last whole sentence")
    return bare, tuple(repairs)


def _reader(inputs: ReplyInputs) -> Callable[[Completion], tuple[str, tuple[str, ...]]]:
    """Return what reads a reply: one that was given before is asked for again, once."""
    asked_again = False

    def read(completion: Completion) -> tuple[str, tuple[str, ...]]:
        nonlocal asked_again
        reply, repairs = read_reply(completion, inputs.plan)
        if not inputs.said.has_replied(reply):
            return reply, repairs
        if asked_again:
            return reply, (*repairs, "repeats an earlier reply word for word")
        asked_again = True
        raise ReplyFormatError(
            "The reply repeats an earlier one word for word; answer what the client says now.",
            "这句回复和之前说过的完全相同；请回应来访者现在说的话。",
        )

    return read


def _without_thinking(text: str) -> str:
    opened = _THINKING.sub("", text)
    # Some servers swallow the opening tag.
    closed = _THINKING_END.search(opened)
    return (opened[closed.end() :] if closed else opened).strip()


def _named(reply: str, technique: Technique) -> str | None:
    names = {technique.name, *(text.label for text in technique.texts.values())}
    found = re.search("|".join(map(re.escape, sorted(names))), reply, re.IGNORECASE) or _STEP.search(reply)
    return found[0] if found else None
