"""Structured answers: the JSON object in what a model wrote, and asking again until it is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from counsel_core.errors import AgentReplyError, ReplyFormatError
from counsel_core.llm._base import A_TRY, Caller, check_begun
from counsel_core.llm.answer_objects import Found, find_objects, mended_objects
from counsel_core.llm.fitting import fit
from counsel_core.records import Completion, FinishReason, Json, Language, Message, ModelRequest

T = TypeVar("T")

MAX_CHARACTERS = 200_000
"""Longer answers are refused unread: no turn needs them, and reading stays within a second."""

MAX_TOKENS = 8192
_SHOWN_CHARACTERS = 6_000


_PAGE = re.compile(r"\s*(?:<\?xml|<!doctype|<html|<head|<body)", re.IGNORECASE)


def last_passing(
    text: str, finish: FinishReason, read: Callable[[Json], tuple[T, tuple[str, ...]]]
) -> tuple[T, tuple[str, ...]]:
    """Return what `read` makes of the last object in an answer that it accepts, and all repairs.

    Objects are read loosely first, then as json_repair mends them. Cut ones are never accepted.

    Raises
    ------
    ReplyFormatError
        No object passes; the message says what is wrong with the last one.
    """
    problem = _problem_of(text, finish)
    if problem:
        raise problem
    found = find_objects(text)
    beyond_repair = finish == "length" or any(
        one.extent == "cut" or isinstance(one.value, list) for one in found
    )
    for candidates in (found, () if beyond_repair else mended_objects(text)):
        for one in reversed(tuple(candidates)):
            try:
                _check_extent(one, finish)
                value, repairs = read(one.value)
            except ReplyFormatError as error:
                problem = problem or error
                continue
            return value, (*one.repairs, *repairs)
    if any(one.extent == "cut" for one in found):
        raise _cut(finish)
    raise problem or _no_object(finish)


def read_object(completion: Completion, schema: Mapping[str, Any]) -> tuple[Json, tuple[str, ...]]:
    """Return the last object of an answer that fits a JSON schema, and the repairs it took.

    Names of keys and of enumerated values match without regard to case, and numbers may be written
    as text; both are noted.

    Raises
    ------
    ReplyFormatError
        There is none, or it was cut; the message says what is wrong.
    """
    return last_passing(completion.text, completion.finish, lambda value: fit(value, schema))


def ask(
    caller: Caller,
    request: ModelRequest,
    read: Callable[[Completion], tuple[T, tuple[str, ...]]],
    tries: int = 3,
    *,
    say_why: bool = True,
) -> T:
    """Ask a model and read its answer; on a wrong one ask again, saying what was wrong with it.

    Each further try shows the model the request and its last answer only, so that prompts do not grow.
    With `say_why` False the same words are asked again, for a reply must not speak of our remark.
    An answer that comes again word for word is not shown once more: seeing it invites a third time.
    After an answer that was cut it may write twice as much. A model that remembers its answers gives a
    further try a new one, and forgets them all if none was of use: a later run asks anew.

    Raises
    ------
    AgentReplyError
        After `tries` answers none could be read; it keeps the last one.
    ProviderError, StoppedError
        From the model.
    """
    answers: list[Completion] = []

    def keep_and_read(completion: Completion) -> tuple[T, tuple[str, ...]]:
        answers.append(completion)
        check_begun(completion)
        return read(completion)

    attempt, asked = request, [request]
    for left in reversed(range(tries)):
        try:
            return caller.attempt(attempt, keep_and_read)
        except ReplyFormatError as error:
            if left:
                room = _room_after(answers[-1], attempt.max_tokens)
                attempt = _again(request, answers, error) if say_why else request
                attempt = replace(attempt, max_tokens=room, repeat=request.repeat + len(asked) * A_TRY)
                asked.append(attempt)
                continue
            for one in asked:
                caller.forget(one)
            label = caller.model.spec.label
            message = f"{label} gave no usable answer in {tries} tries. The last problem: {error} Try again, "
            raise AgentReplyError(message + "or choose another model.", answers[-1].text) from error
    raise ValueError(f"tries is {tries}; a model has to be asked at least once")


_CORRECTION: dict[Language, str] = {
    "en": "This note is about the form of your answer only; the client does not see it. Do not mention it.\n"
    "Your last answer could not be used. What is wrong: {problem}\n"
    "Do the task above once more: write the whole answer in the form that was asked for.",
    "zh": "这条提示只关于回答的格式，来访者看不到，请不要提到它。\n"
    "你上一次的回答无法使用。问题：{problem}\n请重新完成上面的任务，按要求的格式写出完整的回答。",
}
_SHORTER: dict[Language, str] = {"en": " Write less this time.", "zh": "这一次请写得简短一些。"}
_NOTHING: dict[Language, str] = {"en": "(no text)", "zh": "（没有文字）"}


def _room_after(answer: Completion, max_tokens: int) -> int:
    return max(max_tokens, min(2 * max_tokens, MAX_TOKENS)) if answer.finish == "length" else max_tokens


def _again(request: ModelRequest, answers: Sequence[Completion], error: ReplyFormatError) -> ModelRequest:
    answer = answers[-1]
    problem = (error.chinese if request.language == "zh" else "") or str(error)
    correction = _CORRECTION[request.language].format(problem=problem)
    if answer.finish == "length":
        correction += _SHORTER[request.language]
    *earlier, last = request.messages
    if len(answers) > 1 and answer.text == answers[-2].text and last.role == "user":
        messages = (*earlier, replace(last, parts=(*last.parts, f"\n\n{correction}")))
    else:
        shown = answer.text[:_SHOWN_CHARACTERS]
        said = Message("assistant", (shown if shown.strip() else _NOTHING[request.language],))
        messages = (*request.messages, said, Message("user", (correction,)))
    return replace(request, messages=messages)


def _check_extent(found: Found, finish: FinishReason) -> None:
    if found.extent == "cut" or (found.extent == "unclosed" and finish == "length"):
        raise _cut(finish)
    if not isinstance(found.value, dict):
        raise ReplyFormatError(
            "The answer is a JSON array; one JSON object was asked for.",
            "回答是一个JSON数组；要求的是一个JSON对象。",
        )


def _problem_of(text: str, finish: FinishReason) -> ReplyFormatError | None:
    if not text.strip() and finish == "length":  # all it may write went into thinking
        return _cut(finish)
    if not text.strip():
        return ReplyFormatError("The answer is empty.", "回答是空的。")
    if len(text) > MAX_CHARACTERS:
        return ReplyFormatError(
            f"The answer has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read.",
            f"回答有{len(text)}个字符；最多读取{MAX_CHARACTERS}个字符。",
        )
    if _PAGE.match(text):
        return ReplyFormatError(
            "The answer is an HTML page, not a JSON object: the server sent an error page.",
            "回答是一个HTML页面，而不是JSON对象。",
        )
    return None


def _cut(finish: FinishReason) -> ReplyFormatError:
    limit = " at the limit of its length" if finish == "length" else ""
    return ReplyFormatError(
        f"The answer was cut off{limit} before its JSON object was complete.",
        "回答在JSON对象完成之前就中断了。",
    )


def _no_object(finish: FinishReason) -> ReplyFormatError:
    if finish == "length":
        return _cut(finish)
    return ReplyFormatError(
        "There is no readable JSON object in the answer; one was asked for, and nothing else.",
        "回答中没有可以读取的JSON对象；要求只写一个JSON对象，不写别的内容。",
    )
