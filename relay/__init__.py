"""Relay: a differentiable language for machine-learning models, and its compiler.

>>> import relay
>>> model = relay.load("resnet50.onnx")  # doctest: +SKIP
>>> fast = relay.compile(model)          # doctest: +SKIP
>>> y = fast(x)                          # doctest: +SKIP

Everything is loaded on first use, so that `import relay` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from relay.support.version import version

if TYPE_CHECKING:
    from relay import testing, transform
    from relay.build import vm
    from relay.build.compile import compile_module as compile  # noqa: A004 - the public name
    from relay.build.executors import create_executor
    from relay.build.factory import build
    from relay.container import (
        load_param_dict,
        load_params,
        save,
        save_param_dict,
        save_params,
    )
    from relay.frontend.load import load
    from relay.frontend.python import data, function
    from relay.frontend.text import astext, parse, parse_expr
    from relay.ir.dims import ANY, DimVar
    from relay.ir.equality import structural_equal, structural_hash
    from relay.ir.module import Module
    from relay.ir.types import (
        FuncType,
        GlobalTypeVar,
        IncompleteType,
        RefType,
        TensorType,
        TupleType,
        Type,
        TypeCall,
        TypeRelation,
        TypeVar,
        scalar_type,
    )
    from relay.ops.functions import (
        Any,
        Call,
        Clause,
        Constant,
        Constructor,
        Expr,
        Function,
        GlobalVar,
        If,
        Let,
        Match,
        PatternConstructor,
        PatternTuple,
        PatternVar,
        PatternWildcard,
        RefCreate,
        RefRead,
        RefWrite,
        ScopeBuilder,
        ShapeVar,
        Tuple,
        TupleGetItem,
        TypeData,
        Var,
        const,
        image,
        nn,
        op,
        var,
        vision,
    )
    from relay.ops.functions.core import *  # noqa: F403 - its stub lists the functions
    from relay.prelude import Prelude
    from relay.runtime import graph_executor
    from relay.runtime.device import cpu
    from relay.runtime.executable import Executable
    from relay.semantics import analysis
    from relay.support.errors import RelayError

_HOMES = {
    "ANY": "relay.ir.dims",
    "Any": "relay.ops.functions",
    "Call": "relay.ops.functions",
    "Clause": "relay.ops.functions",
    "Constant": "relay.ops.functions",
    "Constructor": "relay.ops.functions",
    "DimVar": "relay.ir.dims",
    "Executable": "relay.runtime.executable",
    "Expr": "relay.ops.functions",
    "FuncType": "relay.ir.types",
    "Function": "relay.ops.functions",
    "GlobalTypeVar": "relay.ir.types",
    "GlobalVar": "relay.ops.functions",
    "If": "relay.ops.functions",
    "IncompleteType": "relay.ir.types",
    "Let": "relay.ops.functions",
    "Match": "relay.ops.functions",
    "Module": "relay.ir.module",
    "PatternConstructor": "relay.ops.functions",
    "PatternTuple": "relay.ops.functions",
    "PatternVar": "relay.ops.functions",
    "PatternWildcard": "relay.ops.functions",
    "Prelude": "relay.prelude",
    "RefCreate": "relay.ops.functions",
    "RefRead": "relay.ops.functions",
    "RefType": "relay.ir.types",
    "RefWrite": "relay.ops.functions",
    "RelayError": "relay.support.errors",
    "ScopeBuilder": "relay.ops.functions",
    "ShapeVar": "relay.ops.functions",
    "TensorType": "relay.ir.types",
    "Tuple": "relay.ops.functions",
    "TupleGetItem": "relay.ops.functions",
    "TupleType": "relay.ir.types",
    "Type": "relay.ir.types",
    "TypeCall": "relay.ir.types",
    "TypeData": "relay.ops.functions",
    "TypeRelation": "relay.ir.types",
    "TypeVar": "relay.ir.types",
    "Var": "relay.ops.functions",
    "astext": "relay.frontend.text",
    "compile": "relay.build.compile:compile_module",
    "cpu": "relay.runtime.device",
    "create_executor": "relay.build.executors",
    "const": "relay.ops.functions",
    "data": "relay.frontend.python",
    "function": "relay.frontend.python",
    "load": "relay.frontend.load",
    "load_param_dict": "relay.container",
    "load_params": "relay.container",
    "parse": "relay.frontend.text",
    "parse_expr": "relay.frontend.text",
    "save": "relay.container",
    "save_param_dict": "relay.container",
    "save_params": "relay.container",
    "scalar_type": "relay.ir.types",
    "structural_equal": "relay.ir.equality",
    "structural_hash": "relay.ir.equality",
    "var": "relay.ops.functions",
}

_MODULES = {
    "analysis": "relay.semantics.analysis",
    "build": "relay.build",
    "graph_executor": "relay.runtime.graph_executor",
    "runtime": "relay.runtime",
    "testing": "relay.testing",
    "transform": "relay.transform",
    "vm": "relay.build.vm",
    **{name: f"relay.ops.functions.{name}" for name in ("image", "nn", "op", "vision")},
}
_FUNCTIONS = "relay.ops.functions.core"

__all__ = [
    "ANY",
    "Any",
    "Call",
    "Clause",
    "Constant",
    "Constructor",
    "DimVar",
    "Executable",
    "Expr",
    "FuncType",
    "Function",
    "GlobalTypeVar",
    "GlobalVar",
    "If",
    "IncompleteType",
    "Let",
    "Match",
    "Module",
    "PatternConstructor",
    "PatternTuple",
    "PatternVar",
    "PatternWildcard",
    "Prelude",
    "RefCreate",
    "RefRead",
    "RefType",
    "RefWrite",
    "RelayError",
    "ScopeBuilder",
    "ShapeVar",
    "TensorType",
    "Tuple",
    "TupleGetItem",
    "TupleType",
    "Type",
    "TypeCall",
    "TypeData",
    "TypeRelation",
    "TypeVar",
    "Var",
    "analysis",
    "astext",
    "build",
    "compile",
    "const",
    "cpu",
    "create_executor",
    "data",
    "function",
    "graph_executor",
    "image",
    "load",
    "load_param_dict",
    "load_params",
    "nn",
    "op",
    "parse",
    "parse_expr",
    "save",
    "save_param_dict",
    "save_params",
    "scalar_type",
    "structural_equal",
    "structural_hash",
    "testing",
    "transform",
    "var",
    "vision",
    "vm",
]

__version__ = version()


def __getattr__(name: str) -> object:
    """Load a public name from where it lives, the first time it is used."""
    if name.startswith("_"):
        raise AttributeError(f"module 'relay' has no attribute '{name}'")
    found = globals()[name] = _find(name)
    return found


def _find(name: str) -> object:
    if name in _MODULES:
        return import_module(_MODULES[name])
    home, _, original = _HOMES.get(name, _FUNCTIONS).partition(":")
    found: object = getattr(import_module(home), original or name, None)
    if found is None:
        raise AttributeError(f"module 'relay' has no attribute '{name}'")
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(import_module(_FUNCTIONS))})
