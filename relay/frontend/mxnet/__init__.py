"""Networks of MXNet: `symbol.json` and `.params`, read without MXNet, which is no longer made."""
