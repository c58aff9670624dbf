"""Which nodes are computed lazily: those that may trap and that their place may not need."""

import pytest

import relay
from relay.ir.module import Module
from relay.ir.reference_cells import RefCreate
from relay.ir.walk import post_order
from relay.transform.lazy_placement import computed_lazily
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm

READ = 'take(%s, %i, axis=0, mode="raise")'
PERHAPS = "let %p = if (%n > 1) { %0 } else { 3 }"


def parsed(body: str) -> Module:
    main = "def @main(%s: Tensor[(2), int32], %i: int32, %n: int32)"
    return relay.parse(f'#[version = "0.0.5"]\n{main} -> int32 {{ {body} }}')


def cells(module: Module) -> int:
    """Return for how many nodes there is a cell; the programs here have none of their own."""
    return sum(isinstance(each, RefCreate) for each in post_order(module.main))


@pytest.mark.parametrize(
    ("count", "body"),
    [
        (1, f"%0 = {READ}; if (%n > 1) {{ %0 }} else {{ if (%n > 0) {{ %0 + 1 }} else {{ 2 }} }}"),
        (0, f"%0 = {READ}; %1 = %0 * 2; if (%n > 1) {{ %1 }} else {{ %1 + 1 }}"),
        (0, f"%0 = {READ}; (if (%n > 1) {{ %0 }} else {{ 3 }}) + %0"),
        (1, f"%0 = {READ}; {PERHAPS}; if (%i < 2) {{ %p + %0 }} else {{ %p }}"),
        (1, f"%0 = {READ}; let %f = fn () {{ %0 }}; if (%n > 1) {{ %f() + %0 }} else {{ %f() }}"),
        (0, f"%0 = {READ}; if (%0 > 1) {{ %0 }} else {{ %0 + 1 }}"),
        (0, f"%0 = {READ}; if (%n > 1) {{ %0 + %0 }} else {{ 3 }}"),
        (0, f"let %t = {READ}; if (%n > 1) {{ %t }} else {{ %t + 1 }}"),
        (0, "%0 = %n * %n; if (%n > 1) { %0 } else { %0 + 1 }"),
    ],
)
def test_lazy_nodes(count: int, body: str):
    module = parsed(body)
    assert cells(ToANormalForm()(module)) == count
    assert (computed_lazily(module.main) is module.main) == (count == 0)


def test_choices_in_a_row_are_not_lazy():
    steps = [
        f"let %k{n + 1} = take(%s, %k{n} - {n}, axis=0, mode='raise'); "
        f"let %x{n + 1} = if (%k{n + 1} > 3) {{ %x{n} + 1 }} else {{ %x{n} * 2 }};"
        for n in range(20)
    ]
    body = f"let %k0 = %i; let %x0 = %n; {' '.join(steps)} %x20".replace("'", '"')
    assert cells(ToANormalForm()(ToGraphForm()(parsed(body)))) == 0
