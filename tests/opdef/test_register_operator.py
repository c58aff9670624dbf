"""Operators of users by name, with the same rights as those of Relay."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.expr import Call, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef.table import OPERATORS
from relay.ops.binary import add, multiply
from relay.ops.comparison import less
from relay.ops.creation import number
from relay.ops.elementwise import Abs
from relay.ops.selection import where
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError
from relay.testing.temp_op_attr import TempOpAttr

NAME = "test.shrink"


@pytest.fixture
def shrink() -> Iterator[Any]:
    """Declare an operator that moves numbers towards zero, and forget it again."""
    relay.op.register(NAME, "Move towards zero.", arguments=("x",), attributes={"by": 0.5})

    @relay.op.register_reference(NAME)
    def reference(attrs: Any, x: np.ndarray) -> np.ndarray:
        return np.sign(x) * np.maximum(np.abs(x) - np.float32(attrs.by), 0)

    @relay.op.register_compute(NAME)
    def compute(attrs: Any, inputs: list[te.Tensor], out_type: TensorType) -> te.Tensor:
        (x,), by = inputs, attrs.by
        return te.compute(
            out_type.shape, lambda *i: x[i] - te.minimum(te.maximum(x[i], -by), by), name="shrink"
        )

    @relay.op.register_gradient(NAME)
    def gradient(call: Call, d_out: Any) -> list[Any]:
        (x,) = call.args
        inside = less(Call(Abs(), (x,)), number(call.op.by, x))  # pyright: ignore
        return [where(inside, number(0, x), d_out)]

    del reference, compute, gradient
    yield OPERATORS.find(NAME)
    vars(OPERATORS)["_classes"].pop(NAME)


def program(shrink: Any) -> tuple[Var, Function]:
    x = Var("x", TensorType((4,), "float32"))
    return x, Function((x,), add(Call(shrink(by=0.25), (x,)), x))


GIVEN = np.array([-1, -0.1, 0.2, 3], np.float32)


def test_it_is_compiled_evaluated_and_printed(shrink: Any) -> None:
    module = Module.of(program(shrink)[1])
    expected = np.sign(GIVEN) * np.maximum(np.abs(GIVEN) - 0.25, 0) + GIVEN
    found: Any = evaluate(module, GIVEN)
    np.testing.assert_allclose(found, expected, 1e-6)
    np.testing.assert_allclose(relay.compile(module, threads=1)(GIVEN), expected, 1e-6)
    again = relay.parse(module.astext())
    assert relay.structural_equal(again, module)
    assert "test.shrink(%x, by=0.25f)" in str(module) or "by=0.25" in str(module)


def test_it_is_differentiated(shrink: Any) -> None:
    x = Var("x", TensorType((4,), "float32"))
    total = relay.sum(Call(shrink(by=0.25), (x,)))
    slope = relay.grad(Module.of(Function((x,), total)))
    np.testing.assert_array_equal(relay.compile(slope, threads=1)(GIVEN), [1, 0, 0, 1])


def test_a_derivative_of_a_lower_level_does_not_replace_another(shrink: Any) -> None:
    before = shrink.gradient
    relay.op.register_gradient(NAME, lambda call, d_out: [None], level=9)  # noqa: ARG005
    assert shrink.gradient is before
    relay.op.register_gradient(NAME, lambda call, d_out: [None], level=11)  # noqa: ARG005
    assert shrink.gradient is not before


def test_rules_of_passes_know_it(shrink: Any) -> None:
    x, function = program(shrink)
    del x

    def legal(attrs: Any, inputs: Any, types: Any) -> Any:
        del attrs, types
        return multiply(inputs[0], inputs[0])

    with TempOpAttr(NAME, "FTVMLegalize", legal):
        found = relay.transform.Legalize()(Module.of(function))
    value: Any = evaluate(found, GIVEN)
    np.testing.assert_allclose(value, GIVEN * GIVEN + GIVEN, 1e-6)
    assert relay.op.get(NAME, by=0.25) is shrink(by=0.25)


def test_a_type_rule_of_several_arguments() -> None:
    def rule(op: Any, x: TensorType, y: TensorType) -> TensorType:
        del op
        return TensorType((*x.shape, *y.shape), x.dtype)

    cls = relay.op.register("test.outer", arguments=("x", "y"), type_rule=rule)
    try:
        call = Call(
            cls(), tuple(Var(n, TensorType((k,), "float32")) for n, k in (("x", 2), ("y", 3)))
        )
        assert call.type is TensorType((2, 3), "float32")
        with pytest.raises(RelayError, match="T010"):
            _ = Call(cls(), (Var("x", TensorType((2,), "float32")),)).type
    finally:
        vars(OPERATORS)["_classes"].pop("test.outer")


def test_a_name_is_taken_once() -> None:
    with pytest.raises(RelayError, match="T059"):
        relay.op.register("nn.relu")
    with pytest.raises(RelayError, match="T005"):
        relay.op.register_compute("test.nothing", print)


@pytest.fixture
def only() -> Iterator[Any]:
    """Return a function that declares operators, and forget them again."""
    names = list[str]()

    def declare(name: str, **given: Any) -> None:
        names.append(name)
        relay.op.register(name, arguments=("x",), **given)

    yield declare
    for name in names:
        vars(OPERATORS)["_classes"].pop(name)


def test_compiled_programs_call_the_reference_of_an_operator_without_a_formula(
    only: Any, tmp_path: Path
) -> None:
    only("test.sorted", attributes={"by": (1.0, 2.0)})

    def reference(attrs: Any, x: np.ndarray) -> np.ndarray:
        return np.sort(x) * np.float32(attrs.by[1])

    relay.op.register_reference("test.sorted", reference)
    x = Var("x", TensorType((4,), "float32"))
    call = Call(relay.op.get("test.sorted", by=[1.0, 3.0]), (add(x, x),))
    run = relay.compile(Module.of(Function((x,), add(call, x))), threads=1)
    expected = np.sort(GIVEN + GIVEN) * 3 + GIVEN
    np.testing.assert_allclose(run(GIVEN), expected, 1e-6)
    run.save(tmp_path / "sorted.relay")
    again = relay.Executable.load(tmp_path / "sorted.relay")
    np.testing.assert_allclose(again(GIVEN), expected, 1e-6)
    relay.op.register_reference("test.sorted", lambda _, x: x[:1])
    with pytest.raises(RelayError, match=r"(?s)R061.*shape \(1,\), not \(4,\)"):
        run(GIVEN)


def test_a_reference_needs_static_sizes(only: Any) -> None:
    only("test.open")
    relay.op.register_reference("test.open", lambda _, x: x)
    x = Var("x", TensorType((relay.DimVar("n"),), "float32"))
    with pytest.raises(RelayError, match=r"(?s)C103.*register_compute"):
        relay.compile(Module.of(Function((x,), Call(relay.op.get("test.open"), (x,)))))


def test_an_operator_without_a_reference_and_a_formula_is_not_compiled(
    only: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    only("test.nothing")
    monkeypatch.delenv("RELAY_STRICT", raising=False)
    x = Var("x", TensorType((3,), "float32"))
    module = Module.of(Function((x,), Call(relay.op.get("test.nothing"), (x,))))
    with pytest.raises(RelayError, match=r"(?s)C103.*register_reference"):
        relay.compile(module)
    assert not caplog.records  # it is not the schedule that failed


def test_a_formula_alone_is_compiled_but_not_evaluated(only: Any) -> None:
    only("test.triple")

    @relay.op.register_compute("test.triple")
    def compute(attrs: Any, inputs: list[te.Tensor], out_type: TensorType) -> te.Tensor:
        del attrs
        return te.compute(out_type.shape, lambda *i: inputs[0][i] * 3.0)

    del compute
    module = Module.of(Function((), Call(relay.op.get("test.triple"), (relay.const(GIVEN),))))
    np.testing.assert_allclose(relay.compile(module, threads=1)(), GIVEN * 3, 1e-6)
    with pytest.raises(RelayError, match=r"(?s)R042.*register_reference"):
        evaluate(module)
