"""Translate constants, variables, which are only read, and operators that pass on a value."""

from collections.abc import Sequence

from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.frontend.tensorflow.values import Value, VariableHandle
from relay.ir.expr import Call, Constant, Expr
from relay.ops.creation import OnesLike, ZerosLike
from relay.ops.stop_gradient import StopGradient
from relay.support.error_codes import ErrorCode


@tf_operator("Const", "HostConst")
def const(node: TfNode) -> Expr:
    """Return a constant."""
    return Constant(node.attribute("value"), span=node.span)


@tf_operator("VarHandleOp")
def variable_handle(node: TfNode) -> Value:
    """Return a reference to a variable."""
    return VariableHandle(node.node.name)


@tf_operator("ReadVariableOp")
def read_variable(node: TfNode) -> Expr:
    """Return the value of a variable."""
    return weight(node, 0)


@tf_operator("Variable", "VariableV2")
def variable(node: TfNode) -> Expr:
    """Return the value of a variable of version 1."""
    return node.around.weight(node.node.name)


def weight(node: TfNode, index: int) -> Expr:
    """Return the value of the variable to which an input refers (`F021`)."""
    handle = node.value(index)
    if not isinstance(handle, VariableHandle):
        raise node.error(ErrorCode.F021, f"input {index} is not a variable of the model")
    return node.around.weight(handle.name)


@tf_operator(
    "CheckNumerics", "EnsureShape", "Identity", "PlaceholderWithDefault", "PreventGradient",
    "Print", "RefIdentity", "Snapshot",
)  # fmt: skip
def identity(node: TfNode) -> Value:
    """Return the input."""
    return node.value(0)


@tf_operator("IdentityN")
def identities(node: TfNode) -> Sequence[Value]:
    """Return the inputs."""
    return node.inputs


@tf_operator("StopGradient")
def stop_gradient(node: TfNode) -> Expr:
    """Return the input, which has no derivative."""
    return Call(StopGradient(), (node.expr(0),), span=node.span)


@tf_operator("ZerosLike")
def zeros_like(node: TfNode) -> Expr:
    """Return zeros of the type of a tensor."""
    return Call(ZerosLike(), (node.expr(0),), span=node.span)


@tf_operator("OnesLike")
def ones_like(node: TfNode) -> Expr:
    """Return ones of the type of a tensor."""
    return Call(OnesLike(), (node.expr(0),), span=node.span)
