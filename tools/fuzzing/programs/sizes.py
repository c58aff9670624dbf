"""Random programs about sizes, and the check that all executors agree on them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import Template

import numpy as np

from relay.build.pipeline import pipeline
from relay.ir.expr import Array
from relay.ir.module import Module
from relay.semantics.evaluator_values import Value
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.targets.cpu import this_cpu
from relay.text.parser import parse_module
from relay.transform.pass_context import HIGHEST, PassContext
from relay.transform.run_passes import run_passes
from tools.fuzzing.programs.choices import Choices
from tools.fuzzing.programs.executors import agrees, executables
from tools.fuzzing.programs.laws import Broken
from tools.fuzzing.programs.outcomes import Expected, Outcome, Trapped, expected, outcome
from tools.fuzzing.programs.sized_kinds import ROW, TABLE, Annotations, Kind, random_kind
from tools.fuzzing.programs.sized_writer import Scope, Signature, Writer

LENGTHS = ((2, 2), (2, 3), (3, 1), (0, 2))
"""The lengths of the tensors passed to a program."""

_HEAD = """#[version = "0.0.5"]
type List[A] { Nil, Cons(A, List[A]) }
type Box[A] { Box(A) }
type Pair { Pair(Tensor[(n), float32], Tensor[(n), float32]), Two(Tensor[(2), float32]) }
def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] {
  match (%l) { Nil => Nil, Cons(%x, %rest) => Cons(%f(%x), @map(%f, %rest)) } }
def @any1(%x: Tensor[(?), float32]) -> Tensor[(?), float32] { %x }
def @any2(%x: Tensor[(?, ?), float32]) -> Tensor[(?, ?), float32] { %x }
def @same(%x: Tensor[(n), float32]) -> Tensor[(n), float32] { %x }
def @negated(%x: Tensor[(n), float32]) { negative(%x) }
def @choose[A](%b: bool, %x: A, %y: A) -> A { if (%b) { %x } else { %y } }
def @twice[A](%f: fn (A) -> A, %x: A) -> A { %f(%f(%x)) }
def @first[A, B](%p: (A, B)) -> A { %p.0 }
"""
_PATIENCE = 12


@dataclass(frozen=True)
class SizedProgram:
    """A program that inference accepts, as text and typed, with inputs of different sizes."""

    text: str
    module: Module
    runs: tuple[tuple[Value, ...], ...]


def random_sizes(choices: Choices, depth: int = 3) -> SizedProgram | None:
    """Return a program with arbitrary size annotations; None if none was accepted.

    If inference rejects it, some sizes are replaced by `?`.

    >>> from tools.fuzzing.programs.choices import RandomChoices
    >>> program = random_sizes(RandomChoices(1))
    """
    annotations = Annotations(choices)
    template = Template(_HEAD + _Maker(choices, annotations, depth).functions())
    for _ in range(_PATIENCE):
        sizes = {f"s{index}": size for index, size in enumerate(annotations.sizes)}
        text = template.substitute(sizes)
        try:
            module = infer(parse_module(text))
        except RelayError:
            annotations.forget_some()
            continue
        return SizedProgram(text, module, tuple(_inputs(choices)))
    return None


def check_sizes(program: SizedProgram, levels: Sequence[int] = (0, HIGHEST)) -> list[Outcome]:
    """Raise `Broken` unless executors are right; return the outcome for each input.

    It is compiled once for all inputs; at the last level, calls may also be deferred.
    """
    module, target = program.module, this_cpu()
    right = [expected(module, *each) for each in program.runs]
    for level, batch in [*((level, False) for level in levels), (levels[-1], True)]:
        optimised, _ = run_passes(module, pipeline(target, PassContext(level), batch=batch))
        how = f"level {level}{', with batches' if batch else ''}"
        for name, run in executables(module, optimised, target, level):
            for inputs, wanted in zip(program.runs, right, strict=True):
                found = outcome(lambda run=run, inputs=inputs: run(*inputs))
                if not (wanted.allows(found, agrees, placed=False) or _is_refused(found, wanted)):
                    law = f"{name} at {how} gives {found!r:.300}, not {wanted!r:.300}"
                    raise Broken(f"{law}, for {inputs!r:.300}", module)
    return [each.outcome for each in right]


_DOOR = {ErrorCode.R004, ErrorCode.R005, ErrorCode.R007, ErrorCode.R051}
"""The errors raised before execution for inputs whose sizes do not match the signature."""


def _is_refused(found: Outcome, wanted: Expected) -> bool:
    """Whether inputs are rejected before execution, for which the program would trap."""
    return wanted.must_trap and isinstance(found, Trapped) and found.error in _DOOR


def _inputs(choices: Choices) -> Iterator[tuple[Value, ...]]:
    for rows, columns in LENGTHS:
        shapes = ((rows,), (columns,), (rows, columns))
        conditions = [np.asarray(choices.chance(2)) for _ in range(2)]
        yield (*map(_increasing, shapes), *conditions)


def _increasing(shape: tuple[int, ...]) -> Array:
    return np.linspace(0.1, 1, math.prod(shape), dtype=np.float32).reshape(shape)


class _Maker:
    """A generator of the functions of a program; each calls earlier ones."""

    def __init__(self, choices: Choices, annotations: Annotations, depth: int) -> None:
        self._choices = choices
        self._annotations = annotations
        self._writer = Writer(choices, annotations)
        self._depth = depth
        self._known: tuple[Signature, ...] = ()

    def functions(self) -> str:
        """Return the text of all functions."""
        made = [self._some(index) for index in range(self._choices.below(4))]
        return "".join((*made, self._main()))

    def _some(self, index: int) -> str:
        """Return a function, or two that are mutually recursive or recursive."""
        count = self._choices.between(1, 2)
        params = tuple(self._kind() for _ in range(count))
        result = self._kind()
        if self._choices.chance(2):
            one = Signature(f"@f{index}", params, result)
            text = self._function(one, Scope((), (), self._known))
            self._known += (one,)
            return text
        both = tuple(Signature(f"@{name}{index}", params, result, counted=True) for name in "gh")
        inside = Scope((), (), (*self._known, *both), "%left - 1")
        text = "".join(self._function(each, inside) for each in both)
        self._known += both
        return text

    def _kind(self) -> Kind:
        return random_kind(self._choices, self._choices.below(3))

    def _function(self, signature: Signature, scope: Scope) -> str:
        params: list[str] = []
        for kind in signature.params:
            _, declaration, scope = self._writer.declared(kind, scope)
            params.append(declaration)
        params += ["%b: bool", "%c: bool"]
        is_said = signature.counted or self._choices.chance(2)
        result = self._annotations.type_of(signature.result, scope.names) if is_said else ""
        body = self._writer.expr(signature.result, scope, self._depth)
        if signature.counted:
            params.append("%left: int32")
            last = Scope(scope.variables, scope.names, self._known, "0")
            end = self._writer.expr(signature.result, last, 1)
            body = f"if (%left <= 0) {{ {end} }} else {{ {body} }}"
        said = f" -> {result}" if result else ""
        return f"def {signature.name}({', '.join(params)}){said} {{ {body} }}\n"

    def _main(self) -> str:
        scope, params = Scope((), (), self._known), list[str]()
        for kind in (ROW, ROW, TABLE):
            _, declaration, scope = self._writer.declared(kind, scope, computed=False)
            params.append(declaration)
        results = [self._choices.pick((ROW, ROW, TABLE)) for _ in range(2)]
        bodies = [self._writer.expr(kind, scope, self._depth + 1) for kind in results]
        head = ", ".join((*params, "%b: bool", "%c: bool"))
        return f"def @main({head}) {{ ({', '.join(bodies)}) }}\n"
