"""On which devices values are: what marks say, and what follows from them."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.build.value_difference import difference
from relay.classic.dataflow_pattern import is_op, wildcard
from relay.ir.equality import structural_equal
from relay.ir.expr import Call, Constant, GlobalVar, If, Let, Tuple, TupleGetItem, Var
from relay.ir.types import TupleType
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.opdef.user_rules import HOOKS
from relay.ops.device_annotations import DeviceCopy, OnDevice
from relay.runtime.device import Device
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import CompileError, RelayTypeError, UsageError
from relay.transform.compilers.merge_composite import MergeComposite
from relay.transform.compilers.outline_supported_calls import AnnotateTarget
from relay.transform.devices.outline_devices import OutlineDevices, device_functions
from relay.transform.devices.plan_devices import PlanDevices


def parse(body: str, result: str = "Tensor[(2), float32]"):
    head = f"def @main(%x: Tensor[(2), float32], %b: bool) -> {result}"
    return infer(relay.parse(f'#[version = "0.0.5"]\n{head} {{\n{body}\n}}'))


def planned(body: str, expected: str, result: str = "Tensor[(2), float32]"):
    found = PlanDevices()(parse(body, result))
    assert structural_equal(found, parse(expected, result)), found
    return found


TO = 'device_copy(%x, src_virtual_device="cpu", dst_virtual_device="npu")'
FROM = 'src_virtual_device="npu", dst_virtual_device="cpu"'


def test_operands_are_where_an_operator_is_and_readers_where_they_say():
    planned(
        'tanh(on_device(exp(negative(%x)), virtual_device="npu"))',
        f"tanh(device_copy(exp(negative({TO})), {FROM}))",
    )


def test_a_mark_around_an_operand_ends_a_part():
    planned(
        '%0 = on_device(exp(%x), virtual_device="cpu"); on_device(tanh(%0), virtual_device="npu")',
        '%0 = exp(%x); %1 = device_copy(%0, src_virtual_device="cpu", dst_virtual_device="npu");'
        f"device_copy(tanh(%1), {FROM})",
    )


def test_a_value_is_copied_once():
    planned(
        '%0 = on_device(exp(%x), virtual_device="npu", constrain_result=True);'
        '(on_device(tanh(%0), virtual_device="npu"), %0)',
        f"%0 = exp({TO}); (device_copy(tanh(%0), {FROM}), device_copy(%0, {FROM}))",
        "(Tensor[(2), float32], Tensor[(2), float32])",
    )


def test_control_flow_is_on_the_host():
    planned(
        'if (%b) { on_device(exp(%x), virtual_device="npu") } else { %x }',
        f"if (%b) {{ device_copy(exp({TO}), {FROM}) }} else {{ %x }}",
    )


def test_fields_of_a_tuple_are_copied_one_by_one():
    planned(
        "%0 = split(%x, indices_or_sections=2);"
        'concatenate((on_device(exp(%0.0), virtual_device="npu"), %0.1))',
        f"%0 = split({TO}, indices_or_sections=2);"
        f"device_copy(concatenate((exp(%0.0), %0.1)), {FROM})",
    )


def test_names_have_the_device_of_their_values():
    found = PlanDevices()(parse('let %y = on_device(exp(%x), virtual_device="npu"); negative(%y)'))
    text = str(found)
    assert text.count("device_copy") == 2
    assert text.index("exp(") < text.rindex("device_copy") < text.index("negative(")


def test_a_program_without_marks_stays_the_same():
    module = parse("exp(%x)")
    assert PlanDevices()(module) is module
    assert OutlineDevices()(module) is module


def test_parts_become_functions():
    module = PlanDevices()(parse('negative(on_device(exp(tanh(%x)), virtual_device="npu"))'))
    (part,) = device_functions(OutlineDevices()(module)).values()
    assert part.attrs["Compiler"] == "npu"
    names = [op.name for op in post_order(part.body) if isinstance(op, OperatorDef)]
    assert names == ["tanh", "exp"]


def test_contradictions_are_errors():
    body = (
        '%0 = negative(%x); %1 = on_device(tanh(%0), virtual_device="npu");'
        '%1 + on_device(exp(%0), virtual_device="dsp")'
    )
    with pytest.raises(CompileError, match="two devices") as caught:
        PlanDevices()(parse(body))
    assert caught.value.code == "C173"


def test_control_flow_on_a_device_is_a_contradiction():
    body = 'on_device(tanh(if (%b) { exp(%x) } else { %x }), virtual_device="npu")'
    with pytest.raises(CompileError, match="two devices"):
        PlanDevices()(parse(body))


def test_a_composite_is_on_the_device_of_its_annotation():
    table = [("npu.tanh_relu", is_op("nn.relu")(is_op("tanh")(wildcard())), None)]
    marked = MergeComposite(table)(
        parse('negative(on_device(nn.relu(tanh(%x)), virtual_device="npu"))')
    )
    module = PlanDevices()(marked)
    assert str(module).count("device_copy") == 2
    (part,) = device_functions(OutlineDevices()(module)).values()
    assert part.attrs["Compiler"] == "npu"
    assert "npu.tanh_relu" in str(part)


def test_calls_placed_on_a_device_are_in_no_region_of_another_compiler():
    marked = parse('tanh(on_device(tanh(%x), virtual_device="npu"))')
    with HOOKS.added("tanh", "target.t", lambda _: True):
        module = AnnotateTarget(("t",))(marked)
    assert str(module).count("Compiler=") == 1  # the tanh on the host
    assert str(PlanDevices()(module)).count("device_copy") == 2


def test_calls_of_functions_are_on_the_host():
    head = '#[version = "0.0.5"] def @f(%x: Tensor[(2), float32]) { exp(%x) }'
    main = "def @main(%x: Tensor[(2), float32])"
    marked = infer(
        relay.parse(f'{head} {main} {{ @f(on_device(tanh(%x), virtual_device="npu")) }}')
    )
    planned = infer(relay.parse(f"{head} {main} {{ @f(device_copy(tanh({TO}), {FROM})) }}"))
    assert structural_equal(PlanDevices()(marked), planned)


def test_marks_change_no_value_and_compile_for_the_host():
    module = parse('on_device(exp(%x), virtual_device="cpu")')
    x = np.array([0.5, 1], np.float32)
    for kind in ("debug", "graph", "vm", "aot"):
        found = relay.create_executor(kind, module).evaluate()(x, np.array(True))
        np.testing.assert_allclose(found, np.exp(x), rtol=1e-6)


def test_the_classic_function():
    x = relay.var("x", shape=(2,))
    made: Any = relay.annotation.on_device(x, Device("npu"), constrain_result=True)
    assert made.op is OnDevice("npu", True, True)
    with pytest.raises(UsageError) as caught:
        relay.annotation.on_device(x, Device("npu", 1))
    assert caught.value.code == "U068"
    wrong: Any = 3
    with pytest.raises(RelayTypeError, match="T007"):
        relay.annotation.on_device(x, wrong)


def test_the_classic_function_annotates_each_field_of_a_tuple():
    x = relay.var("x", shape=(2,))
    made = relay.annotation.on_device(relay.Tuple((x, relay.split(x, 2))), "npu")
    assert str(made).count("on_device") == 3


def where(expr: Any, names: Any) -> Any:
    """Return the device of a value, or of each field; fail if an operator reads several devices."""
    match expr:
        case Constant():
            return None
        case Var():
            return names[expr]
        case Tuple(fields):
            return tuple(where(each, names) for each in fields)
        case TupleGetItem(whole, index):
            return where(whole, names)[index]
        case Let(var, value, body):
            return where(body, {**names, var: where(value, names)})
        case If(condition, then, other):
            sides = [where(each, names) for each in (condition, then, other)]
            assert set(flat(tuple(sides))) <= {"cpu", None}
            return like(expr.type, "cpu")
        case Call(DeviceCopy() as op, (value,)):
            assert where(value, names) == op.src_virtual_device
            return op.dst_virtual_device
        case Call(GlobalVar(), args):
            assert set(flat(tuple(where(each, names) for each in args))) <= {"cpu", None}
            return like(expr.type, "cpu")
        case Call(op, args):
            found = set(flat(tuple(where(each, names) for each in args))) - {None}
            assert len(found) <= 1, f"{op} reads values on {found}"
            return like(expr.type, found.pop() if found else "cpu")
        case _:
            raise AssertionError(expr)


def flat(place):
    return [each for part in place for each in flat(part)] if isinstance(place, tuple) else [place]


def like(ty, place):
    return tuple(like(f, place) for f in ty.fields) if isinstance(ty, TupleType) else place


ON = 'on_device({}, virtual_device="npu")'

BOUND = {
    "a name that is read on a device and returned": (
        f"let %a = exp(%x); ({ON.format('tanh(%a)')}, %a)"
    ),
    "a field of a named tuple": (
        f"let %a = exp(%x); let %t = (%a, %x); {ON.format('tanh(%a)')} + negative(%t.0)"
    ),
    "a named tuple, given to a function": (
        f"let %a = exp(%x); let %t = (%a, %x); ({ON.format('tanh(%a)')}, @g(%t))"
    ),
    "a branch that returns a let": (
        f"let %a = exp(%x); ({ON.format('tanh(%a)')},"
        "if (%b) { let %c = tanh(%x); (%c, %a) } else { (%a, %x) })"
    ),
    "a field of a result": (
        f"let %s = split(%x, indices_or_sections=2); ({ON.format('exp(%s.0)')}, %s.1)"
    ),
    "a parameter with another name": f"let %a = %x; {ON.format('exp(%a)')} + %a",
    "a parameter on two devices": (
        f"let %a = %x; let %q = %a; ({ON.format('exp(%q)')},"
        'on_device(exp(%q), virtual_device="dsp"))'
    ),
    "a named tuple, given to an operator": (
        f"let %a = tanh(%x); let %t = (%a, %a);(concatenate(%t), {ON.format('concatenate(%t)')})"
    ),
    "a parameter that is a tuple": (
        f"let %t = %p; ({ON.format('concatenate(%t)')}, concatenate(%t), %t)"
    ),
    "tuples in tuples": (
        f"let %a = exp(%x); let %t = (%x, (%a, %p)); let %q = %t.1;"
        f"({ON.format('tanh(%a)')}, %t, concatenate(%q.1))"
    ),
}


@pytest.mark.parametrize("name", BOUND)
def test_operators_read_values_on_their_own_device_only(name):
    t = "Tensor[(2), float32]"
    module = infer(
        relay.parse(
            f'#[version = "0.0.5"] def @g(%t: ({t}, {t})) {{ %t.0 }}'
            f" def @main(%x: {t}, %b: bool, %p: ({t}, {t})) {{ {BOUND[name]} }}"
        )
    )
    planned = infer(PlanDevices()(module))
    result = where(planned.main.body, {p: like(p.type, "cpu") for p in planned.main.params})
    assert set(flat(result)) == {"cpu"}
    assert "device_copy" in str(planned)
    x, *p = np.array([[0.5, 1], [1, 2], [3, 4]], np.float32)
    before, after = (evaluate(each, x, np.array(True), tuple(p)) for each in (module, planned))
    assert difference(before, after) == 0
