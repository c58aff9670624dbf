"""Map a program over a new axis (`vmap`): its entry, and the functions that it calls.

A value is *mapped* if it has the new axis because it depends on mapped parameters.

1. An operator with a mapped argument becomes one call for all elements (`relay.transform.vmap`).
2. A function that is called with mapped arguments is mapped over these; its whole result is mapped.
   Its custom derivatives are mapped, too.
3. A branch or match on a value that is not mapped stays; its whole result is mapped.
4. A branch on a mapped condition computes both sides and selects (`relay.frontend.vmap_branches`).
   In tail position of a loop it decides whether an element continues
   (`relay.frontend.vmap_divergent_loops`).
5. Data has the same structure for all elements; its fields are mapped (`MappedData`).
6. If a branch on a mapped condition selects data, each element may have its own structure; a match
   on such data computes one constructor after the other, for the elements that have it
   (`relay.frontend.vmap_divergent_adts`). Loops over such data are recursion.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from relay.autodiff.closure_conversion import first_order
from relay.autodiff.fresh_names import Names
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.public_data_types import with_public_types
from relay.autodiff.tangent_types import has_floats
from relay.frontend.vmap_adt_arguments import with_passed_data
from relay.frontend.vmap_adt_types import MappedData, MoreFields
from relay.frontend.vmap_axis_size import with_rows
from relay.frontend.vmap_bodies import DivergentLoopError, MappedBody
from relay.frontend.vmap_by_loop import row_loop
from relay.frontend.vmap_divergent_adts import join_function, join_type
from relay.frontend.vmap_divergent_loops import MappedParameterError, steps
from relay.frontend.vmap_effects import EffectsOfCalls
from relay.frontend.vmap_errors import mixed_data
from relay.frontend.vmap_find_loops import TailLoop, tail_loops
from relay.frontend.vmap_loop_states import LoopState
from relay.ir.alpha_rename import fresh_var, with_distinct_variables
from relay.ir.analysis.call_graph import CallGraph, reached
from relay.ir.custom_derivatives import (
    BACKWARD,
    DESCRIPTIONS,
    FORWARD,
    JVP,
    has_custom_derivative,
    without_derivatives,
)
from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import FuncType, TensorType, TupleType, Type, TypeCall
from relay.ir.walk import post_order
from relay.ops.creation import Zeros
from relay.ops.sum_and_mean_reductions import Sum
from relay.semantics.infer import infer
from relay.support.node import node, replace
from relay.support.trampoline import run
from relay.transform.monomorphize import Monomorphize
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.vmap import RaggedError

Flags: TypeAlias = tuple[bool, ...]
"""Which arguments of a call are mapped."""


def mapped_program(module: Module, size: Dim, shared: Collection[int]) -> Module:
    """Return a program that computes `size` calls of the program `module`, batched.

    Except for the `shared` parameters of the entry, given by index, all parameters and all results
    have a new leading axis. If sizes of values may differ between elements, a loop computes one
    call after the other. Raises `C120` for expressions without a batched form.
    """
    try:
        return _batched(module, size, shared)
    except RaggedError as error:
        return row_loop(module, size, shared, error.span or module.main.span)


def _batched(module: Module, size: Dim, shared: Collection[int]) -> Module:
    """Return a mapped program that computes each operator once for all elements."""
    plain = ToANormalForm()(first_order(ToANormalForm()(Monomorphize()(module))))
    flags = tuple(index not in shared for index in range(len(plain.main.params)))
    data = MappedData(plain, size)
    mapped = [param for param, flag in zip(plain.main.params, flags, strict=True) if flag]
    for each in (*mapped, plain.main.body):
        data.note_all(each.type)
    while True:
        try:
            found = MappedFunctions(plain, data, size).program(flags)
        except MoreFields:
            continue
        found = with_rows(_with_arguments(found, plain, data, flags), flags)
        return with_public_types(infer(with_distinct_variables(found)))


def _with_arguments(found: Module, plain: Module, data: MappedData, flags: Flags) -> Module:
    """Return a mapped program whose arguments are data as callers pass it."""
    types = {i: param.type for i, param in enumerate(plain.main.params)}
    mixed = {i: data.batched(ty) for i, ty in types.items() if flags[i] and data.holds_mixed(ty)}
    if mixed:
        found = with_passed_data(found, data.uniform_definitions, mixed, data.size)
    shared = {i: ty for i, ty in types.items() if not flags[i]}
    if any(map(data.holds_mapped, shared.values())):
        found = with_passed_data(found, plain.types, shared, data.size)
    return found


_Version: TypeAlias = tuple[str, Flags, bool]
"""A function, its mapped parameters, and whether it takes a mask."""


@node
class _Parameters:
    """The parameters of a mapped function; `known` maps those that are mapped to their new forms.

    `elements` is a tensor whose leading size is that of the new axis; if there is a `mask`, it is
    this tensor.
    """

    known: Mapping[Var, Var]
    params: tuple[Var, ...]
    elements: Expr
    mask: Var | None = None


class MappedFunctions:
    """The functions of a program in first-order A-normal form, and their mapped versions."""

    def __init__(self, module: Module, data: MappedData, size: Dim) -> None:
        self.data = data
        self._carrier = TensorType((size,), "bool")
        self._module = module
        self._loops, self._effects = tail_loops(module), EffectsOfCalls(module)
        self._names = Names(module)
        self._functions: dict[str, Function] = {}
        self._known: dict[_Version, GlobalVar] = {}
        self._pending: list[_Version] = []
        self._joins: dict[TypeCall, GlobalVar] = {}

    def program(self, flags: Flags) -> Module:
        """Return the program whose entry is mapped over the parameters whose flag is true.

        If these parameters contain no tensor, the entry has one more parameter; see `instance`.
        """
        self._refuse_mixed_results()
        main = self._mapped(ENTRY, flags, takes_mask=False)
        main = replace(main, attrs={**main.attrs, **self._derivatives(ENTRY, flags)})
        while self._pending:
            key = name, each, takes_mask = self._pending.pop()
            function = self._mapped(name, each, takes_mask=takes_mask)
            attrs = {**function.attrs, **self._derivatives(name, each)}
            self._functions[self._known[key].name] = replace(function, attrs=attrs)
        joins = {each.name: join_function(self.data, ty, each) for ty, each in self._joins.items()}
        functions = {**self._module.functions, **self._functions, **joins, ENTRY: main}
        whole = replace(self._module, functions=functions, types=self.data.definitions)
        return reached(whole)

    def _refuse_mixed_results(self) -> None:
        """Raise `C120` if the result of the program contains mixed data."""
        if self.data.holds_mixed(self._module.main.body.type):
            raise mixed_data(self._module.main.body)

    def changes(self, name: str) -> bool:
        """Whether a function, or one that it calls, handles data types with mapped fields.

        Each call of such a function is replaced by a call of a mapped version.
        """
        return name in self._changed

    @cached_property
    def _changed(self) -> set[str]:
        graph, functions = CallGraph(self._module), self._module.functions
        own = {name for name, function in functions.items() if self._handles_mapped(function)}
        return {name for name in functions if own & {name, *graph.reachable(name)}}

    def _handles_mapped(self, function: Function) -> bool:
        parts = (*function.params, *post_order(function.body))
        types = {each.ty for each in parts if each.ty is not None}
        return any(map(self.data.holds_mapped, types))

    def instance(self, name: str, flags: Flags, *, takes_mask: bool = False) -> GlobalVar:
        """Return the version of function `name` mapped over the parameters whose flag is true.

        Raises `C120` if the function has no mapped version.

        If these parameters contain no tensor, it takes one more parameter: a tensor whose leading
        size is that of the new axis. With `takes_mask`, this is a mask: only its elements count,
        and the fields of data in arguments have arbitrary values for the others.
        """
        key = name, flags, takes_mask
        if key not in self._known:
            ty = self._module[name].ty
            assert isinstance(ty, FuncType), "functions are typed"
            pairs = zip(ty.params, flags, strict=True)
            params = tuple(self.data.batched(each) if flag else each for each, flag in pairs)
            if takes_mask or not _has_size(ty.params, flags):
                params = (*params, self._carrier)
            result = self.data.batched(ty.result)
            mapped = self._names.fresh(f"{name}_mapped")
            self._known[key] = GlobalVar(mapped, ty=FuncType(params, result))
            self._pending.append(key)
        return self._known[key]

    def join(self, ty: TypeCall) -> GlobalVar:
        """Return the function that selects between values of a mixed type, given a mask."""
        if ty not in self._joins:
            name = self._names.fresh("join")
            self._joins[ty] = GlobalVar(name, ty=join_type(self.data, ty))
        return self._joins[ty]

    def unused_name(self, name: str) -> str:
        """Return a name for a function that the program does not use yet."""
        return self._names.fresh(name)

    def add(self, name: str, function: Function) -> None:
        """Add a function to the mapped program."""
        self._functions[name] = function

    def has_effects(self, expr: Expr) -> bool:
        """Whether an expression uses references or random numbers, also in functions it calls."""
        return self._effects.has(expr)

    def has_derivative(self, name: str) -> bool:
        """Whether a function has a custom derivative."""
        return has_custom_derivative(self._module[name])

    def _mapped(self, name: str, flags: Flags, *, takes_mask: bool) -> Function:
        """Return the mapped form of a function."""
        requested = len(self._known), len(self._pending), len(self._functions)
        function, loop = self._module[name], self._loops.get(name)
        try:
            new = self._parameters(function, flags, takes_mask=takes_mask)
            return self._straight(function, new, () if loop is None else loop.functions)
        except DivergentLoopError:
            assert loop is not None, "only a loop diverges"
        self.data.mix(function.body.type, function.body)
        if self._is_mixed(loop):
            self._forget(*requested)
            return self._straight(
                function, self._parameters(function, flags, takes_mask=takes_mask)
            )
        mapped = {param for param, flag in zip(function.params, flags, strict=True) if flag}
        if len(loop.functions) > 1:  # their steps alternate in another order for each element
            invariants = loop.invariants(name)
            params = (param for each in loop.functions.values() for param in each.params)
            mapped.update(param for param in params if param not in invariants)
            for param in mapped:
                self.data.mix(param.type, param)
        while True:
            self._forget(*requested)
            try:
                new = self._parameters(function, flags, takes_mask=takes_mask)
                return self._loop(name, loop, new, mapped)
            except MappedParameterError as error:
                self.data.mix(error.param.type, error.param)
                mapped.add(error.param)

    def _is_mixed(self, loop: TailLoop) -> bool:
        """Whether a loop handles data whose structure may differ between elements."""
        functions = loop.functions.values()
        parts = (
            *(e for f in functions for e in post_order(f.body)),
            *(p for f in functions for p in f.params),
        )
        return any(self.data.is_mixed(each.ty) for each in parts if each.ty is not None)

    def _forget(self, known: int, pending: int, functions: int) -> None:
        """Forget the functions that an abandoned attempt has requested.

        `known`, `pending` and `functions` are the numbers of entries from before the attempt.
        """
        for key in [*self._known][known:]:
            del self._known[key]
        for name in [*self._functions][functions:]:
            del self._functions[name]
        del self._pending[pending:]

    def _straight(
        self, function: Function, new: _Parameters, loop: Collection[str] = ()
    ) -> Function:
        """Return the mapped form of a function that is not a divergent loop."""
        body = self._body(new, loop)
        return self._with_body(function, new.params, run(body.result(function.body)))

    def _loop(
        self, name: str, loop: TailLoop, new: _Parameters, mapped: Collection[Var]
    ) -> Function:
        """Return the function that starts a loop, and add the function that runs its steps."""
        state = LoopState(loop, name, mapped, self.data, self._names.fresh(f"{name}_steps"))
        self._functions[state.callee.name] = steps(state, self)
        body = self._body(new)
        args = [body.atom(param) for param in loop.functions[name].params]
        return self._with_body(loop.functions[name], new.params, state.start(args, body, new.mask))

    def _body(self, new: _Parameters, loop: Collection[str] = ()) -> MappedBody:
        return MappedBody(self, self.data, {**new.known}, new.elements, loop, new.mask)

    def _with_body(self, function: Function, params: tuple[Var, ...], body: Expr) -> Function:
        attrs, result = without_derivatives(function).attrs, function.result
        ty = None if result is None else self.data.batched(result)
        return Function(params, body, ty, attrs=attrs, span=function.span)

    def _parameters(self, function: Function, flags: Flags, *, takes_mask: bool) -> _Parameters:
        new: dict[Var, Var] = {}
        for param, flag in zip(function.params, flags, strict=True):
            if flag and not isinstance(param.type, TypeCall):
                ty = self.data.batched(param.type)
                new[param] = Var(param.name, ty, span=param.span, ty=ty)
        params = tuple(new.get(param, param) for param in function.params)
        if not takes_mask and _has_size([param.type for param in function.params], flags):
            carrier = Call(Zeros(self._carrier.shape, self._carrier.dtype), ())
            return _Parameters(new, params, carrier)
        own = Var("elements", self._carrier)
        return _Parameters(new, (*params, own), own, own if takes_mask else None)

    def _derivatives(self, name: str, flags: Flags) -> Mapping[str, object]:
        """Return the attributes of a function that describe its mapped custom derivatives."""
        function = self._module[name]
        found = {key: each for key, each in function.attrs.items() if key in DESCRIPTIONS}
        if BACKWARD in function.attrs:
            found[FORWARD] = self.instance(self._forward(name), flags).name
            found[BACKWARD] = self._backward(str(function.attrs[BACKWARD]), flags)
        if JVP in function.attrs:
            pairs = zip(function.params, flags, strict=True)
            directions = (flag for param, flag in pairs if has_floats(param.type))
            found[JVP] = self.instance(str(function.attrs[JVP]), (*flags, *directions)).name
        return found

    def _forward(self, name: str) -> str:
        """Return the name of a function's forward function; one is made if it has none.

        That function returns the arguments as residuals.
        """
        function = self._module[name]
        if FORWARD in function.attrs:
            return str(function.attrs[FORWARD])
        params, emitter = tuple(map(fresh_var, function.params)), Emitter()
        result = emitter.let(Call(GlobalVar(name, ty=function.ty), params), "result")
        pair = emitter.let(Tuple((result, emitter.let(Tuple(params), "arguments"))), "pair")
        forward = self._names.fresh(f"{name}_forward")
        made = Function(params, emitter.around(pair), span=function.span)
        self._module = self._module.with_function(forward, made)
        return forward

    def _backward(self, name: str, flags: Flags) -> str:
        """Return the name of the mapped backward function.

        It sums derivatives with respect to shared arguments over the new axis.
        """
        mapped = self.instance(name, (True, True))
        if all(flags):
            return mapped.name
        ty = mapped.ty
        assert isinstance(ty, FuncType), "functions are typed"
        params = tuple(Var(each, of) for each, of in zip(("r", "d"), ty.params, strict=True))
        found = Call(mapped, params)
        parts = (TupleGetItem(found, index) for index in range(len(flags)))
        sums = (p if flag else _total(p) for p, flag in zip(parts, flags, strict=True))
        own = self._names.fresh(f"{name}_sums")
        self._functions[own] = Function(params, Tuple(tuple(sums)))
        return own


def _has_size(params: Sequence[Type], flags: Flags) -> bool:
    """Whether a mapped parameter contains a tensor, from which the size of the axis is known."""
    stack = [ty for ty, flag in zip(params, flags, strict=True) if flag]
    while stack:
        top = stack.pop()
        if isinstance(top, TensorType):
            return True
        stack += top.fields if isinstance(top, TupleType) else ()
    return False


def _total(mapped: Expr) -> Expr:
    """Return the sum of a value over the new axis; recursion is bounded by nested tuples."""
    if isinstance(mapped.type, TupleType):
        fields = range(len(mapped.type.fields))
        return Tuple(tuple(_total(TupleGetItem(mapped, index)) for index in fields))
    return Call(Sum((0,)), (mapped,))
