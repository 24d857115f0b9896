"""Averaged stochastic gradient descent written down literally: every step touches every weight."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit


def descent(loss, answer, target, epsilon):
    """Return minus a subgradient of the loss."""
    if loss == "log_loss":
        return target * expit(-target * answer)
    if loss in {"hinge", "squared_hinge"}:
        past, sense = 1.0 - target * answer, target
    else:
        past, sense = abs(target - answer) - epsilon, np.sign(target - answer)
    if past <= 0.0:
        return 0.0
    return sense * (2.0 * past if loss.startswith("squared") else 1.0)


def proximal(loss, answer, target, strength, squared_length, *, epsilon):
    """Return the step whose length uses the subgradient at the place where it ends."""
    start = descent(loss, answer, target, epsilon)
    if start == 0.0:
        return 0.0

    def excess(step):
        return step - strength * descent(loss, answer + step * squared_length, target, epsilon)

    # Beyond this the loss is zero, or a regression would step the other way.
    middle = target if loss in {"hinge", "squared_hinge"} else target - np.sign(start) * epsilon
    farthest = (middle - answer) / squared_length if loss != "log_loss" else strength * start
    if loss in {"hinge", "epsilon_insensitive"}:
        return np.sign(start) * min(strength, abs(farthest))
    return brentq(excess, *sorted((0.0, farthest)), xtol=1e-300, rtol=1e-14)


class Machine:
    """One linear machine.

    `steps` is "adaptive", "asset" (Algorithm 1 of the ASSET paper) or "asset*" (its section 3.3). `n_total` is the
    number of examples m in lambda = 1 / (C m) of the latter two: a constant, which the paper takes as given. The
    adaptive steps count examples: lambda refers to `total` of them, or in a stream to those seen so far. `planned` is
    the number of steps to be made; without one, in a stream or where learning may stop early, later iterates weigh
    more. Rows without a finite answer are skipped.
    """

    def __init__(
        self,
        penalty,
        typical,
        *,
        C,
        loss,
        epsilon=0.0,
        intercept=True,
        steps="adaptive",
        average_last=0.5,
        half_life=None,
        n_total=10_000,
        max_intercept=None,
        gradient_bound=None,
    ):
        self.retention = 1.0 if half_life is None else 0.5 ** (1.0 / half_life)  # of the weight of others, per row
        self.penalty, self.C, self.loss, self.epsilon = penalty, C, loss, epsilon
        self.intercept, self.rule, self.average_last = intercept, steps, average_last
        self.n_total = n_total if half_life is None else 1.0 / (1.0 - self.retention)
        self.max_intercept, self.gradient_bound = max_intercept, gradient_bound
        self.regression = loss.endswith("insensitive")
        self.typical = typical + intercept
        self.weights, self.average = np.zeros(len(penalty)), np.zeros(len(penalty))
        self.bias = self.average_bias = 0.0
        self.steps = self.examples = self.penalty_due = self.averaged = 0.0
        self.seen, self.weight, self.weight_squares = [], 0.0, 0.0
        self.mean = self.squares = 0.0

    def begin(self, target):
        """Take in the first target there is."""
        if self.regression and self.intercept and not self.seen:
            self.bias = self.average_bias = target

    def learn(self, rows, targets, costs=None, *, total=None, planned=None, safe=None):
        """Learn rows in the order given; safe ones are passed over."""
        self.begin(targets[0])
        for place, (row, target) in enumerate(zip(rows, targets, strict=True)):
            cost = 1.0 if costs is None else costs[place]
            self.steps += 1
            self.length = np.inf if total is not None or self.retention == 1.0 else 1.0 / (1.0 - self.retention)
            if total is None:
                self.examples = self.retention * self.examples + 1
            self._see(target)
            self.weight += (cost - self.weight) / self._recent_steps()  # rows count relative to that, and C with it
            penalty = 1.0 / (self.C * self.weight * (self.examples if total is None else total))
            cost /= self.weight
            self.weight_squares += (cost**2 - self.weight_squares) / self._recent_steps()
            is_usable = np.isfinite([row @ self.weights, row @ row]).all()
            known = row if is_usable else np.zeros(len(row))
            cost = 0.0 if not is_usable or (safe is not None and safe[place]) else cost
            if self.rule == "adaptive":
                self._adaptive(known, target, cost, penalty, total)
            else:
                self._asset(known, target, cost, planned)

    def _recent_steps(self):
        """Return the number of steps that are not forgotten."""
        return min(self.steps, self.length)

    def _see(self, target):
        """Take a target into the mean and the variance of those that are not forgotten."""
        self.seen.append(target)
        if self.steps <= self.length:
            self.mean, self.squares = np.mean(self.seen), len(self.seen) * np.var(self.seen)
            return
        before = self.mean
        self.mean += (target - before) / self.length
        self.squares = (1.0 - 1.0 / self.length) * self.squares + (target - before) * (target - self.mean)

    def is_safe(self, rows, targets):
        """Tell which answers would be right even if they were a little worse."""
        answers = rows @ self.weights + self.bias
        if self.regression:
            return np.abs(targets - answers) < 0.8 * self.epsilon
        return targets * answers > 1.2

    def _scale(self):
        """Return the size of the targets that the mean does not explain."""
        if not self.regression:
            return 1.0
        return np.sqrt(self.squares / self._recent_steps() + (0.0 if self.intercept else self.mean**2))

    def _adaptive(self, row, target, cost, penalty, total):
        scale = 1.0 if self.loss.startswith("squared") else self._scale()
        first = 2.5 * scale / (self.typical * max(self.weight_squares, 1.0))
        largest = self.C * self.weight / self.penalty.min()
        decline = self._recent_steps() * (1.0 / min(total or 10_000, 10_000) + 10.0 / self.length)
        eta = min(first, largest) / (1.0 + decline) ** (0.75 if total else 0.5)
        intercept_factor = (
            self.intercept * max(first / largest, 1.0) ** 0.5
        )  # the intercept has no penalty to be small for
        answer, squared_length = row @ self.weights + self.bias, row @ row + intercept_factor
        if eta * cost > 0.0:
            self._move(
                row,
                intercept_factor,
                proximal(self.loss, answer, target, eta * cost, squared_length, epsilon=self.epsilon),
            )
        self.penalty_due += eta * penalty
        if self.steps % 64 == 0 or self.penalty_due * self.penalty.max() > 0.1:
            self.weights = self.weights / (1.0 + self.penalty_due * self.penalty)
            self.penalty_due = 0.0
        self._mix(self._recent())

    def _asset(self, row, target, cost, planned):
        """Algorithm 1 of the ASSET paper, lines 5 to 12. In a regression lambda |w|^2 <= 1 need not hold."""
        scale, penalty = self._scale(), 1.0 / (self.C * self.weight * self.n_total)
        radius = np.sqrt(max(scale**2 if self.loss.startswith("squared") else scale, 1e-300) / penalty)
        bound = 0.0 if not self.intercept else radius if self.max_intercept is None else self.max_intercept
        if self.rule == "asset*":
            eta = 1.0 / (penalty * self._recent_steps())
        else:
            slope = {"log_loss": 0.5, "squared_hinge": 2.0, "squared_epsilon_insensitive": 2.0 * scale}
            estimate = max(slope.get(self.loss, 1.0), 1e-300) * np.sqrt(self.typical)
            D_G = estimate if self.gradient_bound is None else self.gradient_bound
            D_X = np.sqrt(radius**2 + bound**2)
            eta = D_X / (D_G * np.sqrt(self._recent_steps()))
        answer = row @ self.weights + self.bias
        step = eta * cost * descent(self.loss, answer, target, self.epsilon)
        if self.loss.startswith("squared") and step != 0.0:  # subgradients without a bound would swing
            squared_length = row @ row + self.intercept
            step = proximal(self.loss, answer, target, eta * cost, squared_length, epsilon=self.epsilon)
        self.weights = max(1.0 - eta * penalty, 0.0) * self.weights
        self._move(row, self.intercept, step)
        length = np.linalg.norm(self.weights)
        if length > radius:
            self.weights = self.weights * radius / length
        centre = self.mean if self.regression and self.intercept else 0.0
        self.bias = float(np.clip(self.bias, centre - bound, centre + bound))
        if planned is None:
            self._mix(self._recent())
            return
        share = isinstance(self.average_last, float)
        last = self.average_last * planned if share else self.average_last
        if self.steps <= planned - last + 1:  # averages begin with this iterate at the earliest
            self.averaged = 0.0
        self.averaged += eta
        self._mix(eta / self.averaged)

    def _move(self, row, intercept_factor, step):
        self.weights = self.weights + step * row
        self.bias += step * intercept_factor

    def _mix(self, share):
        self.average = (1.0 - share) * self.average + share * self.weights
        self.average_bias = (1.0 - share) * self.average_bias + share * self.bias

    def _recent(self):
        if not isinstance(self.average_last, float):
            return max(1.0 / self._recent_steps(), 2.0 / (self.average_last + 1.0))
        power = 2.0 / self.average_last - 2.0
        return (power + 1.0) / (self._recent_steps() + power)


def learn_in_panels(machines, rows, targets, costs, panel, **numbers):
    """Let machines learn one training set, each without the rows that are safe for it at the start of a panel."""
    for start in range(0, len(rows), panel):
        part = slice(start, start + panel)
        for machine, wanted in zip(machines, targets, strict=True):
            machine.begin(wanted[0])
        for machine, wanted in zip(machines, targets, strict=True):
            safe = machine.is_safe(rows[part], wanted[part])
            machine.learn(rows[part], wanted[part], costs[part], safe=safe, **numbers)


def visits(random, n, epochs, draw, held=()):
    """Return what `draw` makes of the random numbers for the map, and the rows of all steps, as `fit` chooses them."""
    rows = random.permutation(n)
    rows = rows[~np.isin(rows, held)]
    drawn = draw(random, rows)
    return drawn, np.concatenate([random.permutation(rows) for _ in range(epochs)])


def nystroem(kernel, landmarks, *, adaptive, threshold=1e-12, rank=None):
    """Return a feature map, the penalties of its weights, and the mean square of its length."""
    values, vectors = np.linalg.eigh(kernel(landmarks, landmarks))
    kept = np.flatnonzero(values > threshold * values[-1])[-(rank or len(values)) :]
    values, vectors = values[kept], vectors[:, kept]
    spread = values / len(landmarks)
    penalty = 1.0 / (spread + 3e-4 * spread.sum()) if adaptive else np.ones(len(values))
    projection = vectors * np.sqrt(penalty / values)
    return lambda rows: kernel(rows, landmarks) @ projection, penalty, (penalty * spread).sum()


class Stream:
    """A machine that learns a stream; its landmarks are drawn again until four times their number have come.

    `resolve_kernel` returns the kernel that suits some rows: all that the landmarks are drawn from.
    """

    def __init__(self, resolve_kernel, n_components, seed, **options):
        self.resolve_kernel, self.n_components, self.seed, self.options = resolve_kernel, n_components, seed, options
        self.rows, self.targets, self.due = [], [], 4
        self.is_final = False

    def learn(self, row, target):
        """Learn one example."""
        if not self.rows:
            self._use(row[None], row[None])
        self.machine.learn(self.map(row[None]), [target])
        if self.is_final:
            return
        self.rows.append(row)
        self.targets.append(target)
        if len(self.rows) == self.due:
            self._renew()

    def decide(self, rows):
        """Return decision values."""
        return self.map(rows) @ self.machine.average + self.machine.average_bias

    def _use(self, landmarks, rows):
        self.map, penalty, typical = nystroem(
            self.resolve_kernel(rows), landmarks, adaptive=self.options["steps"] == "adaptive"
        )
        self.machine = Machine(penalty, typical, **self.options)

    def _renew(self):
        random, rows, targets = np.random.RandomState(self.seed), np.array(self.rows), np.array(self.targets)
        n = len(rows)
        self._use(rows[np.sort(random.permutation(n)[: self.n_components])], rows)
        for _ in range(3):
            order = random.permutation(n)
            mapped, wanted, numbers = self.map(rows[order]), targets[order], {"total": n, "planned": 3 * n}
            if self.options["steps"] == "adaptive":
                learn_in_panels([self.machine], mapped, [wanted], np.ones(n), max(1, n // 16), **numbers)
            else:
                self.machine.learn(mapped, wanted, **numbers)
        self.machine.examples = n
        self.is_final = n == 4 * self.n_components
        self.due = min(4 * n, 4 * self.n_components)
