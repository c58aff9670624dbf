"""Names of the classic language that are not there yet: the list can only become shorter."""

import pytest

import relay

ABSENT = {"nn": "contrib_conv2d_winograd_nnpack_weight_transform"}
"""By the module of functions; without `annotation`, `memory` and `vm`."""


@pytest.mark.parametrize("space", ABSENT)
def test_what_is_absent_is_listed(space: str):
    module = relay if space == "core" else getattr(relay, space)
    arrived = [name for name in ABSENT[space].split() if hasattr(module, name)]
    assert arrived == [], "take them off the list, and add them to classic_signatures.txt"
