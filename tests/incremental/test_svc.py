"""`IncrementalSVC`: ids, forgetting and relabelling."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from hinge import DataError, IncrementalSVC, ParameterError

from .common import GAMMA, assert_same, make


class TestForget:
    def test_equals_never_learned(self, few):
        X, y, names = few
        model = make().fit(X, y, ids=names)
        gone = np.random.default_rng(0).permutation(40)[:15]
        assert model.forget([names[row] for row in gone]) is model
        left = np.setdiff1d(np.arange(40), gone)
        assert model.ids_ == [names[row] for row in left]
        assert_same(model, make().fit(X[left], y[left]), X)
        assert model.kkt_violation() <= 1e-6

    @pytest.mark.parametrize(
        "ids", [3, [3], (3,), np.array([3]), {3}, range(3, 4), pd.Series([3]), np.int64(3), 3.0], ids=repr
    )
    def test_kinds_of_id_collections(self, few, ids):
        X, y, _ = few
        model = make().fit(X, y)
        if isinstance(ids, tuple):  # is one id
            with pytest.raises(DataError, match=r"got \(3,\); ids_ lists them"):
                model.forget(ids)
        else:
            assert model.forget(ids).ids_ == [0, 1, 2, *range(4, 40)]

    def test_ids_of_any_kind(self, few):
        X, y, _ = few
        names = ["a", b"a", ("a", 1), None, 2.5, frozenset("a"), True, pd.Timestamp("2020-01-01"), 10**30, 0]
        model = make().partial_fit(X[:10], y[:10], ids=names)
        assert model.ids_ == names
        assert model.forget(("a", 1)).forget([None, frozenset("a")]).forget({True, 0}).ids_ == [
            name for name in names if name not in (("a", 1), None, frozenset("a"), True, 0)
        ]

    def test_learned_again(self, few):
        X, y, names = few
        model = make().fit(X, y, ids=names).forget(names[:20])
        model.partial_fit(X[:20], y[:20], ids=names[:20])
        assert model.ids_ == names[20:] + names[:20]
        assert_same(model, make().fit(X, y), X)
        assert model.n_seen_ == 60

    def test_default_ids(self, few):
        X, y, _ = few
        model = make().partial_fit(X[:10], y[:10]).forget([0, 9]).partial_fit(X[10:20], y[10:20])
        assert model.ids_ == [*range(1, 9), *range(10, 20)]
        model.partial_fit(X[20:21], y[20:21], ids=["named"]).partial_fit(X[21:22], y[21:22])
        assert model.ids_[-2:] == ["named", 21]

    @pytest.mark.parametrize("ids", ["x", ["tree 1", "x"], ["tree 1", "tree 1"], [["tree 1"]], [float("nan")], 0])
    def test_bad_ids_change_nothing(self, few, ids):
        X, y, names = few
        model = make().fit(X, y, ids=names)
        before = model.decision_function(X)
        with pytest.raises(DataError, match=r"^Every id must (be|occur|equal) "):
            model.forget(ids)
        assert model.ids_ == names
        np.testing.assert_array_equal(model.decision_function(X), before)

    def test_no_ids(self, few):
        X, y, _ = few
        model = make().fit(X, y)
        before = model.decision_function(X)
        np.testing.assert_array_equal(model.forget([]).relabel([], []).decision_function(X), before)

    def test_all_examples(self, few):
        X, y, names = few
        model = make().fit(X, y, ids=names).forget(names)
        assert model.ids_ == []
        assert model.classes_.tolist() == []
        for ask in (model.predict, model.decision_function):
            with pytest.raises(DataError, match=r"^The model must hold examples to predict others, got none"):
                ask(X)
        assert model.kkt_violation() == model.dual_objective() == 0.0
        assert len(model.leave_one_out()) == len(model.support_) == 0
        model.partial_fit(X[:30], y[:30], ids=names[:30])
        assert_same(model, make().fit(X[:30], y[:30]), X)

    def test_not_fitted(self):
        for ask in (lambda m: m.forget(0), lambda m: m.relabel(0, 1), lambda m: m.leave_one_out(), lambda m: m.ids_):
            with pytest.raises(NotFittedError):
                ask(IncrementalSVC())

    def test_precomputed(self, few):
        X, y, names = few
        K = rbf_kernel(X, gamma=GAMMA)
        model = make(kernel="precomputed").fit(K, y, ids=names).forget(names[::3])
        left = np.setdiff1d(np.arange(40), np.arange(0, 40, 3))
        expected = make().fit(X[left], y[left]).decision_function(X)
        np.testing.assert_allclose(model.decision_function(K), expected, atol=1e-6)


class TestIds:
    def test_duplicates_change_nothing(self, few):
        X, y, names = few
        model = make().partial_fit(X[:20], y[:20], ids=names[:20])
        before = model.decision_function(X)
        for ids in (names[19:39], ["new"] * 20, ["new"], "new", [[1]] * 20):
            with pytest.raises(DataError, match=r"^(Every id|ids) must"):
                model.partial_fit(X[20:], ["elder"] * 20, ids=ids)
        assert model.n_seen_ == 20
        assert model.ids_ == names[:20]
        assert "elder" not in model.classes_
        np.testing.assert_array_equal(model.decision_function(X), before)

    def test_fit_discards_earlier_ids(self, few):
        X, y, names = few
        model = make().fit(X, y, ids=names).fit(X, y, ids=names)
        assert model.ids_ == names
        assert model.fit(X, y).ids_ == list(range(40))

    def test_failed_first_call_leaves_the_model_unfitted(self, few):
        X, y, _ = few
        model = make()
        with pytest.raises(DataError, match="must hold one id per row"):
            model.fit(X, y, ids=["a"])
        assert not hasattr(model, "n_features_in_")
        with pytest.raises(NotFittedError):
            model.predict(X)

    def test_rows_of_weight_zero(self, few):
        X, y, names = few
        weights = np.where(np.arange(40) % 4 == 0, 0.0, 1.5)
        for model in (make().fit(X, y, weights, ids=names), make().partial_fit(X, y, None, weights, ids=names)):
            used = weights > 0
            assert model.ids_ == [name for name, weight in zip(names, weights, strict=True) if weight]
            assert_same(model, make(C=3.0).fit(X[used], y[used]), X)
            with pytest.raises(DataError, match="got 'tree 0', which the model holds already"):
                model.partial_fit(X[:1], y[:1], ids="tree 0")
            with pytest.raises(DataError, match=r"^Examples of weight 0 must be forgotten and learned again"):
                model.relabel("tree 0", "elm")
            model.forget(names[:8])
            assert_same(model, make(C=3.0).fit(X[8:][used[8:]], y[8:][used[8:]]), X)
            model.partial_fit(X[:1], y[:1], ids="tree 0")
            assert model.ids_[-1] == "tree 0"


class TestRelabel:
    def test_equals_learned_with_these_labels(self, few):
        X, y, names = few
        model = make().fit(X, y, ids=names)
        changed = np.array([3, 30, 11, 7])
        labels = np.roll(y, 1)[changed]
        assert model.relabel([names[row] for row in changed], labels) is model
        right = y.copy()
        right[changed] = labels
        assert_same(model, make().fit(X, right), X)
        assert model.ids_ == names

    def test_new_classes(self, few):
        X, y, _ = few
        model = make().fit(X, y).relabel([5, 6], ["yew", "fir"])
        right = y.astype("U9")
        right[[5, 6]] = ["yew", "fir"]
        assert_same(model, make().fit(X, right), X)
        model.relabel([5, 6], y[[5, 6]])
        assert_same(model, make().fit(X, y), X)

    def test_single_id(self, few):
        X, y, names = few
        model = make().fit(X, y, ids=names).relabel("tree 5", "yew")
        assert "yew" in model.classes_
        assert "yew" not in model.relabel(["tree 5"], pd.Series(["elm"])).classes_

    def test_weights(self, few):
        X, y, _ = few
        weights = np.random.default_rng(0).uniform(0.2, 3.0, 40)
        class_weight = {"ash": 3.0, "oak": 0.25}
        model = make(class_weight=class_weight).fit(X, y, weights)
        right = np.roll(y, 1)
        model.relabel(range(20), right[:20])
        right[20:] = y[20:]
        assert_same(model, make(class_weight=class_weight).fit(X, right, weights), X)

    def test_class_weight_of_zero(self, few):
        X, y, names = few
        class_weight = {"fir": 0.0}
        model = make(class_weight=class_weight).fit(X, y, ids=names).relabel(names[:5], ["fir"] * 5)
        assert model.ids_ == names[5:]
        assert_same(model, make().fit(X[5:], y[5:]), X)
        with pytest.raises(DataError, match="must be forgotten and learned again"):
            model.relabel("tree 1", "oak")
        model.forget(names[:6])
        model.set_params(class_weight={"oak": 0.0})
        oak = names[6:][y[6:].tolist().index("oak")]
        with pytest.raises(ParameterError, match="class_weight must be above 0 for 'oak' while such examples are held"):
            model.relabel(oak, "elm")

    @pytest.mark.parametrize(
        ("ids", "labels", "complaint"),
        [
            ([1, 2], ["elm"], "y must hold one label per example, 2 in all, got 1"),
            ([1], [7], "New labels must be of the type of the known ones"),
            ([1, 2], ["elm", 7], "Labels must be all text or all numbers"),
            ({1, 2}, ["elm", "oak"], "ids must be in the order of the rows"),
            ([1, 1], ["elm", "oak"], "Every id must occur once"),
            ([99], ["elm"], "Every id must be the id of an example"),
            ([1, 2], [["elm", "oak"]], "y should be a 1d array"),
        ],
    )
    def test_invalid_requests_change_nothing(self, few, ids, labels, complaint):
        X, y, _ = few
        model = make().fit(X, y)
        before = model.decision_function(X)
        with pytest.raises(ValueError, match=complaint):
            model.relabel(ids, labels)
        assert_same(model, model, X)
        np.testing.assert_array_equal(model.decision_function(X), before)

    @pytest.mark.parametrize("label", [np.nan, np.inf, 0.5])
    def test_invalid_labels(self, two, label):
        X, y = two
        model = make().fit(X, y)
        with pytest.raises(ValueError, match=r"contains|Unknown label type"):
            model.relabel([1], [label])
        assert model.classes_.tolist() == [0, 1]

    def test_balanced(self, few):
        X, y, _ = few
        model = make(class_weight="balanced").fit(X, y)
        with pytest.raises(
            ParameterError, match="class_weight must be None or a dictionary in relabel, got 'balanced'"
        ):
            model.relabel(1, "elm")
        assert len(model.forget(1).ids_) == 39
