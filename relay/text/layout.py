"""Line breaking: lines that are too long are broken after the commas of brackets."""

from collections.abc import Sequence

INDENT = "  "


class Lines:
    """The lines of a text, written one after another at the current indentation.

    Indentation stops at half the width, so that deeply nested text stays linear in size.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._lines: list[str] = []
        self._depth = 0
        self._margin = ""

    def text(self) -> str:
        """Return the lines as one text."""
        return "\n".join(self._lines)

    def indent(self) -> None:
        """Increase the indentation."""
        self._shift(1)

    def dedent(self) -> None:
        """Decrease the indentation."""
        self._shift(-1)

    def _shift(self, by: int) -> None:
        self._depth += by
        self._margin = " " * min(len(INDENT) * self._depth, self._width // 2)

    def write(self, line: str) -> None:
        """Write a line unchanged."""
        self._lines.append(self._margin + line if line else "")

    def write_list(self, opening: str, parts: Sequence[str], closing: str) -> None:
        """Write parts between brackets, on one line if they fit, else one part per line.

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
