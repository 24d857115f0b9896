"""Long random dialogues: whatever was told, corrected and taken back, the model is that of the labels."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.svm import SVC

from hinge import ApproximateSVC, IncrementalSVC, KernelPerceptron, OnlineSVC, PreparedClassifier
from hinge.active import ActiveLearner
from hinge.active._rows import take_rows
from hinge.tables import Preparation, Scaling
from tests.conftest import tried

N = 24
FEATURES = 3
MODELS = {
    "exact": IncrementalSVC(gamma=0.5),
    "exact and bounded": IncrementalSVC(gamma=0.5, max_examples=5, eviction="age"),
    "online": OnlineSVC(gamma=0.5),
    "perceptron": KernelPerceptron(gamma=0.5),
    "approximate": ApproximateSVC(gamma=0.5, n_components=8, loss="log_loss", random_state=0),
    "prepared": PreparedClassifier(OnlineSVC(gamma=0.5), Preparation(FEATURES, scaling=Scaling(np.ones(FEATURES)))),
    "of others": SVC(gamma=0.5),
}
POOLS = {
    "float64": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "CSR": csr_matrix,
    "frame": lambda X: pd.DataFrame(X, columns=["red", "green", "blue"]),
    "list": lambda X: X.tolist(),
}
STRATEGIES = ["boundary", "positive", "autoactive", "random"]
ROWS = st.lists(st.integers(0, N - 1), min_size=1, max_size=5, unique=True)
BAD = {
    "no such row": ([N], [1]),
    "a row twice": ([3, 3], [1, 1]),
    "a label too few": ([3, 4], [1]),
    "another kind of label": ([3], ["three"]),
    "no number": (["three"], [1]),
    "half a row": ([0.5], [1]),
}


class Dialogue(RuleBasedStateMachine):
    """A learner, two copies of it that hear the same, and the labels."""

    def __init__(self):
        super().__init__()
        self.copies, self.labels = [], {}
        self.is_corrected = False  # the last change was no new label: others than exact models begin again

    @initialize(
        model=st.sampled_from(sorted(MODELS)),
        pool=st.sampled_from(sorted(POOLS)),
        strategy=st.sampled_from(STRATEGIES),
        sample=st.sampled_from([None, 4]),
        knows=st.booleans(),
        seed=st.integers(0, 2**16),
    )
    def begin(self, *, model, pool, strategy, sample, knows, seed):
        self.X = np.random.default_rng(seed).normal(size=(N, FEATURES))
        self.kind, self.start, self.pool = model, clone(MODELS[model]), POOLS[pool](self.X)
        self.knows = knows and model != "of others"
        if self.knows:
            rows = POOLS[pool](-self.X[:4])
            self.start.partial_fit(rows, [0, 1, 0, 2])
        target = 1 if strategy == "positive" else None
        self.learner = ActiveLearner(self.start, self.pool, strategy, sample, seed, target=target)

    @rule(rows=ROWS, data=st.data())
    def tell(self, rows, data):
        given = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
        self.everyone(lambda learner: learner.tell(rows, given))
        corrected = any(self.labels.get(row, label) != label for row, label in zip(rows, given, strict=True))
        if corrected or not self.labels.keys() >= set(rows):
            self.is_corrected = corrected
        self.labels.update(zip(rows, given, strict=True))

    @rule(share=st.sampled_from([0.2, 1.0]), seed=st.integers(0, 2**16))
    def forget(self, share, seed):
        random = np.random.default_rng(seed)
        rows = [row for row in self.labels if random.random() < share]
        self.everyone(lambda learner: learner.forget(rows))
        for row in rows:
            del self.labels[row]
        self.is_corrected |= bool(rows)

    @rule(n=st.integers(1, N + 1), exclude=st.lists(st.integers(0, N - 1)), strategy=st.sampled_from([None, "random"]))
    def ask(self, n, exclude, strategy):
        rows = self.learner.ask(n, exclude, strategy).tolist()
        may_be = set(range(N)) - set(self.labels) - set(exclude)
        assert len(set(rows)) == len(rows) == min(n, len(may_be))
        assert set(rows) <= may_be
        if self.copies:
            first, second = (other.ask(n, exclude, strategy).tolist() for other in self.copies)
            assert first == second

    @rule()
    def advise(self):
        assert self.learner.advice().reason.endswith(".")
        for other in self.copies:
            other.advice()

    @precondition(lambda self: self.labels)
    @rule(how=st.sampled_from(sorted(BAD)))
    def refuse(self, how):
        rows, labels = BAD[how]
        with pytest.raises(ValueError, match=r"\S"):
            self.learner.tell(rows, labels)
        with pytest.raises(ValueError, match=r"\S"):
            self.learner.forget([*self.labels, N - 1] if N - 1 not in self.labels else [N])

    @rule(ways=st.lists(st.sampled_from(["copy", "pickle"]), min_size=2, max_size=2))
    def part(self, ways):
        self.copies = [
            copy.deepcopy(self.learner) if way == "copy" else pickle.loads(pickle.dumps(self.learner)) for way in ways
        ]

    def everyone(self, action):
        for learner in [self.learner, *self.copies]:
            action(learner)

    @precondition(lambda self: "learner" in vars(self))
    @invariant()
    def the_labels_are_known(self):
        for learner in [self.learner, *self.copies]:
            assert list(learner.labels.items()) == list(self.labels.items())
            assert learner.n_open == N - len(self.labels)

    @precondition(lambda self: "learner" in vars(self) and (self.knows or len(set(self.labels.values())) > 1))
    @invariant()
    def the_model_is_that_of_the_labels(self):
        answers = self.learner.model.decision_function(self.pool)
        assert np.isfinite(answers).all()
        if self.copies:
            first, second = (other.model.decision_function(self.pool) for other in self.copies)
            np.testing.assert_array_equal(first, second)
            np.testing.assert_allclose(first, answers, atol=1e-6)
        if self.labels and (self.is_corrected or self.kind in ("exact", "of others")):
            np.testing.assert_allclose(answers, self.fresh().decision_function(self.pool), atol=1e-6)

    def fresh(self):
        """Return a model that was told all labels at once."""
        model = copy.deepcopy(self.start)
        rows, labels = list(self.labels), list(self.labels.values())
        X = take_rows(self.pool, np.array(rows))
        return model.fit(X, labels) if self.kind == "of others" else model.partial_fit(X, labels)


def test_short_dialogues():
    run_state_machine_as_test(Dialogue, settings=tried(6, stateful_step_count=10))


@pytest.mark.slow
def test_long_dialogues():
    run_state_machine_as_test(Dialogue, settings=tried(40, stateful_step_count=30))
