"""Random calls of operators, of which `tools/fuzz_operators.py` checks thousands."""

import ctypes
from random import Random

import numpy as np
import pytest

from relay.ir.dims import DimVar
from relay.ir.expr import Call, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ops.linalg.eigenvalues import Eigh
from relay.ops.nn.activations import Relu
from relay.ops.tensor.concat_and_split import Concatenate
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from tools.fuzzing.joined.check import Settings, check
from tools.fuzzing.joined.guarded_executable import GuardedExecutable
from tools.fuzzing.joined.subject import Results, Round, Subject
from tools.fuzzing.operators.promises import invariants_of
from tools.fuzzing.operators.rounds import random_subject
from tools.fuzzing.programs.outcomes import Trapped


@pytest.mark.parametrize("is_open", [True, False])
def test_calls_follow_from_a_number(is_open: bool):
    one, other = (random_subject(Random(5), "", is_open=is_open, rounds=4) for _ in range(2))
    assert one.text == other.text
    assert [each.arrays[0].shape for each in one.rounds] == [
        each.arrays[0].shape for each in other.rounds
    ]


@pytest.mark.parametrize(
    ("is_open", "settings"), [(False, Settings(places_results=True)), (True, Settings(0, 0))]
)
def test_calls_equal_their_references(is_open: bool, settings: Settings):
    random = Random(7)
    calls = [random_subject(random, f"c{k}_", is_open=is_open, rounds=6) for k in range(4)]
    words = check(calls, settings)
    assert words["values"] >= 4
    assert words["kernels"] >= 4


def relu(*rounds: tuple[np.ndarray, Results], name: str = "x") -> Subject:
    x = Var(name, TensorType((2,), "float32"))
    module = infer(Module.of(Function((x,), Call(Relu(), (x,)))))
    made = tuple(Round((array,), wanted) for array, wanted in rounds)
    return Subject("nn.relu", "nn.relu(x)", module, made, 1e-5)


GIVEN = np.array([-1.0, 2.0], np.float32)
RIGHT = (np.array([0.0, 2.0], np.float32),)


def test_a_wrong_result_is_found_among_others():
    wrong = (np.array([1.0, 2.0], np.float32),)
    check([relu((GIVEN, RIGHT)), relu((GIVEN, RIGHT), name="y")], Settings())
    with pytest.raises(AssertionError, match=r"nn\.relu differs in 1 of 2 elements: 0\.0, not 1"):
        check([relu((GIVEN, RIGHT)), relu((GIVEN, wrong), name="y")], Settings())


def test_a_missing_trap_is_found():
    trap = Trapped(ErrorCode.R053, "sizes")
    with pytest.raises(AssertionError, match=r"gives a value of float32\[2\], not R053"):
        check([relu((GIVEN, RIGHT)), relu((GIVEN, RIGHT), (GIVEN, trap), name="y")], Settings())


def test_a_value_may_replace_what_the_reference_does_not_define():
    open_ = Trapped(ErrorCode.R042, "NaN as a place")
    words = check([relu((GIVEN, RIGHT), (GIVEN, open_))], Settings())
    assert words["without a value in the reference"] == 1


def test_a_trap_is_blamed_on_its_call():
    pair = [Var(name, TensorType((DimVar(name), 2), "int32")) for name in "ab"]
    module = infer(Module.of(Function(tuple(pair), Call(Concatenate(1), (Tuple(tuple(pair)),)))))
    arrays, wrong = (np.ones((1, 2), np.int32), np.ones((3, 2), np.int32)), (np.ones((3, 4)),)
    join = Subject("concatenate", "a, b", module, (Round(arrays, wrong),), 1e-5)
    with pytest.raises(AssertionError, match=r"^concatenate gives R05\d "):
        check([relu((GIVEN, RIGHT)), join], Settings())


def test_a_write_beside_an_array_is_found(monkeypatch: pytest.MonkeyPatch):
    def writes(self: GuardedExecutable, args: list[np.ndarray], named: object) -> np.ndarray:
        del self, named
        ctypes.c_float.from_address(args[0].ctypes.data - 4).value = 0  # an array at the end
        return args[0]

    monkeypatch.setattr(GuardedExecutable, "_through_boundary", writes)
    with pytest.raises(AssertionError, match="memory beside an array was written to"):
        check([relu((GIVEN, (GIVEN,)))], Settings())


def test_factorisations_are_compared_up_to_free_signs_and_bases():
    x = Var("x", TensorType((2, 2), "float64"))
    module = infer(Module.of(Function((x,), Call(Eigh(), (x,)))))
    values, vectors = np.ones(2), np.array([[0.6, 0.8], [0.8, -0.6]])

    def subject(wanted: Results) -> Subject:
        rounds = (Round((np.eye(2),), wanted),)
        invariants = invariants_of(Eigh)
        return Subject("eigh", "eigh(x)", module, rounds, 1e-5, invariants=invariants)

    check([subject((values, vectors))], Settings())
    with pytest.raises(AssertionError, match="differs in 1 of 2"):
        check([subject((np.array([1.0, 1.5]), vectors))], Settings())
    with pytest.raises(AssertionError, match="differs in"):
        check([subject((values, 1.1 * vectors))], Settings())
