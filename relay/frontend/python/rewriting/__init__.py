"""Functions compiled again, with hooks where a trace cannot see."""
