"""A page where people label: `serve` shows it, `export` writes what came of it, `import_labels` brings what there is.

Needs the extra `hinge[label]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hinge.web._offline import export, import_labels
    from hinge.web._server import serve
    from hinge.web._settings import SessionSettings
    from hinge.web.pools import open_pool

__all__ = ["SessionSettings", "export", "import_labels", "open_pool", "serve"]

_HOMES = {
    "SessionSettings": "_settings",
    "export": "_offline",
    "import_labels": "_offline",
    "open_pool": "pools",
    "serve": "_server",
}
_OPTIONAL = {"fastapi", "pydantic", "sqlalchemy", "starlette", "uvicorn"}


def __getattr__(name: str) -> Any:
    """Load parts when they are first asked for: the page's libraries are optional."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hinge.web' has no attribute {name!r}")
    import importlib  # noqa: PLC0415

    try:
        return getattr(importlib.import_module(f"hinge.web.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _OPTIONAL:
            raise
        raise ModuleNotFoundError(
            f"The labelling page needs {error.name}; install it with: pip install 'hinge[label]'", name=error.name
        ) from None
