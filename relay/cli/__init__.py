"""The command `relay`, with one module per subcommand; also `python -m relay.cli`."""
