"""The importer of TensorFlow: SavedModels and frozen graphs, read without TensorFlow."""
