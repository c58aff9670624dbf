"""Misspelt options of public functions: the error names the nearest option."""

from collections.abc import Callable
from typing import Any

import pytest

import relay

CALLS: dict[str, tuple[Callable[..., Any], str]] = {
    "threds": (relay.compile, "threads"),
    "shap": (relay.load, "shapes"),
    "thread": (relay.jit, "threads"),
    "targt": (relay.build, "target"),
    "paramz": (relay.vm.compile, "params"),
    "devce": (relay.create_executor, "device"),
    "opt_levl": (relay.transform.PassContext, "opt_level"),
    "fuse_opt_levl": (relay.transform.FuseOps, "fuse_opt_level"),
    "freeze_param": (relay.frontend.from_onnx, "freeze_params"),
    "custom_convrt_map": (relay.frontend.from_pytorch, "custom_convert_map"),
    "argnum": (relay.value_and_grad, "argnums"),
    "verfy": (relay.Executable.load, "verify"),
}


@pytest.mark.parametrize("option", CALLS)
def test_the_nearest_option_is_named(option: str):
    function, nearest = CALLS[option]
    with pytest.raises(TypeError, match=f"unexpected .*'{option}'. Did you mean '{nearest}'"):
        function(**{option: 1})


def test_without_a_near_option_all_are_listed():
    unknown: dict[str, Any] = {"format": "onnx"}
    with pytest.raises(TypeError, match="Its options: dynamic_shapes, example_inputs, shapes"):
        relay.load("model.onnx", **unknown)
