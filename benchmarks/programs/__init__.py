"""Programs with loops, recursion and data, compared with other engines.

One folder per family: `case` draws weights and inputs and computes expected results;
`relay_program`, `torch_program`, `jax_program` and `onnx_program` are the same program, each as
users of the engine would write it.
"""
