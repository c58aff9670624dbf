"""A defect of a schedule or of code generation costs speed, not the model."""

import logging

import numpy as np
import pytest

import relay
from relay.build import compile_kernels
from relay.build.persistent_keys import PersistentKeys
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Function, Var
from relay.ir.types import TensorType
from relay.kernels import kernel_compiler
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import Options
from relay.ops.elementwise import Clip
from relay.ops.nn.activations import Relu
from relay.support.errors import CompileError
from relay.support.node import value
from relay.targets import target
from relay.targets.cpu import this_cpu

SOURCE = """#[version = "0.0.5"]
def @main(%x: Tensor[(3, 5), float32], %w: Tensor[(4, 5), float32]) {
  nn.relu(nn.dense(%x, %w))
}
"""


class DefectError(Exception):
    """What a test makes go wrong."""


@pytest.fixture(autouse=True)
def _not_strict(monkeypatch, tmp_path):
    monkeypatch.delenv("RELAY_STRICT")
    monkeypatch.setenv("RELAY_CACHE_DIR", str(tmp_path))


def fail(*_args, **_named):
    raise DefectError("out of registers")


def check_result(executable):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(3, 5)).astype(np.float32), rng.normal(size=(4, 5)).astype(np.float32)
    np.testing.assert_allclose(executable(x, w), np.maximum(x @ w.T, 0), rtol=1e-5, atol=1e-6)


def test_a_schedule_that_fails_is_replaced_and_logged(monkeypatch, caplog):
    monkeypatch.setattr(target, "choose", fail)
    with caplog.at_level(logging.WARNING, logger="relay"):
        executable = relay.compile(relay.parse(SOURCE))
    check_result(executable)
    (record,) = caplog.records
    message = record.getMessage()
    assert record.name == "relay"
    for part in ("dense", "(3, 5)", "(3, 4)", "Defect", "out of registers"):
        assert part in message


def test_a_kernel_inside_a_program_has_plain_loops_too(monkeypatch, caplog):
    monkeypatch.setattr(target, "choose", fail)
    loop = """#[version = "0.0.5"]
def @main(%n: int32, %x: Tensor[(3), float32]) -> Tensor[(3), float32] {
  if (less(%n, 1)) { %x } else { @main(subtract(%n, 1), multiply(%x, 2f)) }
}
"""
    with caplog.at_level(logging.WARNING, logger="relay"):
        executable = relay.compile(relay.parse(loop))
    np.testing.assert_array_equal(executable(np.int32(3), np.ones(3, np.float32)), [8, 8, 8])
    assert {"out of registers" in record.getMessage() for record in caplog.records} == {True}


def test_code_generation_that_fails_is_repeated_with_plain_loops(monkeypatch, caplog):
    plain, emit = compile_kernels.Formulas.plain, kernel_compiler.emit_kernel
    made: list[object] = []

    def remembered(self):
        made.append(plain(self))
        return made[-1]

    def emit_plain(*arguments):
        return emit(*arguments) if arguments[0] in made else fail()

    monkeypatch.setattr(compile_kernels.Formulas, "plain", remembered)
    monkeypatch.setattr(kernel_compiler, "emit_kernel", emit_plain)
    with caplog.at_level(logging.WARNING, logger="relay"):
        executable = relay.compile(relay.parse(SOURCE))
    check_result(executable)
    assert "out of registers" in caplog.text


def test_control_flow_has_the_same_net(monkeypatch, caplog):
    monkeypatch.setattr(target, "choose", fail)
    source = """#[version = "0.0.5"]
def @main(%b: bool, %x: Tensor[(3, 5), float32]) -> Tensor[(3, 5), float32] {
  if (%b) { nn.relu(%x) } else { negative(%x) }
}
"""
    with caplog.at_level(logging.WARNING, logger="relay"):
        executable = relay.compile(relay.parse(source))
    x = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    np.testing.assert_array_equal(executable(np.array(False), x), -x)
    assert "Defect" in caplog.text


def test_strictly_a_defect_is_raised(monkeypatch):
    monkeypatch.setenv("RELAY_STRICT", "1")
    monkeypatch.setattr(target, "choose", fail)
    with pytest.raises(DefectError):
        relay.compile(relay.parse(SOURCE))


def test_strictly_a_defect_of_code_generation_is_raised(monkeypatch):
    monkeypatch.setenv("RELAY_STRICT", "1")
    monkeypatch.setattr(kernel_compiler, "emit_kernel", fail)
    with pytest.raises(DefectError):
        relay.compile(relay.parse(SOURCE))


def test_where_plain_loops_fail_too_the_error_says_what_to_report(monkeypatch):
    monkeypatch.setattr(target, "choose", fail)
    monkeypatch.setattr(kernel_compiler, "emit_kernel", fail)
    with pytest.raises(
        CompileError, match="no native code could be generated for the kernel dense"
    ) as caught:
        relay.compile(relay.parse(SOURCE))
    assert caught.value.code == "C107"
    assert "DefectError: out of registers" in caught.value.notes


def test_one_cache_arranges_equal_kernels_once(monkeypatch, tmp_path):
    asked: list[str] = []
    choose = target.choose

    def counted(rules, formulas, wanted):
        asked.append(formulas.name)
        return choose(rules, formulas, wanted)

    monkeypatch.setattr(target, "choose", counted)
    cache, machine = KernelCache(tmp_path), this_cpu()
    x, y = Var("x", TensorType((4, 5))), Var("y", TensorType((4, 5)))
    wide = Var("z", TensorType((4, 6)))
    relus = [Function((each,), Call(Relu(), (each,))) for each in (x, y, wide)]
    made = compile_kernels.compile_functions(relus, machine, Options(), cache)
    first, second, third = (each.code for each in made)
    again = compile_kernels.compile_functions(relus[1:], machine, Options(), cache)
    assert [each.code for each in again] == [second, third]
    assert first == second != third
    assert len(asked) == 2


def test_another_process_reads_the_schedule_from_disk(monkeypatch, tmp_path):
    machine, n = this_cpu(), DimVar("n")
    of_static = Function((x := Var("x", TensorType((4, 5))),), Call(Relu(), (x,)))
    of_dynamic = Function((y := Var("y", TensorType((n, 5))),), Call(Relu(), (y,)))
    both = [of_static, of_dynamic]
    made = compile_kernels.compile_functions(both, machine, Options(), KernelCache(tmp_path))
    monkeypatch.setattr(target, "choose", fail)
    again = compile_kernels.compile_functions(both, machine, Options(), KernelCache(tmp_path))
    assert [(e.code, e.schedule) for e in again] == [(e.code, e.schedule) for e in made]


def test_records_on_disk_do_not_depend_on_names_or_identity():
    def key(op, size):
        x = Var("x", TensorType((size, 5)))
        return keys.of(Function((x,), Call(op, (x,))))

    keys = PersistentKeys(this_cpu())
    assert key(Clip(0.0, 1.0), DimVar("n")) == key(Clip(0.0, 1.0), DimVar("m"))
    others = {key(Clip(0.0, 2.0), 4), key(Clip(0.0, 1.0), 4), key(Relu(), 4), key(Relu(), 3)}
    assert len(others) == 4


def test_kernels_of_operators_of_other_packages_have_no_record():
    @value
    class Other(Relu):
        pass

    x = Var("x", TensorType((4, 5)))
    assert PersistentKeys(this_cpu()).of(Function((x,), Call(Other(), (x,)))) is None
