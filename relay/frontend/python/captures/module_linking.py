"""Merge other modules, such as loaded models, into a program."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import cast

from relay.ir.analysis.call_graph import CallGraph
from relay.ir.custom_derivatives import with_renamed_derivatives
from relay.ir.expr import Constructor, Expr, Function, GlobalVar
from relay.ir.fresh_names import free_name
from relay.ir.match_dims import match_dims
from relay.ir.module import ENTRY, Module, TypeData
from relay.ir.types import GlobalTypeVar, Type, TypeCall
from relay.ir.types import children as children_of
from relay.ir.walk import children, rewrite
from relay.semantics.infer import infer
from relay.support.errors import CompileError
from relay.support.node import replace
from relay.transform.monomorphize import Monomorphize
from relay.transform.monomorphize_dims import MonomorphizeDims
from relay.transform.rewrite_types import TypeRewriter, with_rewritten_types
from relay.transform.specialize_sizes import substitute_sizes


def linked(module: Module, name: str, taken: Container[str]) -> dict[str, Function]:
    """Return the functions that a module's `main` needs, `main` first, under unused names.

    >>> from relay.ir.expr import Tuple
    >>> list(linked(Module.of(Tuple(())), "encoder", {"main", "encoder"}))
    ['encoder_1']
    """
    typed = infer(module)
    wanted = CallGraph(typed).reachable("main")
    names: dict[str, str] = {}
    for each in ("main", *wanted):
        if each not in names:
            hint = name if each == "main" else f"{name}_{each}"
            names[each] = free_name(hint, {*names.values()}, taken)
    return {new: with_names(typed[old], names) for old, new in names.items()}


def with_static_sizes(module: Module, args: Sequence[Type]) -> Module:
    """Return a module specialised to the sizes of the first arguments of `main`, where static.

    Derivatives of functions with symbolic dimensions cannot name the sizes of their residuals.
    """
    params = [param.type for param in module.main.params[: len(args)]]
    found = {name: size for name, size in match_dims(params, args).items() if isinstance(size, int)}
    if not found:
        return module
    made = module.with_function(ENTRY, substitute_sizes(module.main, found))
    with suppress(CompileError):  # recursion over sizes
        return MonomorphizeDims()(Monomorphize()(infer(made)))
    return module


def with_types_apart(module: Module, known: Mapping[str, TypeData]) -> Module:
    """Rename a module's data types that differ from the known data types of the same name.

    For example, two derivatives both define a data type for the residuals of their forward parts.
    """
    clashes = set[str]()
    while more := [*_clashing(module, known, clashes)]:
        clashes.update(more)
    if not clashes:
        return module
    used = {c.name for each in (*known.values(), *module.types.values()) for c in each.constructors}
    return with_rewritten_types(module, _Apart(clashes, {*known, *module.types}, used))


def _clashing(
    module: Module, known: Mapping[str, TypeData], clashes: Container[str]
) -> Iterator[str]:
    """Yield the names of data types that differ from the known ones and are not in `clashes`."""
    for name, data in module.types.items():
        if name in known and name not in clashes:
            same = known[name].constructors == data.constructors
            fields = (field for each in data.constructors for field in each.inputs)
            if not same or any(head in clashes for head in _heads(fields)):
                yield name


def _heads(types: Iterable[Type]) -> Iterator[str]:
    """Yield the names of the data types that occur in types."""
    stack = [*types]
    while stack:
        top = stack.pop()
        stack += children_of(top)
        if isinstance(top, TypeCall):
            yield top.head.name


class _Apart(TypeRewriter):
    """A rewriter that renames some data types and their constructors."""

    def __init__(self, clashes: set[str], types: set[str], constructors: set[str]) -> None:
        super().__init__(self._renamed)
        self._heads = {each: GlobalTypeVar(free_name(each, types)) for each in clashes}
        self._constructors = constructors
        self._known: dict[Constructor, Constructor] = {}

    def _renamed(self, ty: Type) -> Type | None:
        match ty:
            case TypeCall(head, args) if head.name in self._heads:
                return TypeCall(self._heads[head.name], tuple(map(self.type, args)))
            case _:
                return None

    def constructor(self, constructor: Constructor) -> Constructor:
        """Return the constructor of the renamed data type."""
        if constructor not in self._known:
            made = super().constructor(constructor)
            head = self._heads.get(constructor.belongs_to.name)
            if head is not None:
                name = free_name(constructor.name, self._constructors)
                self._constructors.add(name)
                made = replace(made, name=name, belongs_to=head)
            self._known[constructor] = made
        return self._known[constructor]

    def definition(self, data: TypeData) -> TypeData:
        """Return the definition of the renamed data type."""
        made = super().definition(data)
        return replace(made, header=self._heads.get(made.header.name, made.header))


def with_names(function: Function, names: Mapping[str, str]) -> Function:
    """Return a function in which the global functions that `names` contains are renamed."""

    def rule(expr: Expr) -> Expr:
        return (
            replace(expr, name=names[expr.name])
            if isinstance(expr, GlobalVar) and expr.name in names
            else expr
        )

    renamed = cast("Function", rewrite(function, rule, edges=children))
    return with_renamed_derivatives(renamed, names)
