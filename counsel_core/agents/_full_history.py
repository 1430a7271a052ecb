"""What the baselines share: the whole history as chat messages, and a reply that is plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from counsel_core.agents._base import TurnContext
from counsel_core.agents._listening import ListeningInputs, listen
from counsel_core.errors import ReplyFormatError
from counsel_core.llm.structured import ask
from counsel_core.records import AgentReply, Completion, Json, Message, ModelRequest, Task, Utterance

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(
    r"\s*\**(?:counsell?or|assistant|therapist|咨询师|心理咨询师|助手)\**\s*[:：]\s*\**\s*", re.IGNORECASE
)
_PAGE = re.compile(r"\s*(?:<!doctype|<html|<\?xml)", re.IGNORECASE)


@dataclass(frozen=True)
class NoState:
    """The state of an agent that remembers nothing but the transcript."""


def load_nothing(value: Json) -> NoState:  # noqa: ARG001 - every agent loads from a JSON object
    """Return the empty state."""
    return NoState()


def dump_nothing(state: NoState) -> Json:  # noqa: ARG001 - every agent dumps its state
    """Return the empty state as JSON."""
    return {}


def chat_messages(transcript: Sequence[Utterance], system: str = "") -> tuple[Message, ...]:
    """Return a transcript as chat messages, client as user; lines of one side in a row become one message."""
    messages = [Message("system", (system,))] if system else []
    for utterance in transcript:
        role: Literal["user", "assistant"] = "user" if utterance.speaker == "client" else "assistant"
        if messages and messages[-1].role == role:
            messages[-1] = Message(role, (*messages[-1].parts, "\n\n", utterance.text))
        else:
            messages.append(Message(role, (utterance.text,)))
    return tuple(messages)


def respond_with_history(
    task_name: str, system: str, state: NoState, transcript: Sequence[Utterance], context: TurnContext
) -> AgentReply:
    """Ask the model with the whole history; the guided provider answers by the rules of `listen`.

    An unusable reply is asked for again in the same words: a baseline shows a model without our remarks.
    """
    context.progress("Writing the reply")
    request = ModelRequest(
        task=Task(task_name, listen),
        messages=chat_messages(transcript, system),
        inputs=ListeningInputs(tuple(transcript), context.turn, context.embedder, context.danger),
        language=context.language,
    )
    said = [utterance.text.strip() for utterance in transcript if utterance.speaker == "counsellor"]
    text, repairs = ask(context.caller, request, reply_reader(said), say_why=False)
    return AgentReply(text, state, {"repairs": list(repairs), "history": len(transcript) - 1})


def reply_reader(
    said: Sequence[str],
) -> Callable[[Completion], tuple[tuple[str, tuple[str, ...]], tuple[str, ...]]]:
    """Return what reads a plain reply: blank, cut and error pages are refused, a repetition once.

    Thinking and a speaker's name before the reply are left out, and noted.
    """
    asked_again = False

    def read(completion: Completion) -> tuple[tuple[str, tuple[str, ...]], tuple[str, ...]]:
        nonlocal asked_again
        text, repairs = _clean(completion)
        if text in said and not asked_again:
            asked_again = True
            raise ReplyFormatError(
                "The reply repeats word for word what you said before; answer what the person says now.",
                "回复与你之前说过的话完全相同；请回应对方现在说的话。",
            )
        if text in said:
            repairs = (*repairs, "The reply repeats an earlier one word for word.")
        return (text, repairs), repairs

    return read


def _clean(completion: Completion) -> tuple[str, tuple[str, ...]]:
    text, thoughts = _THINKING.subn("", completion.text)
    name = _NAMED.match(text)
    text = text[name.end() if name else 0 :].strip()
    if completion.finish == "length":
        raise ReplyFormatError(
            "The reply was cut off at the limit of its length. Write less.",
            "回复超过长度限制被截断了。请写短一些。",
        )
    if not any(character.isalnum() for character in text):
        raise ReplyFormatError(
            "The reply is empty; write what you say to the person.", "回复是空的；请写出你对来访者说的话。"
        )
    if _PAGE.match(text):
        raise ReplyFormatError("The answer is an HTML page, not a reply.", "回答是一个HTML页面，而不是回复。")
    notes = ("Thinking before the reply was left out.",) * bool(thoughts)
    return text, notes + ("A name before the reply was left out.",) * bool(name)
