"""List the NumPy functions that Relay lacks, with alternatives or reasons."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import NoReturn

from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError

_COMPLEX = "sort the parts: complex numbers have no order"
_FOURIER = "use relay.dft, which takes and returns the real and the imaginary parts as two tensors"
_PLACE = "create a new tensor, np.where(mask, new, x): np functions cannot modify tensors in place"
_LOOP = "loop over the tensor: for i in range(n)"

REFUSED: Mapping[str, str] = {
    **dict.fromkeys(
        ("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"), _PLACE
    ),
    "polyfit": "compute the coefficients with np.linalg.lstsq(np.vander(x, degree + 1), y)[0]",
    "roots": "call NumPy in Python, before or after the program: roots are complex",
    **dict.fromkeys(("frompyfunc", "vectorize"), "call the function on the whole tensor, or loop"),
    **dict.fromkeys(("ndenumerate", "ndindex", "nditer", "nested_iters", "flatiter"), _LOOP),
    **dict.fromkeys(
        ("histogram", "histogram2d", "histogram_bin_edges", "histogramdd"),
        "count the elements between given edges: np.bincount(np.digitize(x, edges) - 1)",
    ),
    "apply_over_axes": "call the function once for each axis",
    "fromiter": "fill a tensor: out = np.zeros(n, np.float32), and out[i] = … in a loop",
    "mask_indices": "use np.tril_indices or np.triu_indices, which return the indices of triangles",
    "gradient": "use np.diff(x), or (x[2:] - x[:-2]) / 2 for central differences",
    "i0": "call NumPy in Python, before or after the program",
    "packbits": "multiply by powers of 2 and sum: (bits * 2 ** np.arange(8)[::-1]).sum(-1)",
    "poly": "multiply the factors by np.polymul",
    "polydiv": "call NumPy in Python, before or after the program",
    "sort_complex": _COMPLEX,
    "trim_zeros": "take a slice: x[first:last]",
    "unpackbits": "shift and mask: (x[..., None] >> np.arange(8)[::-1]) & 1",
    **dict.fromkeys(
        ("unique_all", "unique_counts", "unique_inverse", "unique_values"),
        "use np.unique, which returns values, indices, inverses and counts, and counts all "
        "NaNs as one",
    ),
    "unwrap": "call NumPy in Python, before or after the program",
    **dict.fromkeys(
        ("linalg.eig", "linalg.eigvals"),
        "use np.linalg.eigh or np.linalg.eigvalsh for symmetric matrices: other results are "
        "complex",
    ),
    **dict.fromkeys(
        [
            f"fft.{kind}{axes}"
            for kind in ("fft", "ifft", "rfft", "irfft")
            for axes in ("", "2", "n")
        ]
        + ["fft.hfft", "fft.ihfft"],
        _FOURIER,
    ),
    "lib.stride_tricks.as_strided": (
        "use np.lib.stride_tricks.sliding_window_view, which returns windows"
    ),
}
"""Alternatives for NumPy functions that Relay lacks, by name."""

OUTSIDE: Mapping[str, tuple[str, ...]] = {
    reason: tuple(names.split())
    for reason, names in {
        "classes of arrays, and views of memory": (
            "ndarray matrix memmap recarray record poly1d broadcast ufunc asmatrix bmat "
            "may_share_memory shares_memory isfortran frombuffer from_dlpack require"
        ),
        "element types; annotations and `dtype=` accept those of NumPy": (
            "bool bool_ byte bytes_ cdouble character clongdouble complex128 complex192 complex256 "
            "complex64 complexfloating csingle datetime64 double dtype flexible float128 float16 "
            "float32 float64 float96 floating generic half inexact int16 int32 int64 int8 int_ "
            "intc integer intp long longdouble longlong number object_ short signedinteger single "
            "str_ "
            "timedelta64 ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong "
            "unsignedinteger ushort void"
        ),
        "properties of element types": (
            "can_cast common_type finfo iinfo isdtype issubdtype min_scalar_type mintypecode "
            "promote_types result_type typename isscalar iterable broadcast_shapes einsum_path"
        ),
        "strings and printing": (
            "array2string array_repr array_str base_repr binary_repr format_float_positional "
            "format_float_scientific get_printoptions printoptions set_printoptions"
        ),
        "files": (
            "fromfile fromregex fromstring genfromtxt load loadtxt save savetxt savez "
            "savez_compressed"
        ),
        "dates": (
            "busday_count busday_offset busdaycalendar datetime_as_string datetime_data is_busday "
            "isnat"
        ),
        "settings of NumPy": (
            "errstate getbufsize geterr geterrcall seterr seterrcall setbufsize get_include info "
            "show_config show_runtime test linalg.LinAlgError linalg.test fft.test "
            "get_array_wrap"
        ),
    }.items()
}
"""NumPy functions that compute nothing on tensors, by the reason why Relay lacks them."""


def refusals(of: ModuleType) -> Callable[[str], NoReturn]:
    """Return the `__getattr__` of the module here that stands for one of NumPy's.

    It raises `F119` for a NumPy function that Relay lacks, with an alternative.
    """

    def lookup(name: str) -> NoReturn:
        if name.startswith("_") or not hasattr(of, name):
            message = f"module 'relay.{of.__name__}' has no attribute '{name}'"
            raise AttributeError(message)
        raise refusal(f"{of.__name__}.{name}".removeprefix("numpy."))

    return lookup


def refusal(name: str) -> RelayError:
    """Return the error `F119` for a NumPy function that Relay lacks."""
    reason = next((why for why, names in OUTSIDE.items() if name in names), None)
    help_ = REFUSED.get(name, "call NumPy in Python, before or after the program")
    if reason is not None:
        help_ = f"call it in Python, outside the Relay function, because it concerns {reason}"
    return mistake(ErrorCode.F119, f"np.{name} is not supported", None, help_)
