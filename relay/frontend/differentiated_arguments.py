"""The arguments by which a function is differentiated, selected by number or name.

Numbers count the arguments of a call, so each item of `*args` has its own; keyword-only parameters
have none. Negative numbers count from the last argument that a call passes by position. A program
has one parameter for `*args`, a tuple: a derivative by some of its items is the derivative of a
function whose parameters are the items.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import SupportsIndex, TypeAlias, cast

from relay.autodiff.derive_program import ArgNums
from relay.autodiff.errors import no_argument, no_selection
from relay.frontend.python.captures.module_linking import linked
from relay.frontend.python.transformed_functions import Given, Shapes
from relay.frontend.python.values.containers import Container, Shape
from relay.ir.expr import Call, Function, GlobalVar, Let, Tuple, TupleGetItem, Var
from relay.ir.fresh_names import free_name
from relay.ir.module import ENTRY, Module
from relay.ir.types import TupleType
from relay.support.node import replace

_Argument: TypeAlias = tuple[str, int | None]
"""A parameter by name, and the index of an item if the parameter is `*args`."""


def selection(argnums: object) -> ArgNums:
    """Return selected arguments as integers and strings; raises `D003` for other objects.

    >>> selection([-1, "x"])
    (-1, 'x')
    """
    if isinstance(argnums, Sequence) and not isinstance(argnums, str):
        return tuple(map(_selector, cast("Sequence[object]", argnums)))
    return _selector(argnums)


def _selector(given: object) -> int | str:
    if isinstance(given, str):
        return given
    try:
        return operator.index(cast("SupportsIndex", given))
    except TypeError:  # not an integer; an array may be one
        raise no_selection(given) from None


def gradient_shape(shapes: Shapes, argnums: ArgNums) -> Shape:
    """Return the nesting of containers in the gradient with respect to the arguments `argnums`."""
    if not isinstance(argnums, int | str):
        return Container(tuple, (), tuple(gradient_shape(shapes, each) for each in _each(argnums)))
    found = _argument(shapes, argnums)
    if found is None:
        return None
    shape = shapes.arguments.get(found[0])
    return shape if found[1] is None else cast("Container", shape).items[found[1]]


def direction_shapes(shapes: Shapes, argnums: ArgNums) -> Mapping[str, Shape]:
    """Return the nesting of containers in each tangent that forward mode takes, by its name."""
    found: dict[str, Shape] = {}
    for each in _each(argnums):
        name = free_name(f"d_{_label(shapes, each)}", shapes.arguments, found)
        found[name] = gradient_shape(shapes, each)
    return found


def counts_from_end(argnums: ArgNums) -> bool:
    """Whether some of the selected arguments are counted from the end of a call's arguments."""
    return any(isinstance(each, int) and each < 0 for each in _each(argnums))


def derive_by(given: Given, argnums: ArgNums, derive: Callable[[Given, ArgNums], Module]) -> Module:
    """Return the derivative that `derive` makes of a program, by the arguments `argnums`.

    Raises `D003` for an argument that does not exist.
    """
    if not given.shapes.arguments:  # a module, whose parameters are numbered
        return derive(given, argnums)
    found = [_selected(given, each) for each in _each(argnums)]
    if any(item is not None for _, item in found):
        star = next(each for each in given.module.main.params if each.name == given.shapes.spread)
        items = _items(star, given.module.main)
        apart = replace(given, module=_apart(given.module, star, items))
        names = [name if item is None else items[item].name for name, item in found]
        return _together(derive(apart, _like(argnums, names)), star, items)
    return derive(given, _like(argnums, [name for name, _ in found]))


def _selected(given: Given, wanted: int | str) -> _Argument:
    """Return the program's parameter for an argument, and the index if it is an item of `*args`.

    Raises `D003` if there is none.
    """
    found = _argument(given.shapes, wanted)
    names = list(given.shapes.arguments)
    if found is None or found[0] not in names:
        raise no_argument(wanted, *_choices(given.shapes), given.module.main.span)
    own = [each.name for each in given.module.main.params if each.name not in given.inputs]
    return own[names.index(found[0])], found[1]


def _like(argnums: ArgNums, names: Sequence[str]) -> ArgNums:
    """Return `names` in the form of `argnums`: a single name, or a tuple of names."""
    return names[0] if isinstance(argnums, int | str) else tuple(names)


def _apart(module: Module, star: Var, items: Sequence[Var]) -> Module:
    """Return a module whose `main` takes `items` as parameters instead of the tuple `star`."""
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
    """Return a module whose `main` takes a tuple named like `star` instead of `items`."""
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
    """Return the selected arguments as a sequence, also if a single one is selected."""
    return [argnums] if isinstance(argnums, int | str) else argnums


def _argument(shapes: Shapes, wanted: int | str) -> _Argument | None:
    """Return the parameter of a selected argument, and its index if it is an item of `*args`.

    The result is None if the argument does not exist, or is not known yet.
    """
    if isinstance(wanted, str):
        return wanted, None
    found: list[_Argument] = []
    for name in _positional(shapes, only_passed=wanted < 0):
        shape = shapes.arguments[name]
        if name != shapes.spread:
            found.append((name, None))
        elif isinstance(shape, Container):
            found += [(name, i) for i in range(len(shape.items))]
        else:  # a call determines the number of items
            return found[wanted] if 0 <= wanted < len(found) else None
    return found[wanted] if -len(found) <= wanted < len(found) else None


def _positional(shapes: Shapes, *, only_passed: bool) -> list[str]:
    """Return the names of parameters that have a position.

    With `only_passed`, only those are returned that a call passes by position.
    """
    form = shapes.form
    absent = {*shapes.keyword_only, *(form.omitted | form.named if only_passed else ())}
    return [name for name in shapes.arguments if name not in absent]


def _choices(shapes: Shapes) -> tuple[Sequence[str], Sequence[str]]:
    """Return the arguments that have a number, in order, and the parameters that have none."""
    found: list[str] = []
    for name in _positional(shapes, only_passed=False):
        shape = shapes.arguments[name]
        if name == shapes.spread and isinstance(shape, Container):
            found += [f"{name}[{i}]" for i in range(len(shape.items))]
        else:
            found.append(name)
    return found, list(shapes.keyword_only)


def _label(shapes: Shapes, wanted: int | str) -> str:
    """Return a name for a selected argument, for the parameter that takes its tangent."""
    name, item = _argument(shapes, wanted) or (shapes.spread or "argument", wanted)
    if item is None:
        return name
    return f"{name}_{item}".replace("-", "last_")
