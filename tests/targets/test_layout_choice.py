"""The layouts of whole functions: blocks of channels or rows, whichever takes fewer cycles."""

import numpy as np
import pytest

import relay
from relay.kernels.cpu_model import CpuModel
from relay.targets.cpu.layout_cost import layout_cost
from relay.targets.cpu.target import cpu_target
from relay.transform.convert_layout import ConvertLayout, conversions
from relay.transform.remarks import LayoutChosen, recorded

TARGET = cpu_target(CpuModel.host())

BRANCHES = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 192, 27, 27), float32],
          %a: Tensor[(64, 192, 1, 1), float32], %b: Tensor[(96, 192, 1, 1), float32],
          %c: Tensor[(16, 192, 1, 1), float32], %d: Tensor[(128, 96, 3, 3), float32],
          %e: Tensor[(32, 16, 5, 5), float32]) {
  let %p = nn.conv2d(%x, %a);
  let %q = nn.conv2d(nn.conv2d(%x, %b), %d, padding=[1, 1]);
  let %r = nn.conv2d(nn.conv2d(%x, %c), %e, padding=[2, 2]);
  concatenate((%p, %q, %r), axis=1)
}"""

SHUFFLED = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 120, 28, 28), float32], %w: Tensor[(120, 120, 1, 1), float32]) {
  let %y = nn.conv2d(%x, %w);
  let %z = transpose(reshape(%y, newshape=[1, 4, 30, 28, 28]), axes=[0, 2, 1, 3, 4]);
  nn.conv2d(reshape(%z, newshape=[1, 120, 28, 28]), %w)
}"""


def _main(source):
    """Return the function in graph form, with constants for all parameters but the data."""
    module = relay.transform.ToGraphNormalForm()(relay.parse(source))
    weights = {
        each.name_hint: np.ones(each.tensor_type.shape, "float32")
        for each in module["main"].params[1:]
    }
    return relay.build_module.bind_params_by_name(module["main"], weights)


def _moved(function):
    return len(list(conversions(function)))


def test_the_readers_of_plain_data_share_its_conversion_to_blocks():
    laid = TARGET.layouts.run(_main(BRANCHES))
    assert _moved(laid) == 2  # of the data and of the result
    one_by_one = ConvertLayout(TARGET.layouts.preference).run(_main(BRANCHES))
    assert _moved(one_by_one) == 4
    machine = CpuModel.host()
    assert layout_cost(laid, machine) < layout_cost(one_by_one, machine)


def test_calls_between_plain_operators_stay_plain():
    assert _moved(TARGET.layouts.run(_main(SHUFFLED))) == 0


@pytest.mark.parametrize("source", [BRANCHES, SHUFFLED])
def test_remarks_are_those_of_the_layouts_that_are_chosen(source):
    with recorded() as remarks:
        laid = TARGET.layouts.run(_main(source))
    chosen = [each.layout for each in remarks if isinstance(each, LayoutChosen)]
    assert any(chosen) == (_moved(laid) > 0)
