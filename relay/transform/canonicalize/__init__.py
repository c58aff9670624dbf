"""Canonicalisation passes: equivalent forms are rewritten to one form."""
