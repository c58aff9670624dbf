"""Open a saved Keras model: a `.keras` archive, or an older `.h5` file."""

import json
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from relay.frontend.json_values import is_fields, is_list
from relay.frontend.keras.hdf5 import Hdf5File, OldStoredWeights, StoredWeights
from relay.frontend.keras.model_config import Fields
from relay.frontend.keras.weights import NoWeights, Weights
from relay.frontend.read_files import mapped, unreadable
from relay.ir.expr import Array
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

_CONFIG, _WEIGHTS = "config.json", "model.weights.h5"

DEEPEST = 150
"""The limit of nested lists, whose reader is recursive; Python's limit is a thousand."""

MOST_EXPANSION = 200
"""The largest decompression ratio of a member."""


_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error),
    *(EOFError, NotImplementedError, RuntimeError, ValueError),
)
"""Exceptions for a damaged member of an archive."""


@dataclass(frozen=True)
class SavedModel:
    """A saved model: its class and options (`fields`), and its weights."""

    fields: Fields
    weights: Weights
    span: Span


def open_model(path: Path) -> SavedModel:
    """Return the saved model in a file.

    Raises `F001` (cannot be read), `F070` (h5py is missing), `F071` (not a Keras model, or
    damaged), `F074` (refers to data in another file, or needs far more memory than the file has).
    """
    span = Span(Source(str(path)))
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return _archived(archive, mapped(path), span)
        return _single(path, span)
    except zipfile.BadZipFile as error:
        raise _no_model(f"the archive is damaged: {error}", span) from None
    except OSError as error:
        raise unreadable(path, error) from None


def _archived(archive: zipfile.ZipFile, memory: Array, span: Span) -> SavedModel:
    """Return the model in a `.keras` archive; its members are only read by their expected names."""
    names = archive.namelist()
    if _CONFIG not in names:
        raise _no_model(f"the archive has no file {_CONFIG}", span)
    fields = parse_config(_member(archive, memory, _CONFIG, span).tobytes(), span)
    if _WEIGHTS not in names:
        return SavedModel(fields, NoWeights(), span)
    data = _member(archive, memory, _WEIGHTS, span)
    return SavedModel(fields, StoredWeights(Hdf5File(data, span)), span)


def _member(archive: zipfile.ZipFile, memory: Array, name: str, span: Span) -> Array:
    """Return the bytes of a member of an archive, whose own bytes are `memory`.

    Raises `F074` if it would decompress to an excessive size.
    """
    info = archive.getinfo(name)
    if info.file_size > MOST_EXPANSION * max(info.compress_size, 1):
        raise RelayImportError(
            ErrorCode.F074,
            f"the file {name} in the archive grows from {info.compress_size} to "
            f"{info.file_size} bytes when unpacked",
            span=span,
            help="do not trust this file: Keras never writes archives like that",
        )
    try:
        if info.compress_type == zipfile.ZIP_STORED:
            archive.open(info).close()  # which checks its header
            return _stored(memory, info)
        return np.frombuffer(archive.read(info), np.uint8)
    except _DAMAGED as error:
        raise _no_model(f"the file {name} in the archive is damaged: {error}", span) from None


def _stored(memory: Array, info: zipfile.ZipInfo) -> Array:
    """Return the bytes of a member that is not compressed, without a copy."""
    name, extra = struct.unpack_from("<HH", memory.data, info.header_offset + 26)
    begin = info.header_offset + 30 + name + extra
    found = memory[begin : begin + info.file_size]
    if found.size != info.file_size or zlib.crc32(found.data) != info.CRC:
        raise zipfile.BadZipFile("its checksum is wrong")
    return found


def _single(path: Path, span: Span) -> SavedModel:
    """Return the model in an `.h5` file."""
    file = Hdf5File(mapped(path), span)
    config = file.attribute("", "model_config")
    if config is None:
        raise RelayImportError(
            ErrorCode.F071,
            "the file contains weights, but no model",
            span=span,
            help=(
                "load the weights in Keras, model.load_weights(path), and save the model: "
                "model.save('model.keras')"
            ),
        )
    text = config.encode(errors="surrogateescape") if isinstance(config, str) else config
    if not isinstance(text, bytes):
        raise _no_model("its configuration is not text", span)
    return SavedModel(parse_config(text, span), OldStoredWeights(file), span)


def parse_config(text: bytes | str, span: Span) -> Fields:
    """Return a configuration, parsed from JSON; raises `F071` if it is invalid."""
    try:
        fields: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _no_model(f"its configuration is not JSON: {error}", span) from None
    if _depth(fields) > DEEPEST:
        raise _no_model("its configuration is nested too deeply", span)
    if not isinstance(fields, dict) or not isinstance(fields.get("config"), dict):
        raise _no_model("its configuration has no class and options", span)
    return cast("Fields", fields)


def _depth(value: object) -> int:
    """Return the nesting depth of lists and dictionaries."""
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [item for each in level for item in _items(each)]
    return depth


def _items(value: object) -> Iterable[object]:
    if is_fields(value):
        return value.values()
    return value if is_list(value) else ()


def _no_model(problem: str, span: Span) -> RelayImportError:
    return RelayImportError(
        ErrorCode.F071,
        f"the file is not a Keras model, or it is damaged: {problem}",
        span=span,
        help=(
            "check that the download is complete, or write the file with model.save('model.keras')"
        ),
    )
