"""The module `relay.op` of TVM: `get` and `register` operators, and modules of functions."""

import sys
from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from typing import Any

from relay.ir.expr import Operator as Op
from relay.ir.operator_without_attributes import OperatorKind
from relay.opdef.register_operator import (
    register,
    register_compute,
    register_gradient,
    register_reference,
)
from relay.opdef.table import OPERATORS
from relay.opdef.user_rules import (
    register_alter_op_layout,
    register_convert_op_layout,
    register_legalize,
    register_op_attr,
)
from relay.ops.functions import annotation, core, image, nn, random, vision
from relay.support.absent_names import absent_names

__all__ = [
    "Op",
    "annotation",
    "get",
    "image",
    "nn",
    "random",
    "register",
    "register_alter_op_layout",
    "register_compute",
    "register_convert_op_layout",
    "register_gradient",
    "register_legalize",
    "register_op_attr",
    "register_reference",
    "vision",
]
__path__: list[str] = []  # a package, whose modules `relay.support.import_hook` resolves here

op = sys.modules[__name__]
algorithm = reduce = tensor = transform = core  # each of them has the members of all four

_FUSION = "fusion follows from an operator's formula: docs/how-to/add-an-operator.md"
_COMPUTE = "register_compute defines the formula; schedules are chosen, or relay.compile takes them"
_ABSENT: Mapping[str, str] = {
    "contrib": (
        "declare the patterns of an external compiler in a package: "
        "docs/how-to/add-an-external-compiler.md"
    ),
    "dyn": "the functions of relay itself take tensors for shapes: relay.reshape(x, shape)",
    "OpPattern": _FUSION,
    "OpStrategy": _COMPUTE,
    "memory": "relay.compile plans memory by itself",
    "op_attrs": "an operator has its attributes as fields: call.op.axis",
    "register_broadcast_schedule": _COMPUTE,
    "register_external_compiler": "packages add compilers: docs/how-to/add-an-external-compiler.md",
    "register_injective_schedule": _COMPUTE,
    "register_pattern": _FUSION,
    "register_reduce_schedule": _COMPUTE,
    "register_schedule": _COMPUTE,
    "register_shape_func": "pass a type rule that computes types: register(…, type_rule=…)",
    "register_strategy": _COMPUTE,
    "strategy": _COMPUTE,
    "vm": "relay.compile and relay.vm.compile generate this code themselves",
}


def get(name: str, **attributes: object) -> Any:
    """Return an operator, which can be called, with attributes: `get("nn.softmax", axis=1)`.

    Without attributes, the result equals every operator of that name, so that `call.op ==
    relay.op.get("nn.softmax")` works as in TVM's Relay.

    Raises `T005` for an unknown operator name, `T016` for missing or unknown attributes, `T008` for
    attributes of a wrong type.
    """
    cls: Any = OPERATORS.find(name)
    return OperatorKind(cls) if fields(cls) and not attributes else cls.made(attributes)


__getattr__ = absent_names("relay.op", _ABSENT, partial(getattr, core))


def __dir__() -> list[str]:
    return sorted({*dir(core), *__all__})
