"""A saved session as a file: JSON with everything, Markdown and HTML to read and to print.

Whatever a person or a model wrote stands in them as text; none of it becomes markup.
"""

from __future__ import annotations

from datetime import UTC, datetime

from counsel_core.errors import UnknownNameError
from counsel_core.exports.data import write_json
from counsel_core.exports.document import write_document
from counsel_core.exports.markdown import render_markdown
from counsel_core.exports.web import render_html
from counsel_core.storage.database import Database
from counsel_core.storage.whole import load_whole

FORMATS = ("json", "md", "html")


def export_session(db: Database, session_id: str, format: str) -> str:  # noqa: A002 - the word users know
    """Return a session as the text of a file: `json`, `md` or `html`.

    Raises
    ------
    UnknownNameError
        The format is none of these.
    InputError
        There is no such session.
    """
    if format not in FORMATS:
        raise UnknownNameError("export format", format, FORMATS)
    whole, now = load_whole(db, session_id), datetime.now(UTC)
    if format == "json":
        return write_json(whole, now)
    document = write_document(whole, now)
    return render_markdown(document) if format == "md" else render_html(document)
