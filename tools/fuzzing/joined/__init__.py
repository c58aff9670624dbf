"""Many independent functions as one program, which is compiled once and called many times."""
