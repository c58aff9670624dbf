"""Run the test suite of the ONNX standard, which is part of the `onnx` package.

A case is a model with inputs and expected outputs. Its kind is `node` (a model for each feature of
each operator), `simple`, `pytorch-converted`, `pytorch-operator`, or `light` (networks with
constant weights).
"""

import re
import sys
import tomllib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from relay.build.compile import compile_module
from relay.frontend.onnx import from_onnx
from relay.interop.onnx import compile_onnx
from relay.ir.dims import ANY
from relay.runtime.code.interface_types import Data
from relay.support.errors import RelayError
from relay.testing.light import LIGHT_MODELS, light_example, light_model

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
FOLDERS = ("simple", "pytorch-converted", "pytorch-operator")
"""The kinds whose cases are folders."""

_CODE = re.compile(r"[A-Z]\d{3} ")

PASSES = "passes"
"""The state of a case whose results equal the stored ones."""

_RELATIVE, _ABSOLUTE = 1e-3, 1e-5
_OF_LARGEST = 1e-6  # the absolute tolerance for sums of large numbers that cancel
_TOLERANCES = {"bfloat16": (2e-2, 1e-2), "float16": (5e-3, 1e-3)}


@dataclass(frozen=True)
class Case:
    """A test case: a model, and inputs with their expected outputs; sequences are lists."""

    name: str
    model: onnx.ModelProto
    data: Sequence[tuple[Sequence[Any], Sequence[Any]]]
    relative: float = _RELATIVE


@cache
def case_names() -> tuple[str, ...]:
    """Return the names of all cases in order; those in folders are prefixed by their kind."""
    folders = [f"{kind}/{path.name}" for kind in FOLDERS for path in (DATA / kind).iterdir()]
    return (*sorted([*node_cases(), *folders]), *(f"light/{name}" for name in LIGHT_MODELS))


def case(name: str) -> Case:
    """Return a case by its name."""
    kind, _, rest = name.rpartition("/")
    if kind == "light":
        given, expected = light_example(rest)
        return Case(name, onnx.load_model(light_model(rest)), [([given], [expected])])
    if kind:
        return _stored(name)
    found = node_cases()[name]
    data = [(_arrays(given), _arrays(expected)) for given, expected in found.data_sets]
    return Case(name, found.model, data, max(found.rtol or 0, _RELATIVE))


@cache
def node_cases() -> dict[str, Any]:
    """Return the cases that `onnx` generates, with a fixed random seed, by name."""
    state = np.random.get_state()  # noqa: NPY002 - the suite draws from this generator
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Any = collect_testcases(None)
    np.random.set_state(state)  # noqa: NPY002
    return {each.name: each for each in found}


def _stored(name: str) -> Case:
    folder = DATA / name
    model = onnx.load_model(folder / "model.onnx")
    data: list[tuple[list[Any], list[Any]]] = []
    for part in sorted(folder.glob("test_data_set_*")):
        infos = (("input", model.graph.input), ("output", model.graph.output))
        sides = [
            [
                _read(part / f"{word}_{place}.pb", info.type)
                for place, info in enumerate(values)
                if (part / f"{word}_{place}.pb").exists()
            ]
            for word, values in infos
        ]
        data.append((sides[0], sides[1]))
    return Case(name, model, data)


def _read(path: Path, ty: onnx.TypeProto) -> Any:
    content = path.read_bytes()
    if ty.HasField("sequence_type"):
        return numpy_helper.to_list(onnx.SequenceProto.FromString(content))
    if ty.HasField("optional_type"):
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(content))
    return numpy_helper.to_array(onnx.TensorProto.FromString(content))


def _arrays(values: Sequence[Any]) -> list[Any]:
    return [_array(each) for each in values]


def _array(value: Any) -> Any:
    """Return a value of a case as an array; sequences are lists, and absent values None."""
    if value is None or isinstance(value, list):
        return cast("Any", value)
    is_tensor = isinstance(value, onnx.TensorProto)
    return numpy_helper.to_array(value) if is_tensor else np.asarray(value)


def state(name: str) -> str:
    """Run a case; return `passes`, an error code, or a description of the difference."""
    found = case(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for given, expected in found.data:
                problem = _difference(_run(found.model, given), expected, found.relative)
                if problem:
                    return problem
        except RelayError as error:
            return f"{error.code} {error.message.splitlines()[0]}"
    return PASSES


def _run(model: onnx.ModelProto, given: Sequence[Any]) -> list[Any]:
    inside = _shapes_inside(model, given)
    program: Any = (
        compile_module(from_onnx(model, inside), threads=1)
        if inside
        else compile_onnx(model, threads=1)
    )
    found: Any = program(*given)
    results: Sequence[Any] = found if len(model.graph.output) > 1 else (found,)
    return [each.plain() if isinstance(each, Data) else each for each in results]


def _shapes_inside(model: onnx.ModelProto, given: Sequence[Any]) -> dict[str, Any]:
    """Return the ranks of the elements of sequence inputs, which the model does not declare."""
    fixed = {each.name for each in model.graph.initializer}
    fed = [info for info in model.graph.input if info.name not in fixed]
    return {
        info.name: (ANY,) * np.ndim(cast("Any", value[0]))
        for info, value in zip(fed, given, strict=False)
        if isinstance(value, list)
        and value
        and info.type.HasField("sequence_type")
        and not info.type.sequence_type.elem_type.tensor_type.HasField("shape")
    }


def _difference(found: Sequence[Any], expected: Sequence[Any], relative: float) -> str:
    """Describe how results differ from the expected ones; an empty string if they agree."""
    ours, stored = _leaves(found), _leaves(expected)
    if len(ours) != len(stored):
        return f"{len(ours)} results, not {len(stored)}"
    for one, other in zip(ours, stored, strict=True):
        if other.dtype.kind in "OUS":
            if one.shape != other.shape or one.tolist() != other.tolist():
                return "strings differ"
            continue
        if one.shape != other.shape or one.dtype != other.dtype:
            return f"a result is {one.dtype}{one.shape}, not {other.dtype}{other.shape}"
        near, absolute = _TOLERANCES.get(other.dtype.name, (relative, _ABSOLUTE))
        pair = [np.asarray(each, np.float64) for each in (one, other)]
        absolute = max(
            absolute, _OF_LARGEST * np.max(np.abs(pair[1]), initial=0, where=np.isfinite(pair[1]))
        )
        if not np.allclose(*pair, rtol=max(near, relative), atol=absolute, equal_nan=True):
            return "numbers differ"
    return ""


def _leaves(value: Any) -> list[Any]:
    """Return the arrays in nested lists, omitting absent values."""
    if isinstance(value, list | tuple):
        return [leaf for each in cast("list[Any]", value) for leaf in _leaves(each)]
    return [] if value is None else [np.asarray(value)]


def sample() -> list[str]:
    """Return the names of the smallest case for each operator."""
    smallest: dict[tuple[str, str], tuple[int, str]] = {}
    for name, found in node_cases().items():
        nodes = found.model.graph.node
        for node in nodes:
            size = (len(nodes), name)
            key = (node.domain, node.op_type)
            smallest[key] = min(smallest.get(key, size), size)
    return sorted({name for _, name in smallest.values()})


def expected_states(path: Path) -> dict[str, str]:
    """Return the expected states of failing cases, from the file that lists them with reasons."""
    groups = tomllib.loads(path.read_text(encoding="utf-8"))["excluded"]
    return {name: group["state"] for group in groups for name in group["cases"]}


def short(state: str) -> str:
    """Return the part of a state that is compared: the error code, or all of it."""
    return state.partition(" ")[0] if _CODE.match(state) else state
