"""What a model was told, kept beside it: what it should know, and what it must refuse."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .batches import SPARSE


@dataclass
class Held:
    """One example that an exact model holds."""

    place: int  # in the stream
    x: Any
    label: Any
    cost: float


@dataclass
class ExpectedState:
    """Everything that a model was told since it was last fitted.

    Attributes
    ----------
    rows : list of ndarray
        The stream.
    used : list of bool
        Which rows of it had a weight.
    labels : set
        Classes of these.
    announced : set
        Classes that were announced.
    held : dict
        Of exact models: the examples by id, in the order of the stream.
    idle : list
        Of exact models: the ids of rows without a weight.
    largest : float
        The largest cost of a row.
    most : float
        The largest number of support vectors that a machine might have at some time.
    is_window : bool
        Of exact models: some may have been let go, the last of their class among them.
    is_diverged : bool
        Of exact models: their machines may hold different examples, since each chose whom to let go.
    """

    rows: list = field(default_factory=list)
    used: list = field(default_factory=list)
    labels: set = field(default_factory=set)
    announced: set = field(default_factory=set)
    held: dict = field(default_factory=dict)
    idle: list = field(default_factory=list)
    largest: float = 0.0
    most: float = 0.0
    is_window: bool = False
    is_diverged: bool = False

    @property
    def n_seen(self):
        return len(self.rows)

    @property
    def has_distinct_rows(self):
        return len({row.tobytes() for row in self.rows}) == len(self.rows)

    def must_refuse(self, batch, verb, machine):
        """Tell whether a batch has too little in it, or kernel values are not dense."""
        counts = batch.costs > 0
        too_few = verb == "fit" and machine.policy.is_classifier and len(set(batch.y[counts].tolist())) < 2
        sparse = machine.problem.precomputed and batch.plan.form in SPARSE
        return (verb == "fit" and not counts.any()) or too_few or sparse

    def ids(self, batch, verb):
        """Return the ids that rows are given, if they are."""
        first = 0 if verb == "fit" else self.n_seen
        return {"ids": [f"row {first + row}" for row in range(len(batch.y))]} if batch.plan.named else {}

    def note(self, batch, verb, ids, machine):
        """Take in what a model has learned."""
        if verb == "fit":
            self.__init__()
        policy, first = machine.policy, self.n_seen
        counts = batch.costs > 0
        self.rows += list(policy.seen(batch.X, machine.model))
        self.used += counts.tolist()
        if policy.is_classifier:
            self.labels |= set(batch.y[counts].tolist())
            if batch.plan.named and verb == "partial_fit":
                self.announced |= set(batch.y.tolist())
        costs = policy.costs(batch, machine.known)
        self.largest = max(self.largest, costs.max())
        bounds = (getattr(machine.known, name, None) for name in ("max_support",))
        self.most = max(self.most, next(filter(None, bounds), np.inf))
        if policy.is_exact:
            names = ids.get("ids", range(first, self.n_seen))
            for place, (name, label, cost) in enumerate(zip(names, batch.y.tolist(), costs, strict=True), first):
                if cost > 0:
                    self.held[name] = Held(place, self.rows[place], label, cost)
                else:
                    self.idle.append(name)
            if counts.any():  # else nothing came for which somebody would have to leave
                self._let_go(machine)

    def _let_go(self, machine):
        """Take out those that left a full window."""
        model = machine.known
        if model.max_examples is None:
            return
        self.is_window = True
        several = machine.policy.is_classifier and len(self.labels | self.announced) > 2
        self.is_diverged |= several
        left = model.ids_
        assert set(left) <= set(self.held)
        if model.eviction == "age" and not several:
            assert left == list(self.held)[-model.max_examples :]
        assert several or len(left) <= model.max_examples
        self.held = {name: self.held[name] for name in left}

    def pick(self, seed, share, *, idle=False):
        """Return some of the ids in random order."""
        random = np.random.default_rng(seed)
        names = [name for name in [*self.held, *(self.idle if idle else [])] if random.random() < share]
        return [names[place] for place in random.permutation(len(names))]

    def keep(self, names):
        """Take out all but some ids: with a class, examples go that only its machine has held."""
        assert self.is_diverged or list(self.held) == names
        self.held = {name: self.held[name] for name in names}

    def forget(self, names):
        for name in names:
            if name in self.held:
                del self.held[name]
            else:
                self.idle.remove(name)

    def relabel(self, names, labels, class_weight):
        factors = class_weight or {}
        for name, label in zip(names, labels.tolist(), strict=True):
            example = self.held[name]
            example.cost *= factors.get(label, 1.0) / factors.get(example.label, 1.0)
            self.largest = max(self.largest, example.cost)
            example.label = label
            self.labels.add(label)

    def classes(self, machine):
        """Return the classes that a model should know; some more where a window let the last of a class go."""
        if machine.policy.is_exact:
            return self.announced | {example.label for example in self.held.values()}
        return self.announced | self.labels
