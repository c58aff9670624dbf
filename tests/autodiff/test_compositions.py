"""Compositions of `grad`, `vmap` and `jit`; `tools/fuzz_compositions.py` checks many more."""

from tools.fuzzing.programs.compositions import check_compositions


def test_a_random_function() -> None:
    """It has a loop and a branch on its values, a matrix product and a sort."""
    assert check_compositions(5, compiled=False) == "right"
