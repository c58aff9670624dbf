"""Parsing of calls: arguments, attributes and type arguments, with a fast path for common forms.

Most calls have only single tokens as arguments. These are parsed without a task
(`relay.support.trampoline`), operators are memoised by the tokens of their attributes, and result
types are memoised by the operator and the argument types.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches

from relay.ir.expr import Call, Constant, Constructor, Expr, GlobalVar, Operator
from relay.ir.types import Type
from relay.opdef.table import OPERATORS
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelaySyntaxError
from relay.support.span import Span
from relay.support.trampoline import Task
from relay.text.lexer import Token
from relay.text.metadata_section import DAMAGED, DAMAGED_HELP, Metadata
from relay.text.number_literals import read_number
from relay.text.operator_attributes import build_operator, by_name
from relay.text.parse_dims import unquoted
from relay.text.parse_statements import StatementParser
from relay.text.parse_types import TypeParser
from relay.text.token_cursor import Cursor, NameScope
from relay.text.tvm_metadata import ATTRIBUTES, CallAttributes
from relay.text.unique_names import PREFIX

LONG_ATTRIBUTES = 64  # tokens; longer lists of attributes are not memoised

_AFTER_WORD = (",", ")")
_SUFFIXES = frozenset("([.")


class CallParser(StatementParser):
    """A parser of calls, and of simple operands, which are parsed without recursion."""

    def __init__(
        self,
        cursor: Cursor,
        scope: NameScope,
        types: TypeParser,
        constructors: Mapping[str, Constructor],
        metadata: Metadata,
    ) -> None:
        super().__init__(cursor, scope, types, constructors, metadata)
        self._numbers: dict[str, Constant] = {}
        self._seen: set[str] = set()
        self._operators: dict[tuple[str, ...], Operator] = {}
        self._results: dict[tuple[Operator, tuple[Type | None, ...]], Type] = {}

    def quick(self) -> Expr | None:
        """Parse a single token or a call whose arguments are single tokens.

        For others, return None. Nothing is read in the latter case.
        """
        cursor, start = self.cursor, self.cursor.index
        token = cursor.tokens[start]
        if token[:1].isalpha():
            found = self._flat_operator_call(token, start)
        else:
            found = self.word(start)
            if found is not None and cursor.tokens[cursor.index] == "(":
                found = self._flat_call(found, start)
        if found is None or cursor.tokens[cursor.index][:1] in _SUFFIXES:
            cursor.index = start
            return None
        return found

    def word(self, index: int) -> Expr | None:
        """Return what the single token at `index` denotes: a variable, `%0`, a global or a number.

        Other tokens give None.
        """
        cursor = self.cursor
        token = cursor.tokens[index]
        first = token[:1]
        if first == "%":
            found = self.scope.values.get(token)
            if found is None:
                cursor.index = index
                raise self._undefined(token)
        elif first == "@":
            found = self._global(index)
        elif first.isdigit():
            found = self.number(index, token)
        else:
            return None
        cursor.index = index + 1
        return found

    def _undefined(self, token: str) -> RelayError:
        near = get_close_matches(token, self.scope.values, n=1)
        help_ = f"did you mean {near[0]}?" if near else _BIND[token[1].isdigit()].format(token)
        message = f"the name {token} is not defined here"
        return RelaySyntaxError(ErrorCode.P030, message, span=self.cursor.here(), help=help_)

    def _global(self, index: int) -> Expr:
        token = self.cursor.tokens[index]
        return GlobalVar(global_name(token), span=self.cursor.span_at(index))

    def number(self, index: int, text: str) -> Expr:
        """Return the constant that `text` denotes: the token at `index` with preceding signs."""
        known = self._numbers.get(text)
        if known is None:
            digits = text.lstrip("-")
            data = read_number(digits, negative=(len(text) - len(digits)) % 2 == 1)
            if data is None:
                raise self._no_number(text, index)
            known = self._numbers[text] = Constant(data)
        return Constant(known.array, ty=known.ty, span=self.cursor.span_at(index))

    def _no_number(self, text: str, index: int) -> RelayError:
        message = f"'{text}' is not a valid number"
        help_ = (
            "write floats as 1.5f, with the suffix f, f16 or f64, and integers without a "
            "suffix or with i8…i64, u8…u64"
        )
        element = re.fullmatch(r"-*\d+([iu])(\d+)", text)
        too_large = re.fullmatch(r"[-\d.e+]+(f|f16|f32|f64|bf16)", text, re.IGNORECASE)
        if element is not None:
            help_ = _range_text(f"{_INTEGERS[element[1]]}{element[2]}")
        elif text.lstrip("-").isdigit():
            help_ = _range_text("int64")
        elif too_large is not None:
            help_ = f"choose a smaller number; infinity is written inf{too_large[1]}"
        elif text.replace(".", "", 1).isdigit() and "." in text:
            help_ = f"add the suffix of a float: {text}f, or f16, bf16, f64"
        return RelaySyntaxError(ErrorCode.P012, message, span=self.cursor.since(index), help=help_)

    # Flat calls

    def _flat_args(self, args: list[Expr]) -> str:
        """Parse single-token arguments after the opening bracket; return the token after them."""
        cursor = self.cursor
        tokens, index = cursor.tokens, cursor.index + 1
        while tokens[index] != ")" and tokens[index + 1] in _AFTER_WORD:
            word = self.word(index)
            if word is None:
                break
            args.append(word)
            index += 2 if tokens[index + 1] == "," else 1
        cursor.index = index
        return tokens[index]

    def _flat_call(self, callee: Expr, start: int) -> Expr | None:
        args: list[Expr] = []
        if self._flat_args(args) != ")":
            return None
        self.cursor.index += 1
        return Call(callee, tuple(args), span=self.cursor.since(start))

    def _flat_operator_call(self, name: str, start: int) -> Expr | None:
        cursor = self.cursor
        if cursor.tokens[start + 1] != "(" or name not in self._seen:
            return None
        args: list[Expr] = []
        cursor.index = start + 1
        self._flat_args(args)
        words = self._attribute_words(name, cursor.index)
        op = self._operators.get(words)
        if op is None:
            return None
        cursor.index += len(words)
        return self.operator_call(op, tuple(args), cursor.since(start))

    def _attribute_words(self, name: str, index: int) -> tuple[str, ...]:
        """Return a key for memoising an operator: its name and the tokens of its attributes.

        These begin at the token `index`.
        """
        words = self.cursor.tokens[index : index + LONG_ATTRIBUTES]
        return (name, *words[: words.index(")")]) if ")" in words else ()

    def operator_call(self, op: Operator, args: tuple[Expr, ...], span: Span) -> Expr:
        """Return a call of an operator, whose type is memoised by the argument types."""
        key = (op, tuple([arg.ty for arg in args]))
        known = self._results.get(key)
        call = Call(op, args, ty=known, span=span)
        if known is None and call.ty is not None:
            self._results[key] = call.ty
        return call

    # Calls of all kinds

    def arguments(
        self, of: type[Operator] | None = None
    ) -> Task[tuple[list[Expr], dict[str, object], int]]:
        """Parse the arguments and attributes of a call, up to and including the closing bracket.

        The last part of the result is the position of the attributes. The operator class is used
        only for error messages.
        """
        cursor, opened = self.cursor, self.cursor.index - 1
        args: list[Expr] = []
        attributes: dict[str, object] = {}
        start = -1
        while not cursor.accept(")"):
            if self.types.at_attribute():
                start = cursor.index if start < 0 else start
                self.types.read_attribute(attributes)
                if self.types.at_attribute():
                    continue  # the comma between two attributes is optional
            elif start < 0 and self._at_attributes_object():
                start = cursor.index
                attributes = self._attributes_object(of)
            elif start >= 0:
                help_ = "write all arguments before the first attribute"
                raise cursor.unexpected("an attribute (name=value)", help=help_)
            elif args and of is not None and self._at_value_of_an_attribute(of):
                raise cursor.unexpected("an argument", help=by_name(of))
            else:
                quick = self._quick_argument()
                args.append((yield self.expression()) if quick is None else quick)
            if not cursor.accept(","):
                cursor.close(")", opened, "or ',' after the argument")
                break
        return args, attributes, start if start >= 0 else cursor.index - 1

    def _at_attributes_object(self) -> bool:
        """Whether the next operand is `meta[relay.attrs.X]`, an object with all attributes."""
        cursor = self.cursor
        is_meta = cursor.at("meta") and cursor.ahead() == "["
        return is_meta and cursor.tokens[cursor.index + 2].startswith(ATTRIBUTES)

    def _attributes_object(self, of: type[Operator] | None) -> dict[str, object]:
        """Parse `meta[relay.attrs.X]`, an object with all attributes of a call of `of`."""
        start = self.cursor.index
        found = self.types.meta()
        span = self.cursor.since(start)
        if not isinstance(found, CallAttributes):
            raise RelaySyntaxError(
                ErrorCode.P040,
                "this entry of the metadata section does not contain attributes of an operator",
                span=span,
                help="refer to an entry of meta[relay.attrs.…] here, or write name=value",
            )
        try:
            return {} if of is None else found.of(of)
        except DAMAGED as error:
            message = f"the metadata section is damaged: {type(error).__name__}: {error}"
            raise RelaySyntaxError(ErrorCode.P041, message, span=span, help=DAMAGED_HELP) from None

    def _at_value_of_an_attribute(self, of: type[Operator]) -> bool:
        """Whether the next token begins a list or string: an attribute without its name."""
        cursor = self.cursor
        is_text = cursor.kind is Token.STRING and unquoted(cursor.token) not in self.constructors
        return (is_text or cursor.at("[")) and by_name(of) is not None

    def _quick_argument(self) -> Expr | None:
        """Parse an argument that is a simple operand; otherwise return None, and read nothing."""
        start = self.cursor.index
        found = self.quick()
        if found is not None and self.cursor.token not in _AFTER_WORD:
            self.cursor.index = start
            return None
        return found

    def build(self, name: str, attributes: Mapping[str, object], at: int, span: Span) -> Operator:
        """Return an operator, memoised by the tokens of its attributes.

        These begin at the token `at` and end before the current one.
        """
        op = build_operator(OPERATORS.find(name.removeprefix(PREFIX)), attributes, span)
        words = self._attribute_words(name, at)
        if at + len(words) == self.cursor.index:
            self._seen.add(name)
            self._operators[words] = op
        return op


_BIND = (
    "define it before, let {} = …; or make it a parameter",
    "define it before in the text: {} = …;",
)

_INTEGERS = {"i": "int", "u": "uint"}


def _range_text(name: str) -> str:
    """Return a phrase with the range of integers that an element type can represent."""
    try:
        element = dtype(name)
    except RelayError as error:
        return error.help or ""
    low, high = element.limits
    return f"write a number from {low} to {high}, the range of {element}"


def global_name(token: str) -> str:
    """Return the function name in a token such as `@f`, or quoted, `@"f"`."""
    return unquoted(token[1:]) if token[1] == '"' else token[1:]
