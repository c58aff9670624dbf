"""What can be written as text: programs and their parts."""

from importlib import import_module
from typing import cast


class Printed:
    """The base of all that has a text form.

    The room of texts is above this one, so it is looked for when a text is asked for.
    """

    __slots__ = ()

    def astext(
        self, show_meta_data: bool = True, *, show_types: bool = False, width: int = 100
    ) -> str:
        """Return the text form, which `relay.parse` reads back if it is that of a module.

        Large constants follow it as metadata, or do not; `show_types` adds the type of every
        expression as a comment; lines are broken at `width`.
        """
        printer = import_module("relay.text.printer")
        text = printer.text_of(self, types=show_types, metadata=show_meta_data, width=width)
        return cast("str", text)
