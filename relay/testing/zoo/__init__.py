"""Well-known neural networks with seeded random weights, built from `relay` functions.

>>> from relay.testing.zoo import mlp
>>> module, weights = mlp.workload(batch=2)
>>> module.main.body.type
Tensor[(2, 10), float32]
"""
