"""Programs with loops, recursion and data, beside what peers make of them.

A folder a family: `case` draws weights and inputs and computes what is right; `relay_program`,
`torch_program`, `jax_program` and `onnx_program` say the same, each as its engine's users would.
"""
