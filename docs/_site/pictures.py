"""Copy pictures of the gallery into `docs/images`, for the pages of the guide.

Run `python docs/_site/pictures.py` after a build of the site. The guide is read in the repository too, which has no
gallery, so its pictures are committed.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

DOCS = Path(__file__).parent.parent


def main() -> None:
    """Copy the first picture of each program whose name a page of the guide uses."""
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "guide").glob("*.md"))
    for name in sorted(set(re.findall(r"\.\./images/(\w+)\.png", pages))):
        picture = DOCS / "gallery" / "images" / f"sphx_glr_plot_{name}_001.png"
        if picture.exists():
            shutil.copyfile(picture, DOCS / "images" / f"{name}.png")


if __name__ == "__main__":
    main()
