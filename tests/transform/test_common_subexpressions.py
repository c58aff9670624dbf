"""What branches have in common, and may stop the program, is not computed before the choice."""

import numpy as np
import pytest
from transform.evaluation import operators

import relay
from relay.transform.eliminate_common_subexpressions import EliminateCommonSubexpressions
from tools.fuzzing.programs.executors import check_executors
from tools.fuzzing.programs.program import Program

READ = 'take(%s, %i, axis=0, mode="raise")'


def _parsed(body: str):
    params = "%s: Tensor[(2), int32], %i: int32, %n: int32"
    return relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ {body} }}')


def _reads(body: str) -> int:
    main = EliminateCommonSubexpressions()(_parsed(body)).main
    return operators(main).count("take")


@pytest.mark.parametrize("i", [0, 2])
@pytest.mark.parametrize(
    "read", [READ, f"{READ} + {READ}", "sum(arange(0, %n, 1) + arange(%i, 4, 1))"]
)
def test_branches_that_may_stop_alike(read: str, i: int):
    module = _parsed(
        f"let %p = if (%i >= 2) {{ -1 }} else {{ {read} }};"
        f"let %q = if (%i >= 2) {{ -2 }} else {{ {read} + 1 }}; (%p, %q)"
    )
    inputs = (np.array([1, 5], np.int32), np.array(i, np.int32), np.array(4, np.int32))
    given = check_executors(Program(module, inputs))
    assert (given == (-1, -2)) == (i == 2)


@pytest.mark.parametrize(
    ("body", "reads"),
    [
        (f"{READ} + {READ}", 1),
        (f"if ({READ} == 0) {{ -1 }} else {{ {READ} }}", 1),
        (f"if (%i == 0) {{ if ({READ} == 0) {{ {READ} }} else {{ 1 }} }} else {{ {READ} }}", 2),
        (f"let %f = fn () {{ {READ} }}; {READ} + %f()", 2),
        (f"let %a = {READ}; let %f = fn () {{ {READ} }}; %a + %f()", 1),
    ],
)
def test_reads_that_are_computed_anyhow_are_shared(body: str, reads: int):
    assert _reads(body) == reads


def test_what_reads_a_value_that_branches_share_is_not_shared_itself():
    """It would be computed by the first branch that needs it, which nobody knows beforehand."""
    module = relay.parse(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32], %i: int32, %n: int32) '
        f"{{ %0 = {READ.replace('%s', '%x')}; if (%n == 0) {{ sin(%0) }} else {{ "
        "if (%n == 1) { 0f } else { if (%n == 2) { sin(%0) } else { cos(%0) } } } }"
    )
    assert operators(EliminateCommonSubexpressions()(module).main).count("sin") == 2
