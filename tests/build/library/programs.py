"""Programs with control flow, data and open sizes, and what NumPy says that they compute.

They run on machines that are not here, so their inputs stand in the files that are run.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import relay

Array = np.ndarray[Any, Any]
_HEAD = '#[version = "0.0.5"]\n'


@dataclass(frozen=True)
class Case:
    """A program, what goes in, the sizes that it leaves open, and what comes out."""

    model: Callable[[], relay.Module]
    inputs: tuple[Array, ...]
    sizes: tuple[int, ...]
    results: tuple[Array, ...]
    open_axes: int = 0
    """Of every result."""

    def c(self) -> str:
        """Return a program in C that prints the results, one element a line."""
        arrays = [_c_array(f"in{i}", array) for i, array in enumerate(self.inputs)]
        arrays.append(_c_array("sizes", np.array(self.sizes or (0,), np.int64)))
        outputs, printed = [], []
        for i, array in enumerate(self.results):
            kind = _C_TYPES[array.dtype.name]
            size = array.size
            if self.open_axes:
                arrays.append(f"static struct {{ {kind} *at; int64_t sizes[8]; }} out{i};")
                outputs.append(f"&out{i}")
                printed.append(f"print_{array.dtype}(out{i}.at, {size});")
            else:
                arrays.append(f"static {kind} out{i}[{size}];")
                outputs.append(f"out{i}")
                printed.append(f"print_{array.dtype}(out{i}, {size});")
        inputs = ", ".join([*(f"in{i}" for i in range(len(self.inputs))), "sizes"])
        return _C.format(
            arrays="\n".join(arrays),
            inputs=inputs,
            outputs=", ".join(outputs),
            printed="\n  ".join(printed),
        )

    def json(self) -> str:
        """Return inputs and the kinds of results, for a host of WebAssembly."""
        kinds = [[_JS_ARRAYS[a.dtype.name], a.size] for a in self.results]
        inputs = [[_JS_ARRAYS[a.dtype.name], a.ravel().tolist()] for a in self.inputs]
        return json.dumps(
            {"inputs": inputs, "sizes": self.sizes, "results": kinds, "open": self.open_axes}
        )

    def check(self, printed: str) -> None:
        """Compare what was printed with what NumPy says."""
        found = np.array(printed.split(), np.float64)
        expected = np.concatenate([array.ravel() for array in self.results])
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


_C_TYPES = {"float32": "float", "int32": "int32_t", "int64": "int64_t"}
_JS_ARRAYS = {"float32": "Float32Array", "int32": "Int32Array", "int64": "BigInt64Array"}

_C = """
#include "m.h"
#include <stdio.h>
{arrays}
__attribute__((unused)) static void print_float32(const float *x, int n) {{
  for (int i = 0; i < n; i++) printf("%.9g\\n", x[i]);
}}
__attribute__((unused)) static void print_int32(const int32_t *x, int n) {{
  for (int i = 0; i < n; i++) printf("%d\\n", (int)x[i]);
}}
int main(void) {{
  const void *in[] = {{ {inputs} }};
  void *out[] = {{ {outputs} }};
  int status = m_run((const m_inputs *)in, (const m_outputs *)out, NULL);
  if (status) {{ puts(m_error(status)); return 1; }}
  {printed}
  return 0;
}}
"""


def _c_array(name: str, array: Array) -> str:
    values = ", ".join(map(repr, array.ravel().tolist()))
    return f"static {_C_TYPES[array.dtype.name]} {name}[] = {{ {values} }};"


# ---- the programs ---------------------------------------------------------------------------

RNG = np.random.default_rng(7)


def _random(*shape: int) -> Array:
    return RNG.normal(0, 0.5, shape).astype(np.float32)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _lstm() -> Case:
    """An LSTM of ONNX over a sequence whose length is open."""
    steps, size, hidden = 9, 5, 7
    w, r, b = _random(1, 4 * hidden, size), _random(1, 4 * hidden, hidden), _random(1, 8 * hidden)
    x = _random(steps, 1, size)
    h, c, rows = np.zeros((1, hidden)), np.zeros((1, hidden)), []
    for step in x.astype(np.float64):
        gates = step @ w[0].T + h @ r[0].T + b[0, : 4 * hidden] + b[0, 4 * hidden :]
        i, o, f, g = np.split(gates, 4, axis=1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        h = _sigmoid(o) * np.tanh(c)
        rows.append(h)

    def model() -> relay.Module:
        weights = [numpy_helper.from_array(a, n) for n, a in (("w", w), ("r", r), ("b", b))]
        shapes = {"x": ("steps", 1, size), "y": ("steps", 1, 1, hidden)}
        values = {
            name: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in shapes.items()
        }
        node = helper.make_node("LSTM", ["x", "w", "r", "b"], ["y"], hidden_size=hidden)
        graph = helper.make_graph([node], "lstm", [values["x"]], [values["y"]], weights)
        opset = [helper.make_opsetid("", 17)]
        return relay.load(helper.make_model(graph, opset_imports=opset, ir_version=9))

    result = np.array(rows, np.float32).reshape(steps, 1, 1, hidden)
    return Case(model, (x,), (steps,), (result,), open_axes=1)


def _text(text: str) -> Callable[[], relay.Module]:
    return lambda: relay.parse(_HEAD + text)


def _tree() -> Case:
    """A tree of tensors is made, and folded from its leaves."""
    leaf, n = _random(4), 6

    def fold(depth: int) -> Array:
        if depth == 0:
            return leaf + depth
        left, right = fold(depth - 1), fold(depth - 1)
        return np.tanh(left - 2 * right + depth)

    text = """
type Tree { Leaf(Tensor[(4), float32]), Node(float32, Tree, Tree) }
def @make(%depth: int32, %x: Tensor[(4), float32]) -> Tree {
  if (less(%depth, 1)) { Leaf(%x) } else {
    let %d = subtract(%depth, 1);
    Node(cast(%depth, dtype="float32"), @make(%d, %x), @make(%d, %x))
  }
}
def @fold(%t: Tree) -> Tensor[(4), float32] {
  match (%t) {
    Leaf(%x) => { %x },
    Node(%d, %l, %r) => { tanh(add(subtract(@fold(%l), multiply(2f, @fold(%r))), %d)) }
  }
}
def @main(%n: int32, %x: Tensor[(4), float32]) -> Tensor[(4), float32] { @fold(@make(%n, %x)) }
"""
    return Case(_text(text), (_int(n), leaf), (), (fold(n),))


def _closure() -> Case:
    """Functions that hold functions, made as the program runs."""
    text = """
def @compose(%n: int32, %f: fn(float32) -> float32) -> fn(float32) -> float32 {
  if (less(%n, 1)) { %f } else {
    let %k = cast(%n, dtype="float32");
    @compose(subtract(%n, 1), fn(%x: float32) -> float32 { add(multiply(%f(%x), 0.5f), %k) })
  }
}
def @main(%n: int32, %x: float32) -> float32 {
  let %g = @compose(%n, fn(%y: float32) -> float32 { tanh(%y) });
  add(%g(%x), %g(1f))
}
"""

    def expected(n: int, x: float) -> float:
        value = np.tanh(x)
        for k in range(n, 0, -1):
            value = value * 0.5 + k
        return float(value)

    x = 0.75
    result = np.array([expected(20, x) + expected(20, 1.0)], np.float32)
    return Case(_text(text), (_int(20), np.array([x], np.float32)), (), (result,))


def _while() -> Case:
    """Two functions that call each other last, as often as numbers say."""
    text = """
def @even(%n: int32, %steps: int32) -> int32 {
  if (equal(%n, 1)) { %steps } else {
    if (equal(mod(%n, 2), 0)) { @even(divide(%n, 2), add(%steps, 1)) } else { @odd(%n, %steps) }
  }
}
def @odd(%n: int32, %steps: int32) -> int32 { @even(add(multiply(%n, 3), 1), add(%steps, 1)) }
def @sum(%n: int32, %total: int32) -> int32 {
  if (less(%n, 1)) { %total } else { @sum(subtract(%n, 1), add(%total, @even(%n, 0))) }
}
def @main(%n: int32) -> int32 { @sum(%n, 0) }
"""

    def steps(n: int) -> int:
        count = 0
        while n != 1:
            n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
        return count

    total = np.array([sum(map(steps, range(1, 301)))], np.int32)
    return Case(_text(text), (_int(300),), (), (total,))


def _batch() -> Case:
    """A network whose batch is open."""
    w, bias, x = _random(6, 8), _random(6), _random(5, 8)
    scores = np.maximum(x @ w.T + bias, 0).astype(np.float64)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    result = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)

    def model() -> relay.Module:
        v = relay.var("x", shape=(relay.DimVar("n"), 8))
        hidden = relay.nn.bias_add(relay.nn.dense(v, relay.const(w)), relay.const(bias))
        return relay.Module.of(relay.Function((v,), relay.nn.softmax(relay.nn.relu(hidden))))

    return Case(model, (x,), (5,), (result,), open_axes=1)


def _found() -> Case:
    """Results whose size depends on data."""
    x = _random(13, 3)
    text = """
def @main(%x: Tensor[(n, 3), float32]) {
  (take(%x, take(argwhere(greater(%x, 0f)), 0, axis=1), axis=0))
}
"""
    return Case(_text(text), (x,), (13,), (x[np.argwhere(x > 0)[:, 0]],), open_axes=1)


def deep(n: int) -> Case:
    """A list of n numbers that is made and summed by functions that do not call themselves last."""
    text = """
type List { Cons(int32, List), Nil }
def @upto(%n: int32) -> List {
  if (less(%n, 1)) { Nil } else { Cons(%n, @upto(subtract(%n, 1))) }
}
def @sum(%l: List) -> int32 {
  match (%l) { Cons(%x, %rest) => { add(%x, @sum(%rest)) }, Nil => { 0 } }
}
def @main(%n: int32) -> int32 { add(@sum(@upto(%n)), @sum(@upto(%n))) }
"""
    return Case(_text(text), (_int(n),), (), (_int(n * (n + 1)),))


def alternating(n: int) -> Case:
    """Two functions that call each other last, so often that a stack would not hold it."""
    text = """
def @even(%n: int32) -> int32 { if (equal(%n, 0)) { 1 } else { @odd(subtract(%n, 1)) } }
def @odd(%n: int32) -> int32 { if (equal(%n, 0)) { 0 } else { @even(subtract(%n, 1)) } }
def @main(%n: int32) -> int32 { @even(%n) }
"""
    return Case(_text(text), (_int(n),), (), (_int(1 - n % 2),))


def _int(n: int) -> Array:
    return np.array([n], np.int32)


CASES = {
    "lstm": _lstm(),
    "tree": _tree(),
    "closure": _closure(),
    "while": _while(),
    "batch": _batch(),
    "found": _found(),
    "deep": deep(500),
    "alternating": alternating(1_000_001),
}
