"""The base class of everything that has a text form: programs and their parts."""

from collections.abc import Callable
from typing import Any, cast

from relay.support.late_binding import module_above


class Printable:
    """The base of all objects that have a text form, which `relay.text` writes."""

    __slots__ = ()

    def astext(
        self,
        show_meta_data: bool = True,
        annotate: Callable[[Any], str] | None = None,
        *,
        show_types: bool = False,
        width: int = 100,
    ) -> str:
        """Return the text form; `relay.parse` reads the text form of a module back.

        With `show_meta_data`, large constants are appended as metadata; `show_types` adds the type
        of every expression as a comment, `annotate` what it returns for the expression; lines have
        at most `width` columns where possible.
        """
        printer = module_above("relay.text.printer")
        text = printer.text_of(
            self, types=show_types, annotate=annotate, metadata=show_meta_data, width=width
        )
        return cast("str", text)
