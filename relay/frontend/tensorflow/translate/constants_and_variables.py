"""Translate TensorFlow constants, reads of variables, and operators that forward a value."""

from collections.abc import Sequence

from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.non_tensor_values import Value, VariableHandle
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.creation import OnesLike, ZerosLike
from relay.ops.identity_operators import StopGradient
from relay.support.error_codes import ErrorCode


@tf_operator("Const", "HostConst")
def const(node: TfNode) -> Expr:
    """Translate `Const`."""
    found: Array = node.attribute("value")
    return Constant(found, span=node.span)


@tf_operator("VarHandleOp")
def variable_handle(node: TfNode) -> Value:
    """Translate `VarHandleOp` to a reference to a variable."""
    return VariableHandle(node.node.name)


@tf_operator("ReadVariableOp")
def read_variable(node: TfNode) -> Expr:
    """Translate `ReadVariableOp` to the value of a variable."""
    return weight(node, 0)


@tf_operator("Variable", "VariableV2")
def variable(node: TfNode) -> Expr:
    """Translate a variable of TensorFlow 1 to its value."""
    return node.around.weight(node.node.name)


def weight(node: TfNode, index: int) -> Expr:
    """Return the value of the variable that an input refers to; raises `F021` for others."""
    handle = node.value(index)
    if not isinstance(handle, VariableHandle):
        raise node.error(ErrorCode.F021, f"the input number {index} is not a variable of the model")
    return node.around.weight(handle.name)


@tf_operator(
    "CheckNumerics", "CheckNumericsV2", "DeepCopy", "EnsureShape", "GuaranteeConst", "Identity",
    "PlaceholderWithDefault", "PreventGradient", "Print", "RefIdentity", "Snapshot",
)  # fmt: skip
def identity(node: TfNode) -> Value:
    """Translate operators that return their input in inference."""
    return node.value(0)


@tf_operator("IdentityN")
def identities(node: TfNode) -> Sequence[Value]:
    """Translate `IdentityN`, which returns its inputs."""
    return node.inputs


@tf_operator("StopGradient")
def stop_gradient(node: TfNode) -> Expr:
    """Translate `StopGradient`: the input, whose derivative is zero."""
    return Call(StopGradient(), (node.expr(0),), span=node.span)


@tf_operator("ZerosLike")
def zeros_like(node: TfNode) -> Expr:
    """Translate `ZerosLike`."""
    return Call(ZerosLike(), (node.expr(0),), span=node.span)


@tf_operator("OnesLike")
def ones_like(node: TfNode) -> Expr:
    """Translate `OnesLike`."""
    return Call(OnesLike(), (node.expr(0),), span=node.span)
