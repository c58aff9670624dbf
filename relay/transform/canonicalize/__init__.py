"""One way to write what can be written in several."""
