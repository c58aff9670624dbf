"""`tools/emitted.py`: the text of kernels tells whether a change has altered their code."""

from relay.targets.registry import target_for
from relay.testing.zoo import mlp
from tools.emitted import emitted


def test_texts_depend_on_the_program_and_the_machine_alone():
    module, _ = mlp.workload()
    here = emitted(module, target_for("x86-64-v3"))
    assert here == emitted(mlp.workload()[0], target_for("x86-64-v3"))
    assert len(here) > 1
    assert here != emitted(module, target_for("aarch64-linux-gnu"))
