"""Labels of all types, also those that a double cannot tell apart."""

from __future__ import annotations

import numpy as np
import pytest

from .common import MAKERS, make, overlapping, tortured

X, Y = overlapping()
LABELS = {
    "text": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], dtype=object),
    "huge": np.array([2**62, 2**62 + 1]),
    "ends of 64 bits": np.array([-(2**63), 2**63 - 1]),
    "beyond 63 bits": np.array([2**64 - 2, 2**64 - 1], dtype=np.uint64),
    "booleans": np.array([False, True]),
}
CLASSIFIERS = [name for name in MAKERS if "class_weight" in make(name).get_params()]


@pytest.mark.parametrize("kind", LABELS)
def test_labels(kind):
    labels = LABELS[kind][Y]
    for name in CLASSIFIERS:
        model = make(name)
        assert tortured(model, "fit", X, labels) is None, name
        assert model.classes_.tolist() == LABELS[kind].tolist()
        assert set(model.predict(X).tolist()) <= set(LABELS[kind].tolist())
        plain = make(name).fit(X, Y)
        np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-12, err_msg=name)


def test_numbers_beyond_all_whole_numbers_are_no_labels():
    for name in CLASSIFIERS:
        assert tortured(make(name), "fit", X, Y * 1e300).startswith("Unknown label type: continuous")
