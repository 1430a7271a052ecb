"""Model servers on this machine: found at their usual ports, listed as what they say they serve."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

USUAL_PORTS = {11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp", 8000: "vLLM"}
"""The ports at which these servers listen unless told otherwise; another may listen there, too."""

TIMEOUT_SECONDS = 0.3
_MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that answered: the base URL to use, whose usual port it is, what it serves."""

    base_url: str
    usually: str
    models: tuple[str, ...]


def find_servers(ports: Iterable[int] = tuple(USUAL_PORTS)) -> tuple[FoundServer, ...]:
    """Return the model servers at loopback ports, within a third of a second; nothing but a GET is sent."""
    asked = tuple(ports)
    with ThreadPoolExecutor(max_workers=max(1, len(asked)), thread_name_prefix="discovery") as workers:
        return tuple(found for found in workers.map(_ask, asked) if found is not None)


def _ask(port: int) -> FoundServer | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/v1/models", headers={"Accept": "application/json"})
        response = connection.getresponse()
        content = json.loads(response.read(_MAX_BYTES)) if response.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None  # nobody there, or somebody who is no model server
    finally:
        connection.close()
    models = _model_ids(content)
    if not models:
        return None
    return FoundServer(f"http://127.0.0.1:{port}/v1", USUAL_PORTS.get(port, "a server"), models)


def _model_ids(content: Any) -> tuple[str, ...]:
    listed = content.get("data") if isinstance(content, dict) else None
    if not isinstance(listed, list):
        return ()
    ids = (entry.get("id") for entry in listed if isinstance(entry, dict))
    return tuple(given for given in ids if isinstance(given, str) and given)
