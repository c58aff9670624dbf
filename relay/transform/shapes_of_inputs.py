"""Shapes of the inputs of a module, which users specify by name."""

from collections.abc import Mapping, Sequence
from typing import cast

from relay.ir.dims import ANY, Dim, DimVar
from relay.ir.expr import Expr, Function, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import TensorType, Type
from relay.ir.walk import children, rewrite
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, UsageError
from relay.support.node import replace
from relay.transform.specialize_sizes import Specialize


def check_shapes(shapes: object) -> None:
    """Raise `F019` for shapes without names of inputs, `F014` for one that is not a sequence."""
    help_ = 'pass a dictionary: shapes={"x": (1, 3)}'
    if shapes is None:
        return
    if not isinstance(shapes, Mapping):
        message = f"shapes of the class {type(shapes).__name__} have no names of inputs"
        raise UsageError(ErrorCode.F019, message, help=help_)
    for name, shape in cast("Mapping[object, object]", shapes).items():
        if not isinstance(name, str):
            message = f"the name of an input must be a string, not {name!r}"
            raise UsageError(ErrorCode.F019, message, help=help_)
        if not isinstance(shape, Sequence) or isinstance(shape, str):
            message = f"the shape of the input '{name}' must be a tuple of sizes, not {shape!r}"
            raise UsageError(ErrorCode.F014, message, help=help_)


def with_shapes(module: Module, shapes: Mapping[str, Sequence[Dim]]) -> Module:
    """Return a typed module whose inputs, by name, have these shapes.

    1. A size that has a name in the program is replaced in the whole entry.
    2. A size that the program leaves unknown (`?`) is replaced in the input, and all types are
       inferred again, also unknown sizes of the result.
    3. A size that `shapes` leaves unknown stays as it is.

    Raises `C105` if two inputs disagree, `C106` for shapes that do not fit the model, or the errors
    of `check_shapes`.
    """
    check_shapes(shapes)
    sizes = _sizes(module.main, shapes)
    if sizes:
        module = Specialize(tuple(sizes.items())).transform(module)
    types = {param: _known(param.type, shapes.get(param.name)) for param in module.main.params}
    new = {old: _declared(old, ty) for old, ty in types.items() if ty is not old.type}
    return _with_params(module, new) if new else module


def _known(ty: Type, shape: Sequence[Dim] | None) -> Type:
    """Return the type of an input with the sizes of `shape` where its own are unknown."""
    if not isinstance(ty, TensorType) or shape is None or ANY not in ty.shape:
        return ty
    pairs = zip(ty.shape, shape, strict=True)
    return TensorType(tuple(size if dim is ANY else dim for dim, size in pairs), ty.dtype)


def _declared(param: Var, ty: Type) -> Var:
    return Var(param.name, ty, span=param.span)


def _with_params(module: Module, new: Mapping[Var, Var]) -> Module:
    """Return a typed module with other parameters of the entry.

    Known sizes of its result stay as they are: they may be declared, and are checked then.
    """
    main = module.main
    params = tuple(new.get(param, param) for param in main.params)

    def rule(expr: Expr) -> Expr:
        if isinstance(expr, Var):
            return new[expr] if expr in new else _without_type(expr)
        return expr

    body = rewrite(main.body, rule, edges=children)
    changed = replace(main, params=params, body=body, result=None, ty=None)
    found = infer(module.with_function(ENTRY, changed))
    if not isinstance(main.result, TensorType):
        return found
    result = _known(main.result, found.main.body.tensor_type.shape)
    if result == found.main.result:
        return found
    return infer(module.with_function(ENTRY, replace(changed, result=result)))


def _without_type(var: Var) -> Var:
    """Return a variable whose type is to be inferred, unless it is declared."""
    is_inferred = var.annotation is None and var.ty is not None
    return replace(var, ty=None) if is_inferred else var


def _sizes(main: Function, shapes: Mapping[str, Sequence[Dim]]) -> dict[str, Dim]:
    """Return the sizes of symbolic dimensions that the given input shapes imply.

    Raises `C105` if two inputs disagree, `C106` for shapes that do not fit the model.
    """
    params = {param.name: param for param in main.params}
    sizes: dict[str, Dim] = {}
    for name, shape in shapes.items():
        declared = params[name].tensor_type.shape if name in params else None
        if declared is None:
            raise _misfit(main, f"the model has no input '{name}', for which a shape is given")
        if len(declared) != len(shape) or any(map(_contradict, declared, shape)):
            raise _misfit(
                main,
                f"the shape {tuple(shape)} does not match the declared shape of the input '{name}'",
            )
        for dim, size in zip(declared, shape, strict=True):
            if not isinstance(dim, DimVar) or size is ANY:
                continue
            if sizes.setdefault(dim.name, size) != size:
                raise CompileError(
                    ErrorCode.C105,
                    f"the dimension '{dim.name}' has size {sizes[dim.name]} in one input, but "
                    f"{size} in the input '{name}'",
                    help="pass shapes in which equal names have equal sizes",
                )
    return sizes


def _contradict(dim: Dim, size: Dim) -> bool:
    """Whether a declared size is a number, and the given one is another number or a name."""
    return isinstance(dim, int) and size is not ANY and dim != size


def _misfit(main: Function, message: str) -> CompileError:
    return CompileError(
        ErrorCode.C106,
        message,
        notes=[f"input {param.name}: {param.type!r}" for param in main.params],
        help="pass shapes that agree with the sizes of the model: shapes={name of input: shape}, "
        "or --shape NAME=SIZES on the command line",
    )
