"""Pages that live outside `docs`, and links between all pages.

Every page links to files as they lie in the repository, so that links work there too. The site has copies of some
pages of the root; other files that pages link to can be downloaded.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from sphinx.application import Sphinx  # noqa: TC002

COPIES = {  # from the root of the repository: the page of the site
    "ARCHITECTURE.md": "docs/project/architecture.md",
    "CHANGELOG.md": "docs/project/changelog.md",
    "CODE_OF_CONDUCT.md": "docs/project/code-of-conduct.md",
    "CONTRIBUTING.md": "docs/project/contributing.md",
    "SECURITY.md": "docs/project/security.md",
    "examples/README.md": "docs/project/examples.md",
    "experiments/README.md": "docs/project/experiments.md",
    "experiments/report.md": "docs/project/report.md",
    "experiments/verdicts.md": "docs/project/verdicts.md",
}
_LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
_CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", flags=re.MULTILINE | re.DOTALL)


def copy_pages(docs: Path) -> None:
    """Write the copies, if they have changed."""
    root = docs.parent
    for origin, page in COPIES.items():
        text = _rewrite((root / origin).read_text(encoding="utf-8"), root, origin, page)
        target = root / page
        target.parent.mkdir(exist_ok=True)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def on_source_read(app: Sphinx, name: str, source: list[str]) -> None:
    """Let the links of a page of `docs` lead to pages of the site."""
    page = f"docs/{name}.md"
    root = Path(app.confdir).parent
    if page not in COPIES.values() and (root / page).exists():
        source[0] = _rewrite(source[0], root, page, page)


def _rewrite(text: str, root: Path, origin: str, page: str) -> str:
    """Return `text` of the file `origin`, with links that work on the page `page`."""
    parts = _CODE.split(text)  # text and code in turn
    for index in range(0, len(parts), 2):
        parts[index] = _LINK.sub(lambda found: _target(found[1], root, origin, page), parts[index])
    return "".join(parts)


def _target(link: str, root: Path, origin: str, page: str) -> str:
    path, hash_sign, anchor = link.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return link
    named = os.path.relpath((root / origin).parent / path, root).replace(os.sep, "/")
    if not (root / named).exists():
        return link  # the build reports it
    named = COPIES.get(named, named)
    relative = os.path.relpath(root / named, (root / page).parent)
    return str(PurePosixPath(relative)) + hash_sign + anchor
