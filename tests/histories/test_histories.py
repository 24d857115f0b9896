"""Long random sequences of calls for every estimator."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.conftest import tried

from .machine import History
from .policies import POLICIES


@pytest.mark.parametrize("name", POLICIES)
def test_short_lives(name):
    run_state_machine_as_test(partial(History, POLICIES[name]), settings=tried(4, stateful_step_count=10))


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_long_lives(name):
    run_state_machine_as_test(partial(History, POLICIES[name]), settings=tried(25, stateful_step_count=30))
