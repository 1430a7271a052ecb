"""A printed figure as a file: PNG at 300 dots an inch, SVG or PDF."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PrintFormat = Literal["png", "svg", "pdf"]
DOTS_PER_INCH = 300


def print_bytes(figure: Figure, form: PrintFormat) -> bytes:
    """Return a figure's file. The same figure gives the same bytes: no date is written into it."""
    import matplotlib as mpl

    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    out = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "counsel", "pdf.fonttype": 42}):
        figure.savefig(out, format=form, dpi=DOTS_PER_INCH, metadata=undated[form])
    return out.getvalue()
