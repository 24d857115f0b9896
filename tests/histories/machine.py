"""A random sequence of calls: a model learns, is copied, refuses bad input; each step is followed by checks."""

from __future__ import annotations

import copy
import pickle
import warnings
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import hinge
from tests.invariants import check

from .bad import BAD, LATER
from .batches import PLANS, make_batch, problems
from .checks import check_alike, check_answers, check_expansion
from .exact import check_held, check_left_out, check_peer
from .expected_state import ExpectedState

NEAR = 1e-7  # decisions of models that made the same steps with kernel values that were rounded otherwise


def fitted(machine):
    return machine.is_fitted


def answering(machine):
    return machine.is_fitted and machine.can_answer


def exact(machine):
    return machine.is_fitted and machine.policy.is_exact


class History(RuleBasedStateMachine):
    """A model, two copies that learn what it learns, and the state expected of them."""

    def __init__(self, policy):
        super().__init__()
        self.policy = policy
        self.copies = []
        self.in_step = (
            False  # copies are equal to the model bit by bit; exact ones change by rounding when asked for gaps
        )

    @initialize(choices=st.data())
    def begin(self, choices):
        self.parameters = choices.draw(self.policy.parameters(), label="parameters")
        precomputed = self.parameters["kernel"] == "precomputed"
        calm = callable(self.parameters["kernel"])  # that of scikit-learn is noise for rows of any size
        of_its_kind = problems(precomputed=precomputed, calm=calm, values=self.policy.has_values)
        self.problem = choices.draw(of_its_kind, label="problem")
        self.asked = self.problem.queries()
        self.model = self.policy.make(self.parameters, self.problem)
        self.expected = ExpectedState()

    @property
    def is_fitted(self):
        return "model" in vars(self) and self.model.__sklearn_is_fitted__()

    @property
    def queries(self):
        """What the model is asked about; of rows of any size, those that have kernel values in its precision."""
        if not self.problem.wild:
            return self.asked
        state = self.known._state
        largest = 1e60 if state.kernel.name in ("linear", "poly") else np.inf
        return self.asked[np.abs(self.asked).max(axis=1) < (1e15 if state.storage.dtype == np.float32 else largest)]

    @property
    def known(self):
        return self.policy.inner(self.model)

    @property
    def holds_something(self):
        if self.policy.is_exact:
            return bool(self.expected.held)
        return any(self.expected.used) or bool(self.expected.announced)

    @property
    def can_answer(self):
        """Whether answers are numbers; rows of any size may leave a model without, which says so."""
        try:
            return not self.problem.wild or not self.holds_something or len(self.answers(self.model)) > 0
        except hinge.DataError:
            return False

    @property
    def is_near(self):
        """Whether the same steps with other rounding lead to the same model; among equal rows rounding chooses."""
        if self.policy.is_exact:
            return not self.problem.wild and not self.expected.is_diverged
        is_generic = self.problem.is_generic and self.expected.has_distinct_rows
        return is_generic and self.known._state.storage.dtype == np.float64

    # What may happen.

    @rule(plan=PLANS)
    def learn(self, plan):
        self.let_learn("partial_fit", make_batch(self.problem, plan, self.expected.n_seen))

    @precondition(lambda self: "model" in vars(self) and not self.problem.precomputed)
    @rule(plan=PLANS, more=st.integers(1, 4))
    def fit(self, plan, more):
        self.let_learn("fit", make_batch(self.problem, plan.of(plan.n * more), 0))

    @rule(plan=PLANS, how=st.sampled_from(sorted(BAD)), verb=st.sampled_from(["partial_fit", "fit"]))
    def refuse(self, plan, how, verb):
        batch = make_batch(self.problem, plan, self.expected.n_seen)
        spoiled = BAD[how](self, batch) if len(batch.y) else None
        verb = "partial_fit" if how in LATER else verb
        if spoiled is not None:
            self.expect_refusal(lambda model: getattr(model, verb)(**spoiled), models=[self.model])

    @precondition(fitted)
    @rule(ways=st.lists(st.sampled_from(["file", "pickle", "copy"]), min_size=2, max_size=2))
    def part(self, ways):
        self.copies = [self.again(way) for way in ways]
        self.in_step = False
        for other in self.copies:
            assert known_by(self.policy.inner(other)) == known_by(self.known)
            if self.holds_something and self.can_answer:
                np.testing.assert_array_equal(self.answers(other), self.answers(self.model))
            check_alike(self.policy.inner(other), self.known)

    @precondition(fitted)
    @rule(choices=st.data())
    def change(self, choices):
        change = choices.draw(self.policy.new_values(), label="change")
        for model in [self.model, *self.copies]:
            self.policy.change(model, change)

    @precondition(fitted)
    @rule(plan=PLANS)
    def change_the_kernel(self, plan):
        before = {name: self.known.get_params()[name] for name in ("kernel", "gamma")}
        self.known.set_params(kernel="laplacian", gamma=0.123)
        batch = make_batch(self.problem, plan, self.expected.n_seen)
        self.expect_refusal(lambda model: self.policy.learn(model, batch, "partial_fit", {}), models=[self.model])
        self.known.set_params(**before)

    @precondition(fitted)
    @rule()
    def forget_everything(self):
        fresh = clone(self.model)
        assert not fresh.__sklearn_is_fitted__()
        assert repr(self.policy.inner(fresh).get_params()) == repr(self.known.get_params())
        with pytest.raises(NotFittedError):
            fresh.predict(self.asked)

    @precondition(lambda self: self.is_fitted and hasattr(self.known, "finish"))
    @rule()
    def finish(self):
        self.everyone(lambda model: self.policy.inner(model).finish())
        if self.problem.is_generic:
            assert self.known.kkt_violation() <= self.known.tol

    @precondition(exact)
    @rule(seed=st.integers(0, 2**16), share=st.sampled_from([0.1, 0.5, 1.0]))
    def forget(self, seed, share):
        names = self.expected.pick(seed, share, idle=True)
        self.everyone(lambda model: model.forget(names))
        self.expected.forget(names)
        self.expected.keep(self.model.ids_)

    @precondition(lambda self: exact(self) and self.policy.is_classifier)
    @rule(plan=PLANS, share=st.sampled_from([0.1, 0.5]))
    def relabel(self, plan, share):
        names = self.expected.pick(plan.seed, share)
        labels = make_batch(self.problem, plan.of(len(names)), 0).y[: len(names)]
        if len(labels) == len(names):
            self.everyone(lambda model: model.relabel(names, labels))
            self.expected.relabel(names, labels, self.known.class_weight)
            self.expected.keep(self.model.ids_)

    @precondition(lambda self: exact(self) and self.can_answer)
    @rule(seed=st.integers(0, 2**16))
    def leave_one_out(self, seed):
        check_left_out(self, seed)

    # How it happens.

    def let_learn(self, verb, batch):
        """Let everybody learn a batch, or expect that nobody does."""
        if not len(batch.y):  # a kernel computed beforehand has come to its end
            return
        ids = self.expected.ids(batch, verb) if self.policy.is_exact else {}
        action = partial(self.policy.learn, batch=batch, verb=verb, ids=ids)
        if self.expected.must_refuse(batch, verb, self):
            self.expect_refusal(action)
            return
        split = verb == "partial_fit" and self.can_split(batch)
        if self.everyone(action, split and partial(self.in_pieces, batch=batch, ids=ids)):
            self.in_step = (self.in_step or verb == "fit") and not split and not self.policy.is_exact
            self.expected.note(batch, verb, ids, self)
            self.drop_others()

    def drop_others(self):
        """Let copies go that hold other examples: who matters least may be decided by rounding."""
        if not hasattr(self.known, "ids_"):
            return
        if any(self.policy.inner(other).ids_ != self.known.ids_ for other in self.copies):
            assert self.known.eviction != "age"
            self.copies = []

    def can_split(self, batch):
        """Tell whether copies may learn a batch row by row."""
        news = self.policy.is_classifier and not np.isin(batch.y, self.known.classes_).all() if self.is_fitted else True
        return batch.plan.in_pieces and not news and self.is_near and self.policy.splits(self.known)

    def in_pieces(self, model, batch, ids):
        for place in range(len(batch.y)):
            names = {name: values[place : place + 1] for name, values in ids.items()}
            self.policy.learn(model, batch.part(place, place + 1), "partial_fit", names)

    def everyone(self, action, action_of_copies=None):
        """Let the model and its copies do something; rows of any size may be too much for it, then for all of them."""
        with warnings.catch_warnings():
            if not self.problem.is_generic:
                warnings.simplefilter("ignore", ConvergenceWarning)
            before = known_by(self.known)
            try:
                action(self.model)
            except ValueError:
                if not self.problem.wild:
                    raise
                assert known_by(self.known) == before
                self.expect_refusal(action, models=self.copies)
                return False
            for other in self.copies:
                (action_of_copies or action)(other)
        return True

    def expect_refusal(self, action, models=None):
        for model in [self.model, *self.copies] if models is None else models:
            before = known_by(self.policy.inner(model))
            with pytest.raises((ValueError, TypeError)) as caught:
                action(model)
            assert str(caught.value).strip(), repr(caught.value)
            assert known_by(self.policy.inner(model)) == before

    def again(self, way):
        """Return the model as it comes back from a file, a pickle or a copy."""
        if way == "copy":
            return copy.deepcopy(self.model)
        if way == "pickle":
            return pickle.loads(pickle.dumps(self.model))
        with TemporaryDirectory() as folder:
            path = Path(folder) / "model.hinge"
            if callable(self.known.kernel):
                with pytest.raises(hinge.ModelFileError):
                    hinge.save(self.model, path)
                return copy.deepcopy(self.model)
            hinge.save(self.model, path)
            return hinge.load(path)

    def answers(self, model):
        return self.policy.answers(model, self.queries)

    # What must hold.

    @precondition(fitted)
    @invariant()
    def all_parts_fit(self):
        if not self.problem.wild:  # where gradients that are kept up to date lose all their digits
            for model in [self.model, *self.copies]:
                check(model)

    @precondition(answering)
    @invariant()
    def answers_are_sound(self):
        check_answers(self)

    @precondition(answering)
    @invariant()
    def copies_follow(self):
        if not self.copies or not self.holds_something:
            return
        first, second = (self.answers(other) for other in self.copies)
        np.testing.assert_array_equal(first, second)
        if self.in_step:
            np.testing.assert_array_equal(first, self.answers(self.model))
        elif self.is_near:
            np.testing.assert_allclose(first, self.answers(self.model), rtol=NEAR, atol=NEAR)

    @precondition(answering)
    @invariant()
    def it_shows_what_it_is(self):
        check_expansion(self)

    @precondition(exact)
    @invariant()
    def only_what_is_held_counts(self):
        check_held(self)

    def teardown(self):
        if exact(self) and self.policy.is_classifier and self.is_near and self.expected.held:
            check_peer(self)


def known_by(model):
    """Return all that a model knows, in a form that can be compared bit by bit."""
    shown = {name: vars(model).get(name) for name in ("n_features_in_", "feature_names_in_")}
    if not model.__sklearn_is_fitted__():
        return shown
    arrays, values = model._state.to_arrays()
    del values["options"]  # which files leave to the parameters
    bits = {name: (array.dtype.str, array.shape, (array + 0).tobytes()) for name, array in arrays.items()}  # -0 is 0
    return bits | {name: repr(value) for name, value in values.items()} | shown
