"""Files from the web: fetched once, whole or not at all."""

from __future__ import annotations

import os
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from hinge.exceptions import HingeError
from hinge.io.atomic import replacing

_TIMEOUT = 30.0  # seconds without a byte
_LARGEST = 1 << 28  # bytes; the largest set has a tenth of it
_PIECE = 1 << 16
_LOCAL = ("127.0.0.1", "localhost")


class DownloadError(HingeError, OSError):
    """A file that could not be fetched."""


def cache_folder() -> Path:
    """Return the folder where fetched files are kept: HINGE_CACHE, or `hinge` in the user's folder of caches."""
    own = os.environ.get("HINGE_CACHE")
    if own:
        return Path(own)
    everyone = os.environ.get("XDG_CACHE_HOME")
    return (Path(everyone) if everyone else Path.home() / ".cache") / "hinge"


def fetch(url: str, path: Path) -> None:
    """Fetch a file.

    Parameters
    ----------
    url : str
        Where it is; only https is trusted.
    path : Path
        Where it goes. Folders are made; the file appears when it is complete, and not at all if anything goes wrong.
    """
    _require_safe(url)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        try:
            _copy(url, file)
        except DownloadError:
            raise
        except (HTTPException, OSError) as error:
            raise DownloadError(
                f"{url} could not be fetched ({error}); try again, or put {path.name} into the folder named by "
                "HINGE_DATA."
            ) from None


class _SafeRedirects(HTTPRedirectHandler):
    """Follows to safe addresses only."""

    def redirect_request(self, *arguments: Any) -> Request | None:
        """Look at the new address, which comes last."""
        _require_safe(arguments[-1])
        return super().redirect_request(*arguments)


def _copy(url: str, file: Any) -> None:
    request = Request(url, headers={"User-Agent": "hinge"})  # noqa: S310  the scheme is checked
    with build_opener(_SafeRedirects).open(request, timeout=_TIMEOUT) as answer:
        promised = answer.headers.get("Content-Length")
        received = 0
        while piece := answer.read(_PIECE):
            received += len(piece)
            if received > _LARGEST:
                raise DownloadError(f"{url} has more than {_LARGEST >> 20} MB, which is not the file it should be.")
            file.write(piece)
        if promised is not None and received != int(promised):
            raise DownloadError(f"{url} broke off after {received} of {promised} bytes; try again.")


def _require_safe(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL):
        raise DownloadError(f"{url} is not fetched: only https is trusted.")
