"""Pack a finished run of the sample: PYTHONPATH=. python data/samples/pack_run.py FOLDER_OF_THE_RUN."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

from counsel_core.runs.sample_run import PACKED

_LEFT_OUT = {"lock", "worker.log", "cancel"}


def main() -> None:
    """Write the archive beside this script; the same files give the same bytes."""
    root = Path(sys.argv[1])
    with zipfile.ZipFile(PACKED, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(root.rglob("*")):
            if file.is_file() and file.name not in _LEFT_OUT:
                entry = zipfile.ZipInfo(file.relative_to(root).as_posix())
                archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main()
