"""Record the program of a traced function, and merge what branches and loops change."""
