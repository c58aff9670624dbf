"""Nodes shared by branches: compiled programs compute them as often as the evaluator."""

import itertools

import numpy as np
import pytest

import relay
from tools.fuzzing.programs.executors import check_runs

READ = 'take(%s, %i, axis=0, mode="raise")'

PROGRAMS = {
    "two choices in a row": f"""-> (int32, int32) {{
        %0 = {READ};
        %1 = if (%i >= 2) {{ -1 }} else {{ %0 }};
        %2 = if (%n > 1) {{ -2 }} else {{ if (%i < 2) {{ %0 + 1 }} else {{ 5 }} }};
        (%1, %2)
    }}""",
    "branches of which one is taken": f"""-> int32 {{
        %0 = {READ};
        if (%n > 1) {{ if (%i < 2) {{ %0 }} else {{ 1 }} }}
        else {{ if (%i < 2) {{ %0 + 1 }} else {{ 2 }} }}
    }}""",
    "one that depends on another": f"""-> int32 {{
        %0 = {READ};
        %1 = %0 * 2;
        %2 = %1 + %0;
        if (%n > 1) {{ if (%i < 2) {{ %2 }} else {{ 1 }} }}
        else {{ if (%i < 2) {{ %1 + %0 }} else {{ 2 }} }}
    }}""",
    "a closure and a branch": f"""-> int32 {{
        %0 = {READ};
        let %f = fn () -> int32 {{ %0 + 1 }};
        if (%n > 1) {{ %0 }} else {{ if (%i < 2) {{ %f() + %f() }} else {{ 3 }} }}
    }}""",
    "a loop and what follows it": f"""-> int32 {{
        %0 = {READ};
        let %loop = fn (%k: int32, %x: int32) -> int32 {{
            if (%k < %n) {{ %loop(%k + 1, if (%i < 2) {{ %x + %0 }} else {{ %x - 1 }}) }}
            else {{ %x }}
        }};
        let %u = %loop(0, 0);
        if (%i < 2) {{ %u + %0 }} else {{ %u }}
    }}""",
    "choices within choices": f"""-> int32 {{
        %0 = if (%n > 1) {{ {READ} }} else {{ 4 }};
        %1 = if (%n > 2) {{ %0 }} else {{ if (%i < 2) {{ %0 + 1 }} else {{ 9 }} }};
        if (%i < 1) {{ %1 }} else {{ if (%n > 0) {{ %1 + 2 }} else {{ 3 }} }}
    }}""",
    "clauses": f"""-> int32 {{
        %0 = ({READ}, 2);
        let %l = if (%n > 1) {{ Cons(%i, Nil[int32]()) }} else {{ Nil[int32]() }};
        match (%l) {{
          Nil => 3,
          Cons(%h, _) => if (%h < 2) {{ %0.0 }} else {{ if (%h < 1) {{ %0.1 }} else {{ 5 }} }}
        }}
    }}""",
    "a let": f"""-> int32 {{
        %0 = {{ let %t = {READ}; %t * %t + @hd(Cons(%t, Nil[int32]())) }};
        if (%i < 2) {{ %0 }}
        else {{ if (%n > 1) {{ if (%i < 1) {{ %0 }} else {{ 7 }} }} else {{ 8 }} }}
    }}""",
    "a call that counts": """-> (int32, int32) {
        let %r = ref(0);
        let %count = fn () -> int32 {
            let %k = ref_read(%r) + 1;
            ref_write(%r, %k);
            %k
        };
        %0 = %count();
        let %a = if (%i < 2) { %0 } else { 7 };
        let %b = if (%n > 1) { %0 + 10 } else { 8 };
        (%a * 100 + %b, ref_read(%r))
    }""",
    "a cell that is read after it is written": """-> (int32, int32) {
        let %r = ref(0);
        %0 = ref_read(%r);
        let %a = if (%i < 2) { ref_write(%r, 5); %0 } else { %0 };
        (%a, ref_read(%r))
    }""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_shared_nodes(name: str):
    head = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
    main = "def @main(%s: Tensor[(2), int32], %i: int32, %n: int32) "
    module = relay.parse(head + main + PROGRAMS[name])
    s, numbers = np.array([1, 5], np.int32), itertools.product((0, 2), (0, 3))
    check_runs(module, [(s, np.array(i, np.int32), np.array(n, np.int32)) for i, n in numbers])


def test_sizes_that_must_fit_are_tested_in_the_branch_that_needs_them():
    module = relay.parse("""#[version = "0.0.5"]
        def @main(%n: int32, %m: int32) -> (int32, int32) {
            %0 = arange(0, %n, 1) + arange(0, %m, 1);
            %1 = if (%n == %m) { sum(%0) } else { -1 };
            %2 = if (%n == %m) { sum(%0) + 1 } else { -2 };
            (%1, %2)
        }""")
    check_runs(module, [(np.array(3, np.int32), np.array(m, np.int32)) for m in (3, 2)])
