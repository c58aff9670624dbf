"""A random program: a typed module, and inputs for its `main`."""

from collections.abc import Sequence
from dataclasses import dataclass

from relay.frontend.python.captures.module_linking import linked, with_types_apart
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Function, GlobalVar, Let, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import (
    FuncType,
    TensorType,
    TupleType,
    Type,
    TypeRelation,
    TypeVar,
    dim_variables,
    substitute_dims,
)
from relay.ir.walk import post_order
from relay.ops.binary import Add
from relay.prelude import library
from relay.semantics.evaluator_values import Value
from relay.support.dtype import dtype, float32
from tools.fuzzing.programs.choices import Choices
from tools.fuzzing.programs.data import DataTypes
from tools.fuzzing.programs.embedding import embedding
from tools.fuzzing.programs.grower import INT, ProgramGenerator
from tools.fuzzing.programs.meetings import LOOSE
from tools.fuzzing.programs.scope import Recursion, Scope
from tools.fuzzing.programs.signatures import Signature, prelude_signatures
from tools.fuzzing.programs.typing import plain_type, random_type
from tools.fuzzing.programs.values import random_value

N = DimVar("n")
OPEN = TensorType((N, 2), float32)
"""The type of tensors of unknown length."""


_FLOATS = TensorType((3,), float32)


@dataclass(frozen=True)
class Program:
    """A module whose nodes are all typed, and arguments of `main`."""

    module: Module
    inputs: tuple[Value, ...]


def random_program(
    choices: Choices,
    size: int = 40,
    *,
    generic_values: bool = False,
    guarded_reads: bool = False,
    open_meetings: bool = False,
    smooth: bool = False,
    around: Module | None = None,
) -> Program:
    """Return a program of about so many nodes in each function, and inputs for it.

    With `generic_values` it may hold generic functions in data, and use types without values: it
    can be evaluated, but not compiled. With `guarded_reads` it has reads that may be out of range,
    nearly always guarded, so that it rarely traps. With `open_meetings` tensors of unknown lengths
    broadcast, which traps if the lengths do not match. With `smooth` it takes and
    returns floats, and has more operators on them. `main` computes what that of `around` does, too:
    a program of tensors, whose operands are partly random and whose result is used further.

    >>> from relay.semantics.evaluate import evaluate
    >>> from tools.fuzzing.programs.choices import RandomChoices
    >>> program = random_program(RandomChoices(3))
    >>> value = evaluate(program.module, *program.inputs)
    """
    data, signatures = DataTypes(choices), prelude_signatures()
    grower = ProgramGenerator(
        choices,
        data,
        signatures,
        generic_values=generic_values,
        guarded_reads=guarded_reads,
        open_meetings=open_meetings,
        smooth=smooth,
    )
    return _Maker(grower, size, around).program()


class _Maker:
    """A generator of one program, function by function; functions call earlier ones."""

    def __init__(self, grower: ProgramGenerator, size: int, around: Module | None) -> None:
        self.grower = grower
        self.size = size
        self.around = around
        self.choices = grower.choices
        self.generic_values = grower.generic_values
        self.data = grower.data
        self.types = dict(grower.data.types)
        self.functions: dict[str, Function] = {}

    def program(self) -> Program:
        """Generate the functions, and inputs."""
        for index in range(self.choices.below(3)):
            match self.choices.below(3):
                case 0:
                    self._plain_function(f"g{index}")
                case 1:
                    self._generic_function(f"p{index}")
                case _:
                    self._recursive_functions([f"even{index}", f"odd{index}"])
        if self.generic_values and self.choices.chance(4):
            self.functions["speaks"] = _speaking_of_types()
        self._main()
        length = self.choices.between(1, 3)
        inputs = tuple(
            random_value(self.choices, self._sized(param.type, length), self.data)
            for param in self.functions["main"].params
        )
        return Program(self._module(), inputs)

    def _sized(self, ty: Type, length: int) -> Type:
        """Return a type with concrete lengths; unnamed lengths are drawn separately."""
        if ty is LOOSE:
            return TensorType((self.choices.pick((1, length, 2 * length)), 2), float32)
        return substitute_dims(ty, dict.fromkeys(dim_variables(ty), length))

    def _main(self) -> None:
        count = self.choices.between(1, 3)
        params = [Var("x", plain_type(self.choices, self.data)) for _ in range(count)]
        if self.choices.chance(2):
            params.append(Var("x", OPEN))
        if self.grower.open_meetings:
            params += [Var("y", LOOSE), Var("y", LOOSE)][: self.choices.between(1, 2)]
        result = plain_type(self.choices, self.data)
        if self.grower.smooth:
            params.append(Var("x", _FLOATS))
            result = TupleType((result, _FLOATS))
        if isinstance(params[-1].type, TensorType) and self.choices.chance(2):
            result = TupleType((result, params[-1].type))
        if self.around is None:
            self.functions["main"] = self._function(params, result)
        else:
            self.functions["main"] = self._function_around(self.around, params, result)

    def _function_around(self, seed: Module, params: Sequence[Var], result: Type) -> Function:
        """Generate a function that also computes the `main` of a seed, and may use its result."""
        seed = with_types_apart(seed, self.types)
        self.types |= seed.types
        taken = {*self.functions, *library("prelude.rly").functions, "main"}
        functions = linked(seed, "seed", taken)
        name, main = next(iter(functions.items()))
        is_called = any(_calls(each, name) for each in functions.values())
        self.functions |= {each: functions[each] for each in functions if each != name or is_called}
        planted = embedding(self.grower, main, params)
        rest = self.grower.expr(result, Scope((*params, *planted.values)), self.size)
        body = Let(planted.var, planted.value, Tuple((rest, *planted.results)))
        return Function((*params, *planted.params), body, body.type)

    def _function(self, params: Sequence[Var], result: Type) -> Function:
        body = self.grower.expr(result, Scope(tuple(params)), self.size)
        return Function(tuple(params), body, result)

    def _plain_function(self, name: str) -> None:
        count = self.choices.below(3)
        params = [Var("x", plain_type(self.choices, self.data, 1)) for _ in range(count)]
        if self.choices.chance(2):
            params.append(Var("x", OPEN))
        result = self.choices.pick([plain_type(self.choices, self.data, 1), *_types(params)])
        self._declare(name, self._function(params, result))

    def _generic_function(self, name: str) -> None:
        """Generate a function with type parameters and a parameter of each of them."""
        type_params = tuple(TypeVar(each) for each in ("A", "B")[: self.choices.between(1, 2)])
        params = [Var("x", ty) for ty in type_params]
        at_hand = Scope(tuple(params))
        more = [random_type(self.choices, at_hand, self.data, 1) for _ in range(2)]
        params += [Var("y", ty) for ty in more]
        result = self.choices.pick(_types(params))
        body = self.grower.expr(result, Scope(tuple(params)), self.size // 2)
        self._declare(name, Function(tuple(params), body, result, type_params))

    def _recursive_functions(self, names: list[str]) -> None:
        """Generate functions that call each other until their first argument is 0."""
        count = self.choices.pick((1, 1, 2, 6))  # six exceed the argument registers
        kinds = [plain_type(self.choices, self.data, 1) for _ in range(2)]
        carried = [self.choices.pick(kinds) for _ in range(count)]  # to swap their positions
        result = self.choices.pick(kinds)
        ty = FuncType((INT, *carried), result)
        again = [GlobalVar(name, ty=ty) for name in names]
        for name, other in zip(names, reversed(again), strict=True):
            fuel, *state = Var("n", INT), *(Var("x", each) for each in carried)
            back = Recursion(other, ty, fuel)
            callee = self.choices.pick(again)
            budget = self.size // 2
            body = self.grower.counting(callee, (fuel, *state), result, Scope(), budget, back)
            self.functions[name] = Function((fuel, *state), body, result)
        for name in names:
            self.grower.declare(Signature(name, ty, fuel=True))

    def _declare(self, name: str, function: Function) -> None:
        self.functions[name] = function
        assert isinstance(function.ty, FuncType), "all its parts have types"
        self.grower.declare(Signature(name, function.ty))

    def _module(self) -> Module:
        """Return the functions with the definitions of the prelude that they use."""
        everything = {**library("prelude.rly").functions, **self.functions}
        needed: dict[str, Function] = {}
        waiting = [*self.functions]
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed[name] = everything[name]
                called = post_order(everything[name])
                waiting.extend(e.name for e in called if isinstance(e, GlobalVar))
        return Module(dict(sorted(needed.items())), self.types)


def _calls(function: Function, name: str) -> bool:
    nodes = post_order(function)
    return any(isinstance(each, GlobalVar) and each.name == name for each in nodes)


def _speaking_of_types() -> Function:
    """Return a function that is never called and uses types without values or without literals."""
    a, b, c = map(TypeVar, "ABC")
    related = FuncType((a, b), c, (a, b, c), (TypeRelation(Add(), (a, b, c), 2),))
    lanes = Var("x", TensorType((2,), dtype("float32x4")))
    return Function((lanes, Var("f", related)), Call(Add(), (lanes, lanes)))


def _types(params: Sequence[Var]) -> list[Type]:
    return [param.type for param in params]
