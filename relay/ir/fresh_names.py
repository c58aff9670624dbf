"""Fresh names for functions, data types and constructors: names that are not taken yet."""

from collections.abc import Container


def free_name(hint: str, *taken: Container[str]) -> str:
    """Return `hint`, with a number appended if one of the containers `taken` has the name.

    >>> free_name("f", {"g"}), free_name("f", {"f", "f_1"})
    ('f', 'f_2')
    """
    name, number = hint, 1
    while any(name in each for each in taken):
        name, number = f"{hint}_{number}", number + 1
    return name


def unused(name: str, taken: set[str]) -> str:
    """Return the first of `name_1`, `name_2`, … that is not in `taken`, and add it to `taken`."""
    found = free_name(name, {name}, taken)
    taken.add(found)
    return found
