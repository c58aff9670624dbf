"""Trace functions of parameter trees to Relay programs, and compile them."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from relay.build.compile import compile_module
from relay.ir.expr import Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.layers.parameter_tree import (
    Leaf,
    Parameter,
    Tree,
    expressions,
    leaves,
    map_tree,
    require_alike,
    types,
    with_leaves,
)
from relay.ops.functions import random
from relay.runtime.executable import Executable


@dataclass(frozen=True)
class TreeProgram:
    """A program from functions on trees: `main` takes and returns the tensors of trees.

    `arguments` and `result` are the argument trees and the result tree, with types for tensors.
    """

    module: Module
    arguments: tuple[Tree, ...]
    result: Tree

    @property
    def variables(self) -> tuple[Tree, ...]:
        """Return the argument trees with the parameters of `main` in place of tensors."""
        return with_leaves(self.arguments, self.module.main.params)


def traced(function: Callable[..., Tree], *examples: Tree) -> TreeProgram:
    """Trace a function on trees of expressions to a program.

    The function is called once. `examples` are trees with `Parameter`s, arrays, or `TensorType`s
    (which may have symbolic sizes) in place of tensors.

    >>> from relay.ir.types import TensorType
    >>> pair = {"a": TensorType((2,)), "b": TensorType((2,))}
    >>> [param.name for param in traced(lambda x: x["a"] + x["b"], pair).module.main.params]
    ['x.a', 'x.b']
    """
    bound = signature(function).bind(*examples)
    bound.arguments.update(map_tree(lambda leaf: Var(leaf.path, leaf.type), dict(bound.arguments)))
    params = [leaf.value for leaf in leaves(bound.args)]
    result = function(*bound.args)
    found = tuple(expressions(result))
    module = Module.of(Function(tuple(params), Tuple(found)))
    return TreeProgram(module, types(bound.args), types(with_leaves(result, found)))


class TreeFunction:
    """A compiled function on trees of arrays; `executable` takes their tensors in order."""

    def __init__(self, program: TreeProgram, executable: Executable) -> None:
        self.program = program
        self.executable = executable

    def __call__(self, *args: Tree) -> Tree:
        """Return the result tree for argument trees; raises `U330` if their structure differs.

        Raises the errors of `relay.Executable` for tensors of a wrong type.
        """
        require_alike(self.program.arguments, args)
        found = self.executable(*(leaf.value for leaf in leaves(args)))
        return with_leaves(self.program.result, found)


def compile_function(
    function: Callable[..., Tree], *examples: Tree, **options: Any
) -> TreeFunction:
    """Compile a function on trees; see `traced` for the function and its examples.

    `options` are those of `relay.compile`.

    >>> import numpy as np
    >>> double = compile_function(lambda x: {"twice": x * 2.0}, np.ones(2))
    >>> double(np.array([1.0, 2.0]))
    {'twice': array([2., 4.])}
    """
    program = traced(function, *examples)
    return TreeFunction(program, compile_module(program.module, **options))


def initialize(tree: Tree, seed: int = 0) -> Tree:
    """Return a tree with each `Parameter` replaced by an array that its initializer draws.

    The random numbers are those of `relay.random` for a key made from the seed. Other arrays are
    copied: training reuses the memory of its state, and must not change those of the caller.
    """
    first = random.threefry_key(seed)
    key: Expr = (start := Var("key", first.type))
    made: list[Expr] = []
    for leaf in leaves(tree):
        if isinstance(leaf.value, Parameter):
            own, key = random.threefry_split(key)
            made.append(leaf.value.initializer(own, leaf.value.type))
    module = Module.of(Function((start,), Tuple(tuple(made))))
    drawn = iter(compile_module(module)(first.array) if made else ())

    def array(leaf: Leaf) -> Any:
        if isinstance(leaf.value, Parameter):
            return next(drawn)
        is_array = isinstance(leaf.value, np.ndarray | np.generic)
        return np.array(leaf.value) if is_array else leaf.value

    return map_tree(array, tree)
