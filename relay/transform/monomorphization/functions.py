"""The functions that an entry reaches, one copy for each choice of their type parameters."""

from collections import defaultdict, deque

from relay.ir.alpha_rename import fresh_dims, renamed
from relay.ir.custom_derivatives import derivative_names, with_renamed_derivatives
from relay.ir.expr import Function, GlobalVar
from relay.ir.module import Module
from relay.ir.types import Type, dim_variables
from relay.support.node import node, replace
from relay.support.span import Span
from relay.transform.monomorphization.copy import FunctionCopy
from relay.transform.monomorphization.errors import check_limit, no_deeper, stays_generic
from relay.transform.monomorphization.type_map import (
    TypeArgs,
    instance_type,
    unused,
)
from relay.transform.monomorphization.values import GenericValues, holds_generic


@node
class _Instance:
    """The function `generic` of the module, to be copied for one choice under the name `name`."""

    generic: str
    name: str
    function: Function
    type_args: TypeArgs

    @property
    def type(self) -> Type:
        return instance_type(self.function.type, self.type_args)


def reachable(module: Module, entry: str, limit: int) -> tuple[dict[str, Function], GenericValues]:
    """Return the functions that an entry needs, in module order, and the generic values they use.

    Raises `C112` for a generic entry.
    """
    values = GenericValues(limit)
    functions = _FunctionInstances(module, values, limit).reachable(entry)
    while values.grown():
        functions = _FunctionInstances(module, values, limit).reachable(entry)
    return functions, values


class _FunctionInstances:
    """A worklist that copies the functions that the entry reaches."""

    def __init__(self, module: Module, values: GenericValues, limit: int) -> None:
        self._module = module
        self._values = values
        self._limit = limit
        self._taken = set(module.functions)
        self._known: dict[str, dict[TypeArgs, _Instance]] = defaultdict(dict)
        self._waiting: deque[_Instance] = deque()

    def reachable(self, entry: str) -> dict[str, Function]:
        """Return the functions, in module order; raises `C112` for a generic entry."""
        main = self._module[entry]
        if main.type_params:
            raise stays_generic(f"the entry @{entry}", main.span, _entry_help(main))
        for param in main.params:
            if holds_generic(param.type):
                raise stays_generic(f"%{param.name}", param.span)
        self._instance(entry, (), main.span)
        written: dict[str, Function] = {}
        while self._waiting:
            instance = self._waiting.popleft()
            with no_deeper(f"@{instance.generic}", instance.function.span):
                copy = self._copy(instance).written(instance.type_args)
                written[instance.name] = self._with_derivatives(instance, copy)
        known = [self._known[name] for name in self._module.functions if name in self._known]
        return {each.name: written[each.name] for of in known for each in of.values()}

    def _copy(self, instance: _Instance) -> FunctionCopy:
        return FunctionCopy(instance.function, self._reference, self._values, self._limit)

    def _with_derivatives(self, instance: _Instance, copy: Function) -> Function:
        """Return a copy with instances of its custom derivatives, for the same type arguments."""
        span = instance.function.span
        names = {
            name: self._instance(name, instance.type_args, span).name
            for name in derivative_names(instance.function)
        }
        return with_renamed_derivatives(copy, names)

    def _reference(self, var: GlobalVar, type_args: TypeArgs) -> GlobalVar:
        """Return a reference to an instance; itself for a function that is not generic."""
        instance = self._instance(var.name, type_args, var.span)
        return replace(var, name=instance.name, ty=instance.type) if type_args else var

    def _instance(self, name: str, type_args: TypeArgs, span: Span | None) -> _Instance:
        known = self._known[name]
        if type_args not in known:
            check_limit(f"@{name}", len(known), self._limit, span)
            new = unused(name, self._taken) if known else name
            function = self._module[name]
            renaming = fresh_dims(function)
            if renaming.keys() & dim_variables(*type_args):  # names that are those of the caller
                function = renamed(function, renaming)
            known[type_args] = _Instance(name, new, function, type_args)
            self._waiting.append(known[type_args])
        return known[type_args]


def _entry_help(main: Function) -> str:
    """Return a help text on how to instantiate a generic entry."""
    names = ", ".join(map(repr, main.type_params))
    return f"write a type for {names}: the entry is compiled for what its callers pass, once"
