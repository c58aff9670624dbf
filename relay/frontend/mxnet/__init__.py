"""Import MXNet networks from `symbol.json` and `.params` files, without MXNet itself."""

from relay.frontend.lazy_importers import LateFunction

from_mxnet = LateFunction("relay.frontend.mxnet.load", "from_mxnet")
