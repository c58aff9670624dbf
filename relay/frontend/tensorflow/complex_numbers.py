"""Translate nodes with complex inputs, by the translations of nodes with real ones."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.non_tensor_values import Value
from relay.frontend.tensorflow.registry import Translation
from relay.frontend.unsupported_operators import custom_help
from relay.ir.expr import Expr
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import add, subtract
from relay.ops.functions import core
from relay.support.error_codes import ErrorCode

FORWARDING = frozenset((
    "Case", "DeepCopy", "EnsureShape", "GuaranteeConst", "Identity", "IdentityN", "If",
    "PartitionedCall", "PlaceholderWithDefault", "PreventGradient", "RefIdentity", "RefSwitch",
    "Snapshot", "StatefulPartitionedCall", "StatelessCase", "StatelessIf", "StatelessWhile",
    "Switch", "While", "_SwitchN",
))  # fmt: skip
"""Operators that return their inputs, or call a function with them."""

SIZES = frozenset(("Rank", "Shape", "ShapeN", "Size", "VariableShape"))
"""Operators that only use the sizes of tensors: the real parts have them."""

LINEAR = frozenset((
    "AccumulateNV2", "Add", "AddN", "AddV2", "BatchToSpaceND", "BiasAdd", "BroadcastTo", "Concat",
    "ConcatV2", "Cumsum", "DiagPart", "ExpandDims", "Fill", "Gather", "GatherNd",
    "GatherV2", "MatrixBandPart", "MatrixDiag", "MatrixDiagPart", "MatrixDiagPartV3",
    "MatrixDiagV3", "MatrixSetDiagV3", "Mean", "MirrorPad", "Neg", "Pack", "Pad", "PadV2",
    "Reshape", "ReverseSequence", "ReverseV2", "Roll", "ScatterNd", "SegmentSum", "Select",
    "SelectV2", "Slice", "SpaceToBatchND", "Split", "SplitV", "Squeeze", "StopGradient",
    "StridedSlice", "Sub", "Sum", "TensorScatterAdd", "TensorScatterUpdate", "Tile", "Transpose",
    "Unpack", "UnsortedSegmentSum", "XlaDynamicSlice", "XlaDynamicUpdateSlice", "ZerosLike",
))  # fmt: skip
"""Operators that are applied to both parts: they add elements, move them or fill in zeros."""

BILINEAR = frozenset((
    "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "Einsum", "MatMul", "Mul",
))  # fmt: skip
"""Products of two factors: those of the parts add up."""

COMPLEX: dict[str, Translation] = {}
"""The translations of operators that have a special meaning for complex numbers."""


def complex_operator(*names: str) -> Callable[[Translation], Translation]:
    """Return a decorator that registers the translation of operators for complex inputs."""

    def declare(translation: Translation) -> Translation:
        COMPLEX.update(dict.fromkeys(names, translation))
        return translation

    return declare


def called_with_complex(translate: Translation, node: TfNode) -> Value | Sequence[Value]:
    """Return the results of a node whose inputs may be complex; `translate` is for real ones.

    The first case that applies is used:

    1. Without a complex input, or if the operator only forwards values, `translate` is called.
    2. An operator that has a translation for complex numbers uses that; one that computes sizes
       uses the real parts.
    3. A linear operator is applied to the real and to the imaginary parts.
    4. A product becomes sums of products of the parts.

    Raises `F030` for other operators.
    """
    is_complex = any(isinstance(each, ComplexTensor) for each in node.inputs)
    if not is_complex or node.op in FORWARDING:
        return translate(node)
    if node.op in COMPLEX:
        return COMPLEX[node.op](node)
    if node.op in SIZES:
        return translate(_with_parts(node, 0))
    if node.op in LINEAR:
        return _joined(*(translate(_with_parts(node, part)) for part in (0, 1)))
    if node.op in BILINEAR and len(node.inputs) == 2:
        return _product(translate, node)
    problem = "the operator does not support tensors of complex numbers"
    raise node.error(ErrorCode.F030, problem, custom_help(node.op))


def _joined(
    real: Value | Sequence[Value], imaginary: Value | Sequence[Value]
) -> Value | Sequence[Value]:
    """Return complex tensors with these parts: one, or a list."""
    if isinstance(real, Sequence) and isinstance(imaginary, Sequence):
        return [_complex(*each) for each in zip(real, imaginary, strict=True)]
    assert not isinstance(real, Sequence)
    assert not isinstance(imaginary, Sequence)
    return _complex(real, imaginary)


def _complex(real: Value, imaginary: Value) -> ComplexTensor:
    assert isinstance(real, Expr), "linear operators return tensors"
    assert isinstance(imaginary, Expr), "linear operators return tensors"
    return ComplexTensor(real, imaginary)


def _with_parts(node: TfNode, part: int) -> TfNode:
    """Return the node with complex inputs replaced by a part: 0 is real, 1 imaginary."""
    inputs = [each.parts[part] if isinstance(each, ComplexTensor) else each for each in node.inputs]
    return replace(node, inputs=inputs)


def _product(translate: Translation, node: TfNode) -> ComplexTensor:
    def term(first: int, second: int) -> Expr:
        places = (first, second)
        parts = [complex_input(node, index).parts[part] for index, part in enumerate(places)]
        found = translate(replace(node, inputs=parts))
        assert isinstance(found, Expr), "a product is a tensor"
        return found

    real = subtract(term(0, 0), term(1, 1))
    return ComplexTensor(real, add(term(0, 1), term(1, 0)))


def complex_input(node: TfNode, index: int) -> ComplexTensor:
    """Return an input as a complex tensor; the imaginary parts of real numbers are zero."""
    found = node.value(index)
    if isinstance(found, ComplexTensor):
        return found
    real = node.expr(index)
    return ComplexTensor(real, core.zeros_like(real))
