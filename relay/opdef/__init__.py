"""The interface of operator definitions, the table of all operators, and checks for type rules."""
