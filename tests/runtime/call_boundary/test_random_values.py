"""Random data types and random values of them, in and out."""

import random
from dataclasses import make_dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from relay.runtime import Data

DTYPES = ("float32", "int32", "bool", "float64", "int64", "uint8", "bfloat16", "float16")
Type = Any  # ("tensor", dtype, shape) | ("tuple", types) | ("data", number)


class World:
    """Some data types, which refer to one another, and values of them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        count = self.random.randint(1, 3)
        self.types = [
            [[self.field(count, 2) for _ in range(self.random.randint(0, 3))] for _ in range(size)]
            + [[]]  # a constructor at which values end
            for size in (self.random.randint(1, 3) for _ in range(count))
        ]
        self.classes = {
            (ty, tag): make_dataclass(
                f"C{ty}{tag}",
                [f"f{i}" for i in range(len(fields))],
                slots=self.random.random() < 0.5,
                eq=False,
            )
            for ty, variants in enumerate(self.types)
            for tag, fields in enumerate(variants)
        }
        self.made: list[list[Any]] = [[] for _ in self.types]

    def field(self, types: int, depth: int) -> Type:
        kind = self.random.random()
        if kind < 0.35:
            return "data", self.random.randrange(types)
        if kind < 0.55 and depth:
            parts = [self.field(types, depth - 1) for _ in range(self.random.randint(0, 3))]
            return "tuple", parts
        axes = self.random.choice([0, 0, 1, 2, 3])
        shape = [self.random.choice([1, 2, 3, "?"]) for _ in range(axes)]
        return "tensor", self.random.choice(DTYPES), shape

    def text(self, ty: Type) -> str:
        if ty[0] == "data":
            return f"T{ty[1]}"
        if ty[0] == "tuple":
            return f"({', '.join(map(self.text, ty[1]))},)" if ty[1] else "()"
        return f"Tensor[({', '.join(map(str, ty[2]))}), {ty[1]}]" if ty[2] else ty[1]

    def program(self) -> str:
        lines: list[str] = []
        for ty, variants in enumerate(self.types):
            shown = [
                f"C{ty}{tag}" + (f"({', '.join(map(self.text, fields))})" if fields else "")
                for tag, fields in enumerate(variants)
            ]
            lines.append(f"type T{ty} {{ {', '.join(shown)} }}")
        lines.append("def @main(%v: T0, %w: (T0, int32)) -> ((T0, int32), T0) { (%w, %v) }")
        return "\n".join(lines)

    def value(self, ty: Type, depth: int) -> Any:
        if ty[0] == "tuple":
            return tuple(self.value(each, depth) for each in ty[1])
        if ty[0] == "tensor":
            shape = [self.random.randint(0, 4) if n == "?" else n for n in ty[2]]
            dtype = ml_dtypes.bfloat16 if ty[1] == "bfloat16" else ty[1]
            return np.asarray(self.numpy.integers(0, 2, shape)).astype(dtype)
        return self.data(ty[1], depth)

    def data(self, ty: int, depth: int) -> Any:
        if self.made[ty] and self.random.random() < 0.2:
            return self.random.choice(self.made[ty])
        variants = self.types[ty]
        tag = self.random.randrange(len(variants)) if depth else len(variants) - 1
        fields = tuple(self.value(each, depth - 1) for each in variants[tag])
        cls = self.classes[ty, tag]
        made = cls(*fields) if self.random.random() < 0.5 else Data(f"C{ty}{tag}", fields)
        self.made[ty].append(made)
        return made


def same(given: Any, found: Any, known: dict[int, int]) -> None:
    """Hold what came out against what went in; what was shared is shared again."""
    if isinstance(given, tuple):
        assert type(found) is tuple
        for a, b in zip(given, found, strict=True):
            same(a, b, known)
    elif isinstance(given, np.ndarray):
        assert (type(found), found.dtype) == (np.ndarray, given.dtype)
        np.testing.assert_array_equal(found.astype(np.float64), given.astype(np.float64))
    elif not isinstance(given, (Data, int)):
        fields = tuple(getattr(given, name) for name in type(given).__dataclass_fields__)
        data_is_same(given, type(given).__name__, fields, found, known)
    elif isinstance(given, Data):
        data_is_same(given, given.constructor, given.fields, found, known)
    else:
        assert found == given


def data_is_same(
    given: Any, name: str, fields: tuple[Any, ...], found: Any, known: dict[int, int]
) -> None:
    assert (type(found), found.constructor) == (Data, name)
    if not fields:
        assert found.fields == ()
        return
    if id(given) in known:
        assert known[id(given)] == id(found)
        return
    known[id(given)] = id(found)
    same(fields, found.fields, known)


@pytest.mark.parametrize("seed", range(25))
def test_what_goes_in_comes_out(way: str, compiled: Any, seed: int):
    world = World(seed)
    executable = compiled(world.program())
    for depth in (0, 1, 2, 3, 4):
        first, second = world.data(0, depth), world.data(0, depth + 1)
        for _ in range(2):
            (out, number), again = executable(first, (second, depth))
            assert number == depth
            same(first, again, {})
            same(second, out, {})
        world.made = [[] for _ in world.types]
