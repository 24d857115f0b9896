"""A program that uses every public name, checked by `mypy --strict` as a user's would be; it is never run."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import hinge
from hinge import (
    ApproximateSVC,
    ApproximateSVCCV,
    ApproximateSVR,
    DataError,
    DataFileError,
    ExportError,
    HingeError,
    IncrementalOneClassSVM,
    IncrementalSVC,
    IncrementalSVCCV,
    KernelError,
    KernelPerceptron,
    ModelFileError,
    OnlineSVC,
    OnlineSVCCV,
    ParameterError,
    PreparedClassifier,
    PreparedDetector,
    PreparedRegressor,
    RobustOnlineSVC,
    SearchWarning,
    StreamWarning,
    TrackingSVC,
    active,
    conformal,
    datasets,
    distributed,
    export,
    inspection,
    load,
    model_selection,
    river,
    save,
    streaming,
    tables,
    web,
)
from hinge.active import modal, skactiveml

Numbers = NDArray[np.float64]


def classify(X: Numbers, y: NDArray[Any], file: Path) -> list[float]:
    online = OnlineSVC(C=10.0, gamma="scale", max_support=100, class_weight={0: 1.0}, n_jobs=1)
    assert_type(online.fit(X, y), OnlineSVC)
    assert_type(online.partial_fit(X, y, classes=[0, 1]), OnlineSVC)
    assert_type(online.decision_function(X), Numbers)
    assert_type(online.predict(X), NDArray[Any])
    assert_type(online.classes_, NDArray[Any])
    robust = assert_type(
        RobustOnlineSVC(variant="ramp").fit(X, y, sample_weight=[1.0] * len(y)).finish(), RobustOnlineSVC
    )
    tracking = assert_type(TrackingSVC(keep="support").fit(X, y), TrackingSVC)
    perceptron = assert_type(KernelPerceptron(max_support=50, kernel=lambda A, B: A @ B.T).fit(X, y), KernelPerceptron)
    assert_type(tracking.gap_bound(), float)
    perceptron.vote(X)
    perceptron.predict(X.tolist())
    save(online, file)
    load(str(file)).predict(X)
    return [model.duality_gap(X, y) + model.kkt_violation() + model.dual_objective() for model in (robust, tracking)]


def forget(X: Numbers, y: NDArray[Any]) -> None:
    exact = IncrementalSVC(max_examples=100, eviction="age").partial_fit(X, y, ids=range(len(y)))
    assert_type(exact.forget([0]).relabel([1], y[:1]), IncrementalSVC)
    assert_type(exact.leave_one_out(), NDArray[Any])
    assert_type(exact.n_margin_, NDArray[np.int64])
    detector = assert_type(IncrementalOneClassSVM(nu=0.1).fit(X), IncrementalOneClassSVM)
    assert_type(detector.predict(X), NDArray[np.int64])
    assert_type(detector.score_samples(X), Numbers)
    assert_type(detector.offset_, float)


def choose(X: Numbers, y: NDArray[Any]) -> None:
    tuned = assert_type(OnlineSVCCV(Cs=3, gammas=3).fit(X, y), OnlineSVCCV)
    tuned.partial_fit(X, y)
    assert_type(IncrementalSVCCV(Cs=[1.0]).fit(X, y), IncrementalSVCCV)
    assert_type(ApproximateSVCCV(Cs=3).fit(X, y).predict(X), NDArray[Any])
    race = model_selection.RaceSearchCV(OnlineSVC(), {"C": [1.0, 10.0]}).fit(X, y)
    race.predict(X)


def explain(model: IncrementalSVC, X: Numbers) -> None:
    assert_type(model.explain(X)[0].decision, float)
    assert_type(model.sensitivity(X), Numbers)
    assert_type(model.influence(X), Numbers)
    assert_type(model.suspects(5)[0].margin, float)


def approximate(X: Numbers, y: NDArray[Any]) -> None:
    classifier = assert_type(ApproximateSVC(n_components=64, loss="log_loss").fit(X, y), ApproximateSVC)
    assert_type(classifier.predict_proba(X), Numbers)
    regressor = assert_type(ApproximateSVR(epsilon=0.1).partial_fit(X, y), ApproximateSVR)
    assert_type(regressor.predict(X), Numbers)


def prepared(classifier: PreparedClassifier, detector: PreparedDetector, X: Any, y: list[str]) -> None:
    assert_type(classifier.partial_fit(X, y).predict(X), NDArray[Any])
    assert_type(tables.TableClassifier().fit(X, y), tables.TableClassifier)
    assert_type(tables.TableDetector().fit(X).decision_function(X), Numbers)
    assert_type(detector.fit(X).score_samples(X), Numbers)


def values(regressor: PreparedRegressor, X: Any, y: list[float]) -> None:
    assert_type(regressor.partial_fit(X, y).predict(X), NDArray[Any])
    assert_type(tables.TableRegressor(regressor.model).fit(X, y), tables.TableRegressor)


def table(file: Path, columns: tables.Examples) -> PreparedClassifier:
    survey = tables.Survey(label="income", missing="fill")
    tables.check_policies(missing="fill", scale="auto")
    preparation = assert_type(survey.preparation(), tables.Preparation)
    assert_type(preparation.iter_examples(()), Iterator[tables.Examples])
    return PreparedClassifier(OnlineSVC(), preparation)


def stream(model: OnlineSVC, X: Numbers, y: NDArray[Any]) -> streaming.Model:
    traits = assert_type(streaming.traits(model), streaming.StreamTraits)
    task: streaming.Task = traits.task
    streaming.check_params(model)
    assert_type(streaming.resolve_gamma(model, X), float)
    if not streaming.is_fitted(model) and task == "classification":
        model.partial_fit(X, y)
    streaming.add_features(model, 5, sparse=False)
    assert_type(streaming.cache_megabytes(model), float)
    streaming.end_stream(model)
    streaming.learn_again(model, X, y)
    streaming.finish(model)
    assert_type(streaming.progressive_score(model), streaming.ProgressiveScore)
    assert_type(streaming.model_size(model, fast=True), int)
    assert_type(streaming.kernel(model).gamma, float)
    assert_type(streaming.storage(model).sparse, bool)
    assert_type(streaming.predict_with_scores(model, X), tuple[NDArray[Any], Numbers])
    return model


def dictionaries(x: dict[str, float]) -> float:
    classifier = river.HingeClassifier(OnlineSVC())
    classifier.learn_one(x, True)
    assert_type(classifier.predict_proba_one(x), dict[bool | str | int, float])
    detector = river.HingeAnomalyDetector(IncrementalOneClassSVM())
    detector.learn_one(x)
    return assert_type(detector.score_one(x), float) + river.HingeRegressor(ApproximateSVR()).predict_one(x)


def ask(X: Numbers, y: NDArray[Any]) -> active.Advice:
    learner = active.ActiveLearner(IncrementalSVC(), X, "boundary")
    rows = assert_type(learner.ask(3), NDArray[np.int64])
    learner.tell(rows, y[rows]).forget(rows[:1])
    assert_type(active.query(learner.model, X, n=2), NDArray[np.int64])
    active.Continued(OnlineSVC()).fit(X, y)
    strategy: Callable[..., Any] = modal.strategy("boundary")
    strategy(learner.model, X)
    skactiveml.HingeQuery("boundary")
    skactiveml.HingeStreamQuery()
    skactiveml.ContinuedClassifier(OnlineSVC())
    advice = assert_type(learner.advice(), active.Advice)
    assert_type(advice.stop, bool)
    return advice


def how_sure(X: Numbers, y: NDArray[Any]) -> Numbers:
    sets = conformal.ConformalSVC(C=10.0, alpha=0.05).fit(X, y)
    assert_type(sets.predict_set(X), NDArray[np.bool_])
    assert_type(conformal.SplitConformalClassifier(OnlineSVC()).fit(X, y).p_values(X), Numbers)
    assert_type(conformal.CrossConformalClassifier(OnlineSVC(), cv=3).fit(X, y).predict_set(X), NDArray[np.bool_])
    martingale = conformal.ExchangeabilityMartingale().update(sets.learn_with_p_values(X, y))
    assert_type(martingale, conformal.ExchangeabilityMartingale)
    inspection.ReliabilityDisplay.from_estimator(OnlineSVC(calibration="sigmoid").fit(X, y), X, y)
    inspection.SetSizeDisplay.from_estimator(sets, X, y).plot()
    inspection.SuspectsDisplay.from_estimator(IncrementalSVC().fit(X, y))
    return conformal.ConformalOneClass().fit(X).p_values(X)


def data(name: str, file: Path) -> Iterator[tuple[Any, Any]]:
    known = assert_type(datasets.load(name), datasets.Dataset)
    assert_type(datasets.names(), list[str])
    assert_type(known.C, float)
    datasets.BUNDLED["digits"](0)
    yield datasets.read(file, dense=True)
    yield from datasets.read(file, chunk_size=100)
    digits = assert_type(datasets.load("mnist-e"), datasets.DigitStream)
    yield from digits.chunks(stop=100)
    yield digits.take([0, 8_099_999])


def spread_out(X: Any, y: Any) -> None:
    model = distributed.train(ApproximateSVC(), X, y, rounds=2)
    distributed.cascade(OnlineSVC(), X, y)
    distributed.predict(model, X)
    distributed.predict_proba(model, X)
    distributed.decision_function(model, X)
    distributed.score_samples(IncrementalOneClassSVM(), X)
    distributed.query(model, X)


def for_other_programs(model: OnlineSVC, file: Path) -> None:
    export.to_libsvm(model, file, labels=[0, 1])
    assert_type(export.from_libsvm(file, n_features=2), OnlineSVC)
    export.to_onnx(model, file, dtype="float64")
    export.to_sklearn(model)
    written: export.FileFormat = export.FORMATS[0]
    written.write(model, file)


def label(file: Path) -> None:
    pool, settings = web.open_pool(str(file)), web.SessionSettings(C=10, target="cat")
    web.serve(pool, file, "pets", settings=settings, classes=["cat"], host="127.0.0.1", token=None)
    assert_type(web.export(pool, file, "pets", file, settings), int)
    assert_type(web.import_labels(pool, file, "pets", file), tuple[int, int, int])


def what_went_wrong(error: HingeError) -> str:
    assert issubclass(StreamWarning, UserWarning)
    assert issubclass(SearchWarning, UserWarning)
    kinds = (DataError, DataFileError, ExportError, export.ExportError, KernelError, ModelFileError, ParameterError)
    return assert_type(hinge.__version__, str) if isinstance(error, kinds) else f"{error}"
