"""Which nodes wait for their first use: those that may stop the program, and no others."""

import pytest

import relay
from relay.ir.module import Module
from relay.ir.references import RefCreate
from relay.ir.walk import post_order
from relay.transform.on_demand import computed_on_demand
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm

READ = 'take(%s, %i, axis=0, mode="raise")'


def parsed(body: str) -> Module:
    main = "def @main(%s: Tensor[(2), int32], %i: int32, %n: int32)"
    return relay.parse(f'#[version = "0.0.5"]\n{main} -> int32 {{ {body} }}')


def waiting(module: Module) -> int:
    """Return for how many nodes there is a cell; the programs here have none of their own."""
    return sum(isinstance(each, RefCreate) for each in post_order(module.main))


@pytest.mark.parametrize(
    ("count", "body"),
    [
        (1, f"%0 = {READ}; if (%n > 1) {{ %0 }} else {{ if (%n > 0) {{ %0 + 1 }} else {{ 2 }} }}"),
        (1, f"%0 = {READ}; %1 = %0 * 2; if (%n > 1) {{ %1 }} else {{ %1 + 1 }}"),
        (0, f"%0 = {READ}; if (%0 > 1) {{ %0 }} else {{ %0 + 1 }}"),
        (0, f"%0 = {READ}; if (%n > 1) {{ %0 + %0 }} else {{ 3 }}"),
        (0, f"let %t = {READ}; if (%n > 1) {{ %t }} else {{ %t + 1 }}"),
        (0, "%0 = %n * %n; if (%n > 1) { %0 } else { %0 + 1 }"),
    ],
)
def test_what_waits(count: int, body: str):
    module = parsed(body)
    assert waiting(ToANormalForm()(module)) == count
    assert (computed_on_demand(module.main) is module.main) == (count == 0)


def test_choices_in_a_row_do_not_wait_for_one_another():
    steps = [
        f"let %k{n + 1} = take(%s, %k{n} - {n}, axis=0, mode='raise'); "
        f"let %x{n + 1} = if (%k{n + 1} > 3) {{ %x{n} + 1 }} else {{ %x{n} * 2 }};"
        for n in range(20)
    ]
    body = f"let %k0 = %i; let %x0 = %n; {' '.join(steps)} %x20".replace("'", '"')
    assert waiting(ToANormalForm()(ToGraphForm()(parsed(body)))) == 0
