"""The results of a run as its folder holds them: read, never computed anew."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from counsel_core.datasets.formulas import as_typed
from counsel_core.errors import RunError
from counsel_core.records import Json
from counsel_core.runs.folder import read_json
from counsel_core.runs.runs import Run

if TYPE_CHECKING:
    import pandas as pd

TEXTS = frozenset(
    {
        "topic",
        "topic_1",
        "topic_2",
        "source",
        "source_1",
        "source_2",
        "metric",
        "measure",
        "formula",
        "reason",
    }
    | {"without", "runner_up", "text", "limits", "closest_metrics", "topics_above_critical"}
)
"""Columns of texts: a topic called 2020 or NA is a text too."""

RESULT_SUFFIXES = frozenset((".csv", ".html", ".json", ".parquet"))


def has_results(run: Run) -> bool:
    """Whether the tables of a run have been written; of an unfinished one they may be incomplete."""
    return (run.folder / "run.json").is_file()


def edition(run: Run) -> int:
    """Return what changes whenever the results of a run are written anew: the key of what is kept of them."""
    file = run.folder / "run.json"
    return file.stat().st_mtime_ns if file.is_file() else 0


def load_facts(run: Run) -> Json:
    """Return what `run.json` says of the run: its plan, its data, what is missing and what failed."""
    facts: Json = read_json(run.folder / "run.json")
    return facts


def load_table(run: Run, name: str) -> pd.DataFrame:
    """Return one of the tables of a run by the stem of its file, as `runs.writing.result_tables` made it.

    Raises
    ------
    RunError
        The run has no such table.
    """
    path = run.folder / f"{name}.csv"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RunError(
            f"{path} cannot be read: {(error.strerror or str(error)).lower()}. Let the run write its results "
            "once more: resume it, or start a new one."
        ) from error
    return read_table(data)


def read_table(data: bytes) -> pd.DataFrame:
    r"""Return a table from the CSV that `runs.writing.csv_bytes` made of it; a missing text is ''.

    Examples
    --------
    >>> read_table(b"topic,r\nNA,\n'=x,0.5\n").values.tolist()
    [['NA', nan], ['=x', 0.5]]
    """
    import pandas as pd

    header = pd.read_csv(io.BytesIO(data), nrows=0, dtype=str).columns
    texts = [name for name in header if name in TEXTS]
    absent = {name: [""] for name in header if name not in texts}
    types = dict.fromkeys(texts, str)
    frame = pd.read_csv(
        io.BytesIO(data), dtype=types, keep_default_na=False, na_values=absent, float_precision="round_trip"
    )
    for name in texts:
        frame[name] = frame[name].map(as_typed)
    return frame


def result_files(run: Run) -> list[str]:
    """Return the names of the files of a run's results, in order."""
    return sorted(path.name for path in run.folder.iterdir() if path.suffix in RESULT_SUFFIXES)


def zip_results(run: Run) -> bytes:
    """Return all files of a run's results in one ZIP; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in result_files(run):
            archive.writestr(zipfile.ZipInfo(name), (run.folder / name).read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
