"""Progress of long calls: a progress bar, and scikit-learn's callbacks."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Self, TypeVar

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from hinge._terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._model.state import State
    from hinge._model.types import Values

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Empty: this version of scikit-learn has no callbacks."""

    _with_callbacks = None


__all__ = ["CallbackSupportMixin", "FitTasks", "progress_bar", "with_callbacks"]

Method = TypeVar("Method", bound="Callable[..., Any]")
Result = TypeVar("Result")

_TITLES = {
    "learn": "learning",
    "steps": "learning",
    "finish": "finishing",
    "exact": "learning",
    "forget": "forgetting",
    "relabel": "relabelling",
    "leave": "leaving one out",
    "influence": "leaving one out",
    "rank": "comparing",
}
_RESIDUAL = ("exact", "forget", "relabel", "leave")  # phases that report the residual of the optimality conditions


def with_callbacks(method: Method) -> Method:
    """Decorate `fit` with scikit-learn's callbacks, if it has them; the type of the method does not change."""
    decorated: Method = method if _with_callbacks is None else _with_callbacks(method)
    return decorated


def progress_bar(verbose: bool) -> AbstractContextManager[_core.Monitor | None]:
    """Return a context whose value is a monitor that draws a progress bar, or None if not `verbose`."""
    return ProgressBar() if verbose else nullcontext(None)


class ProgressBar:
    """A progress bar with the error so far, the support vectors, the violation and the time left; a native monitor.

    It appears with the first report: calls too short to report draw nothing.
    """

    def __init__(self) -> None:
        self._display = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(),
            TextColumn("{task.fields[report]}"),
            TimeRemainingColumn(),
            console=Terminal(),
        )
        self._row: TaskID | None = None
        self._phase = ""
        self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __call__(self, progress: _core.Progress) -> bool:
        self._display.update(self._current_row(progress), completed=progress.seen, report=_report(progress))
        return True

    def _current_row(self, progress: _core.Progress) -> TaskID:
        """Return the row of the running native call; a new call resets it, so that the time left is its own."""
        total = progress.total or None
        if self._row is None:
            self._display.start()
            self._row = self._display.add_task("", total=total, report="")
        if progress.phase != self._phase or progress.seen < self._seen:
            self._display.reset(self._row, total=total, description=_TITLES[progress.phase])
        self._phase, self._seen = progress.phase, progress.seen
        return self._row

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._row is not None:
            self._display.stop()


def _report(progress: _core.Progress) -> str:
    """Return the text beside the bar."""
    error = f"error {progress.mistakes / max(progress.seen, 1):.2%}, "
    if progress.phase == "steps":
        return f"{error if progress.mistakes else ''}{progress.support} features, loss {progress.measure:.2g}"
    measure = "residual" if progress.phase in _RESIDUAL else "gap"
    report = f"{progress.support} support vectors, {measure} {progress.measure:.2g}"
    return error + report if progress.phase in ("learn", "exact") and progress.seen else report


class FitTasks:
    """Runs the steps of `fit`, and reports them to scikit-learn's callbacks if there are any.

    Parameters
    ----------
    estimator : estimator
        The estimator that is being fitted.
    state : State
        The state in training; the estimator gets it when `fit` is complete.
    data : TrainingData
        The training set.
    max_steps : int or None
        Largest number of steps; None if it is not known.

    Attributes
    ----------
    stopped : bool
        Whether a callback asked to stop.
    """

    def __init__(self, estimator: Any, state: State, data: TrainingData, max_steps: int | None) -> None:
        self.stopped = False
        self._state = state
        self._features = data.features
        self._arguments = {"estimator": estimator, "X": data.X, "y": data.y, "metadata": data.metadata}
        self._context: Any = None
        if hasattr(estimator, "_init_callback_context"):
            self._context = estimator._init_callback_context(max_subtasks=max_steps)
            self._context.call_on_fit_task_begin(**self._arguments)

    def step(self, name: str, work: Callable[[], Result]) -> Result:
        """Run one step, with callbacks before and after it."""
        if self._context is None:
            return work()
        context = self._context.subcontext(task_name=name).call_on_fit_task_begin(**self._arguments)
        result = work()
        self.stopped |= bool(context.call_on_fit_task_end(**self._arguments, reconstruction_attributes=self._snapshot))
        return result

    def end(self) -> None:
        """Run the callbacks of the end of `fit`."""
        if self._context is not None:
            self._context.call_on_fit_task_end(**self._arguments, reconstruction_attributes=self._snapshot)

    def _snapshot(self) -> Values:
        # A copy: training continues with the original. Called only if a callback needs the model.
        return {**self._features, "_state": self._state.copy()}
