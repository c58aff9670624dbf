"""ONNX Runtime on one thread."""

import onnxruntime

from benchmarks.material import material


def session(name: str) -> onnxruntime.InferenceSession:
    """Return a pretrained model, loaded."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    return onnxruntime.InferenceSession(str(material(name)), options)
