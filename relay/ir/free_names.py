"""Names that are not taken yet, for functions, data types and constructors."""

from collections.abc import Container


def free_name(hint: str, *taken: Container[str]) -> str:
    """Return a name that is in none of the given containers: the hint, or one with a number.

    >>> free_name("f", {"g"}), free_name("f", {"f", "f_1"})
    ('f', 'f_2')
    """
    name, number = hint, 1
    while any(name in each for each in taken):
        name, number = f"{hint}_{number}", number + 1
    return name


def unused(name: str, taken: set[str]) -> str:
    """Return the first unused name of `name_1`, `name_2` …, and mark it as used."""
    found = free_name(name, {name}, taken)
    taken.add(found)
    return found
