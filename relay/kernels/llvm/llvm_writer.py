"""Writers of LLVM text: modules, functions, blocks and instructions.

Text is written directly because that is several times faster than building LLVM's objects in
Python, and gives access to every flag, attribute and type of LLVM.
"""

from collections.abc import Callable, Sequence

from relay.support.node import node


@node
class Operand:
    """An operand of an LLVM instruction: its type and its text, and its value if it is constant.

    `known` is the value of an integer; `literal` is the float that a constant holds in every lane.
    """

    ty: str
    text: str
    known: int | None = None
    literal: float | None = None

    def __str__(self) -> str:
        return f"{self.ty} {self.text}"


def lanes_of(ty: str) -> int:
    """Return the number of lanes of an LLVM type, 1 for a scalar.

    >>> lanes_of("<16 x float>")
    16
    """
    return int(ty[1:].split(" ", 1)[0]) if ty[0] == "<" else 1


def lane_type(ty: str) -> str:
    """Return the LLVM type of one lane of a type."""
    return ty[1:-1].split(" x ")[1] if ty[0] == "<" else ty


def bits_of(ty: str) -> str:
    """Return the LLVM type of a comparison of values of type `ty`."""
    return f"<{lanes_of(ty)} x i1>" if ty[0] == "<" else "i1"


def suffix(ty: str) -> str:
    """Return the spelling of an LLVM type in the names of intrinsics.

    >>> suffix("<16 x float>"), suffix("i64")
    ('v16f32', 'i64')
    """
    each = lane_type(ty)
    each = {"half": "f16", "float": "f32", "double": "f64", "ptr": "p0"}.get(each, each)
    return f"v{lanes_of(ty)}{each}" if ty[0] == "<" else each


class ModuleWriter:
    """A writer of the functions, declarations and metadata of one LLVM module."""

    def __init__(self, triple: str, attributes: str) -> None:
        self._head = f'target triple = "{triple}"\n\nattributes #0 = {{ {attributes} }}'
        self._functions: list[str] = []
        self._declarations: dict[str, str] = {}
        self._helpers: dict[str, None] = {}
        self._inlined: dict[str, _InlinedFunction] = {}
        self._metadata: list[str] = []

    def declare(self, name: str, result: str, parameters: Sequence[str]) -> None:
        """Declare an external function."""
        self._declarations[name] = f"declare {result} @{name}({', '.join(parameters)})"

    def helper(self, name: str, build: Callable[[], str]) -> None:
        """Add a function under `name`, which `build` returns, unless it exists already."""
        if name not in self._helpers:
            self._helpers[name] = None
            self._functions.append(build())

    def call_inlined(self, name: str, build: Callable[[str], str]) -> None:
        """Note a call of the function that `build` returns, given its attributes.

        Its calls are inlined unless that makes the module too long.
        """
        made = self._inlined.get(name)
        if made is None:
            group = f"#{len(self._inlined) + 1}"
            self._inlined[name] = made = _InlinedFunction(group)
            text = build(group)
            made.lines = text.count("\n")
            self._functions.append(text)
        made.calls += 1

    def add(self, function: str) -> None:
        """Add the text of a finished function."""
        self._functions.append(function)

    def metadata(self, text: str) -> str:
        """Add a metadata node and return its name, which replaces `{self}` in the text."""
        name = f"!{len(self._metadata)}"
        self._metadata.append(f"{name} = {text.replace('{self}', name)}")
        return name

    def __str__(self) -> str:
        groups = map(str, self._inlined.values())
        parts = [
            *(self._head, *groups, *self._functions),
            *(*self._declarations.values(), *self._metadata),
        ]
        return "\n\n".join(parts) + "\n"


_MOST_INLINED = 3_000
"""Lines of one function's copies: the LLVM code of a whole kernel has hardly ever as many."""


class _InlinedFunction:
    """A function with its attribute group, the length of its text and the number of its calls."""

    def __init__(self, group: str) -> None:
        self._group = group
        self.lines = 0
        self.calls = 0

    def __str__(self) -> str:
        inlined = self.lines * self.calls <= _MOST_INLINED
        return f"attributes {self._group} = {{ {'alwaysinline' if inlined else 'noinline'} }}"


class FunctionWriter:
    """A writer of one LLVM function, block after block."""

    def __init__(self, module: ModuleWriter, name: str, signature: str) -> None:
        self.module = module
        self.name = name
        self.label = "entry"
        self._signature = signature
        self._slots: list[str] = []
        self._lines: list[str] = []
        self._count = 0

    def fresh(self, hint: str = "v") -> str:
        """Return a name that the function does not use yet."""
        self._count += 1
        return f"{hint}{self._count}"

    def op(self, ty: str, text: str) -> Operand:
        """Write an instruction with a result of type `ty`, and return the result."""
        name = f"%v{self._count}"
        self._count += 1
        self._lines.append(f"  {name} = {text}")
        return Operand(ty, name)

    def do(self, text: str) -> None:
        """Write an instruction without a result."""
        self._lines.append(f"  {text}")

    def slot(self, ty: str, align: int = 0) -> Operand:
        """Write an allocation of stack memory, which LLVM turns into registers if it can."""
        name = f"%slot{len(self._slots)}"
        self._slots.append(f"  {name} = alloca {ty}{f', align {align}' if align else ''}")
        return Operand("ptr", name)

    def call(
        self, result: str, name: str, arguments: Sequence[Operand], flags: str = ""
    ) -> Operand:
        """Declare an external function and write a call of it; `result` is not void."""
        self.module.declare(name, result, [a.ty for a in arguments])
        return self.invoke(result, name, arguments, flags)

    def invoke(
        self, result: str, name: str, arguments: Sequence[Operand], flags: str = ""
    ) -> Operand:
        """Write a call of a function that the module defines."""
        listed = ", ".join(map(str, arguments))
        return self.op(result, f"call {flags}{' ' if flags else ''}{result} @{name}({listed})")

    def intrinsic(self, name: str, *arguments: Operand, flags: str = "") -> Operand:
        """Write a call of `llvm.name` on operands of one type, which is also that of the result."""
        ty = arguments[0].ty
        return self.call(ty, f"llvm.{name}.{suffix(ty)}", arguments, flags.strip())

    def convert_call(self, ty: str, name: str, operand: Operand) -> Operand:
        """Write a call of an intrinsic whose name has the types of its result and its argument."""
        return self.call(ty, f"{name}.{suffix(ty)}.{suffix(operand.ty)}", (operand,))

    def icmp(self, predicate: str, a: Operand, b: Operand) -> Operand:
        """Write a comparison of integers."""
        return self.op(bits_of(a.ty), f"icmp {predicate} {a}, {b.text}")

    def fcmp(self, predicate: str, a: Operand, b: Operand) -> Operand:
        """Write a comparison of floats."""
        return self.op(bits_of(a.ty), f"fcmp {predicate} {a}, {b.text}")

    def select(self, condition: Operand, then: Operand, other: Operand) -> Operand:
        """Write a select between two operands, lane by lane if the condition has lanes."""
        return self.op(then.ty, f"select {condition}, {then}, {other}")

    def branch(self, label: str) -> None:
        """End the current block with a jump to a label."""
        self.do(f"br label %{label}")

    def branch_if(self, condition: Operand, then: str, other: str, tail: str = "") -> None:
        """End the current block with a conditional jump to one of two labels."""
        self.do(f"br {condition}, label %{then}, label %{other}{tail}")

    def block(self, label: str) -> None:
        """Begin a basic block with a label."""
        self._lines.append(f"{label}:")
        self.label = label

    def finish(self) -> str:
        """Return the LLVM text of the function."""
        body = [f"{self._signature} #0 {{", "entry:", *self._slots, *self._lines, "}"]
        return "\n".join(body)
