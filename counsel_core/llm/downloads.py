"""Fetching a recommended GGUF file from the Hugging Face hub: described first, checked afterwards."""

from __future__ import annotations

import hashlib
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from counsel_core.errors import DataFileError, LocalOnlyError, ProviderUnavailableError, StoppedError
from counsel_core.llm.catalogue import effective_local_only
from counsel_core.llm.gguf import gguf_folder
from counsel_core.settings import DATA, Settings
from counsel_core.toml_file import parse_toml

RECOMMENDED = DATA / "models" / "recommended.toml"
HUB = "https://huggingface.co"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_KEYS = ("name", "repository", "file", "about")


@dataclass(frozen=True, slots=True)
class Recommended:
    """A model that may be fetched: where it is on the hub."""

    name: str
    repository: str
    file: str
    about: str


@dataclass(frozen=True, slots=True)
class Offer:
    """What the hub says of a file before it is fetched. `licence` is '' where it names none."""

    model: Recommended
    size: int
    sha256: str
    revision: str
    licence: str


def recommended(file: Path = RECOMMENDED) -> tuple[Recommended, ...]:
    """Return the models that the Models page offers.

    Raises
    ------
    DataFileError
        An entry lacks a key.
    """
    found = []
    for number, entry in enumerate(parse_toml(file.read_bytes(), file.name).get("model", ()), start=1):
        if missing := [key for key in _KEYS if not isinstance(entry.get(key), str)]:
            raise DataFileError(file.name, f"entry {number} lacks {', '.join(missing)}")
        found.append(Recommended(**{key: entry[key] for key in _KEYS}))
    return tuple(found)


def describe(model: Recommended, settings: Settings, *, hub: str = HUB) -> Offer:
    """Ask the hub for size, checksum and licence of a file; nothing of it is fetched.

    Raises
    ------
    LocalOnlyError
        Local-only mode is on: the hub is another machine.
    ProviderUnavailableError
        The hub cannot be reached, has no such file, or gives no checksum for it.
    """
    _check_allowed(settings)
    from huggingface_hub import HfApi, get_hf_file_metadata, hf_hub_url

    with _named(model):
        found = get_hf_file_metadata(hf_hub_url(model.repository, model.file, endpoint=hub), token=False)
        card = HfApi(endpoint=hub, token=False).model_info(model.repository).card_data
    if not found.size or not found.commit_hash or not _SHA256.fullmatch(found.etag or ""):
        raise ProviderUnavailableError(
            f"The hub gives no size or checksum for {model.file}: it is not fetched. Choose another model."
        )
    licence = getattr(card, "license", None)
    return Offer(model, found.size, str(found.etag), found.commit_hash, str(licence or ""))


def download(
    offer: Offer,
    settings: Settings,
    *,
    cancel: threading.Event,
    listen: Callable[[int], None] = lambda received: None,
    hub: str = HUB,
) -> Path:
    """Fetch a file into the folder where GGUF files are looked for; return where it is.

    It is fetched into a hidden file beside, checked against the checksum that was shown, and then renamed.

    Parameters
    ----------
    listen
        Called with the bytes received so far.

    Raises
    ------
    LocalOnlyError, ProviderUnavailableError
        As `describe`; or the disk is too small, or what came has another checksum.
    StoppedError
        `cancel` was set; nothing is left behind.
    """
    _check_allowed(settings)
    target = gguf_folder(settings) / Path(offer.model.file).name
    partial = target.with_name(f".{target.name}.part")
    try:
        partial.parent.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(partial.parent).free < offer.size:
            raise ProviderUnavailableError(
                f"{offer.model.file} has {offer.size / 1e9:.1f} GB; the disk has less free. Free some space."
            )
        with partial.open("wb") as out:
            _fetch(offer, out, _watched(cancel, listen), hub)
        _check_sum(partial, offer)
        partial.replace(target)
        return target
    except OSError as error:
        raise ProviderUnavailableError(f"{target} cannot be written: {error.strerror or error}.") from error
    finally:
        partial.unlink(missing_ok=True)


def _fetch(offer: Offer, out: BinaryIO, bar: type[Any], hub: str) -> None:
    """Fetch by plain HTTP: Xet, which the hub prefers, gives no way to stop and keeps pieces elsewhere."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.file_download import http_get

    model = offer.model
    url = hf_hub_url(model.repository, model.file, revision=offer.revision, endpoint=hub)
    try:
        with _named(model):
            http_get(url, out, tqdm_class=bar)
    except OSError as error:
        if error.errno is not None:  # the disk's
            raise
        raise ProviderUnavailableError(f"{model.file} did not come whole. Try again.") from error


def _check_allowed(settings: Settings) -> None:
    if effective_local_only(settings):
        raise LocalOnlyError(
            "Local-only mode is on, and the hub is another machine: nothing was asked or fetched. Turn it "
            f"off on the Models page, or put a GGUF file into {gguf_folder(settings)} yourself."
        )


def _check_sum(file: Path, offer: Offer) -> None:
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != offer.sha256:
        raise ProviderUnavailableError(
            f"{offer.model.file} came with another checksum than the hub gave: it was thrown away. Try again."
        )


@contextmanager
def _named(model: Recommended) -> Iterator[None]:
    """Name what goes wrong with the hub."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

    try:
        yield
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else "no answer"
        raise ProviderUnavailableError(
            f"The hub does not give {model.file} of {model.repository} ({status}). It may have moved; choose "
            "another model, or download a GGUF file by hand."
        ) from error
    except OfflineModeIsEnabled as error:
        raise ProviderUnavailableError(
            "The environment variable HF_HUB_OFFLINE keeps the hub from being asked. Unset it, and start "
            "again."
        ) from error
    except (LocalEntryNotFoundError, httpx2.HTTPError) as error:
        raise ProviderUnavailableError(
            f"The hub cannot be reached for {model.repository}. Check the network, then try again."
        ) from error


def _watched(cancel: threading.Event, listen: Callable[[int], None]) -> type[Any]:
    """Return a progress bar that draws nothing, tells how far the download is, and ends it when asked."""
    from tqdm.std import tqdm

    class Watched(tqdm):  # type: ignore[misc] # tqdm has no types
        def __init__(self, *given: Any, **named: Any) -> None:
            named.pop("name", None)
            super().__init__(*given, **{**named, "disable": False, "file": _Silent()})

        def update(self, n: float | None = 1) -> bool | None:
            if cancel.is_set():
                raise StoppedError("The download was stopped; nothing of it was kept.")
            done: bool | None = super().update(n)
            listen(int(self.n))
            return done

    return Watched


class _Silent:
    """A stream that keeps nothing."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        """Do nothing."""
