"""Test examples measure the accuracy, and must not influence what is chosen."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi")

from hinge.web._learners import Learners, next_candidate
from hinge.web._settings import SessionSettings

from .common import Blobs


def label(pool, n_chosen, check_every):
    """Label until the chooser has learned so many examples; return the learners and the test examples it chose."""
    wanted = []
    learners = Learners(pool.X, SessionSettings(sample=None, seed=0), wanted.append)
    while len(learners.chooser.labels) < n_chosen:
        candidate = next_candidate(learners.candidates((), 1), len(learners.full.labels), check_every)
        assert candidate.row not in learners.full.labels
        tests = [candidate.row] if candidate.drawn == "random" else []
        learners.tell([candidate.row], [pool.truth[candidate.row]], tests)
    return learners, wanted


def test_choices_do_not_depend_on_the_test_examples():
    pool = Blobs(n=120)
    undisturbed, _ = label(pool, 40, 10**9)
    learners, wanted = label(pool, 40, 2)
    assert wanted  # the chooser chose some test examples, whose labels were known
    assert list(learners.chooser.labels)[:40] == list(undisturbed.chooser.labels)[:40]
    assert learners.tests
    assert not learners.tests & set(learners.chooser.labels)
    assert set(learners.full.labels) == learners.tests | set(learners.chooser.labels)


def test_forgotten_and_changed_labels():
    pool = Blobs(n=120)
    learners, _ = label(pool, 20, 3)
    test, other = next(iter(learners.tests)), next(iter(learners.chooser.labels))
    learners.tell([test, other], ["cat", "cat"])
    assert test not in learners.chooser.labels
    assert learners.chooser.labels[other] == learners.full.labels[test] == "cat"
    learners.forget([test, other])
    assert not {test, other} & {*learners.full.labels, *learners.chooser.labels, *learners.tests}
