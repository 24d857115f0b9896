"""Copy pictures of the gallery into `docs/images`, for the pages of the guide.

Run `python docs/_site/pictures.py` after a build of the site. The guide is read in the repository too, which has no
gallery, so its pictures are committed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

DOCS = Path(__file__).parent.parent
PICTURES = ("active", "compare_river", "label_audit", "online_and_svc", "prediction_sets", "race", "robust")


def main() -> None:
    """Copy the first picture of each program."""
    for name in PICTURES:
        shutil.copyfile(DOCS / "gallery" / "images" / f"sphx_glr_plot_{name}_001.png", DOCS / "images" / f"{name}.png")


if __name__ == "__main__":
    main()
