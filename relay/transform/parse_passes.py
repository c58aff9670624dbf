"""Parsing of lists of passes from strings, such as `fold-constants,fuse-operators{limit=8}`."""

import ast
import pkgutil
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from importlib import import_module
from inspect import Parameter, signature
from types import MappingProxyType
from typing import TypeAlias, cast

import relay.transform
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, UsageError
from relay.transform import tvm_passes
from relay.transform.pipeline import Pass, kebab
from relay.transform.plugin_passes import plugin_passes, unusable_passes
from relay.transform.user_passes import DEFINED, ClassicPass

Pipelines: TypeAlias = Mapping[str, Sequence[Pass]]
"""Functions or lists of passes by the name of the pipeline."""

Definition: TypeAlias = type[Pass] | Callable[..., object]
"""The class of a pass, or the constructor of a pass of TVM that is not a class."""

_BY_KEBAB: Mapping[str, str] = {kebab(each): each for each in tvm_passes.PASSES}

_ITEM = re.compile(r"\s*([\w-]+)\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\})?\s*(?:,|$)")


def passes_of(text: str, pipelines: Pipelines = MappingProxyType({})) -> list[Pass]:
    """Return the passes that a string such as `fold-constants,to-graph-form` names, in order.

    A name is one of these, in this order:

    1. One of `pipelines`, which are lists of passes.
    2. TVM's name: `FoldConstant` is the pass that `relay.transform.FoldConstant` returns, and takes
       the options of that function.
    3. The name of a class, best in kebab case: `fold-constants`. Its options are the fields of the
       class. The name of a package's entry point also denotes the class.
    4. TVM's name in kebab case, `fold-constant`, if it is not the name of a class.

    Values of options are Python literals. Raises `U320` for a string that names no pass, `U321` for
    invalid options, `U323` for a pass whose package is broken.

    >>> [each.info.name for each in passes_of("fuse-operators{limit=8},FuseOps,fuse-ops")]
    ['fuse-operators', 'FuseOps', 'FuseOps']
    """
    found: list[Pass] = []
    position = 0
    while position < len(text) or not found:
        item = _ITEM.match(text, position)
        if item is None:
            help_ = (
                "write names of passes, with options in braces: "
                "fold-constants,fuse-operators{limit=8}"
            )
            raise UsageError(
                ErrorCode.U320,
                f"the text '{text[position:]}' is not the name of a pass",
                help=help_,
            )
        options = _options(item[1], item[2] or "")
        if item[1] in pipelines and not options:
            found += pipelines[item[1]]
        else:
            found.append(_pass(item[1], options))
        position = item.end()
    return found


def require_names(names: Collection[str]) -> None:
    """Require that each string is the name of a pass; raises `U320` otherwise.

    It may be a pass here or in TVM, or one that users have defined.

    >>> require_names({"FuseOps", "ToGraphForm"})
    """
    for each in names:
        is_tvm = each in tvm_passes.PASSES or each in tvm_passes.ABSENT
        if not is_tvm and kebab(each) not in DEFINED:
            pass_class(each)


def is_only_defined(name: str) -> bool:
    """Whether a name denotes a pass that users have defined, and no other pass."""
    return (
        kebab(name) in DEFINED and name not in tvm_passes.PASSES and kebab(name) not in _classes()
    )


def pass_names() -> dict[str, list[str]]:
    """Return the command-line names of passes, sorted, each with its other names: entry points."""
    classes = sorted(_classes().items())
    titles = {name for name, cls in classes if name == cls.title()}
    return {
        name: [other for other, each in classes if each is cls and other != name]
        for name, cls in classes
        if name == cls.title() or cls.title() not in titles
    }


def pass_class(name: str) -> type[Pass]:
    """Return the class of a pass by its name.

    Raises `U320` for an unknown name, `U323` for a pass whose package is broken.
    """
    classes = _classes()
    if kebab(name) not in classes:
        raise _unknown(name, [*classes, *tvm_passes.PASSES])
    return classes[kebab(name)]


def definition(name: str) -> Definition:
    """Return the object that a name of `-p` denotes: a class, or the constructor of a pass of TVM.

    Raises `U320` for an unknown name.

    >>> definition("inline").__name__, definition("ConvertLayout").__name__
    ('Inline', 'convert_layout')
    """
    classes = _classes()
    if name not in tvm_passes.PASSES and kebab(name) in classes:
        return classes[kebab(name)]
    known_as = _BY_KEBAB.get(kebab(name))
    if known_as is None:
        raise _unknown(name, [*classes, *tvm_passes.PASSES])
    return tvm_passes.PASSES[known_as]


def command_name(name: str) -> str:
    """Return the name under which a pass is listed and runs; raises `U320` for an unknown name.

    >>> command_name("FuseOps"), command_name("fuse-ops"), command_name("FuseOperators")
    ('FuseOps', 'FuseOps', 'fuse-operators')
    """
    found = definition(name)
    if isinstance(found, type):
        return cast("type[Pass]", found).title()
    return _BY_KEBAB[kebab(name)]


def namesake(name: str) -> str | None:
    """Return TVM's name of another pass, if it differs from the name of a class only in its case.

    >>> namesake("inline"), namesake("Inline"), namesake("fold-constants")
    ('Inline', None, None)
    """
    known_as = _BY_KEBAB.get(kebab(name))
    is_other = known_as is not None and tvm_passes.PASSES[known_as] is not definition(name)
    return known_as if is_other else None


def options_text(of: Definition) -> str:
    """Return the options of a pass with their defaults, in the syntax of `-p`.

    >>> options_text(pass_class("fold-gathers"))
    'limit=16777216, work=4294967296'
    """
    return ", ".join(f"{name}={_default(default)}" for name, default in _defaults(of).items())


def _defaults(of: Definition) -> dict[str, object]:
    """Return the options of a pass with their defaults, or marks that they have none."""
    if isinstance(of, type):
        return {each.name: each.default for each in fields(of)}  # pyright: ignore[reportArgumentType] - every value is a dataclass
    return {each.name: each.default for each in signature(of).parameters.values()}


def _default(default: object) -> str:
    """Return a default in the syntax of `-p`; three dots for none, and for a function."""
    is_written = default not in (MISSING, Parameter.empty) and not callable(default)
    return repr(default) if is_written else "…"


def _pass(name: str, options: Mapping[str, object]) -> Pass:
    found = definition(name)
    return _made(name, found, options, list(_defaults(found)))


def _unknown(name: str, known: Sequence[str]) -> UsageError:
    broken = unusable_passes().get(kebab(name))
    if broken is not None:
        return broken
    if name in tvm_passes.ABSENT:
        return UsageError(
            ErrorCode.U072, f"there is no pass named {name}", help=tvm_passes.ABSENT[name]
        )
    near = get_close_matches(name, known, n=3) or get_close_matches(kebab(name), known, n=3)
    help_ = (
        f"did you mean {' or '.join(near)}?" if near else "list all passes with `relay opt --list`"
    )
    return UsageError(ErrorCode.U320, f"there is no pass named '{name}'", help=help_)


def _made(name: str, make: object, options: Mapping[str, object], known: list[str]) -> Pass:
    for option in options:
        if option not in known:
            raise _unknown_option(name, option, known)
    try:
        made = make(**options)  # pyright: ignore[reportCallIssue, reportUnknownVariableType] - a class, or a function
    except RelayError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        help_ = _use(known)
        message = f"the pass {name} does not accept these options: {error}"
        raise UsageError(ErrorCode.U321, message, help=help_) from None
    assert isinstance(made, Pass), "passes make passes"
    return made


def _unknown_option(name: str, option: str, known: list[str]) -> UsageError:
    near = get_close_matches(option, known, n=1)
    help_ = f"did you mean {near[0]}?" if near else _use(known)
    return UsageError(ErrorCode.U321, f"the pass {name} has no option '{option}'", help=help_)


def _use(known: Sequence[str]) -> str:
    """Return the help that lists the options of a pass."""
    if not known:
        return "omit the options: the pass has none"
    return f"use the options of the pass: {', '.join(known)}"


def needs_values(cls: type[Pass]) -> bool:
    """Whether a pass requires options."""
    needed = (f for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING)  # pyright: ignore[reportArgumentType] - as above
    return any(needed)


def _options(name: str, text: str) -> dict[str, object]:
    """Return the options of a pass parsed from `limit=8, …`; their values are Python literals."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call), "as it is written"
        if call.args or any(each.arg is None for each in call.keywords):
            raise ValueError(text)
        if len(call.keywords) > len({each.arg for each in call.keywords}):
            raise SyntaxError(text)
        return {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    except (SyntaxError, ValueError):
        message = f"the text '{text}' cannot be read as options of the pass {name}"
        help_ = "write the options as in Python: fuse-operators{limit=8}"
        raise UsageError(ErrorCode.U321, message, help=help_) from None


def _classes() -> dict[str, type[Pass]]:
    """Return all pass classes by their command-line names.

    They are those of `relay.transform`, each in a separate module, and those of other packages.
    """
    for module in pkgutil.walk_packages(relay.transform.__path__, "relay.transform."):
        import_module(module.name)
    return plugin_passes() | {cls.title(): cls for cls in _below(Pass) if _is_pass(cls)}


def _below(cls: type[Pass]) -> Iterator[type[Pass]]:
    for each in cls.__subclasses__():
        yield each
        yield from _below(each)


def _is_pass(cls: type[Pass]) -> bool:
    """Whether a class is a concrete pass of this project, not a base class."""
    ours = cls.__module__.startswith("relay.") and "__match_args__" in vars(cls)
    open_ = any(getattr(getattr(cls, n), "__isabstractmethod__", False) for n in dir(cls))
    return ours and not open_ and not issubclass(cls, ClassicPass)
