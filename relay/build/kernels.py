"""The kernels of a program, each by the best schedule that works.

A schedule, or the code generator, may have a defect that one kernel in a thousand meets. That is no
reason to refuse a model: such a kernel is built again by the plainest schedule, and the logger
`relay` warns of it. With `RELAY_STRICT=1` in the environment, as in the tests, it is raised.
"""

import functools
import logging
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from relay.build.dimensions import kernel_key
from relay.build.lower import Formulas, formulas
from relay.ir.expr import Call, Function
from relay.ir.walk import post_order
from relay.kernels.cache import KernelCache
from relay.kernels.compiler import ObjectCode, Options, compile_kernels
from relay.kernels.loops import Kernel
from relay.opdef.definition import OperatorDef
from relay.support.aside import attempt
from relay.support.errors import CompileError, RelayError
from relay.support.progress import Progress, silent
from relay.support.strict import is_strict
from relay.targets.target import Target

_log = logging.getLogger("relay")
_T = TypeVar("_T")
_Build: TypeAlias = Callable[[Sequence[Kernel]], list[ObjectCode]]


def compile_functions(
    functions: Sequence[Function],
    target: Target,
    options: Options,
    cache: KernelCache | None = None,
    progress: Progress = silent,
) -> list[ObjectCode]:
    """Return the code of the kernel of each primitive function.

    Raises `C103` for operators without a kernel, `C107` where even the plainest loops fail.
    """

    def build(kernels: Sequence[Kernel]) -> list[ObjectCode]:
        return compile_kernels(kernels, target.machine, options, cache, progress)

    wanted = [_Wanted(function) for function in functions]
    kernels = [each.scheduled(target, cache) for each in wanted]
    found = attempt(lambda: build(kernels))
    if not isinstance(found, Exception):
        return found
    if is_strict():
        raise found
    _log.warning("kernels are compiled one by one, because together they fail: %s", found)
    # Each alone says which.
    return [each.compiled(kernel, build) for each, kernel in zip(wanted, kernels, strict=True)]


def scheduled_kernel(function: Function, target: Target) -> Kernel:
    """Return the kernel of a primitive function, by plain loops where its schedule fails.

    Raises `C103` for operators without a kernel, `C107` where even the plainest loops fail.
    """
    return _Wanted(function).scheduled(target)


class _Wanted:
    """One function that is to become a kernel."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._name = label(function)

    @functools.cached_property
    def _formulas(self) -> Formulas:
        return self._unless_defect(lambda: formulas(self._function, self._name))

    def scheduled(self, target: Target, cache: KernelCache | None = None) -> Kernel:
        """Return the kernel as the target arranges it, or by plain loops if that fails."""
        if cache is not None:
            key = kernel_key(self._function), target
            return cache.arranged(key, lambda: self.scheduled(target))
        found = attempt(lambda: self._formulas.scheduled(target))
        return self.plain(found) if isinstance(found, Exception) else found

    def plain(self, error: Exception) -> Kernel:
        """Return the kernel by plain loops, because of an error that is logged."""
        if is_strict():
            raise error
        _log.warning("plain loops for %s: %s: %s", self, type(error).__name__, error)
        _log.debug("where the schedule of %s failed", self._name, exc_info=error)
        return self._unless_defect(self._formulas.plain)

    def compiled(self, kernel: Kernel, build: _Build) -> ObjectCode:
        """Return the code of a kernel, or that of plain loops if none can be made."""
        found = attempt(lambda: build([kernel]))
        if isinstance(found, Exception):
            plain = self.plain(found)
            found = self._unless_defect(lambda: build([plain]))
        (code,) = found
        return code

    def _unless_defect(self, work: Callable[[], _T]) -> _T:
        """Return what some work gives; an exception that is no error of ours is a defect."""
        found = attempt(work)
        if isinstance(found, RelayError):
            raise found
        if isinstance(found, Exception):
            raise self._defect(found) from found
        return found

    def _defect(self, error: Exception) -> CompileError:
        return CompileError(
            "C107",
            f"no loops could be written for {self}",
            span=self._function.body.span,
            notes=[f"{type(error).__name__}: {error}"],
            help="this is a defect of Relay: report the line above with the model or its operator",
        )

    def __str__(self) -> str:
        types = ", ".join(repr(param.type) for param in self._function.params)
        return f"{self._name}({types}) -> {self._function.body.type!r}"


def label(function: Function) -> str:
    """Return a name for people: the operators of a fused function, in order."""
    names = [op.name.removeprefix("nn.") for op in _operators(function)]
    shown = names if len(names) <= 6 else [*names[:5], f"{len(names) - 5} more"]
    return "+".join(shown).replace(" ", "_")


def _operators(function: Function) -> list[OperatorDef]:
    calls = (expr for expr in post_order(function.body) if isinstance(expr, Call))
    return [call.op for call in calls if isinstance(call.op, OperatorDef)]
