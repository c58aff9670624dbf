"""Functions that are inlined, unless that makes a module too long."""

import pytest

from relay.kernels.llvm.codegen import object_code
from relay.kernels.llvm.llvm_writer import FunctionWriter, ModuleWriter, Operand


@pytest.mark.parametrize(("calls", "attribute"), [(9, "alwaysinline"), (40, "noinline")])
def test_a_long_function_with_many_calls_is_not_inlined(calls, attribute):
    module = ModuleWriter("x86_64-linux-gnu", "nounwind")

    def build(group):
        inner = FunctionWriter(module, "long", f"define internal float @long(float %x) {group}")
        for _ in range(100):
            inner.op("float", "fadd float %x, %x")
        inner.do("ret float %x")
        return inner.finish()

    outer = FunctionWriter(module, "main", "define float @main(float %x)")
    last = Operand("float", "%x")
    for _ in range(calls):
        module.call_inlined("long", build)
        last = outer.invoke("float", "long", [last])
    outer.do(f"ret {last}")
    module.add(outer.finish())
    assert str(module).count("define internal float @long") == 1
    assert f"attributes #1 = {{ {attribute} }}" in str(module)
    assert object_code(str(module), "x86_64-linux-gnu", "x86-64", "", 2, vectorise=False)
