from typing import cast

import numpy as np
from hypothesis import given
from strategies import modules

import relay
from relay.ir.dims import ANY, DimVar
from relay.ir.equality import structural_equal, structural_hash
from relay.ir.expr import Call, Constant, Expr, Function, Let, Tuple, Var
from relay.ir.module import Module
from relay.ir.nesting_limits import DEEPEST
from relay.ir.types import FuncType, TensorType, TupleType, Type, TypeVar
from relay.ir.walk import children, free_vars, post_order, rewrite
from relay.opdef.table import OPERATORS
from relay.support.node import replace
from relay.transform.batched_region_records import BatchedRegion, Fixed, as_region

X = TensorType((2,))


def exp(x: Expr) -> Expr:
    return Call(OPERATORS["exp"](), (x,))


def renamed(module: Module) -> Module:
    def rule(expr: Expr) -> Expr:
        return replace(expr, name=expr.name + "_") if isinstance(expr, Var) else expr

    functions = {
        name: cast(Function, rewrite(function, rule, edges=children))
        for name, function in module.functions.items()
    }
    return module.with_functions(functions)


@given(modules())
def test_names_of_bound_variables_do_not_matter(module: Module):
    other = renamed(module)
    assert other is not module
    assert structural_equal(module, other)
    assert structural_hash(module) == structural_hash(other)


def test_sharing_matters_except_for_constants():
    x = Var("x", X)
    shared = exp(x)
    one = Function((x,), Tuple((shared, shared)))
    assert not structural_equal(one, Function((x,), Tuple((exp(x), exp(x)))))
    c, d = (Constant(np.ones(2, np.float32)) for _ in range(2))
    assert structural_equal(Tuple((c, c)), Tuple((c, d)))


def test_types_and_free_variables_matter():
    x, y = Var("x", X), Var("x", TensorType((3,)))
    assert not structural_equal(Function((x,), x), Function((y,), y))
    assert not structural_equal(exp(Var("x", X)), exp(Var("x", X)))
    assert structural_equal(exp(Var("x", X)), exp(Var("x", X)), map_free_vars=True)


def test_walks_on_a_long_chain():
    y: Expr = (x := Var("x", X))
    for _ in range(5_000):
        y = Let(v := Var("v", ty=X), exp(y), v)
    assert free_vars(y) == [x]
    assert len(post_order(y)) > 15_000
    assert rewrite(y, lambda expr: expr) is y
    assert structural_equal(y, y)


def test_dimensions_in_normal_form_are_identical():
    n = DimVar("n")
    assert (n + 1) * 2 - 2 is 2 * n
    assert (6 * n) // 3 is 2 * n
    assert n + ANY is ANY
    assert TensorType((n + n,)) is TensorType((2 * n,))


def identity(var: TypeVar) -> Function:
    y = Var("y", var)
    return Function((y,), y, var, (var,))


def test_names_of_bound_type_variables_do_not_matter():
    """In a type they are bound by the function type, whatever the function itself calls them."""
    a, b = TypeVar("A"), TypeVar("B")
    own, other = identity(a), identity(b)
    shared = FuncType((a,), a, (a,))
    assert structural_equal(Function((), own, shared), Function((), other, shared))
    assert structural_hash(Function((), own)) == structural_hash(Function((), other))
    wider = Function((Var("y", a), Var("z", b)), Tuple(()), None, (a, b))
    turned = Function((Var("y", b), Var("z", a)), Tuple(()), None, (a, b))
    assert not structural_equal(wider, turned)
    nested = FuncType((a,), FuncType((b,), a, (b,)), (a,))
    inverse = FuncType((a,), FuncType((b,), b, (b,)), (a,))
    assert not structural_equal(Var("f", nested), Var("f", inverse), map_free_vars=True)


def test_polymorphic_types_are_hashed_by_content_up_to_names():
    a, b = TypeVar("A"), TypeVar("B")
    assert hash(FuncType((a,), a, (a,))) == hash(FuncType((b,), b, (b,)))
    assert hash(FuncType((a,), a, (a,))) != hash(FuncType((a,), b, (a,)))


def test_a_type_that_shares_parts_is_looked_at_once():
    a = TypeVar("A")
    ty: Type = a
    for _ in range(DEEPEST - 2):
        ty = TupleType((ty, ty))
    x, y = (Var("x", FuncType((var,), ty, (a,))) for var in (a, a))
    assert structural_equal(Function((x,), x), Function((y,), y))


def test_constants_in_attributes_are_compared():
    x = Var("x", X)

    def marked(number: float) -> Function:
        fixed = Fixed(0, Constant(np.array(number)))
        return as_region(Function((x,), x), BatchedRegion("many", fixed=(fixed,)))

    assert structural_equal(marked(1.0), marked(1.0))
    assert structural_hash(marked(1.0)) == structural_hash(marked(1.0))
    assert not structural_equal(marked(1.0), marked(2.0))
    assert not structural_equal(
        Function((x,), x, attrs={"k": 1}), Function((x,), x, attrs={"k": True})
    )


def sized(params: str, body: str, data: str = "") -> Module:
    text = f'#[version = "0.0.5"]\n{data}\ndef @main({params}) {{ {body} }}'
    return relay.parse(text)


def test_names_of_sizes_do_not_matter():
    body = "fn (%z: Tensor[({0}), float32]) {{ reshape(%z, newshape=[{0}, 1]) }}(%x)"
    one = sized("%x: Tensor[(n, m), float32], %y: Tensor[(m), float32]", "%x + %y")
    other = sized("%x: Tensor[(b, a), float32], %y: Tensor[(a), float32]", "%x + %y")
    assert structural_equal(one, other)
    assert structural_hash(one) == structural_hash(other)
    local = sized("%x: Tensor[(n), float32]", body.format("m"))
    assert structural_equal(local, sized("%x: Tensor[(k), float32]", body.format("j")))
    box = "type Box {{ Box(Tensor[({0}), float32], Tensor[(2 * {0}), float32]) }}"
    assert structural_equal(*(sized("%b: Box", "%b", box.format(n)) for n in "ab"))


def test_which_sizes_are_equal_matters():
    params = "%x: Tensor[(n, m), float32], %y: Tensor[({}), float32]"
    found = [sized(params.format(size), "(%x, %y)") for size in ("n", "m", "k", "n + 1", "4", "?")]
    assert len(set(map(structural_hash, found))) == len(found)
    reshaped = [
        sized("%x: Tensor[(n, m), float32]", f"reshape(%x, newshape={shape})")
        for shape in ("[n, m]", "[m, n]")
    ]
    assert not structural_equal(*reshaped)


def test_names_of_sizes_in_an_expression_may_be_those_of_what_is_around_it():
    (one, other) = (Function((x,), x) for x in (Var("x", TensorType((DimVar(n),))) for n in "nm"))
    assert not structural_equal(one, other)
