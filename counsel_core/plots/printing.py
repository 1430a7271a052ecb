"""A printed figure as a file: PNG at 300 dots an inch, SVG or PDF."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PrintFormat = Literal["png", "svg", "pdf"]
DOTS_PER_INCH = 300


@contextmanager
def names_as_they_are() -> Iterator[None]:
    """Draw text that is made inside as it is: no formulas, and a box for a sign that the font lacks."""
    import matplotlib as mpl

    fonts: dict[Any, Any] = {"text.parse_math": False, "font.family": _families()}
    with mpl.rc_context(fonts), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


CHINESE = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "SimHei",
    "PingFang SC",
)
"""Fonts that have Chinese; where none is installed a box stands for each sign."""


def _families() -> list[str]:
    """Return the fonts to draw with: the usual one, then the first with Chinese signs, if there is one."""
    from matplotlib import font_manager

    known = {font.name for font in font_manager.fontManager.ttflist}
    return ["DejaVu Sans", *[name for name in CHINESE if name in known][:1]]


def print_bytes(figure: Figure, form: PrintFormat) -> bytes:
    """Return a figure's file. The same figure gives the same bytes: no date is written into it.

    Names are drawn as they are, never read as formulas. An SVG holds them as text, so that whoever shows
    it takes a font that has every script; PNG and PDF show a box for a sign that their font lacks.
    """
    import matplotlib as mpl
    from matplotlib.text import Text

    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    out = io.BytesIO()
    for text in figure.findobj(Text):
        text.set_parse_math(False)
    files: dict[Any, Any] = {"svg.hashsalt": "counsel", "svg.fonttype": "none", "pdf.fonttype": 42}
    with names_as_they_are(), mpl.rc_context(files):
        figure.savefig(out, format=form, dpi=DOTS_PER_INCH, metadata=undated[form])
    return out.getvalue()
