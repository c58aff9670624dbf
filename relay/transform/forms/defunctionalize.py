"""The pass that represents function values by data, so that only global functions are called."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from relay.ir.attribute_dims import attribute_dims
from relay.ir.constructor_field_types import with_unknown_dims
from relay.ir.dims import ANY, DimVar, unknown
from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Let,
    Operator,
    Var,
)
from relay.ir.fresh_names import unused
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar
from relay.ir.module import ENTRY, Module, TypeData
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    TensorType,
    Type,
    TypeCall,
    all_parts,
    dim_variables,
    is_dynamic,
    without_dims,
)
from relay.ir.walk import fold, outside_kernels, post_order, substitute, with_children
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import node, replace, value
from relay.transform.forms.entry_type_checks import require_first_order
from relay.transform.forms.eta_expand import EtaExpand
from relay.transform.forms.function_literal_rewriter import LiteralRewriter, with_own_name
from relay.transform.forms.map_types import Retyped
from relay.transform.forms.to_basic_block_form import ToBasicBlockForm
from relay.transform.monomorphization.type_map import TypeMap
from relay.transform.monomorphize import Monomorphize
from relay.transform.pipeline import Pass
from relay.transform.specialize_sizes import substitute_sizes


@value
class Defunctionalize(Pass):
    """Replace functions that are values by data, and calls of them by calls of `apply_…`.

    Reynolds: Definitional Interpreters for Higher-Order Programming Languages (1972).

    1. Each function type of the program becomes a data type, with a constructor for each literal of
       that type, whose fields are the captures of the literal. Types that differ in sizes only
       share a data type unless all of these sizes are integers.
    2. A literal becomes a global function of its captures and its parameters.
    3. A call of a function value becomes a call of `apply_…`, which matches on the constructor and
       calls that function.
    4. Constructors, global functions and kernels that are used as values count as literals. Generic
       functions are first monomorphised.

    5. A dimension that only the type of a function determined, `fn(int32) -> Tensor[(n)]`, is
       unknown, and results whose types have it are checked.

    Raises `C160` where the entry takes or returns functions, and `C161` for a literal that uses a
    dimension which no enclosing parameter has.
    """

    entry: str = ENTRY

    def transform(self, module: Module) -> Module:
        """Return the first-order program of the functions that the entry reaches."""
        require_first_order(
            module[self.entry], module, "pass global functions of the module instead"
        )
        module = Monomorphize(self.entry)(module)
        module = EtaExpand(global_functions=True, kernels=True)(module)
        module = ToBasicBlockForm()(module)  # lazily computed values are functions, too
        program = _FirstOrder(module)
        return program.module() if program.kinds else module


@node
class _Kind:
    """A function type that becomes a data type, with its `apply_…` function and its literals.

    `ty` is the type of the functions; `closures` pairs constructors with the names of the functions
    that they represent.
    """

    ty: FuncType
    data: GlobalTypeVar
    apply: str
    closures: list[tuple[Constructor, str]]


class _FirstOrder:
    """A converter of a monomorphic module to first order; `kinds` maps types without sizes."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._taken = {*module.functions, *module.types, *module.constructors()}
        self._without_sizes = TypeMap(_forget_sizes)
        self.kinds: dict[Type, _Kind] = {}
        for alike, types in self._types_of_values().items():
            exact = len(types) == 1 and not is_dynamic(types[0])
            ty = types[0] if exact else cast("FuncType", alike)
            data = GlobalTypeVar(unused("Function", self._taken))
            self.kinds[alike] = _Kind(ty, data, unused("apply", self._taken), [])
        self.types = TypeMap(self._rule)
        self._retyped = Retyped(module, self.types)

    def module(self) -> Module:
        """Return the first-order module."""
        functions: dict[str, Function] = {}
        for name, function in self._module.functions.items():
            literals = _Literals(self, name, function)
            functions |= {name: literals.run(), **literals.functions}
        new = {name: self._function(function) for name, function in functions.items()}
        kinds = self.kinds.values()
        new |= {kind.apply: self._applying(kind, new) for kind in kinds}
        types = {**self._retyped.data, **{kind.data.name: _definition(kind) for kind in kinds}}
        return replace(self._module, functions=new, types=types)

    def closure(self, literal: Function, name: str, captured: Sequence[Var]) -> Constructor:
        """Return the constructor that represents a literal, whose body became function `name`.

        `captured` are the literal's captures.
        """
        kind = self.kinds[self._without_sizes(literal.type)]
        types = [self.types(var.type) for var in captured]
        inputs = tuple(map(with_unknown_dims, types))
        closure = name[0].upper() + name[1:]
        constructor = Constructor(closure, inputs, kind.data, (), len(kind.closures))
        kind.closures.append((constructor, name))
        return constructor

    def new_name(self, name: str) -> str:
        """Return a name derived from `name` that no function or constructor has."""
        return unused(name, self._taken)

    def _types_of_values(self) -> dict[Type, list[FuncType]]:
        """Return the function types of values, grouped by their types without sizes."""
        found: dict[Type, list[FuncType]] = defaultdict(list)
        for ty in _all_types(self._module):
            if isinstance(ty, FuncType):
                found[self._without_sizes(ty)].append(ty)
        return found

    def _rule(self, ty: Type) -> Type | None:
        if not isinstance(ty, FuncType):
            return None
        return TypeCall(self.kinds[self._without_sizes(ty)].data, ())

    def _signature(self, ty: Type) -> FuncType:
        """Return a global function's type with converted types of parameters and result."""
        known = cast("FuncType", ty)
        params = tuple(map(self.types, known.params))
        return FuncType(params, without_dims(self.types(known.result), self._lost(known)))

    def _lost(self, ty: FuncType) -> frozenset[DimVar]:
        """Return the dimensions that only functions among the parameters determine."""
        return ty.dim_params - dim_variables(*map(self.types, ty.params))

    def _function(self, root: Function) -> Function:
        lost = self._lost(cast("FuncType", root.type))
        used = {n for e in post_order(root) if isinstance(e, Operator) for n in attribute_dims(e)}
        if not lost.isdisjoint(used):
            raise _unknown_size(root)
        root = substitute_sizes(root, unknown(lost)) if lost else root

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            match expr:
                case GlobalVar():
                    return replace(expr, ty=self._signature(expr.type))
                case Function() if expr is root and not root.is_primitive:
                    ty = self._signature(expr.type)
                    return replace(with_children(expr, new, ty), result=ty.result)
                case Function():
                    return expr
                case Call(op) if not isinstance(op, Operator | Constructor | GlobalVar | Function):
                    return self._applied(expr, new)
                case Call(GlobalVar() as op) if self._lost(cast("FuncType", op.type)):
                    made = Call(new[-1], tuple(new[:-1]), span=expr.span)
                    return _checked(made, self.types(expr.type))
                case _:
                    return self._retyped.node(expr, new)

        return cast("Function", fold(root, visit, edges=outside_kernels))

    def _applied(self, call: Call, new: Sequence[Expr]) -> Expr:
        """Return a call of a function value as a call of `apply_…`, with checks of lost sizes."""
        kind = self.kinds[self._without_sizes(call.op.type)]
        callee = GlobalVar(kind.apply, ty=self._apply_type(kind))
        known = self.types(kind.ty.result)
        result = Call(callee, (new[-1], *new[:-1]), span=call.span, ty=known)
        return _checked(result, self.types(call.type))

    def _apply_type(self, kind: _Kind) -> FuncType:
        own = self._signature(kind.ty)
        return FuncType((TypeCall(kind.data, ()), *own.params), own.result)

    def _applying(self, kind: _Kind, functions: Mapping[str, Function]) -> Function:
        """Return the `apply_…` function for a type of functions; it matches on constructors."""
        ty = self._apply_type(kind)
        names = ["f", *(f"x{number}" for number in range(len(ty.params) - 1))]
        params = tuple(Var(name, each) for name, each in zip(names, ty.params, strict=True))
        clauses: list[Clause] = []
        for constructor, name in kind.closures:
            captured = [Var("c", each) for each in constructor.inputs]
            patterns = tuple(map(PatternVar, captured))
            callee = GlobalVar(name, ty=functions[name].type)
            body = Call(callee, (*captured, *params[1:]), ty=ty.result)
            clauses.append(Clause(PatternConstructor(constructor, patterns), body))
        return Function(params, Match(params[0], tuple(clauses), ty=ty.result), ty.result)


class _Literals(LiteralRewriter):
    """A converter of the literals of one function to data; `functions` are their bodies."""

    def __init__(self, program: _FirstOrder, name: str, function: Function) -> None:
        super().__init__(function)
        self.functions: dict[str, Function] = {}
        self._program = program
        self._name = name

    def replacement(self, literal: Function, own: Var | None, captured: list[Var]) -> Expr:
        """Return the constructor call that replaces a literal; its type is the function type."""
        name = self._program.new_name(f"{self._name}_{'fn' if own is None else own.name}")
        constructor = self._program.closure(literal, name, captured)
        params = tuple(Var(var.name, var.type, span=var.span) for var in captured)
        inside = with_own_name(literal, own, Call(constructor, params, ty=literal.ty))
        inside = substitute(inside, dict[Var, Expr](zip(captured, params, strict=True)))
        made = cast("Function", inside)
        self.functions[name] = Function((*params, *made.params), made.body, made.result)
        return Call(constructor, tuple(captured), span=literal.span, ty=literal.ty)

    def uncapturable_dims(self, literal: Function) -> Expr:
        """Raise `C161`, because a literal uses a dimension that it cannot capture."""
        raise _unknown_size(literal)


def _unknown_size(function: Function) -> CompileError:
    message = "an inner function uses a size that no parameter of the function around it has"
    help_ = "pass a tensor of that size to the outer function, or write the size as `?`"
    return CompileError(ErrorCode.C161, message, span=function.span, help=help_)


def _checked(call: Call, wanted: Type) -> Expr:
    """Return a call's result; sizes in type `wanted` that its own type leaves open are checked."""
    if call.type is wanted:
        return call
    var = Var("result", wanted)
    return Let(var, call, var, span=call.span)


def _definition(kind: _Kind) -> TypeData:
    return TypeData(kind.data, (), tuple(constructor for constructor, _ in kind.closures))


def _all_types(module: Module) -> Iterator[Type]:
    """Yield the types of all values of a module, and the types they contain, each once."""
    exprs = post_order(*module.functions.values(), edges=outside_kernels)
    roots = set(module.functions.values())
    called = (Operator, Constructor, GlobalVar)
    types = [e.type for e in exprs if not isinstance(e, called) and e not in roots]
    fields = (ty for c in module.constructors().values() for ty in c.inputs)
    instances = [data.instance for data in module.types.values() if data.instance is not None]
    arguments = (ty for each in instances for ty in each.type_args)
    yield from all_parts(*[*types, *fields, *arguments][::-1])


def _forget_sizes(ty: Type) -> Type | None:
    return TensorType((ANY,) * ty.rank, ty.dtype) if isinstance(ty, TensorType) else None
