"""The public interface of Relay's text format: parse and print programs."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - the names in a text are those of the operators' table
from relay.ir.dims import Dim
from relay.ir.expr import Constant, Expr, Function
from relay.ir.match_patterns import Pattern
from relay.ir.module import HasModule, Module, ModuleLike
from relay.ir.types import Type
from relay.prelude import library
from relay.semantics.infer import infer
from relay.semantics.redundant_clauses import warnings_of
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError, RelaySyntaxError, UsageError
from relay.support.span import Source, Span
from relay.text import parser
from relay.transform.shapes_of_inputs import with_shapes

Program: TypeAlias = ModuleLike | Expr | Type | Pattern
"""A program, or a part of one."""

MARK = "\ufeff"
"""The byte order mark that some editors write, which is not part of a text."""


def parse(
    text: str,
    source_name: str | None = None,
    init_module: HasModule | None = None,
    init_meta_table: Mapping[str, Sequence[object]] | None = None,
) -> Module:
    """Return the module that a text describes, with all types inferred.

    The text starts with `#[version = "0.0.5"]`. Errors refer to it as `source_name`. Definitions of
    `init_module` are visible to the text and part of the result; `init_meta_table` is added to the
    text's metadata: constants and values of attributes, by kind. Raises `P…` errors for syntax and
    `T…` errors for types, several together; unreachable clauses are warnings.

    >>> module = parse('''#[version = "0.0.5"]
    ... def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) + 1f }''')
    >>> print(module.main.type)
    fn (Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32]
    """
    plain = _without_byte_order_mark("parse", text)
    more = {kind: [*map(_datum, given)] for kind, given in (init_meta_table or {}).items()}
    known = None if init_module is None else init_module.module
    name = source_name or "text"
    imported: dict[str, Function] = {}

    def imports(name: str) -> Module:
        found = library(name)
        imported.update(found.functions)
        return found

    written = parser.parse_module(plain, name, imports, known=known, metadata=more)
    is_whole = imported.items() <= written.functions.items()
    module = infer(written, typed=imported.keys() if is_whole else ())
    for warning in warnings_of(module, plain) if "match" in plain else ():
        warnings.warn(warning, stacklevel=2)
    return module


def load_text_module(path: Path, shapes: Mapping[str, Sequence[Dim]] | None = None) -> Module:
    """Return the program in a text file, with `shapes` for sizes that it leaves unknown."""
    return with_shapes(parse(read_text(path), str(path)), shapes or {})


def _datum(given: object) -> object:
    """Return a metadata entry in the form that the parser expects: arrays for constants."""
    return given.array if isinstance(given, Constant) else given


def _without_byte_order_mark(door: str, text: object) -> str:
    """Return a text without its byte order mark; raises `U003` if it is not a string.

    `door` is the name of the public function, for the message.
    """
    if not isinstance(text, str):
        help_ = "decode bytes with .decode(); to open a file, call relay.load(path)"
        raise UsageError(
            ErrorCode.U003,
            f"{door} takes a string of program text, not {type(text).__name__}",
            help=help_,
        )
    return text.removeprefix(MARK)


def check_text(text: str, name: str) -> None:
    """Raise the syntax errors (`P…`) of a text; types are not checked."""
    parser.check_grammar(text.removeprefix(MARK), name, library)


def read_text(path: Path) -> str:
    """Return the text in a file; raises `F001` if it cannot be read, `P009` if it is not UTF-8."""
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        help_ = "check the path and the permissions of the file"
        raise RelayImportError(
            ErrorCode.F001, f"cannot read {path}: {reason}", help=help_
        ) from None
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise RelaySyntaxError(
            ErrorCode.P009,
            f"the file {path} is not text: its byte {error.start} is not UTF-8",
            span=_place(Source(str(path), _printable(content)), content, error.start),
            help='pass a file of program text, which begins with #[version = "0.0.5"]',
        ) from None


def _printable(content: bytes) -> str:
    """Return the characters of a file for a message; control characters are replaced, too."""
    text = content.decode(errors="replace")
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def _place(source: Source, content: bytes, at: int) -> Span:
    """Return the location of byte `at` of a file; all bytes before it are valid UTF-8."""
    start = content.rfind(b"\n", 0, at) + 1
    line, column = content.count(b"\n", 0, at) + 1, len(content[start:at].decode()) + 1
    return Span(source, line, column, line, column + 1)


def parse_expr(text: str, name: str = "text") -> Expr:
    """Return the expression that a text describes, without inferring types."""
    return parser.parse_expr(_without_byte_order_mark("parse_expr", text), name)


def astext(
    program: Program,
    show_meta_data: bool = True,
    annotate: Callable[[Expr], str] | None = None,
    *,
    show_types: bool = True,
    width: int = 100,
) -> str:
    """Return a program, or a part of one, as text that `parse` reads back (TVM's name).

    An expression is preceded by the version line, and `parse_expr` reads it back. `show_types` adds
    the known types as comments where an expression is written for the first time, `annotate` what
    it returns for the expression; lines are broken at `width`. Raises `U003` for other values.
    """
    if not isinstance(program, Program):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
        help_ = "pass a module, an expression, a type or a pattern"
        message = f"astext takes a program, not {type(program).__name__}"
        raise UsageError(ErrorCode.U003, message, help=help_)
    return program.astext(show_meta_data, annotate, show_types=show_types, width=width)
