"""PyTorch models: exported programs and TorchScript become Relay modules.

The modules of this folder import PyTorch. `relay.frontend.pytorch` is the door, which does not.
"""
