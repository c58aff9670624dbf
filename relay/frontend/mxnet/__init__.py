"""Import MXNet networks from `symbol.json` and `.params` files, without MXNet itself."""
