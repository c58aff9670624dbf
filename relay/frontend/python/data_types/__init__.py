"""Convert annotations to types, data classes to data types, and patterns to patterns of data."""
