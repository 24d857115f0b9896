"""A slow replacement of the native exact model that is easy to check: LIBSVM solves every problem from scratch.

`install` replaces the native model, so that tests can run what Python adds to it (ids, classes, files) with either.
"""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from hinge import _core
from hinge.incremental import ExactState


class Kernel:
    def __init__(self, name, gamma=1.0, coef0=0.0, degree=3, function=None):
        self.name = name
        self.function = function
        used = {"rbf": ["gamma"], "laplacian": ["gamma"], "poly": ["gamma", "coef0", "degree"]}
        used["sigmoid"] = ["gamma", "coef0"]
        values = {"gamma": gamma, "coef0": coef0, "degree": degree}
        self.parameters = {key: values[key] for key in used.get(name, [])}

    def __call__(self, A, B, columns):
        if self.name == "precomputed":
            return A[:, columns]
        if self.function is not None:
            return self.function(A, B)
        return pairwise_kernels(A, B, metric=self.name, **self.parameters)


class Batch64:
    def __init__(self, X):
        self.X = X

    @staticmethod
    def dense(X):
        return Batch64(X.copy())

    @staticmethod
    def sparse(data, indices, indptr, n_features):
        return Batch64(csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, n_features)))


class ReferenceBinary:
    """The solution for some examples."""

    def __init__(self):
        self.members = []

    def solve(self, model):
        y = np.array([model.target(self, number) for number in self.members])
        self.costs = np.array([model.examples[number].cost for number in self.members])
        self.y, self.alpha, self.bias = y, np.zeros(len(y)), float(y[0]) if len(y) else 0.0
        self.K = model.gram(self.members)
        if len(np.unique(y)) == 2:
            with warnings.catch_warnings(action="ignore"):  # LIBSVM may not reach this tolerance
                solver = SVC(kernel="precomputed", C=1.0, tol=1e-10, max_iter=100_000)
                solution = solver.fit(self.K, y, sample_weight=self.costs)
            self.alpha[solution.support_], self.bias = solution.dual_coef_[0], float(solution.intercept_[0])
        self.gradient = y - self.K @ self.alpha
        self.lows = np.where(y > 0, 0.0, -self.costs)

    @property
    def extremes(self):
        may_fall, may_rise = self.alpha > self.lows, self.alpha < self.lows + self.costs
        return self.gradient[may_fall].min(initial=np.inf), self.gradient[may_rise].max(initial=-np.inf)

    @property
    def violation(self):
        lowest, highest = self.extremes
        return max(0.0, highest - lowest) if np.isfinite(highest - lowest) else 0.0

    @property
    def least_relevant(self):
        margin = self.y * (self.K @ self.alpha + self.bias)
        return self.members[np.lexsort((-margin, np.abs(self.alpha)))[0]]


class ReferencePredictor:
    """A snapshot: bias, coefficients, ids and rows of each binary model."""

    def __init__(self, kernel, binaries):
        self._kernel, self._binaries = kernel, binaries

    def decide(self, batch, threads=1):
        values = np.zeros((batch.X.shape[0], len(self._binaries)))
        for place, (bias, alpha, members, rows) in enumerate(self._binaries):
            values[:, place] = bias
            if members:
                values[:, place] += self._kernel(batch.X, rows, members) @ alpha
        return values


class ReferenceModel:
    """One-vs-rest binary models, each the exact solution for the examples that it holds."""

    n_kernel_evals = n_refreshed = 0
    broken = False

    def __init__(self, kernel, options, n_features, sparse, n_classes):
        self.kernel, self.options, self.n_features, self.is_sparse = kernel, options, n_features, sparse
        self.n_classes, self.n_steps, self.examples = n_classes, 0, {}
        self._binaries = [ReferenceBinary() for _ in range(n_classes if n_classes > 2 else 1)]
        self._solved = False

    @property
    def binaries(self):
        if not self._solved:
            for binary in self._binaries:
                binary.solve(self)
            self._solved = True
        return self._binaries

    def rows(self, numbers):
        rows = [self.examples[number].row for number in numbers]
        if not rows:
            return (csr_matrix if self.is_sparse else np.zeros)((0, self.n_features))
        return vstack(rows).tocsr() if self.is_sparse else np.vstack(rows)

    def gram(self, numbers):
        return self.kernel(self.rows(numbers), self.rows(numbers), numbers) if numbers else np.zeros((0, 0))

    def target(self, binary, number):
        positive = self._binaries.index(binary) if len(self._binaries) > 1 else 1
        return 1.0 if self.examples[number].label == positive else -1.0

    def set_options(self, options):
        self.options = options

    def grow(self, n_classes):
        self._renumber(n_classes)

    def drop_class(self, number):
        assert all(example.label != number for example in self.examples.values())
        for example in self.examples.values():
            example.label -= example.label > number
        self._renumber(self.n_classes - 1, number)

    def _renumber(self, n_classes, dropped=None):
        binaries, self.n_classes, self._solved = self._binaries, n_classes, False
        if len(binaries) > 1 and dropped is not None:
            del binaries[dropped]
        wanted = n_classes if n_classes > 2 else 1
        if len(binaries) > 1 and wanted == 1:
            binaries[:] = binaries[1:]
        while len(binaries) < wanted:
            binaries.append(ReferenceBinary())
            binaries[-1].members = sorted(self.examples)

    def learn(self, batch, labels, costs, first_id, order, seed=0, monitor=None, recorded=0):  # noqa: PLR0917
        visited = 0
        for row in order:
            if monitor is not None and not monitor(SimpleNamespace(phase="learn", seen=visited)):
                break
            if costs[row] > 0:
                self._learn_one(first_id + int(row), batch.X[row : row + 1], int(labels[row]), float(costs[row]))
            visited += 1
        counts = {"visited": visited, "reached": visited, "inserted": visited, "mistakes": 0, "steps": 0}
        nothing = {"recorded_rows": np.empty(0, np.int64), "recorded_decisions": np.empty((0, len(self._binaries)))}
        self.outcome = SimpleNamespace(**counts, **nothing, stopped=False, stalled=False)
        return self.outcome

    def take_outcome(self):
        taken, self.outcome = getattr(self, "outcome", None), None
        return taken

    def _learn_one(self, number, row, label, cost):
        for binary in self._binaries:
            if self.options.max_examples and len(binary.members) >= self.options.max_examples:
                leaving = min(binary.members) if self.options.eviction == "age" else self._least(binary)
                binary.members.remove(leaving)
            binary.members.append(number)
        self.examples[number] = SimpleNamespace(row=row, label=label, cost=cost)
        self._sweep()

    def _least(self, binary):
        binary.solve(self)
        return binary.least_relevant

    def _sweep(self):
        held = {number for binary in self._binaries for number in binary.members}
        self.examples = {number: example for number, example in self.examples.items() if number in held}
        self._solved = False
        self.n_steps += 1

    def forget(self, ids, monitor=None):
        for place, number in enumerate(ids.tolist()):
            if monitor is not None and not monitor(SimpleNamespace(phase="forget", seen=place)):
                return place
            assert number in self.examples
            for binary in self._binaries:
                binary.members = [member for member in binary.members if member != number]
            self._sweep()
        return len(ids)

    def relabel(self, ids, labels, costs, monitor=None):
        for place, (number, label, cost) in enumerate(zip(ids.tolist(), labels.tolist(), costs.tolist(), strict=True)):
            if monitor is not None and not monitor(SimpleNamespace(phase="relabel", seen=place)):
                return place
            assert cost > 0
            self.examples[number].label, self.examples[number].cost = label, cost
            self._sweep()
        return len(ids)

    def leave_one_out(self, monitor=None):
        values = np.zeros((len(self.examples), self.n_binaries))
        for place, number in enumerate(sorted(self.examples)):
            without = ReferenceModel(self.kernel, self.options, self.n_features, self.is_sparse, self.n_classes)
            without.examples = self.examples
            for other, binary in zip(without._binaries, self._binaries, strict=True):
                other.members = [member for member in binary.members if member != number]
            values[place] = without.predictor().decide(Batch64(self.examples[number].row))[0]
        return values

    def held(self):
        return np.array(sorted(self.examples), dtype=np.int64)

    def labels(self):
        return np.array([self.examples[number].label for number in sorted(self.examples)], dtype=np.int32)

    def class_counts(self):
        return np.bincount(self.labels(), minlength=self.n_classes)

    def costs(self):
        return np.array([self.examples[number].cost for number in sorted(self.examples)])

    def certify(self):
        self._solved = False

    def predictor(self):
        binaries = [(m.bias, np.array(m.alpha), list(m.members), self.rows(m.members)) for m in self.binaries]
        return ReferencePredictor(self.kernel, binaries)

    @property
    def n_binaries(self):
        return len(self._binaries)

    @property
    def n_retained(self):
        return len(self.examples)

    def _each(self, value):
        return np.array([value(binary) for binary in self.binaries])

    bias = property(lambda self: self._each(lambda binary: binary.bias))
    violation = property(lambda self: self._each(lambda binary: binary.violation))
    extremes = property(lambda self: self._each(lambda binary: binary.extremes))
    squared_norm = property(lambda self: self._each(lambda binary: binary.alpha @ binary.K @ binary.alpha))
    dual_objective = property(lambda self: self._each(lambda binary: binary.alpha @ (binary.y + binary.gradient) / 2))
    residual = violation
    n_margin = property(
        lambda self: self._each(
            lambda m: np.count_nonzero((m.alpha > m.lows) & (m.alpha < m.lows + m.costs)),
        )
    )
    n_bounded = property(lambda self: self._each(lambda m: np.count_nonzero(np.abs(m.alpha) >= m.costs)))

    @property
    def duality_gap(self):
        losses = self._each(lambda m: m.costs @ np.maximum(0.0, m.y * (m.gradient - m.bias)))
        return self.squared_norm / 2 + losses - self.dual_objective

    def state(self):
        numbers = sorted(self.examples)
        place = {number: slot for slot, number in enumerate(numbers)}
        rows = self.rows(numbers)
        values = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr} if self.is_sparse else {}
        binaries = self.binaries
        return (values or {"values": rows}) | {
            "ids": self.held(),
            "labels": self.labels(),
            "costs": self.costs(),
            "shift": np.zeros(0),
            "members": np.array([place[n] for binary in binaries for n in binary.members], dtype=np.int64),
            "member_counts": np.array([len(binary.members) for binary in binaries], dtype=np.int64),
            "member_lows": np.concatenate([binary.lows for binary in binaries]),
            "member_costs": np.concatenate([binary.costs for binary in binaries]),
            "alpha": np.concatenate([binary.alpha for binary in binaries]),
            "gradient": np.concatenate([binary.gradient for binary in binaries]),
            "lag": np.zeros(sum(len(binary.members) for binary in binaries)),
            "member_mistakes": np.zeros(sum(len(binary.members) for binary in binaries), dtype=np.int64),
            "terms": np.zeros(len(binaries)),
            "bracket_ends": np.zeros((len(binaries), 2), dtype=np.int64),
            "late_models": np.zeros(0, dtype=np.int64),
            "n_kernel_evals": np.zeros(1, dtype=np.int64),
            "n_steps": np.zeros(1, dtype=np.int64),
            "shift_chosen": np.ones(1, dtype=np.int64),
        }

    @staticmethod
    def restore(kernel, options, n_features, sparse, n_classes, state):  # noqa: PLR0917
        model = ReferenceModel(kernel, options, n_features, sparse, n_classes)
        if sparse:
            shape = (len(state["ids"]), n_features)
            rows = csr_matrix((state["data"], state["indices"], state["indptr"]), shape=shape)
        else:
            rows = state["values"]
        for slot, number in enumerate(state["ids"].tolist()):
            label, cost = int(state["labels"][slot]), float(state["costs"][slot])
            model.examples[number] = SimpleNamespace(row=rows[slot : slot + 1], label=label, cost=cost)
        ends = np.cumsum(state["member_counts"])
        for binary, members in zip(model._binaries, np.split(state["members"], ends[:-1]), strict=True):
            binary.members = state["ids"][members].tolist()
        return model


def install(monkeypatch):
    """Make hinge use the reference model; other native models do not work meanwhile."""
    stand_ins = {"Kernel": Kernel, "Batch64": Batch64, "ExactModel": ReferenceModel}
    for name, stand_in in stand_ins.items():
        monkeypatch.setattr(_core, name, stand_in)
    monkeypatch.setattr(ExactState, "_native_classes", {"float64": ReferenceModel})
