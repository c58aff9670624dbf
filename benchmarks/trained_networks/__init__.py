"""Networks in training mode, written once over the layers of several frameworks."""
