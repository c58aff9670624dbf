"""The importer of TensorFlow: SavedModels and frozen graphs, read without TensorFlow."""

from relay.frontend.extras import LateFunction

from_tensorflow = LateFunction("relay.frontend.tensorflow.load", "from_tensorflow")
