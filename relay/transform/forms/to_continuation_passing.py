"""The pass that converts a program to continuation-passing style."""

from collections.abc import Sequence
from typing import cast

from relay.ir.alpha_rename import with_fresh_dims, with_fresh_variables
from relay.ir.analysis.call_graph import CallGraph, named_functions
from relay.ir.analysis.scopes import blocks
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, If, Let, Operator, Var
from relay.ir.fresh_names import free_name
from relay.ir.match_patterns import Match
from relay.ir.module import ENTRY, Module
from relay.ir.types import FuncType, Type, TypeVar
from relay.ir.walk import bound_by, outside_kernels, post_order, with_children
from relay.support.node import replace, value
from relay.transform.forms.entry_type_checks import require_first_order
from relay.transform.forms.eta_expand import EtaExpand
from relay.transform.forms.map_types import Retyped
from relay.transform.monomorphization.type_map import TypeMap
from relay.transform.pipeline import Pass, is_optimizable
from relay.transform.to_a_normal_form import ToANormalForm


@value
class ToContinuationPassing(Pass):
    """Convert a program to continuation-passing style, in which every call is a tail call.

    Reynolds: Definitional Interpreters for Higher-Order Programming Languages (1972).

    1. A function of type `fn(A) -> B` becomes one of type `fn(A, fn(B) -> R) -> R`, where `R` is
       the result of the entry, whose dimensions each function binds anew: it passes its result to
       its last parameter, the continuation. Functions in tuples, references and data types are
       converted likewise.
    2. A call of a function gets the rest of the body as its continuation; a tail call passes on the
       continuation of its function.
    3. Branches and clauses share the rest of the body, which a `let` binds.
    4. Operators, constructors and kernels are called as before. So are functions that passes must
       not change, and those with attributes that name functions: regions, custom derivatives.

    The entry keeps its type: `main` calls `main_cps` with the identity. Raises `C160` if the entry
    takes or returns functions, and `C112` if it is generic.
    """

    entry: str = ENTRY

    def transform(self, module: Module) -> Module:
        """Return the entry and the converted functions that it reaches."""
        main = module[self.entry]
        if not _is_converted(main):
            return module
        answer = with_fresh_dims(cast("FuncType", main.type).result)  # each function binds them
        require_first_order(
            main, module, "convert one function at a time with relay.transform.to_cps"
        )
        program = InCPS(module, self.entry, answer)
        name = program.names[self.entry]
        wrapped = un_cps(program.functions[name], GlobalVar(name, ty=program.functions[name].ty))
        functions = {self.entry: wrapped, **program.functions}
        return replace(module, functions=functions, types=program.types)


def un_cps(function: Function, callee: Expr | None = None) -> Function:
    """Return an ordinary function that calls `function`, which is in continuation-passing style.

    It passes the identity as continuation. `callee` is the expression to call, by default
    `function` itself.
    """
    *params, last = cast("FuncType", function.type).params
    continuation = cast("FuncType", last)
    result = Var("result", continuation.params[0])
    identity = Function((result,), result, result.ty)
    own = [Var(param.name, ty) for param, ty in zip(function.params, params, strict=False)]
    answer = continuation.result
    chosen = tuple(result.type if each is answer else each for each in function.type_params)
    kept = tuple(each for each in function.type_params if each is not answer)
    called = function if callee is None else callee
    call = Call(called, (*own, identity), type_arguments=chosen, ty=result.ty)
    return Function(tuple(own), call, result.ty, kept, span=function.span)


class InCPS:
    """A converter of the functions that an entry reaches to continuation-passing style.

    `names` maps functions to their new names, `functions` holds the converted functions by new
    name, and `types` the data types that they use. If the program's result type is a type variable,
    it is the last type parameter of each function.
    """

    def __init__(self, module: Module, entry: str, answer: Type) -> None:
        module = EtaExpand(global_functions=True, kernels=True)(module)
        graph = CallGraph(module)
        reached = dict.fromkeys((entry, *graph.reachable(entry)))
        named = {name for each in module.functions.values() for name in named_functions(each)}
        staying = [n for n in reached if n in named or not _is_converted(module[n])]
        self.names: dict[str, str] = {}
        for name in reached:
            if name not in staying:
                new_name = free_name(f"{name}_cps", module.functions, self.names.values())
                self.names[name] = new_name
        self._module = module
        self.answer = answer
        self.own = (answer,) if isinstance(answer, TypeVar) else ()
        self.map_type = TypeMap(self._rule)
        self.retyped = Retyped(module, self.map_type)
        self.types = self.retyped.data
        kept = {each for name in staying for each in (name, *graph.reachable(name))}
        new = {name: _Translation(self, module[old]).run() for old, name in self.names.items()}
        self.functions = {**new, **{name: module[name] for name in reached if name in kept}}

    def continuation(self, ty: Type) -> FuncType:
        """Return the type of a continuation for values of type `ty`, which is already converted."""
        return FuncType((ty,), self.answer)

    def reference(self, var: GlobalVar) -> GlobalVar:
        """Return a reference to the converted version of a global function."""
        ty = cast("FuncType", self.map_type(self._module[var.name].type))
        generic = FuncType(ty.params, ty.result, (*ty.type_params, *self.own))
        return GlobalVar(self.names[var.name], span=var.span, ty=generic)

    def _rule(self, ty: Type) -> Type | None:
        if not isinstance(ty, FuncType):
            return None
        last = self.continuation(self.map_type(ty.result))
        return FuncType((*map(self.map_type, ty.params), last), self.answer, ty.type_params)


def _is_converted(function: Function) -> bool:
    """Whether a function is converted to continuation-passing style.

    Kernels, regions and functions that passes must not change are not.
    """
    plain = not (function.is_primitive or any(named_functions(function)))
    return plain and is_optimizable(function)


class _Translation:
    """A converter of one function to continuation-passing style.

    A-normal form fixes evaluation order and tail positions.
    """

    def __init__(self, program: InCPS, function: Function) -> None:
        self._program = program
        self._types = program.map_type
        self._function = ToANormalForm().run(with_fresh_variables(function))
        self._order = post_order(self._function, edges=outside_kernels)
        self._last: dict[Expr, Var] = {}  # the continuation parameter of each function
        self._after: dict[Expr, Var] = {}  # the continuation of the blocks of a node
        self._new: dict[Expr, Expr] = {}

    def run(self) -> Function:
        """Return the converted function, rebuilt once its continuations are assigned."""
        for expr in reversed(self._order):
            self._name_continuations(expr)
        for expr in self._order:
            self._new[expr] = self._translated(expr)
        new = cast("Function", self._new[self._function])
        own = self._program.own
        return replace(new, type_params=(*new.type_params, *own), ty=None) if own else new

    def _name_continuations(self, expr: Expr) -> None:
        match expr:
            case Function(body=body) if not expr.is_primitive:
                result = cast("FuncType", expr.type).result
                last = self._last[expr] = self._continuation("k", result)
                self._after[body] = last
            case Let(_, bound, body):
                if isinstance(bound, If | Match):
                    self._after[bound] = self._continuation("join", bound.type)
                self._after[body] = self._after[expr]
            case If() | Match():
                self._after |= dict.fromkeys(blocks(expr), self._after[expr])
            case _:
                pass

    def _continuation(self, name: str, ty: Type) -> Var:
        return Var(name, self._program.continuation(self._types(ty)))

    def _translated(self, expr: Expr) -> Expr:
        """Return a node in its new form; calls are deferred until their continuation is known."""
        match expr:
            case GlobalVar() if expr.name in self._program.names:
                return self._program.reference(expr)
            case GlobalVar():  # a function that stays
                return expr
            case Function(params, body) if not expr.is_primitive:
                last = self._last[expr]
                new = (*(self._new[param] for param in params), last, self._tail(body, last))
                made = with_children(expr, new, self._types(expr.type))
                return replace(made, result=self._program.answer)
            case Function():  # a kernel: its parameters and results are tensors
                return expr
            case Let():
                return self._bound(expr, self._tail(expr.body, self._after[expr]))
            case If() | Match():
                new = self._choice(expr, self._after[expr])
                return replace(self._program.retyped.node(expr, new), ty=self._program.answer)
            case _ if self._is_translated_call(expr):
                return expr
            case _:
                return self._program.retyped.node(expr, self._news(outside_kernels(expr)))

    def _choice(self, expr: If | Match, after: Expr) -> list[Expr]:
        """Return the new children of a branch or match, whose blocks continue with `after`."""
        if isinstance(expr, If):
            blocks = [self._tail(block, after) for block in (expr.then, expr.other)]
            return [self._new[expr.condition], *blocks]
        new = [self._new[expr.data]]
        for clause in expr.clauses:
            new += [*self._news(bound_by(clause.pattern)), self._tail(clause.body, after)]
        return new

    def _bound(self, let: Let, rest: Expr) -> Expr:
        """Return an expression that computes the value of a let, then the expression `rest`."""
        answer = self._program.answer
        var, bound = cast("Var", self._new[let.var]), let.value
        if self._is_translated_call(bound):
            return self._call(cast("Call", bound), self._rest(var, bound, rest))
        if isinstance(bound, If | Match):
            join = self._after[bound]
            return Let(join, self._rest(var, bound, rest), self._new[bound], ty=answer)
        return Let(var, self._new[bound], rest, span=let.span, ty=answer)

    def _rest(self, var: Var, bound: Expr, rest: Expr) -> Function:
        """Return the continuation that binds a value to `var`, and then evaluates `rest`."""
        ty = self._types(bound.type)
        param = var if var.ty is ty else Var(var.name, ty)
        body = rest if param is var else Let(var, param, rest, ty=rest.ty)
        return Function((param,), body, self._program.answer, span=bound.span)

    def _tail(self, expr: Expr, after: Expr) -> Expr:
        if self._is_translated_call(expr):
            return self._call(cast("Call", expr), after)
        new = self._new[expr]
        if isinstance(expr, Let | If | Match):
            return new
        return Call(after, (new,), span=expr.span, ty=self._program.answer)

    def _call(self, call: Call, after: Expr) -> Call:
        chosen = tuple(map(self._types, call.type_arguments))
        if isinstance(call.op, GlobalVar):
            chosen += self._program.own
        callee, args = self._new[call.op], (*self._news(call.args), after)
        return Call(callee, args, type_arguments=chosen, span=call.span, ty=self._program.answer)

    def _news(self, exprs: Sequence[Expr]) -> list[Expr]:
        return [self._new[expr] for expr in exprs]

    def _is_translated_call(self, expr: Expr) -> bool:
        match expr:
            case Call(op=GlobalVar(name)):
                return name in self._program.names
            case Call(op=Function() as op):
                return not op.is_primitive
            case Call(op=op):
                return not isinstance(op, Operator | Constructor)
            case _:
                return False
