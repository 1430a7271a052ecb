"""The vectors of prototype sentences, kept in a file so that the first turn need not wait for them.

After the sentences have changed, `write_vectors()` writes the file anew; until then new sentences are
encoded when they are first needed.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from counsel_core.agents.cocoa.knowledge import distortion_types, undistorted
from counsel_core.errors import DataFileError
from counsel_core.language.embeddings import Vectors, minilm
from counsel_core.settings import DATA

FILE = DATA / "distortions" / "vectors.npz"


@cache
def prototypes() -> tuple[dict[str, Vectors], Vectors]:
    """Return the vectors of each type's prototypes, and those of the undistorted sentences."""
    stored = read_vectors(FILE) if FILE.is_file() else {}
    by_type = {name: _embed(kind.prototypes, stored) for name, kind in distortion_types().items()}
    return by_type, _embed(undistorted(), stored)


def read_vectors(file: Path) -> dict[str, Vectors]:
    """Return stored vectors by the digest of their sentence; DataFileError for a damaged file."""
    try:
        with np.load(io.BytesIO(file.read_bytes())) as stored:
            return dict(zip(stored["digests"].tolist(), stored["vectors"].astype(np.float32), strict=True))
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as error:
        reason = "it is damaged; restore it from the repository, or delete it: then its sentences are encoded"
        raise DataFileError(str(file), reason) from error


def write_vectors(file: Path = FILE) -> None:
    """Encode all sentences and store their vectors, in half precision."""
    sentences = all_sentences()
    vectors = minilm().embed(sentences).astype(np.float16)
    np.savez_compressed(file, digests=np.array([digest(text) for text in sentences]), vectors=vectors)


def all_sentences() -> tuple[str, ...]:
    """Return every sentence that a line is compared with."""
    types = distortion_types().values()
    return tuple(dict.fromkeys([*(text for kind in types for text in kind.prototypes), *undistorted()]))


def digest(sentence: str) -> str:
    """Return the key of a sentence in the file."""
    return hashlib.blake2s(sentence.encode(), digest_size=8).hexdigest()


def _embed(sentences: Sequence[str], stored: dict[str, Vectors]) -> Vectors:
    missing = [text for text in sentences if digest(text) not in stored]
    fresh = dict(zip(missing, minilm().embed(missing), strict=True)) if missing else {}
    return np.stack([fresh[text] if text in fresh else stored[digest(text)] for text in sentences])
