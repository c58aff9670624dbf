"""Traversal of scalar expressions: their subexpressions, and copies with replaced parts."""

from collections.abc import Callable, Iterator, Mapping

from relay.kernels.scalar import Scalar


def rewrite(e: Scalar, change: Callable[[Scalar], Scalar], memo: dict[Scalar, Scalar]) -> Scalar:
    """Return `e` with `change` applied to every part, leaves first; `memo` persists across calls.

    It recurses on the depth of one expression, which is bounded: operators' expressions are written
    by hand, and fusion limits how many of them are combined.
    """
    done = memo.get(e)
    if done is None:
        parts = e.parts
        new = tuple(rewrite(part, change, memo) for part in parts)
        same = all(a is b for a, b in zip(parts, new, strict=True))
        done = memo[e] = change(e if same else e.with_parts(new))
    return done


def substitute(e: Scalar, values: Mapping[Scalar, Scalar]) -> Scalar:
    """Return `e` with the variables (or other leaves) in `values` replaced.

    >>> from relay.kernels.scalar import Var
    >>> i, j = Var("i"), Var("j")
    >>> substitute(i + 1, {i: j}) is j + 1
    True
    """
    return rewrite(e, lambda part: part, dict(values))


def walk(*roots: Scalar) -> Iterator[Scalar]:
    """Yield every distinct subexpression of some expressions once, before its own operands."""
    seen: set[Scalar] = set()
    stack = list(roots[::-1])
    while stack:
        part = stack.pop()
        if part not in seen:
            seen.add(part)
            yield part
            stack += part.parts[::-1]
