"""A session as one HTML file: no script, nothing loaded from elsewhere, readable on screen and on paper."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files
from string import Template

from counsel_core.exports.document import Document, Entry, moment


def render_html(document: Document) -> str:
    """Return the HTML of a document; every text in it is escaped."""
    frame = Template(files("counsel_core.exports").joinpath("session.html").read_text(encoding="utf-8"))
    return frame.substitute(
        language=escape(document.language),
        title=escape(document.title),
        notice=escape(document.notice),
        banners="\n".join(f'<p class="banner" role="alert">{escape(text)}</p>' for text in document.banners),
        facts="\n".join(
            f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in document.facts
        ),
        entries="\n".join(_entry(entry, document.language) for entry in document.entries),
        state=escape(document.state),
    )


def _entry(entry: Entry, language: str) -> str:
    return f'<article class="{entry.kind}">\n{"".join(_parts(entry, language))}</article>'


def _parts(entry: Entry, language: str) -> Iterator[str]:
    when = f" <time>{moment(entry.when)}</time>" if entry.when else ""
    yield f"<h3>{escape(entry.who)}{when}</h3>\n"
    yield f'<p class="words" lang="{escape(language)}">{escape(entry.text)}</p>\n'
    for remark in entry.remarks:
        yield f'<p class="remark">{escape(remark)}</p>\n'
