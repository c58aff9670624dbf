"""Regions of a program that another compiler is to compile.

A region is a call of a function literal with the attribute `Compiler`: it computes there what it
did before. `MergeComposite` makes functions of patterns, `AnnotateTarget` regions of single calls,
`MergeCompilerRegions` larger ones of these, and `PartitionGraph` global functions of regions.
"""
