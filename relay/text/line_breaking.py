"""Line breaking for the printer: lists in brackets that are too long get one line for each item."""

from collections.abc import Sequence

INDENT = "  "


class Lines:
    """The lines of a text that is being printed, with the current indentation.

    Indentation is limited to half the width, so that the size of the text is linear in that of the
    program, even if it is deeply nested.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._lines: list[str] = []
        self._depth = 0
        self._margin = ""

    def text(self) -> str:
        """Return all lines as one text."""
        return "\n".join(self._lines)

    def indent(self) -> None:
        """Indent the lines that follow one level more."""
        self._shift(1)

    def dedent(self) -> None:
        """Indent the lines that follow one level less."""
        self._shift(-1)

    def _shift(self, by: int) -> None:
        self._depth += by
        self._margin = " " * min(len(INDENT) * self._depth, self._width // 2)

    def write(self, line: str) -> None:
        """Add a line at the current indentation, without breaking it."""
        self._lines.append(self._margin + line if line else "")

    def write_list(self, opening: str, parts: Sequence[str], closing: str) -> None:
        """Add the items `parts` in brackets, on one line if they fit, otherwise on one each.

        >>> lines = Lines(width=12)
        >>> lines.write_list("add(", ["%alpha", "%beta"], ");")
        >>> print(lines.text())
        add(
          %alpha,
          %beta
        );
        """
        line = f"{self._margin}{opening}{', '.join(parts)}{closing}"
        if len(line) <= self._width or not parts:
            self._lines.append(line)
            return
        self.write(opening)
        self.indent()
        for part in parts[:-1]:
            self.write(f"{part},")
        self.write(parts[-1])
        self.dedent()
        self.write(closing)
