"""The command `relay`: one module per command, which `main` imports; also `python -m relay.cli`."""
