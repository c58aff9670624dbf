import sys
from pathlib import Path

import numpy as np
import pytest

import relay
from relay.build.reproduce_failures import run_verified
from relay.build.verify_passes import Verifier
from relay.ir.expr import Call, Constant, Expr, Function, Let, Located, Tuple, Var
from relay.ir.module import Module
from relay.ir.temporary_expr import TempExpr
from relay.ir.types import TensorType
from relay.ops.functions import op
from relay.semantics.well_formed import check_types, check_well_formed
from relay.support.errors import RelayError
from relay.support.node import node, value
from relay.transform.pipeline import FunctionPass, Pass
from relay.transform.run_passes import run_passes
from relay.transform.user_passes import function_pass, module_pass

X = TensorType((2,))


def test_a_variable_bound_twice():
    x = Var("x", X)
    with pytest.raises(RelayError, match="T030"):
        check_well_formed(Module.of(Function((x,), Let(x, x, x))))


def test_a_variable_outside_its_scope():
    x, y = Var("x", X), Var("y", X)
    with pytest.raises(RelayError, match="T031"):
        check_well_formed(Module.of(Function((x,), Tuple((Let(y, x, y), y)))))
    with pytest.raises(RelayError, match="T031"):
        check_well_formed(Module.of(Function((x,), y)))


@node
class Later(Located, TempExpr):
    """What a pass inserts for its own use."""

    inner: Expr

    def realize(self) -> Expr:
        return self.inner


def test_a_temporary_that_is_left():
    x = Var("x", X)
    later = Later(x, ty=X)
    check_well_formed(Module.of(Function((x,), later.realize())))
    with pytest.raises(RelayError, match=r"T041.*Later"):
        check_well_formed(Module.of(Function((x,), Tuple((later, x)))))


def test_a_type_that_does_not_fit():
    x = Var("x", X)
    wrong = Call(op.get("exp"), (x,), ty=TensorType((3,)))
    with pytest.raises(RelayError, match="T032"):
        check_types(Module.of(Function((x,), wrong)))


@value
class Negate(Pass):
    """A pass that is wrong."""

    def transform(self, module: Module) -> Module:
        body = Call(op.get("negative"), (module.main.body,))
        return Module.of(Function(module.main.params, body))


def test_the_verifier_names_the_pass():
    before = relay.parse('#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) { exp(%x) }')
    with pytest.raises(RelayError, match=r"C041.*: the pass negate changed the results"):
        Verifier(values=True)(before, Negate()(before), Negate())
    y = Var("y", X)
    with pytest.raises(RelayError, match=r"C040.*: the pass negate made the program invalid"):
        Verifier()(before, Module.of(Function((Var("x", X),), y)), Negate())
    constant = Module.of(Function((y,), Constant(np.ones(2, np.float32))))
    Verifier()(before, constant, Negate())
    two = Module({"main": before.main, "again": before.main})
    with pytest.raises(
        RelayError,
        match=r"C040.*: the pass negate made the program invalid: .*@again and another function",
    ):
        Verifier()(before, two, Negate())


@value
class Divides(Pass):
    """A pass that fails."""

    def transform(self, module: Module) -> Module:
        raise ZeroDivisionError(repr(module))


@value
class Exits(Pass):
    """A pass that ends the process."""

    def transform(self, module: Module) -> Module:
        sys.exit(3)


@value
class Forgets(Pass):
    """A pass without a result."""

    def transform(self, module: Module) -> Module:
        return None  # pyright: ignore[reportReturnType] - the mistake


@value
class ForgetsFunctions(FunctionPass):
    """A pass on functions without a result."""

    def run(self, function: Function) -> Function:
        return None  # pyright: ignore[reportReturnType] - the mistake


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (Exits(), "exits failed: SystemExit: 3"),
        (Forgets(), "forgets failed: it must return a module, but returned None"),
        (ForgetsFunctions(), "forgets-functions failed: it must return a function, but returned"),
        (module_pass(lambda *_: None, name="Mine"), "Mine failed: it must return a module, but"),
        (
            function_pass(lambda *_: None, name="Mine"),
            "Mine failed: it must return a function, but",
        ),
    ],
)
def test_a_pass_without_a_result_is_named(made: Pass, reason: str, tmp_path: Path):
    module = Module.of(Function((), Constant(np.ones(2))))
    with pytest.raises(RelayError, match=f"C043.*: the pass {reason}"):
        run_verified(module, [made], path=tmp_path / "small.rly")
    assert (tmp_path / "small.rly").exists()


def test_a_pass_that_fails_is_named():
    with pytest.raises(
        RelayError, match=r"C043.*: the pass divides failed: ZeroDivisionError"
    ) as caught:
        run_passes(Module.of(Function((), Constant(np.ones(2)))), [Divides()])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
