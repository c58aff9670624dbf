"""TVM's `create_executor`: executes modules by evaluation, interpretation or native code.

>>> import numpy as np
>>> from relay.frontend.text import parse
>>> module = parse('#[version = "0.0.5"]' + "def @main(%n: int32) { add(%n, 1) }")
>>> [int(create_executor(kind, module).evaluate()(np.int32(4))) for kind in KINDS]
[5, 5, 5, 5]
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from relay.build.compile_for_machine import compile_graph, compile_native
from relay.build.flatten_results import in_nest, is_nested
from relay.build.tvm_target import Targets, one_target
from relay.build.vm import compile as compile_for_vm
from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Var
from relay.ir.fresh_names import free_name
from relay.ir.module import HasModule, Module, module_of
from relay.ir.types import UNIT, TensorType, TupleType, Type
from relay.ir.walk import post_order, rewrite, substitute
from relay.runtime.cast_inputs import cast_width
from relay.runtime.code.interface_types import Data
from relay.runtime.device import CPU, Device
from relay.runtime.dlpack import array_of
from relay.runtime.input_order import in_order
from relay.runtime.ndarray import as_classic
from relay.semantics import evaluator_values
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.misspelt_options import suggests_options
from relay.transform.bind_parameters import bind_parameters

Run: TypeAlias = Callable[..., Any]
"""A function of a program as a Python callable: arguments by position or by name."""


class Executor(ABC):
    """The base of executors, which run the functions and expressions of a module."""

    def __init__(self, module: Module, target: str) -> None:
        self.module = module
        self.target = target

    def evaluate(self, expr: Expr | None = None, binds: Mapping[Var, Any] | None = None) -> Any:
        """Return a callable for a function, and a value for any other expression.

        The default expression is `main`. `binds` maps free variables to expressions or arrays.
        Arguments are passed by position or by name; results are arrays, tuples, and
        `relay.runtime.Data` for values of data types.
        """
        found = self.module.main if expr is None else self._resolved(expr)
        if binds:
            found = substitute(found, {var: _as_expr(given) for var, given in binds.items()})
        if isinstance(found, Function):
            module = infer(_with_main(self.module, found))
            return _classic(self.prepare(module), module.main.params)
        module = _with_main(self.module, Function((), found))
        return _classic(self.prepare(infer(module, otherwise=UNIT)))()

    def _resolved(self, expr: Expr) -> Expr:
        """Return the expression; a global function becomes a function literal that calls it."""
        if not isinstance(expr, GlobalVar):
            return expr
        if expr.name == "main":
            return self.module.main
        callee = infer(self.module)[expr.name]
        params = tuple(Var(param.name, param.type) for param in callee.params)
        return Function(params, Call(expr, params), type_params=callee.type_params)

    @abstractmethod
    def prepare(self, module: Module) -> Run:
        """Return a callable that executes the `main` of a typed module."""


class DebugExecutor(Executor):
    """The executor `debug`: the reference evaluator, which runs each operator in NumPy."""

    def prepare(self, module: Module) -> Run:
        """Return a callable that evaluates `main` by the reference evaluator."""
        names = [param.name for param in module.main.params]
        help_ = f"pass these inputs: {', '.join(names) or 'none'}"

        def run(*args: Any, **named: Any) -> Any:
            return outside(evaluate(module, *in_order(names, args, named, help_)))

        return run


class GraphExecutor(Executor):
    """The executor `graph`, for programs without control flow: a list of kernel calls."""

    def prepare(self, module: Module) -> Run:
        """Compile `main` to a graph. Raise `U064` for a program with control flow."""
        run, result = compile_graph(module, self.target), module.main.body.type
        if not is_nested(result):
            return run
        return lambda *args, **named: in_nest(run(*args, **named), result)


class VirtualMachineExecutor(Executor):
    """The executor `vm`: an interpreter of program code with native kernels."""

    def prepare(self, module: Module) -> Run:
        """Compile `main` for the virtual machine."""
        return compile_for_vm(module, self.target)


class AotExecutor(Executor):
    """The executor `aot`, which compiles the whole program to one native function."""

    def prepare(self, module: Module) -> Run:
        """Compile `main` to native code."""
        return compile_native(module, self.target)


KINDS: Mapping[str, type[Executor]] = {
    "debug": DebugExecutor,
    "graph": GraphExecutor,
    "vm": VirtualMachineExecutor,
    "aot": AotExecutor,
}
"""The kinds of executors, by name."""


@suggests_options
def create_executor(
    kind: str = "debug",
    mod: HasModule | None = None,
    device: Device = CPU,
    target: Targets = "llvm",
    params: Mapping[str, object] | None = None,
) -> Executor:
    """Return an executor of a module; `params` by name become constants of `main`.

    `kind` is `debug`, `graph`, `vm` or `aot`; raises `U063` for any other.
    """
    del device  # there is only one kind of device
    if not isinstance(kind, str) or kind not in KINDS:  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
        raise UsageError(
            ErrorCode.U063,
            f"there is no executor named '{kind}'",
            help=f"choose one of {', '.join(KINDS)}",
        )
    module = Module({}) if mod is None else module_of(mod)
    if params:
        module = bind_parameters(infer(module), params)
    return KINDS[kind](module, one_target(target))


def _classic(run: Run, params: Sequence[Var] = ()) -> Run:
    """Return a callable that converts arguments and results as TVM does.

    Inputs of another width are converted, and results are arrays that have a `numpy()` method.
    """
    types = {param.name: param.type for param in params}

    def call(*args: Any, **named: Any) -> Any:
        given = (
            *(_cast(each, p.ty) for each, p in zip(args, params, strict=False)),
            *args[len(params) :],
        )
        converted = {name: _cast(each, types.get(name)) for name, each in named.items()}
        return as_classic(run(*given, **converted))

    return call


def _cast(given: Any, ty: Type | None) -> Any:
    """Return an argument with its tensors in the declared widths; recursion follows the type."""
    match ty:
        case TensorType(_, dtype):
            return cast_width(given, dtype)
        case TupleType(fields) if isinstance(given, tuple):
            items = cast("tuple[Any, ...]", given)
            return tuple(map(_cast, items, fields)) if len(items) == len(fields) else items
        case _:
            return given


def _as_expr(given: Any) -> Expr:
    return given if isinstance(given, Expr) else Constant(array_of(given))


def _with_main(module: Module, function: Function) -> Module:
    """Return the module with `function` as `main`; the old `main` is renamed if it is called."""
    if "main" not in module.functions or function is module.functions["main"]:
        return module.with_function("main", function)
    name = free_name("main", module.functions)

    def rule(expr: Expr) -> Expr:
        is_main = isinstance(expr, GlobalVar) and expr.name == "main"
        return GlobalVar(name, span=expr.span, ty=expr.ty) if is_main else expr

    functions = {key: cast("Function", rewrite(f, rule)) for key, f in module.functions.items()}
    main = cast("Function", rewrite(function, rule))
    if not any(isinstance(e, GlobalVar) and e.name == name for e in post_order(main)):
        return module.with_function("main", function)
    return module.with_functions({**functions, name: functions["main"], "main": main})


def outside(found: evaluator_values.Value) -> Any:
    """Return a value of the evaluator as compiled programs return it, at any nesting depth."""
    done: dict[int, Any] = {}
    pending: list[evaluator_values.Value] = [found]
    while pending:
        each = pending[-1]
        missing = [part for part in _parts(each) if id(part) not in done]
        if missing:
            pending.extend(missing)
            continue
        done[id(each)] = _put_together(each, [done[id(part)] for part in _parts(each)])
        pending.pop()
    return done[id(found)]


def _parts(found: evaluator_values.Value) -> tuple[evaluator_values.Value, ...]:
    match found:
        case evaluator_values.Data(_, fields):
            return fields
        case tuple():
            return found
        case _:
            return ()


def _put_together(found: evaluator_values.Value, parts: list[Any]) -> Any:
    match found:
        case evaluator_values.Data(constructor, _):
            return Data(constructor.name, tuple(parts))
        case tuple():
            return tuple(parts)
        case _:
            return found
