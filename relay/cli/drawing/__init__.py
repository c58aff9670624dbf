"""Drawings of programs: cards and wires, a layered layout, a page that needs no network."""
