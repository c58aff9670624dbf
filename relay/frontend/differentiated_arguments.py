"""The arguments by which a function is differentiated, selected by number or name.

Numbers count the arguments of a call, so each item of `*args` has its own. A program has one
parameter for `*args`, a tuple: a derivative by some of its items is the derivative of a function
whose parameters are the items.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, cast

from relay.autodiff.derive_program import ArgNums
from relay.autodiff.errors import no_parameter
from relay.frontend.python.captures.module_linking import linked
from relay.frontend.python.transformed_functions import Given, Shapes
from relay.frontend.python.values.containers import Container, Shape
from relay.ir.expr import Call, Function, GlobalVar, Let, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import TupleType
from relay.ir.unused_names import free_name
from relay.support.node import replace

_Argument: TypeAlias = tuple[str, int | None]
"""A parameter by name, and the index of an item if the parameter is `*args`."""


def gradient_shape(shapes: Shapes, argnums: ArgNums) -> Shape:
    """Return the structure of the gradient with respect to the arguments `argnums`."""
    if not isinstance(argnums, int | str):
        return Container(tuple, (), tuple(gradient_shape(shapes, each) for each in _each(argnums)))
    found = _argument(shapes, argnums)
    if found is None:
        return None
    shape = shapes.arguments.get(found[0])
    return shape if found[1] is None else cast("Container", shape).items[found[1]]


def direction_shapes(shapes: Shapes, argnums: ArgNums) -> Mapping[str, Shape]:
    """Return the structure of the tangents that a derivative in forward mode takes, by name."""
    found: dict[str, Shape] = {}
    for each in _each(argnums):
        name = free_name(f"d_{_label(shapes, each)}", shapes.arguments, found)
        found[name] = gradient_shape(shapes, each)
    return found


def own_argnums(argnums: ArgNums, given: Given) -> ArgNums:
    """Return `argnums` without numbers, which count the parameters that are not captured.

    Raises `D003` for a parameter that does not exist.
    """
    if not given.inputs or not isinstance(argnums, int | Sequence) or isinstance(argnums, str):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
        return argnums
    if not isinstance(argnums, int):
        return tuple(cast("int | str", own_argnums(each, given)) for each in argnums)
    own = [param for param in given.module.main.params if param.name not in given.inputs]
    if not -len(own) <= argnums < len(own):
        raise no_parameter(argnums, own)
    return own[argnums].name


def derive_by(given: Given, argnums: ArgNums, derive: Callable[[Given, ArgNums], Module]) -> Module:
    """Return the derivative that `derive` makes of a program, by the arguments `argnums`.

    Raises `D003` for an argument that does not exist.
    """
    found = [_argument(given.shapes, each) for each in _each(argnums)]
    if given.shapes.spread is None or not found:
        return derive(given, own_argnums(argnums, given))
    if all(each is not None and each[1] is None for each in found):
        names = tuple(each[0] for each in found if each is not None)
        return derive(given, names[0] if isinstance(argnums, int | str) else names)
    star = next(each for each in given.module.main.params if each.name == given.shapes.spread)
    items = _items(star, given.module.main)
    apart = replace(given, module=_apart(given.module, star, items))
    return _together(derive(apart, own_argnums(argnums, apart)), star, items)


def _apart(module: Module, star: Var, items: Sequence[Var]) -> Module:
    """Return a module whose `main` takes the items of `star` in place of it."""
    main = module.main
    groups = [items if each is star else [each] for each in main.params]
    args = [Tuple(tuple(items)) if each is star else each for each in main.params]
    functions = linked(module, "function", {ENTRY})
    callee = next(iter(functions))
    body = Call(GlobalVar(callee, ty=functions[callee].ty), tuple(args))
    params = tuple(each for group in groups for each in group)
    made = Function(params, body, None, main.type_params, span=main.span)
    return replace(module, functions={**functions, ENTRY: made})


def _together(module: Module, star: Var, items: Sequence[Var]) -> Module:
    """Return a module whose `main` takes a tuple, like `star`, in place of its items."""
    main, names = module.main, [each.name for each in items]
    found = [each for each in main.params if each.name in names]
    first = next((i for i, each in enumerate(main.params) if each in found), 0)
    whole = Var(star.name, TupleType(tuple(each.type for each in found)), span=star.span)
    body = main.body
    for index, item in enumerate(found):
        body = Let(item, TupleGetItem(whole, index), body)
    others = [each for each in main.params if each not in found]
    params = (*others[:first], whole, *others[first:])
    return module.with_function(ENTRY, replace(main, params=params, body=body, ty=None))


def _items(star: Var, main: Function) -> list[Var]:
    """Return a variable for each item of `*args`."""
    assert isinstance(star.type, TupleType), "`*args` is a tuple"
    taken, names = {each.name for each in main.params}, list[str]()
    for index in range(len(star.type.fields)):
        names.append(free_name(f"{star.name}_{index}", taken, names))
    return [Var(*each, span=star.span) for each in zip(names, star.type.fields, strict=True)]


def _each(argnums: ArgNums) -> Sequence[int | str]:
    """Return the selected arguments; none for a selection that differentiation refuses."""
    if isinstance(argnums, int | str):
        return [argnums]
    return argnums if isinstance(argnums, Sequence) else []  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may


def _argument(shapes: Shapes, wanted: int | str) -> _Argument | None:
    """Return what an argument of a call is; None if it does not exist, or is not known yet."""
    if isinstance(wanted, str):
        return wanted, None
    found: list[_Argument] = []
    for name, shape in shapes.arguments.items():
        if name != shapes.spread:
            found.append((name, None))
        elif isinstance(shape, Container):
            found += [(name, i) for i in range(len(shape.items))]
        else:  # a call determines the number of items
            return found[wanted] if 0 <= wanted < len(found) else None
    return found[wanted] if -len(found) <= wanted < len(found) else None


def _label(shapes: Shapes, wanted: int | str) -> str:
    """Return a name for an argument, which is an item of `*args` if no parameter has its number."""
    name, item = _argument(shapes, wanted) or (shapes.spread or "argument", wanted)
    if item is None:
        return name
    return f"{name}_{item}".replace("-", "last_")
