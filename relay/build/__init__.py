"""From program to executable: pipelines as lists, lowering, memory, the native entry function."""
