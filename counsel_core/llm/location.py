"""Where words go that are sent to a model: this machine, or a host elsewhere."""

from __future__ import annotations

import ipaddress
import re
from typing import Literal
from urllib.parse import urlsplit

from counsel_core.errors import InputError

_ODD = re.compile(r"[\s\\\x00-\x1f\x7f]")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its very name: 127.0.0.0/8, ::1 or localhost, nothing else.

    Examples
    --------
    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "localhost.evil.com")]
    [True, True, True, False]
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_base_url(url: str) -> str:
    """Return a base URL that can be used, without the slash at its end.

    Raises
    ------
    InputError
        It is no http(s) URL, or holds a user name, a query or odd characters that could hide its host.
    """
    expected = "a base URL looks like http://127.0.0.1:11434/v1 or https://api.example.org/v1"
    if _ODD.search(url):
        raise InputError(f"The base URL holds blanks, backslashes or control characters; {expected}.")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise InputError(f"The base URL cannot be read ({error}); {expected}.") from error
    if "@" in parts.netloc:
        raise InputError(f"The base URL holds a user name or password before its host; {expected}.")
    if parts.scheme not in ("http", "https") or not host:
        raise InputError(f"The base URL is no http or https address with a host; {expected}.")
    if parts.query or parts.fragment:
        raise InputError(f"The base URL holds a query or a fragment; {expected}. Keys belong in a variable.")
    return url.rstrip("/")


def location_of(url: str) -> Literal["loopback", "remote"]:
    """Return where a checked base URL leads.

    Examples
    --------
    >>> location_of("http://[::1]:8080/v1"), location_of("http://127.0.0.1.nip.io/v1")
    ('loopback', 'remote')
    """
    return "loopback" if is_loopback(urlsplit(url).hostname or "") else "remote"


def host_of(url: str) -> str:
    """Return host and port of a base URL, for texts: no path, no key that someone put there."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port}" if parts.port else str(host)
