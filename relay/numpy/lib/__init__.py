"""`numpy.lib`, limited to `stride_tricks`."""

from relay.numpy.lib import stride_tricks as stride_tricks
