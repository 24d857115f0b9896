"""A web page for labelling: `serve` shows it, `export` writes labels or the model, `import_labels` reads labels.

Requires the extra `hinge-svm[label]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hinge.web._import_export import export, import_labels
    from hinge.web._server import serve
    from hinge.web._settings import SessionSettings
    from hinge.web.pools import open_pool

__all__ = ["SessionSettings", "export", "import_labels", "open_pool", "serve"]

_MODULES = {
    "SessionSettings": "_settings",
    "export": "_import_export",
    "import_labels": "_import_export",
    "open_pool": "pools",
    "serve": "_server",
}
_OPTIONAL = {"fastapi", "pydantic", "sqlalchemy", "starlette", "uvicorn"}


def __getattr__(name: str) -> object:
    """Import names on first use, because the libraries of the page are optional."""
    if name not in _MODULES:
        raise AttributeError(f"module 'hinge.web' has no attribute {name!r}")
    import importlib  # noqa: PLC0415

    try:
        value: object = getattr(importlib.import_module(f"hinge.web.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _OPTIONAL:
            raise
        raise ModuleNotFoundError(
            f"The labelling page needs {error.name}; install it with: pip install 'hinge-svm[label]'", name=error.name
        ) from None
    return value
