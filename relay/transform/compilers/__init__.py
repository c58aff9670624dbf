"""Regions of a program that are compiled by an external compiler.

A region is a call of a function literal with the attribute `Compiler`; it replaces the operators in
its body. `MergeComposite` outlines matches of patterns as functions, `AnnotateTarget` outlines
single calls as regions, `MergeCompilerRegions` merges regions, and `PartitionGraph` moves regions
into global functions.
"""
