"""Instantiates the functions that an entry reaches, once for each choice of type arguments."""

from collections import defaultdict

from relay.ir.alpha_rename import fresh_dims, with_renamed_dims
from relay.ir.analysis.call_graph import named_functions
from relay.ir.custom_derivatives import with_renamed_derivatives
from relay.ir.expr import Function, GlobalVar
from relay.ir.module import Module
from relay.ir.types import dim_variables
from relay.support.node import replace
from relay.support.span import Span
from relay.transform.monomorphization.copy_function import FunctionCopy
from relay.transform.monomorphization.errors import check_limit, no_deeper, stays_generic
from relay.transform.monomorphization.generic_values import GenericValues, holds_generic
from relay.transform.monomorphization.named_copies import NamedCopies
from relay.transform.monomorphization.type_map import TypeArgs, instance_type, with_solvable_sizes


def instantiated(
    module: Module, entry: str, limit: int
) -> tuple[dict[str, Function], GenericValues]:
    """Return the functions that an entry needs, in module order, and the generic values they use.

    Raises `C112` for a generic entry.
    """
    values = GenericValues(limit)
    functions = _FunctionInstances(module, values, limit).instantiated(entry)
    while values.grown():
        functions = _FunctionInstances(module, values, limit).instantiated(entry)
    return functions, values


class _FunctionInstances:
    """The copies of the functions that the entry reaches, one for each choice of types."""

    def __init__(self, module: Module, values: GenericValues, limit: int) -> None:
        self._module = module
        self._values = values
        self._limit = limit
        self._copies = NamedCopies[TypeArgs](module, first_is_own=True)
        self._apart: dict[tuple[str, TypeArgs], Function] = {}
        self._solvable: dict[tuple[str, TypeArgs], TypeArgs] = {}

    def instantiated(self, entry: str) -> dict[str, Function]:
        """Return the copies by name, in module order; raises `C112` for a generic entry."""
        main = self._module[entry]
        if main.type_params:
            raise stays_generic(f"the entry @{entry}", main.span, _entry_help(main))
        for param in main.params:
            if holds_generic(param.type):
                raise stays_generic(f"%{param.name}", param.span)
        self._name(entry, (), main.span)
        written: dict[str, dict[str, Function]] = defaultdict(dict)
        for new, name, type_args in self._copies.waiting():
            written[name][new] = self._written(name, type_args)
        return {new: f for name in self._module.functions for new, f in written[name].items()}

    def _written(self, name: str, type_args: TypeArgs) -> Function:
        """Return the copy of a function for type arguments.

        Functions that its attributes name are copied, too.
        """
        function = self._function(name, type_args)
        with no_deeper(f"@{name}", function.span):
            copy = FunctionCopy(function, self._reference, self._values, self._limit)
            of = named_functions(function)
            names = {each: self._name(each, type_args, function.span) for each in of}
            written = copy.written(self._with_solvable_sizes(name, type_args))
            return with_renamed_derivatives(written, names)

    def _reference(self, var: GlobalVar, type_args: TypeArgs) -> GlobalVar:
        """Return a reference to an instance; `var` itself if there are no type arguments."""
        name = self._name(var.name, type_args, var.span)
        if not type_args:
            return var
        generic = self._function(var.name, type_args).type
        ty = instance_type(generic, self._with_solvable_sizes(var.name, type_args))
        return replace(var, name=name, ty=ty)

    def _name(self, name: str, type_args: TypeArgs, span: Span | None) -> str:
        if not self._copies.has(name, type_args):
            check_limit(f"@{name}", self._copies.count(name), self._limit, span)
        return self._copies.name(name, type_args)

    def _function(self, name: str, type_args: TypeArgs) -> Function:
        """Return a function with dimensions renamed if they occur in its type arguments."""
        if (name, type_args) not in self._apart:
            function = self._module[name]
            renaming = fresh_dims(function)
            is_apart = renaming.keys().isdisjoint(dim_variables(*type_args))
            self._apart[name, type_args] = (
                function if is_apart else with_renamed_dims(function, renaming)
            )
        return self._apart[name, type_args]

    def _with_solvable_sizes(self, name: str, type_args: TypeArgs) -> TypeArgs:
        """Return the type arguments of an instance, whose arguments must determine its sizes."""
        if (name, type_args) not in self._solvable:
            params = instance_type(self._function(name, type_args).type, type_args).params
            self._solvable[name, type_args] = with_solvable_sizes(type_args, params)
        return self._solvable[name, type_args]


def _entry_help(main: Function) -> str:
    """Return the help text of an error that says how to give a generic entry types."""
    names = ", ".join(map(repr, main.type_params))
    return f"replace {names} by concrete types: the main function is compiled once"
