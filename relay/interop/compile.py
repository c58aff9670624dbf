"""`relay.compile`: compile a Relay module, or a model of another framework, to an executable."""

from collections.abc import Mapping, Sequence
from typing import Any

from relay.build.compile import compile_module
from relay.build.compile_kernels import AS_CHOSEN, Schedules
from relay.frontend.in_memory_models import import_live_model
from relay.runtime.executable import Executable
from relay.support.misspelt_options import suggests_options
from relay.support.progress_callback import Progress, silent
from relay.transform.shapes_of_inputs import check_shapes


@suggests_options
def compile(  # noqa: A001 - the public name, in error messages and help()
    model: Any,
    example_inputs: Sequence[Any] | None = None,
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
    """Compile a module, a decorated Python function, or a model of PyTorch, Keras, JAX or ONNX.

    A PyTorch module and a function of `jax.jit` are exported with `example_inputs`, a tuple; an
    `ExportedProgram`, a Keras model and the result of `jax.export` declare their own inputs. The
    state of an imported model is an optional input of each call.

    The program is for this process, or for the machine that `target` names
    (`relay.kernels.machine_names`), to be saved or exported as a library. `threads` bounds the
    threads of a call (by default one for each CPU; one if a target is named). `fast_math` allows
    sums to be reordered; without it, too, convolutions may spread a NaN or an infinity to
    neighbouring results (the pass `UseWinograd`, which a `PassContext` can disable).

    A model with symbolic dimensions is compiled once and runs at any size; `shapes` (by input name)
    fixes sizes now instead, and `specialise` compiles the model for each combination of sizes when
    it is first called with them: this takes long, and then saves a little of each call. A model
    with an operator whose loops depend on a dynamic size is always compiled that way.

    `verify` evaluates the program before and after every pass and names the first pass that changes
    a value (`C041`); a small program that shows this is written to a file, which the error names.

    `batch` defers calls over the parts of trees and lists, so that independent ones run together;
    it is for programs whose control flow depends on the structure of their data. The executable
    then has a method `each`, which takes many inputs.

    `donate` maps names of inputs that the caller gives up to numbers of results of the same type,
    which take over their memory: a training step then updates its state in place. The caller must
    not use such an array after a call. Raises `C121` if a donation is impossible.

    `schedules` replaces fields of the chosen schedules of kernels, by the names that `explain`
    shows: `{"dense+relu": {"wide": 7}}` (`C170` if a schedule is impossible).

    `compilers` are names of external compilers that installed packages provide. Each part of the
    program that one of them supports is compiled and measured on this machine, and the faster code
    is used; parts of dynamic sizes stay with Relay.

    `explain` names matrices from outside that a Python function reads at each call because they are
    not frozen; with `remarks`, it also says why operators are not fused, calls are not inlined, and
    which layouts operators compute in.

    `opt_level` is 3 unless a `PassContext` around the call sets it; 0 runs only the passes that are
    needed. `progress` is called with the progress of the compilation.

    >>> import relay
    >>> y = relay.compile(relay.parse('''#[version = "0.0.5"]
    ... def @main(%x: float32) { %x * 2f }'''))(21.0)
    >>> float(y)
    42.0
    """
    check_shapes(shapes)
    imported = import_live_model(model, shapes, example_inputs)
    return compile_module(
        model if imported is None else imported,
        target=target, threads=threads, fast_math=fast_math, shapes=shapes,
        specialise=specialise, verify=verify, opt_level=opt_level, batch=batch, donate=donate,
        schedules=schedules, compilers=compilers, remarks=remarks, progress=progress,
    )  # fmt: skip
