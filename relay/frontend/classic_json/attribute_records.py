"""The attributes that TVM writes into the JSON of a call: every one of the operator's record.

Operators of Relay have the attributes of TVM's records, but for the two tables below.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from relay.ir.expr import Operator
from relay.opdef.table import OPERATORS
from relay.text.tvm_metadata import CallAttributes

_OWN: Mapping[str, frozenset[str]] = {
    "clip": frozenset(("strict",)),
    "collapse_sum_to": frozenset(("shape",)),
    "fixed_point_multiply": frozenset(("rounding",)),
    "fixed_point_multiply_per_axis": frozenset(("rounding",)),
    "image.resize1d": frozenset(("scales",)),
    "image.resize2d": frozenset(("scales",)),
    "image.resize3d": frozenset(("scales",)),
    "max": frozenset(("ties",)),
    "min": frozenset(("ties",)),
    "nn.avg_pool2d_grad": frozenset(("count_include_pad",)),
    "nn.contrib_dense_pack": frozenset(("weight_layout",)),
    "nn.relu": frozenset(("strict",)),
    "vision.roi_align": frozenset(("aligned",)),
}
"""The attributes of operators that TVM's records may lack."""

_WITHOUT_MEANING: Mapping[str, frozenset[str]] = {
    "nn.bitpack": frozenset(("name",)),
    "qnn.batch_matmul": frozenset(("transpose_a", "transpose_b")),
    "qnn.simulated_dequantize": frozenset(("out_dtype",)),
    "vision.get_valid_counts": frozenset(("score_threshold",)),
}
"""The attributes of TVM's records that Relay's operators do not have."""

_OF_NODES = frozenset(("span",))
_DYNAMIC = "dyn."


def checked(attributes: CallAttributes, cls: type[Operator]) -> CallAttributes:
    """Return the attributes of a call of an operator.

    Raises `ValueError` if one is missing that TVM always writes, or if one is unknown.
    """
    declared, written = _declared(cls), attributes.written.keys()
    missing = declared - written - _OWN.get(cls.name, frozenset())
    unknown = written - declared - _known_elsewhere(cls.name)
    for what, names in (("lack", missing), ("have the unknown", unknown)):
        if names:
            listed = ", ".join(sorted(names))
            raise ValueError(f"the attributes of a call of {cls.name} {what} {listed}")
    return attributes


def _declared(cls: Any) -> frozenset[str]:
    return frozenset(each.name for each in fields(cls))


def _known_elsewhere(name: str) -> frozenset[str]:
    """Return the attributes of TVM's record that an operator does not have.

    The records of dynamic operators are those of the static ones.
    """
    static = name.removeprefix(_DYNAMIC)
    is_dynamic = static != name and static in OPERATORS
    shared = _declared(OPERATORS.find(static)) if is_dynamic else frozenset[str]()
    return _OF_NODES | shared | _WITHOUT_MEANING.get(name, frozenset())
