"""Arrays from outside that functions read and others may modify: inputs of the program.

During the trace, such an array is a free variable. After all functions are traced, each function
that reads one, directly or through calls, takes it as an additional last parameter.
"""

from collections.abc import Collection, Mapping, Sequence

from relay.ir.expr import Array, Call, Expr, Function, GlobalVar, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import FuncType, TensorType
from relay.ir.walk import free_vars, post_order, rewrite
from relay.support.dtype import dtype
from relay.support.node import replace


class CapturedArrays:
    """The captured arrays that are inputs, in the order in which they are first read."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Array, Var]] = {}

    def __contains__(self, array: object) -> bool:
        return id(array) in self._found

    def __bool__(self) -> bool:
        return bool(self._found)

    def variable(self, array: Array, name: str) -> Var:
        """Return the variable of a captured array."""
        if id(array) not in self._found:
            taken = {var.name for _, var in self._found.values()}
            free = name if name not in taken else f"{name}_{len(taken)}"
            var = Var(free, TensorType(array.shape, dtype(array.dtype)))
            self._found[id(array)] = array, var
        return self._found[id(array)][1]

    def as_inputs(
        self, functions: Mapping[str, Function], entry: str
    ) -> tuple[dict[str, Function], dict[str, Array]]:
        """Add parameters for captured arrays to functions.

        Also return those of `entry`, by name.
        """
        arrays = {var: array for array, var in self._found.values()}
        made, captured = with_captures(functions, entry, self.variables)
        params = made[entry].params[len(functions[entry].params) :]
        return made, {param.name: arrays[var] for param, var in zip(params, captured, strict=True)}

    @property
    def variables(self) -> list[Var]:
        """Return the variables of all captured arrays."""
        return [var for _, var in self._found.values()]


def with_captures(
    functions: Mapping[str, Function], entry: str, variables: Sequence[Var]
) -> tuple[dict[str, Function], Sequence[Var]]:
    """Add `variables`, which functions read from outside, to the functions as last parameters.

    A function also takes the variables that the functions it calls read. Also return the variables
    that `entry` takes.
    """
    needed = _needed(functions, variables)
    made = {name: _with_parameters(each, name, needed) for name, each in functions.items()}
    return made, needed[entry]


def _needed(functions: Mapping[str, Function], variables: Sequence[Var]) -> dict[str, list[Var]]:
    """Return for each function the captured variables that it reads, directly or through calls."""
    found: dict[str, set[Var]] = {}
    calls: dict[str, set[str]] = {}
    for name, each in functions.items():
        found[name] = {*variables} & {*free_vars(each)}
        nodes = post_order(each)
        calls[name] = {node.name for node in nodes if isinstance(node, GlobalVar)} & {*functions}
    changed = True
    while changed:
        changed = False
        for name, callees in calls.items():
            more = found[name].union(*(found[each] for each in callees))
            changed = changed or more != found[name]
            found[name] = more
    return {name: [var for var in variables if var in each] for name, each in found.items()}


def _with_parameters(function: Function, name: str, needed: Mapping[str, list[Var]]) -> Function:
    """Return a function that takes its captured variables and passes them on to its callees."""
    taken = {param.name for param in function.params}
    own = {var: Var(_free(var.name, taken), var.type) for var in needed[name]}
    bare: dict[Expr, GlobalVar] = {}  # functions as values: `fn (x) { f(x, w) }`

    def rule(expr: Expr) -> Expr:
        if isinstance(expr, Var):
            return own.get(expr, expr)
        if isinstance(expr, Call) and expr.op in bare:
            callee = bare[expr.op]
            args = (*expr.args, *(own[var] for var in needed[callee.name]))
            return Call(callee, args, expr.type_arguments, ty=expr.ty, span=expr.span)
        if not isinstance(expr, GlobalVar) or not needed.get(expr.name):
            return expr
        ty = expr.ty
        assert isinstance(ty, FuncType), "functions have types"
        more = [own[var] for var in needed[expr.name]]
        full = FuncType((*ty.params, *(var.type for var in more)), ty.result, ty.type_params)
        callee = GlobalVar(expr.name, ty=full, span=expr.span)
        if ty.type_params:  # it is called, or inference reports it
            bare[callee] = callee
            return callee
        params = tuple(Var(f"a{number}", each) for number, each in enumerate(ty.params))
        made = Function(params, Call(callee, (*params, *more), ty=ty.result), ty.result)
        bare[made] = callee
        return made

    if not own:
        return function
    body = rewrite(function.body, rule)
    params = (*function.params, *own.values())
    return Function(params, body, function.result, function.type_params, span=function.span)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def with_last(module: Module, names: Collection[str]) -> Module:
    """Return a module whose `main` has the parameters with these names last."""
    main = module.main
    params = sorted(main.params, key=lambda each: each.name in names)
    if params == list(main.params) or _is_called(module):
        return module
    return module.with_function(ENTRY, replace(main, params=tuple(params), ty=None))


def _is_called(module: Module) -> bool:
    nodes = (node for each in module.functions.values() for node in post_order(each))
    return any(isinstance(node, GlobalVar) and node.name == ENTRY for node in nodes)
