"""One call in Python: what is called, with which arguments, where."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from relay.frontend.python.conversion import Conversion
from relay.frontend.python.values import Value
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.node import node
from relay.support.span import Span

NO_DEFAULTS: Mapping[str, Value] = MappingProxyType({})


@node
class Invocation:
    """One call: what is called, with which arguments, where."""

    convert: Conversion
    callee: Value
    args: Sequence[Value]
    keywords: Mapping[str, Value]
    span: Span

    def in_order(
        self,
        params: Sequence[str],
        what: str,
        defaults: Mapping[str, Value] = NO_DEFAULTS,
        placed: Sequence[str] | None = None,
    ) -> list[Value]:
        """Return the arguments in the order of the parameters; raises `F118` if they do not fit.

        Those that may be given by place are `placed`, where they are not all.
        """
        if placed is not None and len(placed) < len(params) and len(self.args) > len(placed):
            named = ", ".join(f"{each}=…" for each in params if each not in placed)
            why = f"{what} takes {len(placed)} arguments by place, not {len(self.args)}"
            raise mistake(ErrorCode.F118, why, self.span, f"give the others by name: {named}")
        found = {**defaults, **dict(zip(placed or params, self.args, strict=False))}
        first = (placed or params)[: len(self.args)]
        doubled = [key for key in self.keywords if key in first or key not in params]
        found |= self.keywords
        if doubled or len(self.args) > len(params) or len(found) != len(params):
            given = len(self.args) + len(self.keywords)
            raise mistake(
                ErrorCode.F118,
                f"{what} takes {len(params)} arguments, not {given}"
                if given != len(params)
                else f"{what} has no place for {doubled[0]}",
                self.span,
                f"call it as {what}({', '.join(params)})",
            )
        return [found[name] for name in params]
