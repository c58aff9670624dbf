"""Pretrained models used in programs with state, branches and loops, compared with ONNX Runtime."""
