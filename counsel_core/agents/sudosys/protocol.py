"""Protocols: the stages of a session and their topics, read from TOML files and frozen into a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from counsel_core.agents.sudosys._toml_lines import line_of
from counsel_core.errors import CounselError, DataFileError, UnknownNameError
from counsel_core.records import Json, Language
from counsel_core.settings import DATA
from counsel_core.toml_file import parse_toml

SHIPPED = DATA / "protocols"
MAX_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Topic:
    """One issue of a stage. A model reads `key` and `about`; the rest serves the guided rules.

    `questions` ask for it, from open to narrow; `more` asks for more once it holds something, so that it
    is asked for `asks` times. `cues` are words that show a sentence is about it ("worr*": any ending,
    "at #": a number). `chosen_from` is the topic of an earlier stage whose sentences it is a choice of;
    of `recalled_from`, sentences stand in while nothing is told; `recap` labels it in the closing summary.
    """

    key: str
    about: str
    required: bool = True
    questions: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    asks: int = 1
    chosen_from: str = ""
    recap: str = ""
    recalled_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a protocol: B[S] is made of its purpose, `instruction`, `go_on` and `go_back`.

    `turns` is the number of client turns that the guided rules plan for it.
    """

    number: int
    name: str
    purpose: str
    instruction: str
    go_on: str
    go_back: str
    opening: str
    topics: tuple[Topic, ...]
    turns: int

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its topics, in order."""
        return tuple(topic.key for topic in self.topics)


@dataclass(frozen=True, slots=True)
class Protocol:
    """A whole protocol; its stages are numbered 1 to N."""

    name: str
    title: str
    language: Language
    source: str
    stages: tuple[Stage, ...]
    notice: str = ""

    @property
    def last(self) -> int:
        """The number of the last stage, N."""
        return len(self.stages)

    def stage(self, number: int) -> Stage:
        """Return stage `number`, counted from 1."""
        return self.stages[number - 1]


@dataclass(frozen=True, slots=True)
class ListedProtocol:
    """A protocol file as a picker shows it: read, or why it cannot be used."""

    name: str
    file: Path
    protocol: Protocol | None
    error: str | None = None


def to_json(protocol: Protocol) -> Json:
    """Return a protocol as a JSON object; `from_json` is its inverse."""
    return asdict(protocol) | {"stages": [_stage_json(stage) for stage in protocol.stages]}


def from_json(value: Mapping[str, Any]) -> Protocol:
    """Return the protocol that `to_json` wrote."""
    return Protocol(**{**value, "stages": tuple(_stage_from_json(stage) for stage in value["stages"])})


def load_protocol(name_or_path: str, protocols_dir: Path) -> Protocol:
    """Load a shipped protocol or one of the user's by its name, or any TOML file by its path.

    Raises
    ------
    UnknownNameError
        There is neither a protocol nor a file of that name; the message lists the protocols.
    DataFileError
        The file is wrong: file, line, key and reason are named.
    """
    files = _files(protocols_dir)
    file = files.get(name_or_path) or _file_at(name_or_path)
    if file is None:
        raise UnknownNameError("protocol", name_or_path, files)
    try:
        if file.stat().st_size > MAX_BYTES:
            raise DataFileError(file.name, f"it is larger than {MAX_BYTES // 1024} KB; this is no protocol")
        return read_protocol(file.read_bytes(), file.name)
    except OSError as error:
        raise DataFileError(str(file), f"it cannot be read: {error.strerror or error}") from error


def list_protocols(protocols_dir: Path) -> tuple[ListedProtocol, ...]:
    """List the shipped protocols and the user's own; a wrong file is listed with its error."""
    listed = []
    for name, file in _files(protocols_dir).items():
        try:
            listed.append(ListedProtocol(name, file, load_protocol(name, protocols_dir)))
        except CounselError as error:
            listed.append(ListedProtocol(name, file, None, str(error)))
    return tuple(listed)


def read_protocol(data: bytes, file: str) -> Protocol:
    """Read a protocol from the bytes of a TOML file; `file` names it in errors and gives its name.

    Raises
    ------
    DataFileError
        It is not UTF-8, not TOML, or not a protocol: line, key and reason are named.
    """
    table = parse_toml(data, file)
    return _Reader(file, data.decode("utf-8-sig").replace("\r\n", "\n")).protocol(table)


def _file_at(path: str) -> Path | None:
    """Return the TOML file at a path; None if there is none, or if it can be no path."""
    try:
        file = Path(path).expanduser()
        return file if file.suffix == ".toml" and file.is_file() else None
    except (OSError, RuntimeError):  # a name too long, a folder closed to us, a user that does not exist
        return None


def _files(protocols_dir: Path) -> dict[str, Path]:
    """Return every protocol file by its name; a shipped name cannot be taken by a user's file."""
    own = sorted(protocols_dir.glob("*.toml")) if protocols_dir.is_dir() else []
    return {file.stem: file for file in own} | {file.stem: file for file in sorted(SHIPPED.glob("*.toml"))}


def _stage_json(stage: Stage) -> Json:
    topics = [asdict(topic) | {name: list(getattr(topic, name)) for name in _LISTS} for topic in stage.topics]
    return asdict(stage) | {"topics": topics}


def _stage_from_json(value: Mapping[str, Any]) -> Stage:
    topics = [topic | {name: tuple(topic.get(name, ())) for name in _LISTS} for topic in value["topics"]]
    return Stage(**{**value, "topics": tuple(Topic(**topic) for topic in topics)})


_LISTS = ("questions", "cues", "more", "recalled_from")
_FROM = ("recap", "chosen_from", "recalled_from")
_PROTOCOL_KEYS = ("title", "language", "source", "notice", "stages")
_STAGE_KEYS = ("number", "name", "purpose", "instruction", "go_on", "go_back", "opening", "turns", "topics")
_TOPIC_KEYS = ("about", "required", "question", "cues", "more", "asks", *_FROM)


@dataclass(frozen=True)
class _Reader:
    """Reads tables; every complaint carries the file and the line of the key."""

    file: str
    text: str

    def protocol(self, table: Json) -> Protocol:
        self.only(table, _PROTOCOL_KEYS, ())
        language = self.string(table, "language", ())
        if language not in ("en", "zh"):
            raise self.wrong(("language",), f'it is {language!r}; it takes "en" or "zh"')
        stages = table.get("stages")
        if not isinstance(stages, list) or not stages or not all(isinstance(s, dict) for s in stages):
            raise self.wrong(("stages",), "there is no stage; write each as [[stages]]")
        return Protocol(
            name=Path(self.file).stem,
            title=self.string(table, "title", ()),
            language="zh" if language == "zh" else "en",
            source=self.string(table, "source", ()),
            stages=self.stages(stages),
            notice=self.string(table, "notice", (), needed=False),
        )

    def stages(self, tables: list[Json]) -> tuple[Stage, ...]:
        stages = tuple(self.stage(table, index) for index, table in enumerate(tables))
        earlier: set[str] = set()
        for index, stage in enumerate(stages):
            for topic in stage.topics:
                if topic.chosen_from and topic.chosen_from not in earlier:
                    path = ("stages", index, "topics", topic.key, "chosen_from")
                    reason = f"it is {topic.chosen_from!r}; it takes the key of a topic of an earlier stage"
                    raise self.wrong(path, reason)
            earlier.update(stage.keys)
        return stages

    def stage(self, table: Json, index: int) -> Stage:
        path = ("stages", index)
        self.only(table, _STAGE_KEYS, path)
        number = self.whole(table, "number", path, default=None)
        if number != index + 1:
            raise self.wrong(
                (*path, "number"), f"it is {number}; stages are numbered 1, 2, 3 … in their order"
            )
        topics = table.get("topics")
        if not isinstance(topics, dict) or not topics:
            reason = 'the stage has no topic; write each as [stages.topics.KEY] with about = "…"'
            raise self.wrong((*path, "topics"), reason)
        self.distinct(topics, path)
        texts = {key: self.string(table, key, path) for key in _STAGE_KEYS[1:7]}
        turns = self.whole(table, "turns", path, default=len(topics))
        topics_read = tuple(self.topic(topics, key, path) for key in topics)
        return Stage(number, **texts, topics=topics_read, turns=turns)

    def topic(self, topics: Json, key: str, path: tuple[str | int, ...]) -> Topic:
        path = (*path, "topics", key)
        table = topics[key]
        if isinstance(table, str):
            table = {"about": table}
        if not isinstance(table, dict):
            raise self.wrong(path, f'it is {table!r}; a topic takes a text, or a table with about = "…"')
        self.only(table, _TOPIC_KEYS, path)
        required = table.get("required", True)
        if not isinstance(required, bool):
            raise self.wrong((*path, "required"), f"it is {required!r}; it takes true or false")
        return Topic(
            key=key,
            about=self.string(table, "about", path),
            required=required,
            questions=self.strings(table, "question", path),
            cues=self.strings(table, "cues", path),
            more=self.strings(table, "more", path),
            asks=self.whole(table, "asks", path, default=1),
            chosen_from=self.string(table, "chosen_from", path, needed=False),
            recap=self.string(table, "recap", path, needed=False),
            recalled_from=self.strings(table, "recalled_from", path),
        )

    def distinct(self, topics: Json, path: tuple[str | int, ...]) -> None:
        seen: dict[str, str] = {}
        for key in topics:
            if not key.strip() or key.lower() in seen:
                reason = f"the same as {seen[key.lower()]!r}" if key.strip() else "empty"
                raise self.wrong((*path, "topics", key), f"the key is {reason}; keys of a stage must differ")
            seen[key.lower()] = key

    def only(self, table: Json, known: tuple[str, ...], path: tuple[str | int, ...]) -> None:
        for key in table:
            if key not in known:
                raise self.wrong((*path, key), f"the key is not known; known are {', '.join(known)}")

    def string(self, table: Json, key: str, path: tuple[str | int, ...], *, needed: bool = True) -> str:
        value = table.get(key, None if needed else "")
        if value is None:
            raise self.wrong((*path, key), "it is missing; it takes a text")
        if not isinstance(value, str) or (needed and not value.strip()):
            given = "empty" if isinstance(value, str) else repr(value)
            raise self.wrong((*path, key), f"it is {given}; it takes a text")
        return value.strip()

    def strings(self, table: Json, key: str, path: tuple[str | int, ...]) -> tuple[str, ...]:
        value = table.get(key, [])
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(text, str) and text.strip() for text in value):
            raise self.wrong((*path, key), f"it is {value!r}; it takes a text or a list of texts")
        return tuple(text.strip() for text in value)

    def whole(self, table: Json, key: str, path: tuple[str | int, ...], *, default: int | None) -> int:
        value = table.get(key, default)
        if value is None:
            raise self.wrong((*path, key), "it is missing; it takes a whole number")
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.wrong((*path, key), f"it is {value!r}; it takes a whole number from 1")
        return value

    def wrong(self, path: tuple[str | int, ...], reason: str) -> DataFileError:
        key = ".".join(str(part + 1) if isinstance(part, int) else part for part in path)
        return DataFileError(self.file, reason, line=line_of(self.text, path) or 1, key=key)
