"""Search by measurement for the passes, and their order, that make a program fastest."""
