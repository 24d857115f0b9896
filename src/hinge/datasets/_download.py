"""Download files once, through pooch, into the user's cache."""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urljoin, urlsplit

from hinge.exceptions import HingeError, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TIMEOUT_S = 30  # without a byte
_MAX_BYTES = 1 << 28  # the largest known file has a tenth of this
_LOCAL_HOSTS = ("127.0.0.1", "localhost")


class DownloadError(HingeError, OSError):
    """A file could not be downloaded."""


@dataclass(frozen=True)
class RemoteFile:
    """A file on a server.

    Attributes
    ----------
    url : str
        Its address; must be https.
    name : str
        The name of the file in the cache.
    checksum : str or None
        "sha256:" or "md5:" and the digest of the file as the server offers it; None where no digest is published.
    """

    url: str
    name: str
    checksum: str | None


class _Body(Protocol):
    """The part of `urllib3.HTTPResponse` that is set here."""

    enforce_content_length: bool


class _Response(Protocol):
    """The part of `requests.Response` that is checked here."""

    url: str
    headers: Mapping[str, str]
    raw: _Body

    def raise_for_status(self) -> None:
        """Raise an OSError if the status says that something went wrong."""

    def close(self) -> None:
        """Release the connection."""


def download(file: RemoteFile) -> Path:
    """Return the path of a cached file; download the file if the cache does not hold it.

    The file appears in the cache when it is complete and its checksum is right. A failed or interrupted download
    leaves nothing behind. A cached file whose checksum is wrong is downloaded again.

    Parameters
    ----------
    file : RemoteFile
        The file.

    Raises
    ------
    ImportError
        pooch is not installed.
    DownloadError
        The file cannot be downloaded, or has another checksum.
    """
    try:
        import pooch  # noqa: PLC0415  optional, and slow to import
    except ImportError:
        raise ImportError(
            f"Downloading {file.name} needs pooch; install it with pip install 'hinge-svm[datasets]', or put the file "
            "into the folder named by HINGE_DATA."
        ) from None
    _check_url(file.url)
    downloader = pooch.HTTPDownloader(
        timeout=_TIMEOUT_S,
        chunk_size=1 << 16,
        headers={"User-Agent": "hinge", "Accept-Encoding": "identity"},
        hooks={"response": _check_response},
    )
    try:
        with _quiet(pooch.get_logger()):
            folder = os.environ.get("HINGE_CACHE") or pooch.os_cache("hinge")
            return Path(pooch.retrieve(file.url, file.checksum, file.name, folder, downloader=downloader))
    except DownloadError:
        raise
    except OSError as error:
        raise DownloadError(
            f"{file.url} could not be downloaded ({sentence(error)}); try again, or put {file.name} into the folder "
            "named by HINGE_DATA."
        ) from None
    except ValueError:  # the checksum
        raise DownloadError(
            f"{file.url} is not the expected file: its checksum differs from {file.checksum}; try again later, or "
            f"put {file.name} into the folder named by HINGE_DATA."
        ) from None


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL_HOSTS):
        raise DownloadError(f"{url} is not downloaded: only https addresses are trusted.")


def _check_response(response: _Response, *_args: object, **_kwargs: object) -> None:
    """Check every response before its body is read and before a redirect is followed."""
    response.raw.enforce_content_length = True  # urllib3 1 accepts truncated bodies otherwise
    try:
        response.raise_for_status()
        if "Location" in response.headers:
            _check_url(urljoin(response.url, response.headers["Location"]))
        if int(response.headers.get("Content-Length", 0)) > _MAX_BYTES:
            raise DownloadError(f"{response.url} has more than {_MAX_BYTES >> 20} MB, so it is not the expected file.")
    except OSError:
        response.close()  # nobody else has it
        raise


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Silence progress messages, which pooch writes to the standard error stream."""
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
