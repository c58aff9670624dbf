"""Saving and loading modules as `.relay` files of kind `module` (`docs/artefact.md`)."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - operators are found by their names
from relay.container.constant_sections import ConstantWriter
from relay.container.parameter_file import save_params
from relay.container.read_expressions import NodeReader
from relay.container.shared_rows import ValueWriter, read_values
from relay.container.span_table import SpanWriter, read_spans
from relay.container.write_expressions import NodeWriter
from relay.ir.analysis.mapped_constants import check_files
from relay.ir.expr import Constructor, Function
from relay.ir.module import HasModule, Module, TypeData, module_of
from relay.ir.types import GlobalTypeVar, TypeVar
from relay.runtime.artefact import (
    Container,
    Packer,
    container_bytes,
    container_from_bytes,
    read_container,
    write_container,
)
from relay.runtime.input_defaults import defaults_of, with_defaults
from relay.runtime.json_fields import Record, malformed
from relay.semantics.well_formed import check_types, check_well_formed
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError, RelayError
from relay.support.garbage_collector import paused_collector
from relay.support.span import Span

KIND = "module"
"""The kind of file in the header; files of executables have other kinds."""


def save(module: HasModule | Mapping[str, npt.ArrayLike], path: str | PathLike[str]) -> None:
    """Write a module to a file, which `relay.load` reads; an existing file is replaced.

    A dictionary of parameters (arrays by name) is written by `save_params` instead.

    Sharing of nodes, types and source spans are preserved. The file size is linear in the number of
    nodes, even if they are shared. Raises `A009` when the file cannot be written and `A011` for an
    attribute that cannot be stored in a file; an existing file is then unchanged. Raises `U003` for
    anything but a module or parameters.
    """
    if isinstance(module, Mapping):
        save_params(module, path)
        return
    check_files(module_of(module))
    with paused_collector():
        container = pack(module_of(module))
    write_container(path, container)


def load_module(path: str | PathLike[str], *, verify: bool = True) -> Module:
    """Return the module in a file; its constants are mapped into memory instead of being read.

    `verify=False` skips the verification of the constants' checksums. Raises `A…` for files that
    are truncated, damaged, too new, or of another kind.
    """
    return unpack(read_container(path, verify=verify))


def pack(module: Module) -> Container:
    """Return a module as the sections of a `.relay` file."""
    packer, values, spans = Packer(), ValueWriter(), SpanWriter()
    constants = ConstantWriter(packer)
    nodes = NodeWriter(values, spans, constants)
    numbers = nodes.write(module.functions.values())
    body: dict[str, Any] = {
        "functions": dict(zip(module.functions, numbers, strict=True)),
        "types": [_data_to_json(data, values, spans) for data in module.types.values()],
        "attrs": nodes.attributes(module.attrs),
        "block": constants.finish(),
        "nodes": packer.add(np.array(nodes.words, "<u4").tobytes()),
        "spans": packer.add(np.array(spans.rows, "<u4").tobytes()),
        "sources": spans.sources(),
        "values": values.rows,
    }
    made = packer.container(KIND, body)
    return with_defaults(made, module.defaults) if module.defaults else made


def unpack(container: Container) -> Module:
    """Return the module in the sections of a `.relay` file, after checking its scopes and types.

    Raises `A010` for a container of another kind and `A006` for an invalid one.
    """
    if container.kind != KIND:
        raise ArtefactError(
            ErrorCode.A010,
            f"the file contains a compiled model of the kind '{container.kind}', not a program",
            help="open the file with relay.Executable.load",
        )
    with paused_collector():
        module = _module(container.record, container)
        try:
            check_well_formed(module)
            check_types(module)
        except RelayError as error:
            raise malformed(f"the program in the file is invalid: {error.message}") from None
    return module


def reduced(module: Module) -> tuple[Any, ...]:
    """Return a function and its arguments that restore a module, for pickle.

    They are flat, because pickle recurses on nested objects.
    """
    with paused_collector():
        return _from_pickle, (container_bytes(pack(module)), module.is_inferred)


def _from_pickle(content: bytes, is_inferred: bool) -> Module:
    container = container_from_bytes(content)
    with paused_collector():
        module = _module(container.record, container)
    return module.as_inferred() if is_inferred else module


def _module(body: Record, container: Container) -> Module:
    values = read_values(body.fields.get("values"))
    spans = read_spans(body.records("sources"), _words(container, body.number("spans")))
    reader = NodeReader(values, spans, container, container.section(body.number("block")))
    reader.read(_words(container, body.number("nodes")).tolist())
    functions = body.record("functions")
    try:
        return Module(
            {name: reader.node(Function, functions.number(name)) for name in functions.fields},
            {d.header.name: d for d in (_data(r, values, spans) for r in body.records("types"))},
            reader.attributes(body.number("attrs")),
            defaults_of(container),
        )
    except (IndexError, ValueError) as error:
        raise malformed("an expression refers to one that the file lacks") from error


def _words(container: Container, section: int) -> npt.NDArray[np.uint32]:
    content = container.section(section)
    if content.nbytes % 4:
        raise malformed(f"section {section} does not consist of 32-bit words")
    return content.view("<u4")


def _data_to_json(data: TypeData, values: ValueWriter, spans: SpanWriter) -> dict[str, Any]:
    return {
        "header": values.number(data.header),
        "type_params": [values.number(var) for var in data.type_params],
        "constructors": [values.number(each) for each in data.constructors],
        "span": spans.number(data.span),
    }


def _data(record: Record, values: list[object], spans: list[Span | None]) -> TypeData:
    header = values[record.number("header")]
    type_params = [values[number] for number in record.numbers("type_params")]
    constructors = [values[number] for number in record.numbers("constructors")]
    if not isinstance(header, GlobalTypeVar):
        raise malformed("a data type has no name")
    return TypeData(
        header,
        tuple(each for each in type_params if isinstance(each, TypeVar)),
        tuple(each for each in constructors if isinstance(each, Constructor)),
        spans[record.number("span")],
    )
