"""Passes that move regions of a program into functions for external compilers.

A region is a call of a function literal with the attribute `Compiler`; it replaces the operators in
its body. `MergeComposite` outlines matches of patterns as functions, `AnnotateTarget` outlines
single calls as regions, `MergeCompilerRegions` merges regions, and `PartitionGraph` moves regions
into global functions.
"""
