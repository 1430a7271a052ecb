"""Data sets: bytes in, questions with the answers of several sources out; one file for each format."""

from counsel_core.datasets.reading import Preview, formats, preview, read_dataset

__all__ = ["Preview", "formats", "preview", "read_dataset"]
