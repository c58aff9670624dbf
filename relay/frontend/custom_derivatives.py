"""`relay.custom_vjp` and `relay.custom_jvp`: functions with user-defined derivatives."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from relay.autodiff.custom_derivative_calls import mismatch
from relay.autodiff.errors import (
    calls_itself,
    captures_variables,
    no_residuals,
    unsupported,
    wrong_derivative,
)
from relay.autodiff.tangent_types import has_floats, holds_data
from relay.frontend.derived_functions import Step, derived, program_of
from relay.frontend.program_transform_types import Model, ProgramTransform
from relay.frontend.python.captures.module_linking import linked, with_names
from relay.frontend.python.decorator import PythonFunction
from relay.frontend.python.rewriting.callables_as_functions import as_function
from relay.frontend.python.transformed_functions import Given, is_python
from relay.frontend.python.values.containers import Container, Shape
from relay.ir.alpha_rename import fresh_var
from relay.ir.custom_derivatives import BACKWARD, FORWARD, ITSELF, JVP, PARAMS, PYTHON_NAME
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.fresh_names import free_name
from relay.ir.module import ENTRY, Module, module_of
from relay.ir.types import UNIT, FuncType, TensorType, TupleType, Type
from relay.ir.walk import free_vars
from relay.ops.creation import ZerosLike
from relay.support.node import replace


def custom_vjp(backward: Model, forward: Model | None = None) -> ProgramTransform[[]]:
    """Return a decorator that adds a user-defined reverse-mode derivative to a function.

    `backward(residuals, d_result)` returns a tuple with the derivative with respect to each
    parameter. `forward` has the parameters of the function, and returns the pair of its result and
    the residuals; without it, the residuals are the tuple of the arguments. Derivatives have the
    types of the values, with `()` in place of everything but floats. Derivatives of higher orders
    differentiate `forward` and `backward`, which may call the function. Works for Python functions,
    whose types need not be declared, modules and `relay.Function`s. Differentiation raises `D009`
    if types do not match, `D010` in forward mode, and `D012` where it needs the derivative with
    respect to a value that the function captures.

    >>> import relay
    >>> x, d = relay.var("x", "float64"), relay.var("d", "float64")
    >>> r = relay.var("r", relay.TupleType([relay.scalar_type("float64")]))
    >>> backward = relay.Function([r, d], relay.Tuple([relay.clip(d, -1.0, 1.0)]))
    >>> limited = custom_vjp(backward)(relay.Function([x], x * relay.const(5.0, "float64")))
    >>> relay.compile(relay.grad(limited))(2.0)
    array(1.)
    """
    given = {BACKWARD: backward} if forward is None else {FORWARD: forward, BACKWARD: backward}
    return CustomDerivative(given)


def custom_jvp(jvp: Model) -> ProgramTransform[[]]:
    """Return a decorator that adds a user-defined forward-mode derivative to a function.

    `jvp` takes the arguments of the function, and then a tangent for each parameter that contains
    floats; it returns the pair of the result and its tangent. See `custom_vjp`, which may decorate
    the same function, for the types and the errors.

    >>> import relay
    >>> x, d = relay.var("x", "float64"), relay.var("d", "float64")
    >>> doubled = relay.Function([x, d], relay.Tuple([relay.abs(x), d + d]))
    >>> size = custom_jvp(doubled)(relay.Function([x], relay.abs(x)))
    >>> relay.compile(relay.grad(size))(3.0)
    array(2.)
    """
    return CustomDerivative({JVP: jvp})


class CustomDerivative:
    """The decorator of `custom_vjp` and `custom_jvp`, which attaches derivatives to a function.

    `derivatives` maps the attribute of the function (`FORWARD`, `BACKWARD`, `JVP`) to each.
    """

    def __init__(self, derivatives: Mapping[str, Model]) -> None:
        self._derivatives = derivatives
        self._is_active = False

    def __call__(self, model: Model) -> Any:
        """Return the function with these derivatives."""
        name = getattr(model, "__name__", None)
        rules = [getattr(each, "original", each) for each in self._derivatives.values()]
        return derived(model, Step(lambda given: self._customize(given, name), rules=rules))

    def _customize(self, given: Given, name: str | None) -> Module:
        if self._is_active:  # a derivative calls the function
            main = given.module.main
            return given.module.with_function(
                ENTRY, replace(main, attrs={**main.attrs, ITSELF: True})
            )
        self._is_active = True
        try:
            return _Customized(given, name).module(self._derivatives)
        finally:
            self._is_active = False


class _Customized:
    """A program to which derivatives of its `main` are added, as functions of the module.

    Captured parameters of `main` are residuals whose derivative is zero, so the derivatives that
    users define concern the other parameters only. They include what only these derivatives
    capture, and `main` does not read: by such values, the derivative of `main` really is zero.
    """

    def __init__(self, given: Given, name: str | None) -> None:
        self._given, self._python_name, main = given, name, given.module.main
        self._own = [each for each in main.params if each.name not in given.inputs]
        self._captured = [each for each in main.params if each.name in given.inputs]
        self._functions, self._types = {**given.module.functions}, {**given.module.types}
        self._used: dict[str, Sequence[int]] = {}
        """The positions, among the captured values, of those that a derivative captures."""

    def module(self, derivatives: Mapping[str, Model]) -> Module:
        """Return the module with derivatives, which are in the order in which they are traced."""
        residuals = Container(tuple, (), tuple(self._given.shapes.arguments.values()))
        pair: Shape = Container(tuple, (), (self._given.shapes.result, residuals))
        own = TupleType(tuple(each.type for each in self._own))
        ty: Type = TupleType((self._given.module.main.body.type, own))
        names: dict[str, str] = {}
        for key, model in derivatives.items():
            program, shape, captured = self._program(key, model, pair, ty)
            if key == FORWARD:
                pair, ty = shape, program.main.body.type
                if not (isinstance(ty, TupleType) and len(ty.fields) == 2):
                    raise no_residuals(program.main, self._python_name or "the function")
            names[key] = self._linked(key, program)
            self._link_calls()
            self._used[key] = [self._given.captured.index(each) for each in captured]
            if self._captured:  # these derivatives are called by others, which must fit
                self._check(key, program.main, len(captured), ty)
        if self._captured:
            names = self._with_captured(names)
        main = self._given.module.main
        attrs = {**main.attrs, **names, **self._descriptions()}
        self._functions[ENTRY] = replace(main, attrs=attrs)
        return replace(self._given.module, functions=self._functions, types=self._types)

    def _check(self, key: str, rule: Function, captured: int, pair: Type) -> None:
        """Raise `D009` unless a derivative fits; its last parameters are `captured` values.

        `pair` is the type of the forward function's result.
        """
        ty, main = rule.type, self._given.module.main
        assert isinstance(ty, FuncType), "functions are typed"
        assert isinstance(pair, TupleType), "a result and residuals"
        own, result = tuple(each.type for each in self._own), main.body.type
        if any(map(holds_data, (*own, result))):
            return
        smooth = tuple(_tangent(each) for each in own if has_floats(each))
        wanted = {
            FORWARD: FuncType(own, TupleType((result, pair.fields[1]))),
            BACKWARD: FuncType(
                (pair.fields[1], _tangent(result)), TupleType(tuple(map(_tangent, own)))
            ),
            JVP: FuncType((*own, *smooth), TupleType((result, _tangent(result)))),
        }
        found = FuncType(ty.params[: len(ty.params) - captured], ty.result)
        problem = mismatch(found, wanted[key])
        if problem is not None:
            raise wrong_derivative(key, rule, main, self._python_name or f"@{ENTRY}", problem)

    def _descriptions(self) -> Mapping[str, object]:
        """Return attributes with the function's Python name and the number of its parameters."""
        name = {} if self._python_name is None else {PYTHON_NAME: self._python_name}
        read = free_vars(self._given.module.main.body)
        unread = sum(each not in read for each in self._captured)
        return {**name, PARAMS: len(self._own) + unread} if self._captured else name

    def _program(
        self, key: str, model: Model, pair: Shape, ty: Type
    ) -> tuple[Module, Shape, Sequence[Var]]:
        """Return the program of a derivative, the structure of its result, and its captured values.

        `pair` and `ty` are the structure and type of the forward function's result.
        """
        if isinstance(model, Function):
            return Module.of(model), None, ()
        is_traced = isinstance(model, PythonFunction) or not hasattr(model, "module")
        if not is_traced or not is_python(cast("object", model)):
            return module_of(cast("object", model)), None, ()
        annotation, result = self._given.annotation, self._given.shapes.result
        shapes = [*self._given.shapes.arguments.values()]
        types = [each.type for each in self._own]
        if key == BACKWARD and isinstance(ty, TupleType) and len(ty.fields) == 2:
            residuals = pair.items[1] if isinstance(pair, Container) else None
            shapes, types = [residuals, result], [ty.fields[1], _tangent(ty.fields[0])]
        if key == JVP:
            smooth = [i for i, each in enumerate(types) if has_floats(each) or holds_data(each)]
            shapes += [shapes[i] for i in smooth]
            types += [_tangent(types[i]) for i in smooth]
        found = program_of(cast("Callable[..., Any]", model))
        source: PythonFunction[..., Any] = (
            found if isinstance(found, PythonFunction) else PythonFunction(as_function(found))
        )
        made = source.specialised(list(map(annotation, shapes, types)))
        module, result, captured = made.open_module()
        for var in captured:
            if var not in self._given.captured:
                raise captures_variables(source.original.__name__, var)
        return module, result, captured

    def _linked(self, key: str, program: Module) -> str:
        name = free_name(key, self._functions)
        self._functions |= linked(program, name, self._functions)
        self._types |= program.types
        return name

    def _link_calls(self) -> None:
        """Replace functions that a derivative calls, and that are `main`, by `main`.

        Raises `D009` if the derivative calls the function for other types of arguments.
        """
        main = self._given.module.main
        found = {name: each for name, each in self._functions.items() if ITSELF in each.attrs}
        for each in found.values():
            if each.type is not main.type:
                raise calls_itself(each)
        names = dict.fromkeys(found, ENTRY)
        others = {name: each for name, each in self._functions.items() if name not in found}
        self._functions = {name: with_names(each, names) for name, each in others.items()}

    def _with_captured(self, names: Mapping[str, str]) -> dict[str, str]:
        """Return those of the derivatives `names` that also take the captured parameters."""
        made: dict[str, Function] = {}
        if BACKWARD in names:
            made[FORWARD] = self._forward(names.get(FORWARD))
            made[BACKWARD] = self._backward(names[BACKWARD], made[FORWARD])
        if JVP in names:
            made[JVP] = self._jvp(names[JVP])
        found = {key: free_name(f"{key}_captured", self._functions) for key in made}
        self._functions |= {found[key]: each for key, each in made.items()}
        return found

    def _forward(self, name: str | None) -> Function:
        """Return the forward function, whose residuals are the user's and the captured values.

        Without one of the user, it calls the function, so that derivatives of higher orders use
        the custom derivative, too.
        """
        own, captured = tuple(map(fresh_var, self._own)), tuple(map(fresh_var, self._captured))
        if name is None:
            callee = GlobalVar(ENTRY, ty=self._given.module.main.ty)
            result: Expr = Call(callee, (*own, *captured))
            residuals: Expr = Tuple(own)
        else:
            pair = self._call(name, (*own, *self._captured_for(FORWARD, captured)))
            result, residuals = TupleGetItem(pair, 0), TupleGetItem(pair, 1)
        return Function((*own, *captured), Tuple((result, Tuple((residuals, Tuple(captured))))))

    def _backward(self, name: str, forward: Function) -> Function:
        """Return the backward function.

        Its derivatives with respect to captured values are zero.
        """
        assert isinstance(forward.body.ty, TupleType), "a pair"
        residuals = Var("residuals", forward.body.ty.fields[1])
        own = self._functions[name].ty
        assert isinstance(own, FuncType), "functions are typed"
        d_result = Var("d_result", own.params[1])
        values = [TupleGetItem(TupleGetItem(residuals, 1), i) for i in range(len(self._captured))]
        args = (TupleGetItem(residuals, 0), d_result, *self._captured_for(BACKWARD, values))
        found = self._call(name, args)
        zeros = list(map(_zero, values))
        parts = [TupleGetItem(found, i) for i in range(len(self._own))]
        return Function((residuals, d_result), Tuple((*parts, *zeros)))

    def _jvp(self, name: str) -> Function:
        """Return the function of forward mode, which ignores tangents of captured values."""
        own, captured = tuple(map(fresh_var, self._own)), tuple(map(fresh_var, self._captured))
        ty = self._functions[name].ty
        assert isinstance(ty, FuncType), "functions are typed"
        used = self._captured_for(JVP, captured)
        along = tuple(Var("d", each) for each in ty.params[len(own) : len(ty.params) - len(used)])
        smooth = (each for each in captured if has_floats(each.type))
        ignored = tuple(Var("ignored", _tangent(each.type)) for each in smooth)
        body = self._call(name, (*own, *along, *used))
        return Function((*own, *captured, *along, *ignored), body)

    def _captured_for(self, key: str, values: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return those captured values that the derivative `key` takes as its last arguments."""
        return tuple(values[index] for index in self._used[key])

    def _call(self, name: str, args: Sequence[Expr]) -> Call:
        return Call(GlobalVar(name, ty=self._functions[name].ty), tuple(args))


def _tangent(ty: Type) -> Type:
    """Return the type of derivatives with respect to values of type `ty`.

    See `relay.ir.custom_derivatives`.
    """
    match ty:
        case TensorType(_, dtype):
            return ty if dtype.is_float else UNIT
        case TupleType(fields) if has_floats(ty) or holds_data(ty):
            return TupleType(tuple(map(_tangent, fields)))
        case TupleType():
            return UNIT
        case _:
            return ty


def _zero(value: Expr) -> Expr:
    """Return the zero derivative by a captured value; raises `D004` for data with floats."""
    match value.type:
        case TensorType(_, dtype):
            return Call(ZerosLike(), (value,)) if dtype.is_float else Tuple(())
        case TupleType(fields) if has_floats(value.type):
            return Tuple(tuple(_zero(TupleGetItem(value, i)) for i in range(len(fields))))
        case TupleType():
            return Tuple(())
        case _:
            what = "a function that has a custom derivative and captures data from outside"
            raise unsupported(what, value, "pass the data to the function as an argument")
