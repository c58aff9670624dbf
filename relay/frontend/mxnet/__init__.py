"""Import MXNet networks: `symbol.json` and `.params`, read without MXNet, which is discontinued."""
