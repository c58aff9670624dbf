"""The compiler part: a region becomes an ONNX model in bytes."""

from typing import Any

from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper
from relay_networks.calls import OPERATORS, batch_norm_of, is_plain

from relay.ir.expr import Call, Function, Operator
from relay.ir.types import TensorType
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.elementwise import Clip
from relay.ops.nn.activations import Relu
from relay.ops.nn.adaptive_pool_operators import GlobalAvgPool2D
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.ops.nn.bias_add import BiasAdd
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.matmul import BatchMatmul, Dense
from relay.ops.nn.normalization import LayerNorm
from relay.ops.nn.pool_operators import AvgPool2D, MaxPool2D
from relay.ops.nn.softmax import Softmax
from relay.ops.nn.space_to_depth_and_batch import BatchFlatten
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Erf, Exp, Sigmoid, Sqrt, Tanh
from relay.transform.compilers.external_compiler import external_compiler
from relay.transform.compilers.region_steps import OperatorCall, RegionSteps, region_steps

OPSET, IR_VERSION = 17, 8
SAME_MEANING: dict[type[Operator], str] = {
    Add: "Add",
    Subtract: "Sub",
    Multiply: "Mul",
    Divide: "Div",
    Relu: "Relu",
    Sigmoid: "Sigmoid",
    Tanh: "Tanh",
    Exp: "Exp",
    Sqrt: "Sqrt",
    Erf: "Erf",
    GlobalAvgPool2D: "GlobalAveragePool",
}
FURTHER = (AvgPool2D, BatchFlatten, Reshape, Concatenate)


def exports(call: Call) -> bool:
    """Whether a call has a translation."""
    match call.op:
        case AvgPool2D(dilation=dilation):
            return is_plain(call) and dilation == (1, 1)
        case _:
            return is_plain(call)


@external_compiler(
    "onnxruntime",
    patterns=[batch_norm_of("onnxruntime")],
    operators=(*OPERATORS, *FURTHER),
    accepts=exports,
)
def compile_region(region: Function) -> bytes:
    """Return the ONNX model of a region."""
    return model_of(region_steps(region)).SerializeToString()


def model_of(steps: RegionSteps) -> ModelProto:
    """Return steps as a model; value `n` is called `vn`."""
    first = steps.inputs
    constants = [
        numpy_helper.from_array(data, name(first + number))
        for number, data in enumerate(steps.constants)
    ]
    nodes: list[NodeProto] = []
    for call in steps.calls:
        made, more = nodes_of(call, steps.types)
        nodes += made
        constants += more
    # A result that is an input or a constant, or is returned twice, needs a name of its own.
    outputs = [f"r{number}" for number, _ in enumerate(steps.results)]
    nodes += [
        helper.make_node("Identity", [name(result)], [output])
        for result, output in zip(steps.results, outputs, strict=True)
    ]
    graph = helper.make_graph(
        nodes,
        "region",
        [info(name(number), steps.types[number]) for number in range(first)],
        [info(o, steps.types[r]) for r, o in zip(steps.results, outputs, strict=True)],
        constants,
    )
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)


def name(number: int) -> str:
    """Return the name of a value."""
    return f"v{number}"


def info(known_as: str, ty: TensorType) -> ValueInfoProto:
    """Return the declaration of an input or an output."""
    element = helper.np_dtype_to_tensor_dtype(ty.dtype.numpy)
    return helper.make_tensor_value_info(known_as, element, ty.static_shape)


def nodes_of(
    call: OperatorCall, types: tuple[TensorType, ...]
) -> tuple[list[NodeProto], list[TensorProto]]:
    """Return the nodes of a call, and constants that they need."""
    args, result = [name(number) for number in call.operands], call.results[0]
    ty, to, extra = types[result], name(result), f"{name(result)}_extra"

    def node(kind: str, inputs: list[str], **attributes: Any) -> list[NodeProto]:
        return [helper.make_node(kind, inputs, [to], **attributes)]

    def shape(sizes: tuple[int, ...]) -> list[TensorProto]:
        return [helper.make_tensor(extra, TensorProto.INT64, [len(sizes)], sizes)]

    match call.op:
        case Conv2D(strides=strides, padding=pads, dilation=dilations, groups=groups):
            options = {"strides": strides, "pads": pads, "dilations": dilations, "group": groups}
            return node("Conv", args, **options), []
        case MaxPool2D(pool_size=size, strides=strides, padding=pads, dilation=dilations):
            options = {"kernel_shape": size, "strides": strides, "pads": pads}
            return node("MaxPool", args, **options, dilations=dilations), []
        case AvgPool2D(pool_size=size, strides=strides, padding=pads, count_include_pad=counts):
            options = {"kernel_shape": size, "strides": strides, "pads": pads}
            return node("AveragePool", args, **options, count_include_pad=int(counts)), []
        case Dense():
            turned = helper.make_node("Transpose", [args[1]], [extra], perm=[1, 0])
            return [turned, *node("MatMul", [args[0], extra])], []
        case BatchMatmul(transpose_a=left, transpose_b=right):
            made: list[NodeProto] = []
            for place, (number, turns) in enumerate(zip(call.operands, (left, right), strict=True)):
                if turns:
                    rank = types[number].rank
                    order = [*range(rank - 2), rank - 1, rank - 2]
                    moved = f"{extra}{place}"
                    made.append(helper.make_node("Transpose", [args[place]], [moved], perm=order))
                    args[place] = moved
            return [*made, *node("MatMul", args)], []
        case BiasAdd(axis=axis):
            sizes = (-1, *[1] * (ty.rank - 1 - axis % ty.rank))
            spread = helper.make_node("Reshape", [args[1], extra], [f"{extra}_bias"])
            return [spread, *node("Add", [args[0], f"{extra}_bias"])], shape(sizes)
        case BatchNorm(epsilon=epsilon):
            return node("BatchNormalization", args, epsilon=epsilon), []
        case LayerNorm(epsilon=epsilon):
            return node("LayerNormalization", args, epsilon=epsilon, axis=-1), []
        case Softmax(axis=axis):
            return node("Softmax", args, axis=axis), []
        case Clip(a_min=low, a_max=high):
            limits = [
                helper.make_tensor(f"{extra}{n}", TensorProto.FLOAT, [], [limit])
                for n, limit in enumerate((low, high))
            ]
            return node("Clip", [*args, *(each.name for each in limits)]), limits
        case BatchFlatten() | Reshape():
            return node("Reshape", [args[0], extra], allowzero=1), shape(ty.static_shape)
        case Transpose(axes=axes):
            order = axes or tuple(reversed(range(ty.rank)))
            return node("Transpose", args, perm=[axis % ty.rank for axis in order]), []
        case Concatenate(axis=axis):
            return node("Concat", args, axis=axis), []
        case op:
            return node(SAME_MEANING[type(op)], args), []
