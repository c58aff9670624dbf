"""Import PyTorch models: exported programs and TorchScript become Relay modules.

The modules of this folder import PyTorch. `relay.frontend.pytorch` is the entry point, which does
not.
"""
