"""Where words go that are sent to a model: this machine, or a host elsewhere."""

from __future__ import annotations

import ipaddress
import re
from typing import Literal
from urllib.parse import urlsplit

from counsel_core.errors import InputError

_VERSION = re.compile(r"api-version=[A-Za-z0-9.-]{1,40}")
_AZURE = re.compile(r"\.azure\.(?:com|us|cn)$")
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

    Of queries only Azure's `?api-version=…` may stand there.

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
    if parts.fragment or (parts.query and not _VERSION.fullmatch(parts.query)):
        raise InputError(f"The base URL holds a query or a fragment; {expected}. Keys belong in a variable.")
    address, _, query = url.partition("?")
    return address.rstrip("/") + (f"?{query}" if query else "")


def location_of(url: str) -> Literal["loopback", "remote"]:
    """Return where a checked base URL leads.

    Examples
    --------
    >>> location_of("http://[::1]:8080/v1"), location_of("http://127.0.0.1.nip.io/v1")
    ('loopback', 'remote')
    """
    return "loopback" if is_loopback(urlsplit(url).hostname or "") else "remote"


def takes_api_key_header(url: str) -> bool:
    """Whether a server is Azure's, which takes its key in the header `api-key`.

    Its host says so, its path of deployments (behind a gateway, too), or the query only Azure has.

    Examples
    --------
    >>> takes_api_key_header("https://mine.openai.azure.com/openai/v1")
    True
    >>> takes_api_key_header("https://api.example.com/openai/v1")
    False
    """
    parts = urlsplit(url)
    by_path = "/openai/deployments/" in parts.path
    return bool(parts.query) or by_path or _AZURE.search(parts.hostname or "") is not None


def host_of(url: str) -> str:
    """Return host and port of a base URL, for texts: no path, no key that someone put there."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port}" if parts.port else str(host)
