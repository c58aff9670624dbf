"""Shapes, bounds, axes and numbers that a model computes when it runs: ONNX Runtime's values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import relay
from relay.frontend.onnx import from_onnx
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import RelayError
from tests.frontend.models import Shape, model

I64, FLOAT = TensorProto.INT64, TensorProto.FLOAT
node = helper.make_node


def x(*shape: int) -> Any:
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


@dataclass(frozen=True)
class Case:
    """A model, the shapes of its inputs, and the values with which it is run."""

    nodes: Sequence[onnx.NodeProto]
    calls: Sequence[Sequence[Any]]
    outputs: Sequence[str] = ("y",)
    weights: Mapping[str, Any] = field(default_factory=dict)
    opset: int = 18
    kinds: Mapping[str, int] = field(default_factory=dict)

    def model(self, *, is_open: bool) -> onnx.ModelProto:
        """Return the model; the first input has the sizes of the first call, or leaves them open.

        Other inputs keep their rank and, if they are vectors, their length.
        """
        names = [name for name in _inputs(self.nodes) if name not in self.weights]
        shapes: dict[str, Shape] = {
            name: list(np.shape(value)) for name, value in zip(names, self.calls[0], strict=True)
        }
        if is_open:
            first = names[0]
            shapes[first] = [f"d{axis}" for axis in range(len(shapes[first]))]
        types = {
            name: helper.np_dtype_to_tensor_dtype(np.asarray(value).dtype)
            for name, value in zip(names, self.calls[0], strict=True)
        }
        return model(
            self.nodes,
            shapes,
            self.outputs,
            weights=self.weights,
            types={**types, **self.kinds},
            opset=self.opset,
        )


def _inputs(nodes: Sequence[onnx.NodeProto]) -> list[str]:
    made = {name for each in nodes for name in each.output}
    used = [name for each in nodes for name in each.input if name]
    return [name for name in dict.fromkeys(used) if name not in made]


FEW = ([1, 0, 2, 3, 0], [0] * 5, [0, 0, 5, 0, 0])
"""Vectors with several numbers other than 0, with none, and with one."""


def one(op: str, inputs: str, *calls: Sequence[Any], **attributes: Any) -> Case:
    """Return a case of one node; what begins with two underscores is not an attribute of it."""
    own = {key: attributes.pop(key) for key in ("weights", "opset", "kinds") if key in attributes}
    outputs = attributes.pop("outputs", ("y",))
    names = [name.strip("_") for name in inputs.split()]
    return Case([node(op, names, list(outputs), **attributes)], calls, outputs, **own)


def counted(*nodes: onnx.NodeProto, of: Sequence[Sequence[float]] = FEW, **rest: Any) -> Case:
    """Return a case that begins with the numbers other than 0 of a vector, `v`, at `places`."""
    first = [
        node("NonZero", ["x"], ["places"]),
        node("Transpose", ["places"], ["rows"]),
        node("GatherND", ["x", "rows"], ["v"]),
    ]
    calls = [[np.array(each, np.float32)] for each in of]
    return Case([*first, *nodes], calls, **rest)


ROWS = np.array([[2, 1, 3], [0, 5, 1], [2, 1, 3], [2, 0, 9], [0, 5, 1]], np.float32)
DATA, AXIS = x(4, 6), {"axis": ints(1)}
INDICES = {"outputs": ("v", "i"), "kinds": {"i": I64}}
UNIQUE = {"outputs": ("y", "i", "j", "n"), "kinds": dict.fromkeys("ijn", I64)}
WHOLE = ints(2**63 - 1)

CASES: Mapping[str, Case] = {
    "reshape": one("Reshape", "x s", *([DATA, ints(*s)] for s in ((3, 8), (-1, 2), (0, -1)))),
    "expand": one("Expand", "x s", *([x(4, 1), ints(*s)] for s in ((4, 3), (1, 1), (4, 0)))),
    "expand to more axes": one("Expand", "x s", *([x(4, 1), ints(n, 4, 1)] for n in (2, 1, 0))),
    "tile": one("Tile", "x r", *([DATA, ints(n, 3)] for n in (2, 1, 0))),
    "slice": one(
        "Slice", "x b e",
        *([DATA, ints(*b), ints(*e)] for b, e in (
            ((1, 0), (3, 6)), ((-2, 1), (9, -1)), ((3, 0), (2, 6)), ((0, 0), (1, 1)),
            ((7, 0), (9, 1)),
        )),
    ),
    "slice to the end": one(
        "Slice", "x b e axis", *([DATA, ints(b)] for b in (3, 0, -1, 99)),
        weights={"e": WHOLE, "axis": ints(-1)},
    ),
    "slice of what data choose": Case(
        [node("NonZero", ["x"], ["n"]), node("Slice", ["n", "b", "e", "axis"], ["y"])],
        [[DATA]], weights={**AXIS, "b": ints(1), "e": WHOLE}, kinds={"y": I64},
    ),
    "places of maxima": Case(
        [node("MaxPool", ["x"], ["v", "i"], kernel_shape=[2, 3], strides=[1, 2],
              pads=[1, 1, 0, 1], dilations=[2, 1])],
        [[x(2, 3, 5, 6)]], ("v", "i"), kinds={"i": I64},
    ),
    "places of maxima, by columns": Case(
        [node("MaxPool", ["x"], ["v", "i"], kernel_shape=[2, 2], storage_order=1)],
        [[x(2, 1, 3, 4)]], ("v", "i"), kinds={"i": I64},
    ),
    "a constant in a shape that is open": Case(
        [node("Shape", ["x"], ["s"]), node("Reshape", ["c", "s"], ["r"]),
         node("Unsqueeze", ["r", "zero"], ["u"]), node("Add", ["x", "u"], ["y"])],
        [[x(2, 3)]], weights={"c": x(6), "zero": ints(0)},
    ),
    "expand to the shape of another": Case(
        [node("Shape", ["z"], ["s"]), node("Expand", ["x", "s"], ["y"])],
        [[x(2, 3), x(2, 3)]],
    ),
    "reshape of sizes": Case(
        [node("Shape", ["x"], ["s"]), node("Reshape", ["s", "codes"], ["y"])],
        [[x(2, 3)]], weights={"codes": ints(0, -1)}, kinds={"y": I64},
    ),
    "slice backwards": one(
        "Slice", "x b e axis s",
        *([DATA, ints(b), ints(e)] for b, e in ((5, 1), (-1, -99), (2, 4))),
        weights={**AXIS, "s": ints(-2)},
    ),
    "slice by steps": one(
        "Slice", "x b e axis s",
        *([DATA, ints(b), ints(e), ints(s)] for b, e, s in ((5, 1, -1), (0, 99, 2))),
        weights=AXIS,
    ),
    "slice axes": one("Slice", "x b e a", *([DATA, ints(0), ints(2), ints(a)] for a in (1, 0, -1))),
    "pad": one("Pad", "x p", *([DATA, ints(*p, 0, 2)] for p in ((1, 0), (0, 0), (-1, -2)))),
    "pad with a value": one("Pad", "x p v", [DATA, ints(1, 0, 2, 3), np.float32(7)]),
    "pad an axis": one("Pad", "x p _ axis", [DATA, ints(1, 2)], weights=AXIS),
    "pad by reflection": one("Pad", "x p", [DATA, ints(1, 0, 2, 3)], mode="reflect"),
    "pad with the edge": one("Pad", "x p", [DATA, ints(1, 0, 2, 3)], mode="edge"),
    "pad around": one("Pad", "x p", [DATA, ints(1, 0, 2, 3)], mode="wrap", opset=19),
    "topk": one("TopK", "x k", *([DATA, ints(k)] for k in (2, 1, 6, 0)), **INDICES),
    "topk of columns": one(
        "TopK", "x k", *([DATA, ints(k)] for k in (2, 4)), axis=0, largest=0, **INDICES
    ),
    "split": one(
        "Split", "x s", *([DATA, ints(n, 6 - n)] for n in (2, 0)), axis=1, outputs=("y", "z")
    ),
    "split equally": one("Split", "x", [x(4, 7)], axis=1, num_outputs=3, outputs=tuple("yzv")),
    "unsqueeze": one("Unsqueeze", "x a", *([DATA, ints(a)] for a in (1, 0, -1))),
    "unsqueeze two": one("Unsqueeze", "x a", *([DATA, ints(*a)] for a in ((1, 3), (0, -1)))),
    "squeeze": one("Squeeze", "x a", [x(4, 1), ints(1)], [x(4, 1), ints(-1)]),
    "unsqueeze at a size": Case(
        [node("Shape", ["x"], ["s"], start=1), node("Unsqueeze", ["w", "s"], ["y"])],
        [[x(2, 0)], [x(2, 2)]], weights={"w": x(3, 4)},
    ),
    "spectra of a length": one("DFT", "x l", *([x(1, 8, 1), np.int64(n)] for n in (5, 11)), axis=1),
    "half spectra of a length": one(
        "DFT", "x l a", *([x(2, 8, 1), np.int64(n)] for n in (5, 12)),
        opset=20, weights={"a": np.array(1)}, onesided=1,
    ),
    "signals of a length": one(
        "DFT", "x l a", [x(2, 8, 2), np.int64(14)], [x(2, 8, 2), np.int64(17)],
        opset=20, weights={"a": np.array(1)}, onesided=1, inverse=1,
    ),
    "cumsum": one("CumSum", "x a", *([DATA, np.int64(a)] for a in (1, 0, -2))),
    "mean": one("ReduceMean", "x a", *([DATA, ints(a)] for a in (1, 0, -1))),
    "norm": one("ReduceL2", "x a", *([DATA, ints(a)] for a in (1, 0, -1)), keepdims=0),
    "sum of two axes": one(
        "ReduceSum", "x a", *([x(2, 3, 4), ints(*a)] for a in ((0, 1), (-1, 0), (1, 2)))
    ),
    "logsumexp": one("ReduceLogSumExp", "x a", *([DATA, ints(a)] for a in (1, 0))),
    "compress": one(
        "Compress", "x c",
        *([DATA, np.array(c, bool)] for c in ([1, 0, 1, 1], [0] * 4, [0, 1, 0, 0])), axis=0,
    ),
    "crop or pad": one("CenterCropPad", "x s", [DATA, ints(2, 8)], [DATA, ints(5, 5)]),
    "a diagonal": one("EyeLike", "x", [DATA], k=1),
    "unique": one("Unique", "x", [np.round(2 * DATA)], [0 * DATA], **UNIQUE),
    "unique rows": one("Unique", "x", [ROWS], [0 * ROWS], axis=0, **UNIQUE),
    "unique columns": one("Unique", "x", [ROWS.T.copy()], axis=-1, **UNIQUE),
    "unique rows in order": one("Unique", "x", [ROWS], axis=0, sorted=0, **UNIQUE),
    "unique matrices": one("Unique", "x", [np.stack([ROWS, ROWS + 1, ROWS], 1)], axis=1, **UNIQUE),
    "enlarge": one(
        "Resize", "x _ _ s", *([x(1, 2, 4, 6), ints(1, 2, *s)] for s in ((8, 9), (2, 3), (1, 1))),
        mode="linear",
    ),
    "enlarge to corners": one(
        "Resize", "x _ _ s", *([x(1, 2, 4, 6), ints(1, 2, *s)] for s in ((8, 9), (1, 1))),
        mode="linear", coordinate_transformation_mode="align_corners",
    ),
    "scale": one(
        "Resize", "x _ s",
        *([x(1, 2, 4, 6), np.array((1, 1, *s), "f")] for s in ((2, 1.3), (0.5, 0.7))),
        mode="nearest",
    ),
    "scale by cubes": one(
        "Resize", "x _ s", [x(1, 2, 4, 6), np.array((1, 1, 2, 1.5), "f")],
        mode="cubic", exclude_outside=1,
    ),
    "parts": Case(
        [node("SplitToSequence", ["x", "s"], ["q"], axis=1), node("SequenceAt", ["q", "i"], ["y"])],
        [[DATA, ints(1, 2, 3), np.int64(i)] for i in (1, -1)],
    ),
    "equal parts": Case(
        [node("SplitToSequence", ["x", "s"], ["q"], axis=1), node("SequenceAt", ["q", "i"], ["y"])],
        [[DATA, np.int64(4), np.int64(i)] for i in (0, 1)],
    ),
    "as many as there are": Case(
        [
            node("Shape", ["x"], ["s"]),
            node("Gather", ["s", "i"], ["n"]),
            node("Mul", ["n", "two"], ["m"]),
            node("ConstantOfShape", ["m"], ["y"]),
        ],
        [[DATA, ints(i)] for i in (0, 1)],
        weights={"two": ints(2)},
    ),
    "chosen: one for all": counted(
        node("Mul", ["v", "w"], ["y"]), of=FEW[::2], weights={"w": x(3)}
    ),
    "chosen: choosing": counted(
        node("Greater", ["w", "v"], ["c"]), node("Where", ["c", "w", "v"], ["y"]),
        of=FEW[::2], weights={"w": x(3)},
    ),
    "a part's size": Case(
        [
            node("Slice", ["x", "b", "e"], ["v"]),
            node("Shape", ["v"], ["s"]),
            node("ConstantOfShape", ["s"], ["z"]),
            node("Add", ["z", "v"], ["y"]),
        ],
        [[x(12), ints(3), ints(e)] for e in (7, 3, 4)],
    ),
    "chosen: softmax": counted(node("Softmax", ["v"], ["y"])),
    "chosen: logsoftmax": counted(node("LogSoftmax", ["v"], ["y"])),
    "chosen: sum": counted(node("ReduceSum", ["v"], ["y"], keepdims=0)),
    "chosen: topk": counted(
        node("Shape", ["v"], ["n"]), node("Min", ["n", "two"], ["k"]),
        node("TopK", ["v", "k"], ["y", "i"]),
        weights={"two": ints(2)},
    ),
    "chosen: a matrix": counted(
        node("Reshape", ["v", "column"], ["c"]), node("Reshape", ["v", "row"], ["r"]),
        node("MatMul", ["c", "r"], ["m"]), node("Softmax", ["m"], ["y"]),
        weights={"column": ints(-1, 1), "row": ints(1, -1)},
    ),
    "chosen: written back": counted(
        node("Neg", ["v"], ["n"]), node("ScatterND", ["x", "rows", "n"], ["y"])
    ),
    "chosen: squeezed": counted(
        node("Squeeze", ["places", "zero"], ["i"]), node("Gather", ["x", "i"], ["y"]),
        weights={"zero": ints(0)},
    ),
    "chosen: convolved": counted(
        node("Unsqueeze", ["v", "front"], ["u"]), node("Conv", ["u", "w"], ["y"], pads=[1, 1]),
        weights={"front": ints(0, 1), "w": x(3, 1, 2)},
    ),
}  # fmt: skip

NUMBERS: Mapping[str, Case] = {
    "range": one(
        "Range", "a b c",
        *([np.int64(n) for n in abc] for abc in ((0, 5, 1), (5, 0, -2), (5, 5, 1), (5, 0, 1))),
        kinds={"y": I64},
    ),
    "range of floats": one("Range", "a b c", [np.float32(n) for n in (0, -1, -0.25)]),
    "zeros": one("ConstantOfShape", "s", [ints(2, 3)], [ints(0, 3)], [ints(1, 1)]),
    "hann": one("HannWindow", "n", [np.int64(8)], [np.int64(1)]),
    "grid": one("AffineGrid", "t s", [x(2, 2, 3), ints(2, 1, 4, 5)], opset=20),
    "one-hot": one(
        "OneHot", "i d v", *([ints(0, 3, -1), np.int64(d)] for d in (4, 1)),
        weights={"v": np.array([0, 1], "f")},
    ),
    "rows of a known length": Case(
        [
            node("Concat", ["k", "four"], ["s"], axis=0),
            node("Reshape", ["x", "s"], ["r"]),
            node("MatMul", ["r", "w"], ["y"]),
        ],
        [[ints(3), x(12)], [ints(-1), x(12)]],
        weights={"four": ints(4), "w": x(4, 2)},
    ),
    "a mask of lengths": Case(
        [
            node("ReduceMax", ["l"], ["m"], keepdims=0),
            node("Range", ["zero", "m", "one"], ["r"]),
            node("Unsqueeze", ["l", "last"], ["u"]),
            node("Less", ["r", "u"], ["y"]),
        ],
        [[ints(1, 3, 2)], [ints(0, 0, 0)]],
        weights={"zero": np.array(0), "one": np.array(1), "last": ints(1)},
        kinds={"y": TensorProto.BOOL},
    ),
}  # fmt: skip


def check(made: onnx.ModelProto, calls: Sequence[Sequence[Any]]) -> None:
    """Compare what is compiled, and what is evaluated, with ONNX Runtime."""
    session = onnxruntime.InferenceSession(_with_types(made).SerializeToString())
    module = infer(from_onnx(made))
    runs: list[Callable[..., Any]] = [relay.compile(module), lambda *args: evaluate(module, *args)]
    for call in calls:
        names = [each.name for each in session.get_inputs()]
        wanted: Any = session.run(None, dict(zip(names, map(np.asarray, call), strict=True)))
        for run in runs:
            found = run(*call)
            given = found if isinstance(found, tuple) else (found,)
            for a, b in zip(given, wanted, strict=True):
                assert np.shape(a) == np.shape(b)
                np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def _with_types(made: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with the element types of its results, which ONNX Runtime wants to know."""
    inferred = onnx.shape_inference.infer_shapes(made)
    known = {info.name: info.type.tensor_type.elem_type for info in inferred.graph.output}
    for output in made.graph.output:
        output.type.tensor_type.elem_type = known[output.name]
    return made


@pytest.mark.parametrize("name", CASES)
def test_a_parameter_that_is_computed(name: str) -> None:
    check(CASES[name].model(is_open=True), CASES[name].calls)


@pytest.mark.parametrize("name", [*CASES][::3])  # with the others, it takes as long again
def test_a_parameter_that_is_computed_for_known_sizes(name: str) -> None:
    check(CASES[name].model(is_open=False), CASES[name].calls)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_are_computed(name: str) -> None:
    check(NUMBERS[name].model(is_open=False), NUMBERS[name].calls)


def chosen_rows(axis: int, **attributes: Any) -> onnx.ModelProto:
    """Return an LSTM over the steps, or the sequences, that a mask chooses."""
    rng = np.random.default_rng(0)
    weights = {name: rng.normal(0, 0.3, (1, 28, n)).astype("f") for name, n in (("w", 5), ("r", 7))}
    nodes = [
        node("NonZero", ["m"], ["n"]),
        node("Squeeze", ["n", "zero"], ["i"]),
        node("Gather", ["x", "i"], ["v"], axis=axis),
        node("LSTM", ["v", "w", "r"], ["y", "h"], hidden_size=7, **attributes),
    ]
    inputs: dict[str, Shape] = {"x": ["t", 4, 5], "m": ["t" if axis == 0 else 4]}
    return model(nodes, inputs, ["y", "h"], weights={**weights, "zero": ints(0)})


def test_a_recurrence_over_what_was_chosen() -> None:
    masks = [np.array(mask, np.float32) for mask in ([1, 0, 1, 1], [0, 0, 1, 0])]
    check(chosen_rows(0), [[x(4, 4, 5), mask] for mask in masks])
    check(chosen_rows(1, direction="reverse"), [[x(3, 4, 5), mask] for mask in masks])


def test_a_loop_whose_steps_give_what_data_say() -> None:
    """How large an item is, the first one tells."""
    info = helper.make_tensor_value_info
    steps = [
        node("Cast", ["i"], ["f"], to=FLOAT),
        node("Unsqueeze", ["f", "zero"], ["u"]),
        node("Slice", ["x", "zero", "n"], ["s"]),
        node("Add", ["s", "u"], ["o"]),
        node("Identity", ["c"], ["d"]),
    ]
    given = [info("i", I64, []), info("c", TensorProto.BOOL, [])]
    body = helper.make_graph(
        steps, "body", given, [info("d", TensorProto.BOOL, []), info("o", FLOAT, None)]
    )
    made = model(
        [node("Loop", ["m", ""], ["y"], body=body)],
        {"m": [], "x": [5], "n": [1]},
        ["y"],
        types={"m": I64, "n": I64},
        weights={"zero": ints(0)},
    )
    check(made, [[np.int64(m), x(5), ints(n)] for m, n in ((3, 2), (1, 9), (2, 0))])


def test_a_shape_of_a_length_that_is_open() -> None:
    """The rank of what it makes is declared, or nobody knows it."""
    made = one("Reshape", "x s", [DATA, ints(3, 8)]).model(is_open=False)
    made.graph.input[1].type.tensor_type.shape.dim[0].dim_param = "k"
    with pytest.raises(RelayError) as caught:
        from_onnx(made)
    assert caught.value.code == "F044"
    assert from_onnx(made, {"s": (2,)})
    for axis in range(2):
        made.graph.output[0].type.tensor_type.shape.dim.add().dim_param = f"n{axis}"
    check(made, [[DATA, ints(3, 8)], [DATA, ints(-1, 2)]])


def test_more_than_there_is() -> None:
    """A `k` beyond the axis stops the program, as it stops ONNX Runtime."""
    run = relay.compile(from_onnx(CASES["topk"].model(is_open=True)))
    with pytest.raises(RelayError) as caught:
        run(DATA, ints(7))
    assert caught.value.code == "R054"


def test_a_size_that_is_one_when_it_runs() -> None:
    """One row is added to all, though the type says only that there are some."""
    made = model([node("Add", ["x", "w"], ["y"])], {"x": ["n", 4]}, ["y"], weights={"w": x(3, 4)})
    check(made, [[x(3, 4)], [x(1, 4)]])
    with pytest.raises(RelayError) as caught:
        relay.compile(from_onnx(made))(x(2, 4))
    assert caught.value.code == "R054"


def test_an_operator_that_wants_to_know_a_size() -> None:
    """The error says so, at the node, and not what Python made of it."""
    rotary = node("RotaryEmbedding", ["r", "c", "s"], ["y"], num_heads=2)
    nodes = [node("Reshape", ["x", "n"], ["r"]), rotary]
    inputs: dict[str, Shape] = {"x": [24], "n": [3], "c": [3, 2], "s": [3, 2]}
    made = model(nodes, inputs, ["y"], types={"n": I64}, opset=23)
    with pytest.raises(RelayError) as caught:
        from_onnx(made)
    assert caught.value.code == "F032"
