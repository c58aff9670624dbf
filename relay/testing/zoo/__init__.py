"""Well-known networks, written with the functions of `relay`, with seeded random weights.

>>> from relay.testing.zoo import mlp
>>> module, weights = mlp.workload(batch=2)
>>> module.main.body.type
Tensor[(2, 10), float32]
"""
