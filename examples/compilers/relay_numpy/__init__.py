"""An external compiler in a few lines: regions run in NumPy."""
