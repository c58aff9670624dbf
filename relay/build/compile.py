"""The entry point of the compiler: compiles a module to an executable."""

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field

from relay.build.buffer_donation import donations, not_donated
from relay.build.choose_external_compilers import choose_compilers
from relay.build.code.interface_types import distinct, external_types_of, has_data
from relay.build.code.native_program import build_native_code
from relay.build.compile_kernels import AS_CHOSEN, Schedules
from relay.build.compile_multi_device import build_placed
from relay.build.compile_straight_line import build_program
from relay.build.dynamic_size_support import runs_at_any_size
from relay.build.multi_device_steps import refuse_devices, unplaceable
from relay.build.optimised_module import Optimised
from relay.build.pass_report import remarks_on, with_report
from relay.build.pipeline import pipeline, run_pipeline, skippable
from relay.build.portability_checks import check_heap, check_portable
from relay.build.program_signature import signature_of
from relay.build.reproduce_failures import run_verified
from relay.build.restore_result_type import with_promised_result
from relay.build.straight_line_program import StraightLine, is_straight_line, straight_line
from relay.build.unknown_size_errors import refuse_unknown_sizes
from relay.build.unsupported_types import refuse_unsupported_types
from relay.build.verify_passes import Verifier
from relay.ir.analysis.mapped_constants import check_files
from relay.ir.expr import Function
from relay.ir.field_validation import names_in
from relay.ir.module import HasModule, Module, captured_of, defaults_of, module_of, written_of
from relay.ir.types import dim_variables, is_dynamic
from relay.ir.walk import post_order
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import Options
from relay.runtime.adt_executable import DataExecutable
from relay.runtime.compilation_report import Report
from relay.runtime.cross_executable import CrossExecutable
from relay.runtime.executable import Executable
from relay.runtime.kernel_flops_and_bytes import inlined_notes
from relay.runtime.many_inputs_executable import ManyExecutable
from relay.runtime.multi_device_executable import PlacedExecutable
from relay.runtime.multi_device_program import PlacedProgram
from relay.runtime.native_executable import NativeExecutable
from relay.runtime.program import Program
from relay.runtime.specializing_executable import Specialising
from relay.runtime.thread_pool import pool
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayTypeError, as_run_error
from relay.support.garbage_collector import paused_collector
from relay.support.node import node, replace
from relay.support.posix import return_free_memory
from relay.support.progress_callback import Progress, silent
from relay.targets.registry import target_for
from relay.targets.target import HostTarget
from relay.transform.batching.entry_for_many_inputs import OverMany, is_number, varies
from relay.transform.devices.outline_devices import device_functions
from relay.transform.lower_complex import INPUTS, LowerComplex
from relay.transform.module_properties import Property
from relay.transform.pass_context import PassContext
from relay.transform.pass_contract import NONE, Contract, check_input
from relay.transform.pipeline import Pass
from relay.transform.remarks import Remark, recorded, recorder, sentences
from relay.transform.run_passes import run_passes
from relay.transform.shapes_of_inputs import with_shapes
from relay.transform.to_a_normal_form import ToANormalForm


def compile_module(
    model: HasModule,
    *,
    target: str | None = None,
    threads: int | None = None,
    fast_math: bool = False,
    shapes: Mapping[str, Sequence[int]] | None = None,
    specialise: bool = False,
    verify: bool = False,
    opt_level: int | None = None,
    batch: bool = False,
    donate: Mapping[str, int] | None = None,
    schedules: Schedules = AS_CHOSEN,
    compilers: Sequence[str] = (),
    remarks: bool = False,
    progress: Progress = silent,
) -> Executable:
    """Compile the `main` of a module, or a decorated Python function.

    A module without types is inferred first. The options are those of `relay.compile`, which
    explains them.
    """
    module = module_of(model)
    pool().threads(threads)  # raises an error before the compilation
    machine = target_for(target)
    check_files(module)
    module = infer(module)
    refuse_unsupported_types(module)
    options = Options(fast_math=fast_math, bitcode=target is not None)
    cache = KernelCache()
    check = Verifier(values=True) if verify else None
    context = PassContext.current() if opt_level is None else PassContext(opt_level)
    if shapes:
        module = with_shapes(module, shapes)
    module = LowerComplex()(module)

    donated = donations(module.main, {} if donate is None else donate)
    if donate and (target is not None or batch or specialise or has_data(module.main)):
        raise not_donated(
            "donate cannot be combined with batch, specialise or target, nor with data types "
            "in main"
        )
    work = _Compilation(
        machine, options, cache, progress, check, context, batch, schedules, donated,
        remarks=remarks_on(captured_of(model)),
    )  # fmt: skip
    named = (compilers,) if isinstance(compilers, str) else compilers or ()
    chosen = names_in("compilers", named, 'write compilers=["onnxruntime"]')
    if chosen:
        if target is not None:
            raise _measured_here()
        module, notes = choose_compilers(module, chosen, work.alone, threads)
        work = replace(work, notes=notes)
    with recorded() if remarks else nullcontext():
        made = _executable(
            work, module, threads, portable=target is not None, specialise=specialise
        )
    return made.with_defaults(defaults_of(model)).with_written(written_of(model))


def _executable(
    work: "_Compilation", module: Module, threads: int | None, *, portable: bool, specialise: bool
) -> Executable:
    """Compile a typed module to an executable of the class that its inputs and sizes need."""

    def compiled(module: Module) -> Program:
        return work.built(module, work.optimised(module))

    def compiled_for(concrete: Sequence[Sequence[int]]) -> Program:
        names = [param.name for param in module.main.params]
        shapes = dict(zip(names, concrete, strict=True))
        try:
            return compiled(with_shapes(module, shapes))
        except RelayTypeError as error:
            raise as_run_error(error) from None  # the sizes come from a call

    if portable:
        check_portable(module.main)
        return CrossExecutable(compiled(module), threads=threads)
    if work.batch and any(map(varies, module.main.params)):
        if INPUTS in module.main.attrs:
            raise _complex_batch(module.main)
        external_types_of(module)  # a type that cannot be external alone cannot be in a list
        many = OverMany()(module)
        names = distinct([param.name for param in module.main.params])
        pairs = zip(names, module.main.params, strict=True)
        own = [name for name, param in pairs if varies(param)]
        external, numbers = external_types_of(many), is_number(module.main)
        return ManyExecutable(
            compiled(many), external, names, own, numbers=numbers, threads=threads
        )
    if has_data(module.main):
        return linked_executable(module, compiled(module), threads)
    is_open = any(dim_variables(param.type) for param in module.main.params)
    if is_open and specialise:
        return Specialising(signature_of(module.main), compiled_for, threads=threads)
    done = work.optimised(module)
    if device_functions(done.module):
        return PlacedExecutable(work.placed(module, done), threads=threads)
    if is_open and not runs_at_any_size(done.module):
        return Specialising(signature_of(module.main), compiled_for, threads=threads)
    return NativeExecutable(work.built(module, done), threads=threads)


def linked_executable(module: Module, program: Program, threads: int | None) -> NativeExecutable:
    """Return the executable of a module's program, of the class that the types of `main` need."""
    if has_data(module.main):
        return DataExecutable(program, external_types_of(module), threads=threads)
    return NativeExecutable(program, threads=threads)


def compile_static(
    module: Module,
    target: HostTarget,
    options: Options,
    cache: KernelCache | None,
    progress: Progress = silent,
    check: Verifier | None = None,
    context: PassContext | None = None,
    batch: bool = False,
    passes: Sequence[Pass] | None = None,
) -> Program:
    """Return a typed module optimised and compiled to a program that carries a report.

    `passes` replaces the passes of the context. Raises `C042` if they do not make kernels.
    """
    work = _Compilation(target, options, cache, progress, check, context, batch, passes=passes)
    refuse_unsupported_types(module)
    module = LowerComplex()(module)
    return work.built(module, work.optimised(module))


_GENERATION = Contract(
    "code generation", frozenset({Property.MONOMORPHIC, Property.FUSED}), NONE, NONE
)
"""The properties that code generation requires of an optimised module."""


@node
class _Compilation:
    """The settings of one compilation: target, passes, requests and progress callback."""

    target: HostTarget
    options: Options
    cache: KernelCache | None
    progress: Progress
    check: Verifier | None
    context: PassContext | None
    batch: bool
    schedules: Schedules = field(default_factory=lambda: AS_CHOSEN)
    donated: Mapping[int, int] = field(default_factory=dict[int, int])
    notes: tuple[str, ...] = ()
    passes: Sequence[Pass] | None = None
    remarks: tuple[Remark, ...] = ()

    def alone(self, module: Module) -> Program:
        """Return the program of a module that is only measured, without donations."""
        context = self.context
        return compile_static(module, self.target, self.options, self.cache, context=context)

    def optimised(self, module: Module) -> Optimised:
        """Return the module as fused kernels, and the report of each pass."""
        if self.passes is not None:
            optimised, records = run_passes(module, self.passes, progress=self.progress)
            check_input(_GENERATION, NONE, optimised)
            return Optimised(module, optimised, records)
        target, context, batch = self.target, self.context, self.batch
        if self.check is None:
            done = run_pipeline(module, target, context, batch=batch, progress=self.progress)
            return Optimised(module, *done)
        done = run_verified(
            module,
            pipeline(target, context, batch=batch),
            check=self.check,
            progress=self.progress,
            may_skip=skippable(target, batch=batch),
        )
        return Optimised(module, *done)

    def placed(self, module: Module, done: Optimised) -> PlacedProgram:
        """Return the compiled program of an optimised module with parts on devices."""
        optimised = done.module
        if not all_sizes_known(optimised.main):
            raise unplaceable("it has dynamic sizes")
        start = time.perf_counter()
        given = (self.target, self.options, self.cache, self.progress, self.schedules)
        program = build_placed(with_promised_result(optimised, module), *given)
        report = self._report(done, time.perf_counter() - start)
        return replace(program, native=with_report(program.native, report))

    def built(self, module: Module, done: Optimised) -> Program:
        """Return the compiled program of an optimised module, with its report."""
        refuse_devices(done.module, "with these options, the program is compiled for the CPU alone")
        level = (self.context or PassContext.current()).opt_level
        return_free_memory()  # of constants that passes have replaced
        with paused_collector():
            start = time.perf_counter()
            program = self._built(module, done, level)
            seconds = time.perf_counter() - start
            notes = (*done.notes, *inlined_notes(program), *self.notes)
            return with_report(program, self._report(done, seconds, notes))

    def _report(self, done: Optimised, seconds: float, notes: tuple[str, ...] = ()) -> Report:
        remarks = sentences((*self.remarks, *(recorder() or ())))
        return Report(done.passes, seconds, notes, remarks=remarks)

    def _built(self, module: Module, done: Optimised, level: int) -> Program:
        """Compile an optimised module, as a graph or with control flow."""
        given = (self.target, self.options, self.cache, self.progress)
        line = _graph(module, done)
        if line is not None:
            return build_program(line, *given, self.schedules, self.donated)
        check_heap(self.target.machine)
        normal = ToANormalForm()(with_promised_result(done.take(), module))
        program = build_native_code(normal, *given, level, self.schedules)
        return replace(program, in_place=tuple(self.donated.items()))


def _graph(module: Module, done: Optimised) -> StraightLine | None:
    """Take the optimised `module` as a program without control flow; None if it has some.

    Nothing but the result then refers to the constants, which are freed as they are packed.
    """
    optimised = with_promised_result(done.module, module)
    refuse_unknown_sizes(optimised)
    main = optimised.main
    if not (all_sizes_known(main) and is_straight_line(main)) or has_data(main):
        return None
    done.take()
    return straight_line(main)


def _complex_batch(main: Function) -> CompileError:
    return CompileError(
        ErrorCode.C102,
        "a program that is compiled with batch=True cannot take or return complex numbers",
        span=main.span,
        help="pass the real and the imaginary part as two tensors, or omit batch",
    )


def _measured_here() -> CompileError:
    return CompileError(
        ErrorCode.C166,
        (
            "compilers and target cannot be combined: whether to use a compiler is measured on "
            "this machine"
        ),
        help="omit target, or omit compilers",
    )


def all_sizes_known(main: Function) -> bool:
    """Whether all sizes are static: at the entry, between kernels and inside kernels."""
    return not any(is_dynamic(expr.ty) for expr in post_order(main) if expr.ty is not None)
