"""Listings of kernels for humans: their schedule, loops and assembly."""

from relay.build.code.inline_kernels import tiny_kernel
from relay.build.code.lowered_module import lower_program
from relay.build.compile import all_sizes_known
from relay.build.compile_kernels import AS_CHOSEN, Schedules, no_kernel, scheduled_functions
from relay.build.compile_straight_line import distinct_kernels
from relay.build.multi_device_steps import refuse_devices
from relay.build.pipeline import run_pipeline
from relay.build.straight_line_program import is_straight_line, straight_line
from relay.ir.expr import Function
from relay.ir.module import HasModule, Module, module_of
from relay.kernels.kernel_compiler import Options
from relay.kernels.llvm.buffer_placement import plan
from relay.kernels.llvm.code_size import amount_of_code, level_of_passes
from relay.kernels.llvm.codegen import assembly
from relay.kernels.llvm.emit_kernel_module import emit_kernel
from relay.kernels.llvm.loop_metadata import has_plain_loop
from relay.kernels.passes.printer import text
from relay.runtime.kernel_schedules import described
from relay.semantics.infer import infer
from relay.support.node import node
from relay.targets.registry import target_for
from relay.targets.target import HostTarget
from relay.transform.batching.entry_for_many_inputs import OverMany, varies
from relay.transform.compilers.region_attributes import external_name
from relay.transform.pass_context import PassContext
from relay.transform.to_a_normal_form import ToANormalForm


@node
class Listing:
    """A kernel as text: its name, schedule, loops and assembly."""

    name: str
    schedule: str
    loops: str
    assembly: str

    def __str__(self) -> str:
        return f"{self.name}: {self.schedule}\n\n{self.loops}\n{self.assembly}"


def listings(
    model: HasModule,
    name: str,
    *,
    target: str | None = None,
    fast_math: bool = False,
    opt_level: int | None = None,
    batch: bool = False,
    schedules: Schedules = AS_CHOSEN,
) -> list[Listing]:
    """Return listings of the kernels with a name, which may omit the number after `#`.

    Options are those of `relay.compile`. Raises `C170` for an unknown kernel, `C174` for a program
    with parts on devices.
    """
    host = target_for(target)
    context = PassContext.current() if opt_level is None else PassContext(opt_level)
    module = infer(module_of(model))
    if batch and any(map(varies, module.main.params)):
        module = OverMany()(module)
    module, _ = run_pipeline(module, host, context, batch=batch)
    refuse_devices(module, "listings exist for kernels of the CPU only")
    functions = [f for f in kernel_functions(module, host) if external_name(f) is None]
    found = scheduled_functions(functions, host, schedules=schedules)
    wanted = [each for each in found if name in (each.name, each.name.split("#")[0])]
    if not wanted:
        raise no_kernel(name, [each.name for each in found])
    options, listed = Options(fast_math=fast_math), list[Listing]()
    for each in wanted:
        code = emit_kernel(each.kernel, "kernel", plan(each.kernel), host.machine, options)
        plain = has_plain_loop(each.kernel.body)
        passes = level_of_passes(amount_of_code(each.kernel), options.level, vectorise=plain)
        made = assembly(code, *host.machine.llvm, options.level, plain, passes)
        listed.append(Listing(each.name, described(each.schedule), text(each.kernel), made))
    return listed


def kernel_functions(module: Module, host: HostTarget) -> list[Function]:
    """Return the primitive functions of an optimised module, in the order of kernel names."""
    main = module.main
    if all_sizes_known(main) and is_straight_line(main):
        return distinct_kernels(straight_line(main).steps)[0]
    functions = lower_program(ToANormalForm()(module)).kernels
    return [each for each in functions if tiny_kernel(each, host) is None]
