"""Lowers kernel calls to instructions, with their size arguments and shape checks."""

from relay.build.code.function_builder import FunctionBuilder
from relay.build.code.program_resources import Resources
from relay.build.code.register_kinds import kinds_of, passed_kinds
from relay.build.code.size_registers import Sizes
from relay.build.inplace_kernels import changes_of
from relay.build.kernel_sizes import dimensions
from relay.build.recognize_view_kernels import is_view
from relay.build.size_constraints import constraints_of
from relay.ir.expr import Call, Function
from relay.ops.tensor.run_time_sizes import WithSizes
from relay.runtime.code import instructions as code
from relay.runtime.code.instructions import Registers
from relay.runtime.code.register_kinds import Kind, Tensor
from relay.runtime.code.size_instructions import View


class KernelLowering:
    """The lowering of the kernel calls in one function."""

    def __init__(self, builder: FunctionBuilder, sizes: Sizes, resources: Resources) -> None:
        self._builder = builder
        self._sizes = sizes
        self._resources = resources

    def run(self, function: Function, args: Registers, call: Call) -> Registers:
        """Emit the instructions of a kernel call; return the registers of its results."""
        with self._sizes.at(call.span):
            match function.body:
                case Call(WithSizes(names)):
                    self._sizes.read(names, args[-1])
                    return args[:1]
                case _:
                    return self._called(function, args, call)

    def _called(self, function: Function, args: Registers, call: Call) -> Registers:
        to = self._builder.fresh(kinds_of(call.type))
        self._sizes.test(constraints_of(function))
        self._sizes.count(function)
        extents = self._sizes.extents(call.type)
        if is_view(function) and self._are_tensors((*args[:1], *to)):
            source = self._with_dynamic_sizes(args, to, call)
            self._builder.emit(self._view(to[0], source, extents))
            return to
        kinds = [kind for param in function.params for kind in kinds_of(param.type)]
        inputs = self._sizes.fitted(args, kinds, call.span)
        dims = dimensions(function)
        sizes = tuple(map(self._sizes.register, dims))
        trap = self._resources.kernel_traps(function)
        changes = changes_of(function)
        if changes is not None and self._are_tensors((*inputs[:1], *to)):
            kernel = self._resources.kernel(changes)
            self._builder.emit(code.Update(kernel, inputs[0], inputs[1:], to[0], sizes, trap))
        else:
            kernel = self._resources.kernel(function, dims)
            self._builder.emit(code.RunKernel(kernel, inputs, to, sizes, extents, trap))
        return to

    def _with_dynamic_sizes(self, args: Registers, to: Registers, call: Call) -> int:
        """Return the argument of a view, converted to dynamic sizes if its static sizes differ."""
        source, view = self._kinds((args[0], to[0]))
        assert isinstance(source, Tensor)
        assert isinstance(view, Tensor)
        if source.carried or view.carried or source.least_elements == view.least_elements:
            return args[0]
        (opened,) = self._sizes.fitted(args[:1], passed_kinds(call.args[0].type), call.span)
        return opened

    def _view(self, to: int, source: int, extents: Registers) -> code.Instruction:
        """Return the instruction that makes `to` a view of `source` with another shape."""
        kinds = self._kinds((to, source))
        is_open = any(isinstance(kind, Tensor) and kind.carried for kind in kinds)
        return View(to, source, extents) if is_open else code.Move(to, source)

    def _are_tensors(self, registers: Registers) -> bool:
        return all(isinstance(kind, Tensor) for kind in self._kinds(registers))

    def _kinds(self, registers: Registers) -> tuple[Kind, ...]:
        return tuple(map(self._builder.kind, registers))
