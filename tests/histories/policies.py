"""What the machine must know about each estimator: its parameters, which of them may change, and how it is called."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

import hinge
from hinge.tables import Preparation, Scaling

KERNELS = {
    "rbf": {"kernel": "rbf", "gamma": 0.5},
    "scaled": {"kernel": "rbf"},
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "gamma": 0.5, "coef0": 1.0, "degree": 2},
    "laplacian": {"kernel": "laplacian", "gamma": 0.3},
    "precomputed": {"kernel": "precomputed"},
    "function": {"kernel": rbf_kernel},
}
COSTS = [1.0, 0.05, 30.0]
ANY_TIME = {"cache_size": [200, 1e-9, 0.001], "n_jobs": [1, 2]}  # means of work, not part of the solution
WEIGHTS = {"class_weight": [None, {3: 2.0, "oak": 0.5}]}


class Policy:
    """An estimator and its parameters.

    Parameters
    ----------
    estimator : class
        Of the models.
    options : dict
        Values of parameters besides the kernel, the usual one first.
    changes : tuple
        Names of parameters that may change between calls.
    kernels : tuple
        Names of kernels, None for all.
    splits : callable
        Tells of a model whether rows that come one by one are to make the same model.
    """

    is_exact = False
    is_classifier = True
    has_values = False

    def __init__(self, estimator, options, changes=(), *, kernels=None, splits=lambda model: True):
        self.estimator = estimator
        self.options = ANY_TIME | options
        self.changes = (*ANY_TIME, *changes)
        self.kernels = kernels or tuple(KERNELS)
        self.splits = splits

    def parameters(self):
        kernels = st.sampled_from([KERNELS[name] for name in self.kernels])
        options = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in self.options.items()})
        both = st.builds(lambda kernel, options: kernel | options, kernels, options)
        return both.filter(self._is_sound)

    def _is_sound(self, parameters):
        try:
            self.estimator(**parameters)._check_params(streaming=True)
        except hinge.ParameterError:
            return False
        return True

    def new_values(self):
        """Return a strategy of parameters to change, one at a time."""
        return st.sampled_from([{name: value} for name in self.changes for value in self.options[name]])

    def make(self, parameters, problem):
        return self.estimator(**parameters)

    def seen(self, X, model):
        """Return rows as the model sees them."""
        return X

    def inner(self, model):
        """Return the model that holds a state."""
        return model

    def change(self, model, change):
        if not self._is_sound(model.get_params() | change):
            return False
        model.set_params(**change)
        return True

    def learn(self, model, batch, verb, ids):
        X, y = batch.given, batch.y.tolist() if batch.plan.form == "list" else batch.y
        announced = {}
        if verb == "partial_fit" and batch.plan.named:
            announced["classes"] = np.unique(batch.y)
        return getattr(model, verb)(X, y, sample_weight=batch.weights, **announced, **ids)

    def answers(self, model, X):
        return model.decision_function(X)

    def costs(self, batch, model):
        """Return what an error costs in each row of a batch, as a known model takes it."""
        factors = getattr(model, "class_weight", None) or {}
        return (
            (getattr(model, "C", None) or 1.0) * batch.costs * [factors.get(label, 1.0) for label in batch.y.tolist()]
        )


class Exact(Policy):
    """Models that forget, classifiers among them."""

    is_exact = True


class Detector(Policy):
    """Models without labels."""

    is_classifier = False

    def learn(self, model, batch, verb, ids):
        return getattr(model, verb)(batch.given, sample_weight=batch.weights, **ids)


class ExactDetector(Detector):
    is_exact = True


class Regressor(Policy):
    is_classifier = False
    has_values = True

    def learn(self, model, batch, verb, ids):
        return getattr(model, verb)(batch.given, batch.y.astype(float), sample_weight=batch.weights)

    def answers(self, model, X):
        return model.predict(X)


class PreparedPolicy:
    """What changes when a model stands behind a preparation; a mix-in."""

    outer = hinge.PreparedClassifier

    def make(self, parameters, problem):
        factor = np.linspace(0.5, 2.0, problem.features)
        offset = factor - 1.0 if problem.grid else None
        scaling = Scaling(factor, offset)
        return self.outer(super().make(parameters, problem), Preparation(problem.features, scaling=scaling))

    def seen(self, X, model):
        return model.transform(X)

    def inner(self, model):
        return model.model

    def change(self, model, change):
        return super().change(model.model, change)


class PreparedClassifierPolicy(PreparedPolicy, Policy):
    pass


class PreparedDetectorPolicy(PreparedPolicy, Detector):
    outer = hinge.PreparedDetector


PLAIN = tuple(name for name in KERNELS if name != "precomputed")
ONLINE = WEIGHTS | {"C": COSTS, "random_state": [0]}
ONE_CLASS = {
    "nu": [0.5, 0.1, 1.0],
    "C": [None, 0.2, 2.0],
    "shape": ["plane", "sphere"],
    "max_examples": [None, 2, 7, 15],
    "eviction": ["age", "relevance", "weight"],
}
APPROXIMATE = {
    "C": COSTS,
    "approximation": ["nystroem", "fourier"],
    "n_components": [8, 1, 30],
    "fit_intercept": [True, False],
    "steps": ["adaptive", "asset"],
    "average_last": [0.5, 1.0, 7],
    "epochs": [2, 1],
    "random_state": [0],
}
LASVM = ONLINE | {
    "max_support": [None, 2, 6],
    "selection": ["random", "active", "autoactive", "gradient"],
    "pool_size": [50, 3],
    "working_set": ["second-order", "first-order"],
    "max_gap": [None, 0.1],
    "epochs": ["auto", "converge", 2],
    "finishing": [True, False],
}

POLICIES = {
    "OnlineSVC": Policy(
        hinge.OnlineSVC,
        LASVM,
        ("C", "max_support", "selection", "working_set", "max_gap"),
        splits=lambda model: model.selection == "random",
    ),
    "RobustOnlineSVC": Policy(
        hinge.RobustOnlineSVC,
        ONLINE
        | {
            "variant": ["ramp", "hinge", "ignore", "full"],
            "ramp": [-1.0, 0.5],
            "warmup": [100, 0, 5],
            "max_idle": [200, 0, 4],
            "clean_every": [256, 1, 5],
            "max_support": [None, 2, 6],
        },
        ("C", "variant", "ramp", "max_idle", "clean_every", "max_support"),
    ),
    "TrackingSVC": Policy(
        hinge.TrackingSVC,
        ONLINE | {"n_steps": [10, 1], "process": [True, False], "average": [True, False], "keep": ["all", "support"]},
        ("C", "n_steps"),
    ),
    "KernelPerceptron": Policy(
        hinge.KernelPerceptron,
        WEIGHTS | {"average": [False, True], "max_support": [None, 1, 5], "margin": [0.0, 0.5], "random_state": [0]},
        ("margin", "max_support"),
    ),
    "IncrementalSVC": Exact(
        hinge.IncrementalSVC,
        WEIGHTS
        | {"C": COSTS, "max_examples": [None, 2, 7, 15], "eviction": ["balanced", "relevance", "weight", "age"]},
        ("C", "max_examples", "eviction"),
    ),
    "IncrementalOneClassSVM": ExactDetector(hinge.IncrementalOneClassSVM, ONE_CLASS, ("max_examples", "eviction")),
    "ApproximateSVC": Policy(
        hinge.ApproximateSVC,
        WEIGHTS | APPROXIMATE | {"loss": ["hinge", "squared_hinge", "log_loss"]},
        ("C", "average_last"),
    ),
    "ApproximateSVR": Regressor(
        hinge.ApproximateSVR,
        APPROXIMATE | {"loss": ["epsilon_insensitive", "squared_epsilon_insensitive"], "epsilon": [0.1, 0.0]},
        ("C", "average_last", "epsilon"),
    ),
    "PreparedClassifier": PreparedClassifierPolicy(
        hinge.OnlineSVC, ONLINE | {"max_support": [None, 6]}, ("C", "max_support"), kernels=PLAIN
    ),
    "PreparedDetector": PreparedDetectorPolicy(
        hinge.IncrementalOneClassSVM, ONE_CLASS, ("max_examples",), kernels=PLAIN
    ),
}
