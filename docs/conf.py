"""The site: `python -m sphinx -W docs docs/_build` writes it, without a network."""

from __future__ import annotations

import sys
from importlib.metadata import version as version_of
from pathlib import Path

import matplotlib as mpl
from sphinx.application import Sphinx  # noqa: TC002

sys.path.insert(0, str(Path(__file__).parent))
from _site import gallery, links, reference

mpl.use("agg")

project = "Hinge"
author = "The Hinge developers"
project_copyright = "The Hinge developers"
release = version_of("hinge-svm")
version = release

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_site", "gallery/*.ipynb", "**/sg_execution_times.rst", "sg_execution_times.rst"]
templates_path = ["_templates"]
default_role = "py:obj"
suppress_warnings = ["config.cache"]  # the keys of the gallery are functions, which no cache can hold

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autosummary_context = {  # the machinery of scikit-learn, which its own pages describe
    "hidden_methods": [
        *("get_metadata_routing", "get_params", "set_params", "set_callbacks"),
        *("set_fit_request", "set_partial_fit_request", "set_predict_request", "set_score_request"),
    ]
}
autodoc_default_options = {"members": False}
autodoc_typehints = "none"  # numpydoc has the types in words
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = gallery.SETTINGS

html_theme = "pydata_sphinx_theme"
html_title = f"Hinge {release}"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css"]
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 5,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {name: [] for name in ("index", "get-started", "something-else", "glossary")}


def setup(app: Sphinx) -> None:
    """Copy pages of the repository's root, list public names, and let links follow."""
    app.connect("config-inited", lambda app, _: links.copy_pages(Path(app.confdir)))
    app.connect("config-inited", lambda app, _: reference.write(Path(app.confdir) / "api"), priority=400)
    app.connect("autodoc-process-docstring", reference.escape_shapes, priority=100)
    app.connect("source-read", links.on_source_read)
