"""TVM's interface for passes that users define: `function_pass`, `module_pass`, `Sequential`."""

from collections.abc import Callable, Sequence
from inspect import isclass
from typing import Any, ClassVar

from relay.ir.expr import Function
from relay.ir.field_validation import require_items
from relay.ir.module import Module, module_of
from relay.semantics.infer import infer
from relay.support.late_binding import module_above
from relay.support.node import replace, value
from relay.transform.instruments import ACTIVE
from relay.transform.pass_context import PassContext
from relay.transform.pass_contract import ALL, NONE, TYPED, Contract, Properties, in_order
from relay.transform.pipeline import Pass, is_optimizable, kebab, wrong_result
from relay.transform.run_passes import run_passes

DEFINED: set[str] = set()
"""The command-line names of the passes that users have defined in this process.

A `PassContext` may name them, wherever they run.
"""


@value
class ClassicPass(Pass):
    """The base of user-defined passes, which have a name and a level (`info`).

    Called directly, such a pass runs, without those that it requires; in a `Sequential` it runs
    after these, if the `PassContext` allows it. It infers types itself.
    """

    requires: ClassVar[Properties] = NONE
    ensures: ClassVar[Properties] = TYPED
    is_optional: ClassVar[bool] = True
    shows_parts: ClassVar[bool] = False

    name: str
    opt_level: int

    @property
    def info(self) -> "ClassicPass":
        """Return the object with the pass's name, level and `required`: the pass itself."""
        return self

    def text(self) -> str:
        """Return the pass as `relay opt -p` takes it, without its options."""
        return self.name

    @property
    def required(self) -> tuple[str, ...]:
        """Return the names of the passes that run before this one in a `Sequential`."""
        return ()

    @property
    def traceable(self) -> bool:
        """Return false: no pass is recorded by traces, which only TVM's `PassContext` has."""
        return False


@value
class Sequential(ClassicPass):
    """Run passes one after another, restricted to those that the current `PassContext` allows.

    The passes that each of them requires run before it, at any level. Those that the sequence
    itself requires run where it is part of another one.

    >>> from relay.transform import FoldConstant, FuseOps
    >>> Sequential([FoldConstant(), FuseOps()]).info.name
    'sequential'
    """

    shows_parts: ClassVar[bool] = True

    passes: tuple[Pass, ...]
    before: tuple[str, ...]

    def __init__(
        self,
        passes: Sequence[Pass] = (),
        opt_level: int = 0,
        name: str = "sequential",
        required: Sequence[str] | None = None,
    ) -> None:
        object.__setattr__(self, "passes", require_items(Pass, "the passes of a sequence", passes))
        object.__setattr__(self, "before", tuple(required or ()))
        object.__setattr__(self, "opt_level", opt_level)
        object.__setattr__(self, "name", name)
        _required(self.before)  # so that an unknown name is an error here
        DEFINED.add(kebab(name))

    def __reduce__(self) -> tuple[Any, ...]:
        return Sequential, (self.passes, self.opt_level, self.name, self.before)

    @property
    def required(self) -> tuple[str, ...]:
        """Return the names of the passes that run before the sequence in another one."""
        return self.before

    def contract(self) -> Contract:
        """Return the contract of the passes that run; instruments may skip some of them."""
        running = [each for wanted in self._wanted() for each in (*_needed(wanted), wanted)]
        whole = in_order(self.name, (each.contract() for each in running))
        return replace(whole, ensures=NONE) if ACTIVE.get() else whole

    def transform(self, module: Module) -> Module:
        """Run the passes that the context allows in order, each after those that it requires.

        Instruments cannot skip required passes.
        """
        waiting = list[Pass]()
        for each in self._wanted():
            needed = _needed(each)
            if needed:
                module = run_passes(module, waiting)[0]
                module = run_passes(module, needed, may_skip=lambda _: False)[0]
                waiting = []
            waiting.append(each)
        return run_passes(module, waiting)[0]

    def _wanted(self) -> list[Pass]:
        context = PassContext.current()
        return [
            each
            for each in self.passes
            if not isinstance(each, ClassicPass) or context.wants(each.name, each.opt_level)
        ]


def _required(names: Sequence[str]) -> list[Pass]:
    """Return the passes that a pass requires, by name; raises `U320` for an unknown name."""
    passes_of = module_above("relay.transform.parse_passes").passes_of
    return passes_of(",".join(names)) if names else []


def _needed(each: Pass) -> list[Pass]:
    """Return the passes that a pass of a sequence requires."""
    return _required(each.required) if isinstance(each, ClassicPass) else []


@value
class CustomPass(ClassicPass):
    """A pass created by `module_pass` from a Python function `(module, context)`."""

    run: Callable[..., Any]
    before: tuple[str, ...] = ()
    breaks: ClassVar[Properties] = ALL - TYPED
    shows_parts: ClassVar[bool] = True

    @property
    def required(self) -> tuple[str, ...]:
        """Return the names of the passes that run before the function in a `Sequential`."""
        return self.before

    def transform(self, module: Module) -> Module:
        """Return the result of the function on the module, with types inferred."""
        found: object = self.run(_mutable(module), PassContext.current())
        if not isinstance(getattr(found, "module", None), Module):
            raise wrong_result(self, "a module", found)
        return infer(module_of(found))


@value
class CustomFunctionPass(CustomPass):
    """A pass created by `function_pass` from a Python function `(function, module, context)`."""

    def transform(self, module: Module) -> Module:
        """Return the module with the function applied to all functions that may be optimised."""
        context = PassContext.current()
        typed = infer(module)
        functions = {
            name: self._checked(self.run(function, _mutable(typed), context))
            if is_optimizable(function)
            else function
            for name, function in typed.functions.items()
        }
        return infer(typed.with_functions(functions))

    def _checked(self, function: object) -> Function:
        if not isinstance(function, Function):
            raise wrong_result(self, "a function", function)
        return function


def _mutable(module: Module) -> Any:
    """Return a copy of the module that the user's function may change, an `IRModule`."""
    return module_above("relay.classic.ir_module").IRModule(module)


def module_pass(
    pass_func: Callable[..., Any] | None = None,
    opt_level: int = 0,
    name: str | None = None,
    required: Sequence[str] | None = None,
) -> Any:
    """Return a pass made from a class or a Python function `(module, context)`.

    The function gets an `IRModule` and returns a module of either kind. A class has the method
    `transform_module`; its instances are passes. In a `Sequential`, the passes in `required` run
    before it. Used as a decorator.
    """
    return _decorator(CustomPass, "transform_module", pass_func, opt_level, name, required)


def function_pass(
    pass_func: Callable[..., Any] | None = None,
    opt_level: int = 0,
    name: str | None = None,
    required: Sequence[str] | None = None,
) -> Any:
    """Return a pass made from a class or a Python function `(function, module, context)`.

    A class has the method `transform_function`; its instances are passes. In a `Sequential`, the
    passes in `required` run before it. Used as a decorator. The module is an `IRModule`. Types are
    inferred before the pass and after it.
    """
    method = "transform_function"
    return _decorator(CustomFunctionPass, method, pass_func, opt_level, name, required)


def _decorator(
    cls: type[CustomPass],
    method: str,
    given: Callable[..., Any] | None,
    opt_level: int,
    name: str | None,
    required: Sequence[str] | None,
) -> Any:
    def declare(run: Callable[..., Any]) -> Any:
        known_as = name or run.__name__
        DEFINED.add(kebab(known_as))

        def made(transform: Callable[..., Any]) -> ClassicPass:
            before = tuple(required or ())
            _required(before)  # so that an unknown name is an error here
            return cls(known_as, opt_level, transform, before)

        if not isclass(run):
            return made(run)

        def create(*args: Any, **named: Any) -> ClassicPass:
            return made(getattr(run(*args, **named), method))

        create.__name__, create.__doc__ = run.__name__, run.__doc__
        return create

    return declare if given is None else declare(given)
