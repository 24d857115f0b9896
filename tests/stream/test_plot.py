from __future__ import annotations

import numpy as np
import pytest

from hinge.exceptions import DataError
from hinge.stream import Drift, plot_stream

figure = pytest.importorskip("matplotlib.figure")


def test_lines_are_moving_means():
    right = np.random.default_rng(0).random(500) < 0.7
    ax = plot_stream(
        {"one": right, "two": ~right}, [Drift(300, 250, 0.1, 0.6)], window=50, ax=figure.Figure().subplots()
    )
    first, second, drift = ax.get_lines()
    values = first.get_ydata()
    assert values[200] == pytest.approx(100 * right[151:201].mean())
    assert values[20] == pytest.approx(100 * right[:21].mean())
    np.testing.assert_allclose(values[9:] + second.get_ydata()[9:], 100.0)
    assert drift.get_xdata()[0] == 250
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one", "two", "drift"]


def test_other_values_are_refused():
    with pytest.raises(DataError, match="True and False"):
        plot_stream([0.5, 1.0], ax=figure.Figure().subplots())
