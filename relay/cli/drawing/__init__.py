"""Draw programs: cards and wires, a layered layout, and a self-contained page."""
