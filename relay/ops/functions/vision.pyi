# Written by tools/stubs.py. ruff: noqa
from collections.abc import Sequence
from relay.ir.expr import Call
from relay.ir.expr import Expr

Axes = int | Sequence[int] | None
Operand = Expr | float | Sequence[Expr | float]

def all_class_non_max_suppression(boxes: Expr, scores: Expr, max_output_boxes_per_class: Expr | int=-1, iou_threshold: Expr | float=-1.0, score_threshold: Expr | float=-1.0, output_format: str='onnx') -> Call: ...
