"""dask is imported only when it is needed."""

import subprocess
import sys

import numpy as np
import pytest

from hinge import OnlineSVC, distributed


def test_dask_is_not_imported_with_the_package():
    code = "import sys, hinge, hinge.distributed; sys.exit('dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("verb", [distributed.predict, distributed.query])
def test_a_missing_package_is_named(two, monkeypatch, verb):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r"install hinge-svm\[dask\]"):
        verb(OnlineSVC().fit(*two), np.zeros((2, 2)))


def test_a_missing_package_is_named_by_training(two, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r"install hinge-svm\[dask\]"):
        distributed.cascade(OnlineSVC(), *two)
