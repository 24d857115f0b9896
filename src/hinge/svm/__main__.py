"""Run a script with the estimators of `hinge.svm` in place of scikit-learn's: `python -m hinge.svm script.py ...`."""

import runpy
import sys
from pathlib import Path

from hinge.svm import patch_sklearn

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python -m hinge.svm script.py [arguments]")
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)  # as Python does, for modules beside the script
    patch_sklearn()
    runpy.run_path(sys.argv[0], run_name="__main__")
