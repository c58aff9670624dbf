"""Compare pipelines of scikit-learn, exported by skl2onnx: `python tools/sklearn_models.py`.

Each pipeline is trained on the digits of scikit-learn, exported, and compiled. Its labels have to
be those of scikit-learn, its scores near; beside them is how much faster than ONNX Runtime it is,
for one row and for 10,000. Exits with 1 if predictions differ.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay

Pipeline = Any
_ROUNDS = 7
_ROWS = 10_000


def pipelines() -> Iterator[tuple[str, Pipeline]]:
    """Yield each pipeline, not trained yet."""

    def of(module: str, name: str, **options: Any) -> Any:
        return getattr(import_module(f"sklearn.{module}"), name)(**options)

    forest = {"n_estimators": 100, "max_depth": 10, "random_state": 0}
    yield "random forest", of("ensemble", "RandomForestClassifier", **forest)
    yield "forest of numbers", of("ensemble", "RandomForestRegressor", **forest)
    boosted = {"n_estimators": 30, "random_state": 0}
    yield "gradient boosting", of("ensemble", "GradientBoostingClassifier", **boosted)
    yield "boosted numbers", of("ensemble", "GradientBoostingRegressor", **boosted)
    yield "support vectors", of("svm", "SVC", random_state=0)
    yield "support vectors of numbers", of("svm", "SVR")
    yield "nearest neighbours", of("neighbors", "KNeighborsClassifier", n_neighbors=3)
    scaler, regression = (
        of("preprocessing", "StandardScaler"),
        of("linear_model", "LogisticRegression", max_iter=300),
    )
    yield (
        "scaler, logistic regression",
        of("pipeline", "Pipeline", steps=[("s", scaler), ("l", regression)]),
    )


def check(name: str, pipeline: Pipeline) -> tuple[bool, list[float]]:
    """Compare one pipeline, and print a line.

    Returns whether predictions agree, and how much faster it is than ONNX Runtime for one row and
    for many.
    """
    data, labels = import_module("sklearn.datasets").load_digits(return_X_y=True)
    x = data.astype(np.float32)
    pipeline.fit(x, labels)
    options = {"zipmap": False} if hasattr(pipeline, "classes_") else None
    exported = import_module("skl2onnx").to_onnx(
        pipeline, x[:1], options=None if options is None else {id(pipeline): options}
    )
    ours, theirs = _ours(exported), _theirs(exported)
    found = np.asarray(ours(x)[0]).reshape(-1)
    wanted = np.asarray(pipeline.predict(x)).reshape(-1)
    agrees = bool(np.allclose(found, wanted, 1e-3, 1e-3))
    many = np.ascontiguousarray(np.resize(x, (_ROWS, x.shape[1])))
    ratios = [_ratio(ours, theirs, each) for each in (x[:1], many)]
    shown = ", ".join(
        f"{rows:,} rows {ratio:.2f}×" for rows, ratio in zip((1, _ROWS), ratios, strict=True)
    )
    print(f"{name}: {'same predictions' if agrees else 'OTHER PREDICTIONS'}; {shown}", flush=True)
    return agrees, ratios


def _ours(model: Any) -> Callable[[Any], Sequence[Any]]:
    compiled: Any = relay.compile(relay.load(model), threads=1)
    count = len(model.graph.output)
    return lambda x: compiled(x) if count > 1 else (compiled(x),)


def _theirs(model: Any) -> Callable[[Any], Sequence[Any]]:
    engine: Any = import_module("onnxruntime")
    options = engine.SessionOptions()
    options.intra_op_num_threads = 1
    session = engine.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    return lambda x: session.run(None, {given.name: x})


def _ratio(ours: Callable[[Any], Any], theirs: Callable[[Any], Any], x: Any) -> float:
    """Return how much faster ours is, by the least processor times of alternating rounds."""
    least = [float("inf")] * 2
    times = max(1, 300 // len(x))
    for _ in range(_ROUNDS):
        for place, run in enumerate((ours, theirs)):
            start = time.process_time()
            for _ in range(times):
                run(x)
            least[place] = min(least[place], time.process_time() - start)
    return least[1] / least[0]


def main() -> int:
    """Compare all pipelines, or those whose names contain a word."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="?", default="")
    chosen = parser.parse_args().only
    results = [check(*each) for each in pipelines() if chosen in each[0]]
    right = [agrees for agrees, _ in results]
    one, many = (min(each) for each in zip(*(ratios for _, ratios in results), strict=True))
    print(
        f"{sum(right)} of {len(right)} pipelines predict as scikit-learn does; at least "
        f"{one:.2f}× as fast as ONNX Runtime for 1 row, {many:.2f}× for {_ROWS:,} rows"
    )
    return int(not all(right))


if __name__ == "__main__":
    sys.exit(main())
