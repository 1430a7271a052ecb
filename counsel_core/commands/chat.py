"""`chat`: a conversation with an agent, a client utterance a line on standard input."""

from __future__ import annotations

import argparse

from counsel_core.agents import agents, find_agent
from counsel_core.commands._base import (
    DONE,
    Command,
    input_lines,
    print_json,
    print_line,
    report,
    report_failure,
)
from counsel_core.conversation import start_session, take_turn, withdraw_turn
from counsel_core.errors import CounselError, InputError, StorageError
from counsel_core.llm._base import ChatModel
from counsel_core.llm.catalogue import open_model
from counsel_core.records import LANGUAGES, Session, Turn
from counsel_core.settings import Settings
from counsel_core.storage.database import Database, open_database
from counsel_core.storage.sessions import delete_session, load_session, load_turns


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--agent", required=True, help=", ".join(agents()))
    parser.add_argument("--model", default="guided", help="a model of the Models page (default: guided)")
    parser.add_argument("--language", choices=LANGUAGES, default="en")
    parser.add_argument("--protocol", help="SuDoSys: a protocol's name or file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="an agent's setting")
    parser.add_argument("--title", help="the session's title in the archive")
    parser.add_argument("--json", action="store_true", help="a JSON line a turn")


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    with open_database(settings.database_url) as database:
        model = open_model(arguments.model, settings)
        session = start_session(
            database,
            agent=arguments.agent,
            model=arguments.model,
            settings=settings,
            language=arguments.language,
            agent_settings=_agent_settings(arguments),
            title=arguments.title,
        )
        try:
            if not arguments.json and session.opening:
                print_line(f"counsellor: {session.opening}")
            return _talk(database, model, session, settings, as_json=arguments.json)
        finally:
            if not load_session(database, session.id).turn_count:
                delete_session(database, session.id)  # nothing was said: it would stay in the archive, empty


def _talk(
    database: Database, model: ChatModel, session: Session, settings: Settings, *, as_json: bool
) -> int:
    """Answer each line. The last one stays in the session even if it failed, so that it can be retried."""
    code, due = DONE, 1
    for place, (number, line) in enumerate(input_lines()):
        if place == 0:
            report(f"session {session.id}")
        _clear_the_way(database, session.id)
        try:
            turn = take_turn(database, model, session.id, line, resources_file=settings.resources_file)
        except StorageError:
            raise
        except CounselError as error:
            code = report_failure(number, error)
            if as_json:
                print_json({"turn": due, "line": number, "client": line, "error": str(error)})
            continue
        due = turn.number + 1
        _show(database, session, turn, as_json=as_json)
    return code


def _agent_settings(arguments: argparse.Namespace) -> dict[str, str]:
    given = {}
    for pair in arguments.set:
        key, separator, value = pair.partition("=")
        if not separator:
            raise InputError(f"--set got {pair!r}; it takes KEY=VALUE, such as history_turns=0.")
        given[key.strip()] = value
    if arguments.protocol:
        given["protocol"] = arguments.protocol
    return given


def _clear_the_way(database: Database, session_id: str) -> None:
    """Take a line that was not answered out of the session, so that the next one can be."""
    last = load_turns(database, session_id, first=load_session(database, session_id).turn_count)
    if last and last[-1].status in ("failed", "stopped"):
        withdraw_turn(database, session_id)


def _show(database: Database, session: Session, turn: Turn, *, as_json: bool) -> None:
    if not as_json:
        print_line(f"counsellor: {turn.shown}")
        return
    agent = find_agent(session.agent)
    now = load_session(database, session.id)
    print_json(
        {
            "turn": turn.number,
            "client": turn.client,
            "reply": turn.shown,
            "agent": session.agent,
            "risk": {"level": turn.risk.level, "evidence": list(turn.risk.evidence)},
            "seconds": round(turn.seconds or 0.0, 4),
            "state": agent.view(agent.load(now.state), now.material, turn.trace),
        }
    )


CHAT = Command("chat", "Chat with an agent; a client utterance a line.", _configure, _run)
