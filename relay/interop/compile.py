"""`relay.compile`: compile a Relay module, or a model of another framework, to an executable."""

from collections.abc import Mapping, Sequence
from typing import Any

from relay.build.compile import compile_module
from relay.build.compile_kernels import AS_CHOSEN, Schedules
from relay.frontend.in_memory_models import import_live_model
from relay.runtime.executable import Executable
from relay.support.progress_callback import Progress, silent


def compile_model(
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
    """Compile a module, a decorated Python function, or a model of PyTorch, Keras or JAX.

    A PyTorch module is exported with `example_inputs`; an `ExportedProgram`, a Keras model and the
    result of `jax.export` declare their own inputs. The state of an imported model is an optional
    input of each call. The options are those of `relay.build.compile.compile_module`.

    >>> import relay
    >>> y = relay.compile(relay.parse('''#[version = "0.0.5"]
    ... def @main(%x: float32) { %x * 2f }'''))(21.0)
    >>> float(y)
    42.0
    """
    imported = import_live_model(model, shapes, example_inputs)
    return compile_module(
        model if imported is None else imported,
        target=target, threads=threads, fast_math=fast_math, shapes=shapes,
        specialise=specialise, verify=verify, opt_level=opt_level, batch=batch, donate=donate,
        schedules=schedules, compilers=compilers, remarks=remarks, progress=progress,
    )  # fmt: skip
