"""The models that are compared: ours with its defaults, the others at their best."""

import importlib
import importlib.util
from dataclasses import dataclass, field
from typing import Any

from benchmarks.tasks import Task

PEER_CACHE_MEGABYTES = 1000  # their default, 200, makes them slower


@dataclass(frozen=True)
class Model:
    """A model: its names in options and tables, its class, and its settings besides C and gamma."""

    name: str
    title: str
    module: str
    class_name: str
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def available(self) -> bool:
        """Whether its package is installed."""
        return importlib.util.find_spec(self.module.partition(".")[0]) is not None

    def make(self, task: Task, **changes: Any) -> Any:
        """Create the estimator with the settings of the task; imports its package."""
        estimator = getattr(importlib.import_module(self.module), self.class_name)
        return estimator(**({"C": task.C, "gamma": task.gamma} | self.settings | changes))


MODELS = {
    model.name: model
    for model in (
        Model("hinge", "hinge OnlineSVC", "hinge", "OnlineSVC", {"random_state": 0}),
        Model("intelex", "scikit-learn-intelex SVC", "sklearnex.svm", "SVC", {"cache_size": PEER_CACHE_MEGABYTES}),
        Model("sklearn", "scikit-learn SVC", "sklearn.svm", "SVC", {"cache_size": PEER_CACHE_MEGABYTES}),
    )
}
