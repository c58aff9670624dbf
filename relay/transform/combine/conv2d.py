"""The pass that combines convolutions of one image into one convolution."""

from collections.abc import Hashable, Sequence
from typing import cast

from relay.ir.dims import static
from relay.ir.expr import Call, Expr
from relay.opdef.layout import Layout
from relay.ops.nn.conv_operators import Conv2D
from relay.support.node import replace, value
from relay.transform.combine.combine_parallel import CombineParallel, Replacements, Uses
from relay.transform.combine.concatenated_operators import concatenated, with_followers


@value
class CombineParallelConv2D(CombineParallel):
    """Combine convolutions of one tensor into one with weights concatenated along the outputs.

    1. The convolutions have no groups, plain layouts, kernels of one size and element type, and
       equal attributes except for the number of channels.
    2. Equal elementwise operators that read the results of all convolutions are combined, too.
    3. Slices of the result replace the original results.
    """

    def key(self, call: Call) -> Hashable | None:
        """Return the attributes except the channels, and the shape and type of the kernel."""
        match call.op:
            case Conv2D(groups=1) as op if all(layout.is_plain for layout in op.layouts):
                weight = call.args[1].tensor_type
                at = op.layouts[1].position("O")
                sizes = static(weight.shape)
                return replace(op, channels=None), sizes[:at], sizes[at + 1 :], weight.dtype
            case _:
                return None

    def combined(self, data: Expr, branches: Sequence[Call], uses: Uses) -> Replacements:
        """Return slices of one convolution that replace the convolutions `branches`."""
        op = cast("Conv2D", branches[0].op)
        weight = concatenated([call.args[1] for call in branches], op.layouts[1].position("O"))
        joined = Call(replace(op, channels=None), (data, weight), span=branches[0].span)
        layout = Layout.parse(op.out_layout or op.data_layout)
        return with_followers(joined, branches, layout.position("C"), uses)
