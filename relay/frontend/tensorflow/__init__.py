"""Import TensorFlow models, SavedModels and frozen graphs, without TensorFlow itself."""

from relay.frontend.extras import LateFunction

from_tensorflow = LateFunction("relay.frontend.tensorflow.load", "from_tensorflow")
