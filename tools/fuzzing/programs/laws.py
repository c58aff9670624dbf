"""Laws that hold for every program, such as: its printed text parses back to an equal program."""

import warnings
from collections.abc import Callable
from typing import TypeAlias

from relay.container.module_file import pack, unpack
from relay.frontend.text import parse
from relay.ir.equality import structural_equal, structural_hash
from relay.ir.expr import Function, Let, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TypeVar
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_types
from relay.support.errors import RelayError, TypeWarning
from relay.text.printer import text_of
from relay.transform.drop_dead_lets import DropDeadLets
from relay.transform.eliminate_common_subexpressions import EliminateCommonSubexpressions
from relay.transform.fold_constants import FoldConstants
from relay.transform.inline import Inline
from relay.transform.pipeline import Pass
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm
from tools.fuzzing.programs.kernel_boundaries import silent_boundaries
from tools.fuzzing.programs.outcomes import Expected, Outcome, expected, outcome
from tools.fuzzing.programs.program import Program
from tools.fuzzing.programs.renaming import renamed

PASSES: tuple[Pass, ...] = (
    ToGraphForm(),
    EliminateCommonSubexpressions(),
    FoldConstants(),
    DropDeadLets(),
    Inline(),
)
"""Passes that preserve values to the last bit, apart from A-normal form."""


class Broken(Exception):  # noqa: N818 - says what happened to a law
    """A law that does not hold for a program."""

    def __init__(self, law: str, program: Module) -> None:
        super().__init__(f"{law}\n{text_of(program, types=True)}")
        self.law = law


Law: TypeAlias = Callable[[Program, Expected], None]
"""A check of a program with its right outcomes; raises `Broken`, or any other error."""


def check_program(program: Program, laws: tuple[Law, ...] | None = None) -> Outcome:
    """Check laws of a program (by default all of them), and return its value or its trap.

    Raises `Broken` with the first violated law and the program's text.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TypeWarning)  # some clauses are redundant
        return _checked(program, LAWS if laws is None else laws)


def _checked(program: Program, laws: tuple[Law, ...]) -> Outcome:
    module = infer(program.module)
    typed = Program(module, program.inputs)
    check_types(module)
    right = expected(module, *program.inputs)  # it checks names and scopes first
    for law in laws:
        law(typed, right)
    return right.outcome


def prints_and_reads_back(program: Program, right: Expected) -> None:
    """`parse(print(m))` equals `m`, prints alike, and means the same."""
    text = text_of(program.module)
    again = parse(text)
    _hold(structural_equal(program.module, again), "reads back equal", program)
    _hold(text_of(again) == text, "prints the same again", program)
    _hold(
        right.allows(_outcome(again, program), placed=False),
        "means the same when read back",
        program,
    )


def generic_results_read_back(program: Program, right: Expected) -> None:
    """A program that also returns generic functions prints and reads back equal."""
    del right
    module = infer(program.module.with_function("main", _with_generic_results(program.module.main)))
    text = text_of(module)
    again = parse(text)
    _hold(structural_equal(module, again), "reads back equal with generic results", program)
    _hold(text_of(again) == text, "prints the same again with generic results", program)


def _with_generic_results(main: Function) -> Function:
    """Return the function that also returns `fn [A](x) { x }`, bound, unbound, and nested.

    Their types are not written but inferred.
    """
    outer, name = TypeVar("A"), Var("f")
    x = Var("x", outer)
    inner = Function((x,), Tuple((x, _identity())), type_params=(outer,))
    results = Tuple((main.body, name, name, _identity(), inner))
    return Function(main.params, Let(name, _identity(), results))


def _identity() -> Function:
    own = TypeVar("A")
    return Function((x := Var("x", own),), x, type_params=(own,))


def names_do_not_matter(program: Program, right: Expected) -> None:
    """A program with renamed variables is equal, and has the same outcome."""
    other = renamed(program.module)
    _hold(structural_equal(program.module, other), "equal up to names", program)
    _hold(right.allows(_outcome(other, program), placed=False), "means the same renamed", program)


def names_do_not_change_hashes(program: Program, right: Expected) -> None:
    """A program with renamed variables has the same hash."""
    del right
    hashes = structural_hash(program.module), structural_hash(renamed(program.module))
    _hold(hashes[0] == hashes[1], "the same hash up to names", program)


def a_normal_form_keeps_values(program: Program, right: Expected) -> None:
    """Conversion to A-normal form preserves types and values."""
    keeps(ToANormalForm(), program, right)


def passes_keep_values(program: Program, right: Expected) -> None:
    """Simple optimisations preserve types and values."""
    for each in PASSES:
        keeps(each, program, right)


def a_normal_form_is_one(program: Program, right: Expected) -> None:
    """A-normal form is idempotent."""
    del right
    once = ToANormalForm()(program.module)
    _hold(structural_equal(ToANormalForm()(once), once), "A-normal form is stable", program)


def files_keep_programs(program: Program, right: Expected) -> None:
    """Saved and loaded programs are equal."""
    del right
    again = unpack(pack(program.module))
    _hold(structural_equal(program.module, again), "is the same in a file", program)


def kernels_have_remarks(program: Program, right: Expected) -> None:
    """If a kernel reads the result of another one, a remark says why they were not fused."""
    del right
    located = infer(parse(text_of(program.module)))
    silent = [name for _, name in silent_boundaries(located, program.inputs)]
    _hold(not silent, f"remarks on the results of {', '.join(silent)}", program)


CORE: tuple[Law, ...] = (
    prints_and_reads_back,
    names_do_not_matter,
    a_normal_form_keeps_values,
)
LAWS: tuple[Law, ...] = (
    *CORE,
    names_do_not_change_hashes,
    generic_results_read_back,
    passes_keep_values,
    a_normal_form_is_one,
    files_keep_programs,
    kernels_have_remarks,
)


def keeps(each: Pass, program: Program, right: Expected) -> None:
    """Raise `Broken` unless a pass preserves form, types and values of a typed program."""
    after, title = each(program.module), each.title()
    try:
        check_types(after)
        found = _outcome(after, program)
    except RelayError as error:
        raise Broken(f"{title} keeps form and types: {error}", program.module) from error
    _hold(after.main.type is program.module.main.type, f"{title} keeps the type", program)
    _hold(right.allows(found, placed=False), f"{title} keeps the value", program)


def _outcome(module: Module, program: Program) -> Outcome:
    return outcome(lambda: evaluate(module, *program.inputs))


def _hold(holds: bool, law: str, program: Program) -> None:
    if not holds:
        raise Broken(law, program.module)
