"""In which order functions are typed: what is called before what calls it."""

from relay.ir.expr import GlobalVar
from relay.ir.module import Module
from relay.ir.walk import post_order


def callees_first(module: Module) -> list[str]:
    """Return the names of all functions; of those that call each other, any may come first."""
    calls = {
        name: [e.name for e in post_order(function) if isinstance(e, GlobalVar)]
        for name, function in module.functions.items()
    }
    order: dict[str, None] = {}
    seen: set[str] = set()
    stack = [(name, False) for name in reversed(list(module.functions))]
    while stack:
        name, is_done = stack.pop()
        if is_done:
            order[name] = None
        elif name in calls and name not in seen:
            seen.add(name)
            stack.append((name, True))
            stack.extend((callee, False) for callee in reversed(calls[name]))
    return list(order)
