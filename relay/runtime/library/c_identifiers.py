"""Convert names of tensors and files to C identifiers."""

import re
from collections.abc import Iterable
from pathlib import Path

_RESERVED = frozenset(
    [
        *("alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char"),
        *("class", "compl", "const", "constexpr", "continue", "default", "delete", "do", "double"),
        *("else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend"),
        *("goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not"),
        *("nullptr", "operator", "or", "private", "protected", "public", "register", "restrict"),
        *("return", "short", "signed", "sizeof", "static", "struct", "switch", "template", "this"),
        *("throw", "true", "try", "typedef", "typeid", "typename", "typeof", "union", "unsigned"),
        *("using", "virtual", "void", "volatile", "while", "xor", "bitand", "bitor", "concept"),
        *("NULL", "linux", "unix", "size_t", "ptrdiff_t", "wchar_t"),
    ]
)
"""Words that C, C++, a compiler or the included headers reserve."""

_NUMBERS = re.compile(r"u?int\w*_t|[A-Z][A-Z0-9_]*_(MAX|MIN|C)")
"""Number types and their limits, as those headers define them."""


def identifier(name: str) -> str:
    """Return a name as a valid identifier of C and C++.

    >>> identifier("input.1"), identifier("3d"), identifier("float"), identifier("größe")
    ('input_1', 'x3d', 'float_', 'gr__e')
    """
    word = re.sub(r"[^A-Za-z0-9_]", "_", name).lstrip("_") or "x"
    if word[0].isdigit():
        word = f"x{word}"
    return f"{word}_" if word in _RESERVED or _NUMBERS.fullmatch(word) else word


def identifiers(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return a C identifier for each name; they are unique even if case is ignored.

    Identifiers in `taken` are avoided.

    >>> identifiers(["a.b", "a_b", "A_B", "run"], taken=["run"])
    ['a_b', 'a_b_2', 'A_B_3', 'run_2']
    """
    used = {name.upper() for name in taken}
    words: list[str] = []
    for name in names:
        word = base = identifier(name)
        number = 1
        while word.upper() in used:
            number += 1
            word = f"{base}_{number}"
        used.add(word.upper())
        words.append(word)
    return words


def library_name(path: Path) -> str:
    """Return the prefix of a library's function names, made from the name of its file.

    >>> library_name(Path("build/libspeech-model.v2.so"))
    'speech_model_v2'
    """
    return identifier(header_path(path).stem)


def header_path(path: Path) -> Path:
    """Return the path of a library's header: in the same folder, without the prefix `lib`.

    >>> header_path(Path("build/libspeech.so")).as_posix()
    'build/speech.h'
    """
    return path.with_name(f"{path.stem.removeprefix('lib')}.h")
