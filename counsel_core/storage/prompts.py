"""Prompts and the calls they were sent in. What prompts share is stored once a session.

A prompt is a chain: each part of each message is a node that knows the node before it, and its id is
the hash of all that leads to it. Two prompts that begin alike share their nodes, so that prompts which
repeat the whole history grow with the words and not with their square. Of any prompt whose last
stored node is known, every node before it is stored too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from sqlalchemy import CTE, ColumnElement, Select, delete, insert, literal, select
from sqlalchemy.dialects.sqlite import insert as insert_or_ignore
from sqlalchemy.engine import Connection

from counsel_core.records import Message
from counsel_core.storage.schema import clean, model_calls, prompt_nodes, texts

Role = Literal["system", "user", "assistant"]

_HASH_BYTES = 16
_LOOKED_UP_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Node:
    """One part of one message. `role` is set where a message begins; a message may have no parts."""

    id: bytes
    parent: bytes | None
    role: Role | None
    text: str | None

    @property
    def text_hash(self) -> bytes | None:
        """The hash its text is stored under."""
        return None if self.text is None else _hash(b"", self.text)


def chain(messages: Sequence[Message]) -> list[Node]:
    """Return the nodes of a prompt, first to last."""
    nodes: list[Node] = []
    for message in messages:
        parts: list[str | None] = [clean(part) for part in message.parts] or [None]
        for position, part in enumerate(parts):
            role = message.role if position == 0 else None
            parent = nodes[-1].id if nodes else None
            kind = f"{role or ''}|{'' if part is None else 'text'}|"
            nodes.append(Node(_hash(parent or b"", kind, part or ""), parent, role, part))
    return nodes


def _hash(before: bytes, *strings: str) -> bytes:
    return hashlib.blake2b(before + "".join(strings).encode(), digest_size=_HASH_BYTES).digest()


def save_prompts(
    connection: Connection, session_id: str, prompts: Sequence[Sequence[Message]]
) -> list[bytes | None]:
    """Store what of some prompts is new; return the id of each one's last node, None for an empty one."""
    chains = [chain(messages) for messages in prompts]
    stored = _stored(connection, session_id, [nodes[-_LOOKED_UP_AT_ONCE:] for nodes in chains])
    fresh: dict[bytes, Node] = {}
    for nodes in chains:
        known = _count_stored(connection, session_id, nodes, stored)
        fresh.update((node.id, node) for node in nodes[known:])
    if fresh:
        _insert(connection, session_id, list(fresh.values()))
    return [nodes[-1].id if nodes else None for nodes in chains]


def _insert(connection: Connection, session_id: str, fresh: Sequence[Node]) -> None:
    rows = [
        {"session_id": session_id, "id": n.id, "parent": n.parent, "role": n.role, "text_hash": n.text_hash}
        for n in fresh
    ]
    connection.execute(insert(prompt_nodes), rows)
    words = {n.text_hash: n.text for n in fresh if n.text is not None}
    if words:
        rows = [{"session_id": session_id, "hash": key, "text": text} for key, text in words.items()]
        connection.execute(insert_or_ignore(texts).on_conflict_do_nothing(), rows)


def _stored(connection: Connection, session_id: str, chains: Sequence[Sequence[Node]]) -> set[bytes]:
    """Return the ids of those nodes that are there already."""
    ids = list({node.id for nodes in chains for node in nodes})
    found: set[bytes] = set()
    for start in range(0, len(ids), _LOOKED_UP_AT_ONCE):
        some = prompt_nodes.c.id.in_(ids[start : start + _LOOKED_UP_AT_ONCE])
        query = select(prompt_nodes.c.id).where(prompt_nodes.c.session_id == session_id, some)
        found.update(connection.execute(query).scalars())
    return found


def _count_stored(connection: Connection, session_id: str, nodes: Sequence[Node], stored: set[bytes]) -> int:
    """Return how many of a chain's nodes are there already; looked for from the end, where the news is."""
    for end in range(len(nodes), 0, -_LOOKED_UP_AT_ONCE):
        window = nodes[max(0, end - _LOOKED_UP_AT_ONCE) : end]
        if end < len(nodes):
            stored = _stored(connection, session_id, [window])
        if known := sum(node.id in stored for node in window):
            return end - len(window) + known
    return 0


def load_nodes(connection: Connection, session_id: str, lasts: Sequence[bytes]) -> dict[bytes, Node]:
    """Return the nodes of the prompts that end at `lasts`, by id."""
    start = select(prompt_nodes.c.id).where(prompt_nodes.c.id.in_(lasts))
    return _fetch(connection, session_id, prompt_nodes.c.id.in_(select(_reached(session_id, start).c.id)))


def load_all_nodes(connection: Connection, session_id: str) -> dict[bytes, Node]:
    """Return every node of a session by id."""
    return _fetch(connection, session_id, literal(True))


def _fetch(connection: Connection, session_id: str, which: ColumnElement[bool]) -> dict[bytes, Node]:
    node = prompt_nodes.c
    words = (texts.c.session_id == session_id) & (texts.c.hash == node.text_hash)
    query = select(node.id, node.parent, node.role, texts.c.text).outerjoin(texts, words)
    rows = connection.execute(query.where(node.session_id == session_id, which))
    return {row.id: Node(row.id, row.parent, cast("Role | None", row.role), row.text) for row in rows}


def read_chain(nodes: Mapping[bytes, Node], last: bytes | None) -> tuple[Message, ...]:
    """Return the messages of the prompt that ends at `last`, exactly as they were sent."""
    messages: list[Message] = []
    parts: list[str] = []
    while last is not None:
        node = nodes[last]
        if node.text is not None:
            parts.append(node.text)
        if node.role is not None:
            messages.append(Message(node.role, tuple(reversed(parts))))
            parts = []
        last = node.parent
    return tuple(reversed(messages))


def prune_prompts(connection: Connection, session_id: str) -> None:
    """Delete the nodes and texts of a session that none of its calls leads to any more."""
    needed = select(_reached(session_id, _ends(session_id)).c.id)
    node, text = prompt_nodes.c, texts.c
    connection.execute(delete(prompt_nodes).where(node.session_id == session_id, node.id.not_in(needed)))
    used = select(node.text_hash).where(node.session_id == session_id, node.text_hash.is_not(None))
    connection.execute(delete(texts).where(text.session_id == session_id, text.hash.not_in(used)))


def copy_prompts(connection: Connection, source: str, target: str, up_to_turn: int) -> None:
    """Copy the prompts of a session's calls, those of turns up to `up_to_turn`, to another session."""
    ends = _ends(source).where(model_calls.c.turn <= up_to_turn)
    node, text = prompt_nodes.c, texts.c
    nodes = select(literal(target), node.id, node.parent, node.role, node.text_hash).where(
        node.session_id == source, node.id.in_(select(_reached(source, ends).c.id))
    )
    columns = ["session_id", "id", "parent", "role", "text_hash"]
    connection.execute(insert(prompt_nodes).from_select(columns, nodes))
    used = select(node.text_hash).where(node.session_id == target)
    words = select(literal(target), text.hash, text.text).where(
        text.session_id == source, text.hash.in_(used)
    )
    connection.execute(insert(texts).from_select(["session_id", "hash", "text"], words))


def _ends(session_id: str) -> Select[bytes]:
    call = model_calls.c
    return select(call.prompt.label("id")).where(call.session_id == session_id, call.prompt.is_not(None))


def _reached(session_id: str, start: Select[bytes]) -> CTE:
    """Return the ids of the nodes of `start` and of all before them."""
    step = start.cte("reached", recursive=True)
    here = (prompt_nodes.c.session_id == session_id) & (prompt_nodes.c.id == step.c.id)
    before = select(prompt_nodes.c.parent).join_from(step, prompt_nodes, here)
    return step.union(before.where(prompt_nodes.c.parent.is_not(None)))
