"""Pretrained programs: models with state, branches and loops, beside ONNX Runtime."""
