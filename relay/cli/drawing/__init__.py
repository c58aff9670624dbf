"""Draw programs as graphs in a self-contained HTML page."""
