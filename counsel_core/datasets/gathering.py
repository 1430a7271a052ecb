"""Entries become questions with their answers: the gold answer is chosen, topics are brought together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from counsel_core.datasets._base import Dropped, Entry
from counsel_core.datasets.limits import shortened
from counsel_core.datasets.text import clean_topic, flaws
from counsel_core.records import OTHER_THERAPISTS, REFERENCE, Answer, GoldPolicy, QAItem, RowNote

POLICIES: Mapping[GoldPolicy, str] = {
    "upvotes": "the therapists' answer with the most upvotes, then the most views; without votes, the first",
    "first": "the first therapists' answer in the file",
    "longest": "the longest therapists' answer",
    "all": "every therapists' answer; none is left as the human yardstick",
}
"""How the gold answer of a question is chosen where several therapists answered it."""


@dataclass(frozen=True)
class Gathered:
    """The questions and answers of a file, with notes sorted by row."""

    items: tuple[QAItem, ...]
    answers: tuple[Answer, ...]
    repaired: tuple[RowNote, ...]
    dropped: tuple[RowNote, ...]


@dataclass
class _Question:
    """What is known of one question while the rows are read."""

    id: str
    row: int
    text: str = ""
    text_row: int = 0
    topic: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)


def gather(
    read: Iterable[Entry | RowNote | Dropped], policy: GoldPolicy, topic_name: str = "topic"
) -> Gathered:
    """Put entries together by question; texts stay as given.

    The policy `upvotes` chooses among all rows of a question, as the paper did, so that a question whose
    most upvoted row is empty has no gold answer; the other policies choose among answers with a text.
    """
    questions: dict[str, _Question] = {}
    repaired, dropped = list[RowNote](), list[RowNote]()
    varying: set[str] = set()
    for entry in read:
        if isinstance(entry, RowNote):
            repaired.append(entry)
        elif isinstance(entry, Dropped):
            dropped.append(RowNote(entry.row, entry.reason))
        else:
            question = questions.setdefault(entry.id, _Question(entry.id, entry.row))
            repaired += _add(question, entry, varying)
    for question in questions.values():
        for name in varying:
            question.columns.pop(name, None)
    repaired += _bring_topics_together(questions.values(), topic_name)
    repaired += _tell_duplicates(questions.values())
    answers: list[Answer] = []
    for question in questions.values():
        chosen = _gold(question, policy)
        dropped += _missing(question, chosen)
        answers += _answers(question, chosen)
    items = tuple(QAItem(q.id, q.text or None, q.topic or None, q.row, q.columns) for q in questions.values())
    return Gathered(items, tuple(answers), _by_row(repaired), _by_row(dropped))


def _add(question: _Question, entry: Entry, varying: set[str]) -> Iterator[RowNote]:
    if entry.question.strip():
        if not question.text:
            question.text, question.text_row = entry.question, entry.row
            yield from (
                RowNote(entry.row, f"{flaw} in the question: kept, mended where preset standard reads it")
                for flaw in flaws(entry.question)
            )
        elif entry.question != question.text and entry.row != question.text_row:
            reason = (
                f"another question text than in row {question.text_row} with the same id; that one is kept"
            )
            yield RowNote(entry.row, reason)
    question.topic = question.topic or entry.topic
    if not question.entries:
        question.columns = dict(entry.columns)
    elif entry.row != question.entries[-1].row:
        varying.update(name for name, value in entry.columns.items() if value != question.columns.get(name))
    question.entries.append(entry)
    if not entry.blocked:
        yield from (
            RowNote(entry.row, f"{flaw} in {entry.place!r}: kept, mended where preset standard reads it")
            for flaw in flaws(entry.text)
        )


def _gold(question: _Question, policy: GoldPolicy) -> list[Entry]:
    """Return the entries that are the gold standard of a question; none where it has no text."""
    candidates = [entry for entry in question.entries if entry.source == REFERENCE and not entry.blocked]
    if policy != "upvotes" or not all(entry.votes for entry in candidates):
        candidates = [entry for entry in candidates if entry.text.strip()]
    if policy == "upvotes":  # a stable sort: the earlier row wins a tie
        candidates = sorted(candidates, key=lambda entry: entry.votes or (0.0, 0.0), reverse=True)
    elif policy == "longest":
        candidates = sorted(candidates, key=lambda entry: len(entry.text), reverse=True)
    return candidates if policy == "all" else candidates[:1]


def _missing(question: _Question, gold: list[Entry]) -> Iterator[RowNote]:
    for entry in question.entries:
        if not entry.blocked and not entry.text.strip():
            reason = f"no answer in {entry.place!r}"
            if entry in gold:
                reason += f"; by votes it is the gold answer, which question {question.id!r} now lacks"
            yield RowNote(entry.row, reason)


def _answers(question: _Question, gold: list[Entry]) -> Iterator[Answer]:
    rows = {id(entry) for entry in gold}
    by_source: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in question.entries:
        if entry.source != REFERENCE:
            by_source[entry.source].append(entry)
        else:
            by_source[REFERENCE if id(entry) in rows else OTHER_THERAPISTS].append(entry)
    for source in sorted(by_source, key=lambda name: (name != REFERENCE, name != OTHER_THERAPISTS)):
        told = [entry for entry in by_source[source] if entry.blocked or entry.text.strip()]
        for position, entry in enumerate(told):
            yield Answer(question.id, source, entry.text, entry.row, position, entry.blocked)


def _bring_topics_together(questions: Iterable[_Question], name: str) -> Iterator[RowNote]:
    """Give topics that differ in case or spaces the spelling most have; keep what was given beside it."""
    given = list(questions)
    spelled: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for question in given:
        topic = clean_topic(question.topic)
        spelled[topic.casefold()][topic] += 1
    changed = False
    for question in given:
        topic = spelled[clean_topic(question.topic).casefold()].most_common(1)[0][0]
        if topic != question.topic:
            question.columns[f"{name} as given"] = question.topic
            yield RowNote(question.row, f"topic {shortened(question.topic)!r} is read as {topic!r}")
            changed = True
        question.topic = topic
    if changed:
        for question in given:
            question.columns.setdefault(f"{name} as given", question.topic)


def _tell_duplicates(questions: Iterable[_Question]) -> Iterator[RowNote]:
    first: dict[str, _Question] = {}
    for question in questions:
        key = " ".join(question.text.split()).casefold()
        earlier = first.setdefault(key, question) if key else question
        if earlier is not question:
            where = f"row {earlier.text_row} (id {shortened(earlier.id)!r})"
            yield RowNote(question.text_row, f"the same question as in {where}; both are kept")


def _by_row(notes: list[RowNote]) -> tuple[RowNote, ...]:
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: note.row))
