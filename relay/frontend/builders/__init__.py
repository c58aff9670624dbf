"""Expressions that several importers build: shapes, products, loops, collections, lists."""
