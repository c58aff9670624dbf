"""Import TensorFlow models, SavedModels and frozen graphs, without TensorFlow itself."""

from relay.frontend.lazy_importers import LateFunction

from_tensorflow = LateFunction("relay.frontend.tensorflow.load", "from_tensorflow")
