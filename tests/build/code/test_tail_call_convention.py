"""Functions that call each other last: every argument arrives, and no call waits."""

import numpy as np
import pytest

import relay
from relay.support.errors import RunError
from tests.build.ways import WAYS, ways

HEAD = '#[version = "0.0.5"]\n'
MANY = 9  # more than there are registers for arguments
PARAMS = [f"%a{i}" for i in range(MANY)]


def _turning(name: str, other: str) -> str:
    """Return a function that passes its arguments on, each one place further."""
    typed = ", ".join(f"{each}: int32" for each in PARAMS)
    digits = " + ".join(f"{each} * {10**i}" for i, each in enumerate(PARAMS))
    turned = ", ".join([f"{PARAMS[1]} + %k", *PARAMS[2:], PARAMS[0]])
    return f"""def @{name}(%k: int32, {typed}) -> int32 {{
  if (%k == 0) {{ {digits} }} else {{ @{other}(%k - 1, {turned}) }}
}}
"""


def _turned(steps: int, numbers: list[int]) -> int:
    for left in range(steps, 0, -1):
        numbers = [numbers[1] + left, *numbers[2:], numbers[0]]
    return sum(number * 10**i for i, number in enumerate(numbers))


@pytest.mark.parametrize("way", WAYS)
def test_arguments_that_change_their_places(way: str):
    typed = ", ".join(f"{each}: int32" for each in PARAMS)
    main = f"def @main(%k: int32, {typed}) -> int32 {{ @even(%k, {', '.join(PARAMS)}) }}"
    text = HEAD + _turning("even", "odd") + _turning("odd", "even") + main
    run, numbers = WAYS[way](relay.parse(text)), list(range(1, MANY + 1))
    for steps in (0, 1, 2, 7, 10):
        given = run(np.int32(steps), *map(np.int32, numbers))
        assert given == _turned(steps, numbers)


def test_a_size_that_changes_on_the_way_is_tested():
    text = f"""{HEAD}def @main(%x: Tensor[(n), float32], %k: int32) -> Tensor[(?), float32] {{
  let %loop: fn (int32, Tensor[(n), float32]) -> Tensor[(n), float32] =
    fn (%i: int32, %y: Tensor[(n), float32]) -> Tensor[(n), float32] {{
      if (%i < 2) {{
        let %rest: fn (Tensor[(n), float32]) -> Tensor[(n), float32] =
          fn (%z: Tensor[(n), float32]) -> Tensor[(n), float32] {{ %loop(%i + 1, %z + 1f) }};
        if (%i == %k) {{ %rest(%y) }}
        else {{ %rest(adv_index((%y, take(argwhere(%y > 0f), 0, axis=1)))) }}
      }} else {{ %y }}
    }};
  %loop(0, %x)
}}"""
    x = np.array([1, -2, 3, 4], np.float32)
    for name, run in ways(relay.parse(text)).items():
        np.testing.assert_array_equal(run(np.abs(x), np.int32(1)), np.abs(x) + 2)
        with pytest.raises(RunError, match="size 3 at axis 0, not 4") as caught:
            run(x, np.int32(1))
        assert caught.value.code == "R054", name
