"""Finding the free type variables of types."""

from relay.ir.types import FuncType, Type, TypeVar, children


class FreeTypeVars:
    """A memoised function that finds the free type variables of types.

    >>> a, b = TypeVar("A"), TypeVar("B")
    >>> FreeTypeVars().of(FuncType((a, b), a, (a,)))
    (B,)
    """

    def __init__(self) -> None:
        self._known: dict[Type, tuple[TypeVar, ...]] = {}

    def of(self, ty: Type) -> tuple[TypeVar, ...]:
        """Return the free type variables of `ty` in order of first occurrence, at any depth."""
        known = self._known.get(ty)
        if known is not None:
            return known
        stack = [ty]
        while stack:
            top = stack[-1]
            missing = [each for each in children(top) if each not in self._known]
            if missing:
                stack += missing
            else:
                self._known[stack.pop()] = self._made(top)
        return self._known[ty]

    def _made(self, ty: Type) -> tuple[TypeVar, ...]:
        if isinstance(ty, TypeVar):
            return (ty,)
        bound = set(ty.type_params) if isinstance(ty, FuncType) else ()
        inner = [var for each in children(ty) for var in self._known[each] if var not in bound]
        return (*dict.fromkeys(inner),)
