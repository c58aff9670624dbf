"""Models of ONNX, parts of which the host computes: strings, files of images, tables of results."""

from relay.interop.onnx.hosted import HostedModel as HostedModel
from relay.interop.onnx.hosted import compile_onnx as compile_onnx
