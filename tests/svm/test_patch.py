"""Scripts that import estimators from scikit-learn get ours."""

from __future__ import annotations

import subprocess
import sys

import sklearn.svm

from hinge.svm import SVC, OneClassSVM, patch_sklearn, unpatch_sklearn


def test_patch_and_unpatch():
    before = sklearn.svm.SVC, sklearn.svm.OneClassSVM
    patch_sklearn()
    try:
        assert (sklearn.svm.SVC, sklearn.svm.OneClassSVM) == (SVC, OneClassSVM)
        assert sklearn.svm.SVC().fit([[0.0], [1.0]], [0, 1]).predict([[0.9]]).tolist() == [1]
        patch_sklearn()
    finally:
        unpatch_sklearn()
    assert (sklearn.svm.SVC, sklearn.svm.OneClassSVM) == before


def test_a_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys\nfrom sklearn.svm import SVC\nprint(SVC.__module__, sys.argv[1:], __name__)\n")
    command = [sys.executable, "-m", "hinge.svm", str(script), "--flag"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.split() == ["hinge.svm._svc", "['--flag']", "__main__"]
    assert subprocess.run(command[:3], capture_output=True, text=True, check=False).returncode == 1
