"""The command `relay`: a file a command, `main` finds it; `python -m relay.cli` is the same."""
