"""`unpack`: SuDoSys's response unpacker, a raw model output (as a JSON string) a line."""

from __future__ import annotations

import argparse
import json

from counsel_core.agents.sudosys.unpacker import unpack
from counsel_core.commands._base import DONE, Command, input_lines, print_json
from counsel_core.errors import InputError, ReplyFormatError
from counsel_core.settings import Settings


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keys", required=True, help="the stage's topic keys, separated by commas")


def _run(arguments: argparse.Namespace, _: Settings) -> int:
    keys = [key.strip() for key in arguments.keys.split(",") if key.strip()]
    if not keys:
        raise InputError("--keys is empty; give the stage's topic keys, such as problems,feelings.")
    for number, line in input_lines():
        print_json(_unpacked(_raw_output(line, number), keys))
    return DONE


def _raw_output(line: str, number: int) -> str:
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "no JSON of this kind is read"
        raise InputError(
            f"line {number} is not a JSON string: {reason}. Quote the output as JSON."
        ) from error
    if not isinstance(raw, str):
        raise InputError(f"line {number} is JSON of kind {type(raw).__name__}; a JSON string is expected.")
    return raw


def _unpacked(raw: str, keys: list[str]) -> dict[str, object]:
    try:
        found = unpack(raw, keys)
    except ReplyFormatError as error:
        return {"ok": False, "error": str(error)}
    return {
        "ok": True,
        "topics": found.topics,
        "status": found.status,
        "reply": found.reply,
        "repairs": list(found.repairs),
    }


UNPACK = Command("unpack", "Unpack raw SuDoSys outputs; a JSON string a line.", _configure, _run)
