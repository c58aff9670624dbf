"""A module around one expression, so that a pass can transform the expression."""

from relay.ir.analysis.call_graph import CallGraph
from relay.ir.analysis.implied_data_types import implied_data_types
from relay.ir.equality import structural_equal
from relay.ir.expr import Expr, Function, GlobalVar, Var
from relay.ir.fresh_names import free_name
from relay.ir.module import ENTRY, Module
from relay.ir.walk import free_vars, post_order, substitute
from relay.semantics.analysis import free_type_vars
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError, UsageError
from relay.support.node import node, replace


@node
class ExpressionModule:
    """A typed module that contains an expression.

    1. A function without free variables is the function `name` of the module.
    2. Any other expression is the body of that function. Its free variables, `inputs`, are the
       parameters.

    `code` is the Python code that a message shows for such a module.
    """

    expr: Expr
    inputs: tuple[Var, ...]
    module: Module
    name: str
    code: str

    @property
    def is_function(self) -> bool:
        """Whether the expression is a function of the module (case 1)."""
        return isinstance(self.expr, Function) and not self.inputs

    @property
    def typed(self) -> Expr:
        """Return the expression with its types."""
        function = self.module[self.name]
        return function if self.is_function else function.body

    def result(self, after: Module, title: str) -> Expr:
        """Return the expression in `after`, the result of the pass `title` on the module.

        Free variables are the same objects as before, except those whose types were not known, or
        are changed by the pass.
        Raises `U325` if the expression now needs more than the module had before.
        """
        function = after.functions.get(self.name)
        if function is None:
            begins_elsewhere = f"begins at @{ENTRY}, which the expression calls"
            why = "removes its function" if self.name == ENTRY else begins_elsewhere
            raise self._needs_module(title, why)
        self._check_names(function, after, title)
        if self.is_function:
            return function
        if len(function.params) != len(self.inputs):
            raise self._needs_module(title, "adds parameters to the function that it transforms")
        pairs = zip(function.params, self.inputs, strict=True)
        same: dict[Var, Expr] = {new: old for new, old in pairs if new.ty == old.ty}
        return substitute(function.body, same)

    def _check_names(self, function: Function, after: Module, title: str) -> None:
        """Require that the functions and types that `function` itself refers to are as before.

        Otherwise, raises `U325`. The functions that those call may be other ones in `after`: the
        expression still refers to the functions before the pass.
        """
        known = self.module
        for name in implied_data_types(function):
            if name not in known.types:
                raise self._needs_module(title, f"adds the data type {name}")
            old, new = known.types[name], after.types[name]
            if not structural_equal(Module({}, {name: old}), Module({}, {name: new})):
                raise self._needs_module(title, f"changes the data type {name}")
        for name in _referenced(function):
            if name not in known.functions:
                raise self._needs_module(title, "adds a function, which only a module can hold")
            if not structural_equal(known[name].type, after[name].type):
                raise self._needs_module(title, f"changes the type of the function @{name}")

    def _needs_module(self, title: str, why: str) -> UsageError:
        return UsageError(
            ErrorCode.U325,
            f"{title} cannot transform this expression alone: the pass {why}",
            span=self.expr.span,
            help=f"transform a module, whose result has all functions: {title}(…)({self.code})",
        )


def module_around(expr: Expr, mod: Module | None = None) -> ExpressionModule:
    """Return a module that contains `expr`, and the functions and data types that it uses.

    They are those of `mod`; without it, the expression itself implies its data types. Raises `T021`
    for functions that `mod` does not have, and errors of type inference.
    """
    inputs = tuple(free_vars(expr))
    function = expr
    if not isinstance(function, Function) or inputs:
        function = Function(inputs, expr, type_params=tuple(free_type_vars(expr)))
    given = Module({}) if mod is None else mod
    needed = {name: given[name] for name in _called(function, given)}
    name = ENTRY if needed.get(ENTRY) is expr else free_name(ENTRY, needed)
    types = {**implied_data_types(function), **given.types}
    whole = replace(given, functions={**needed, name: function}, types=types, defaults={})
    return ExpressionModule(expr, inputs, infer(whole), name, _code(expr, mod))


def _code(expr: Expr, mod: Module | None) -> str:
    """Return the Python code of a module with an expression in it."""
    if mod is None:
        return "relay.IRModule.from_expr(expr)"
    if any(each is expr for each in mod.functions.values()):
        return "mod"
    return "relay.IRModule.from_expr(expr, mod.functions, mod.type_definitions)"


def _called(function: Function, module: Module) -> list[str]:
    """Return the global functions that a function refers to, directly or through others.

    Raises `T021` for one that the module does not have.
    """
    name = free_name("expr", module.functions)
    found = CallGraph(module.with_function(name, function)).reachable(name)
    for name, each in _referenced(function).items():
        if name not in module.functions:
            message = f"the expression refers to the function @{name}, which is not part of it"
            help_ = (
                "pass a module that has the function as well, as in FoldConstant()(expr, module)"
            )
            raise RelayTypeError(ErrorCode.T021, message, span=each.span, help=help_)
    return found


def _referenced(function: Function) -> dict[str, GlobalVar]:
    """Return the global functions that a function itself refers to, by name."""
    return {each.name: each for each in post_order(function) if isinstance(each, GlobalVar)}
