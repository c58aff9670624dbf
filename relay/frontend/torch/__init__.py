"""Import PyTorch models: exported programs and TorchScript.

The modules of this folder import PyTorch. The entry point, `relay.frontend.pytorch`, does not.
"""
