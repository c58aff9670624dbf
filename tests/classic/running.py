"""Running programs that were written with the classic names."""

from typing import Any

import numpy as np

import relay as typed

relay: Any = typed  # type checkers know fields by their own names only
RNG = np.random.default_rng(0)


def data(*shape):
    return RNG.standard_normal(shape).astype("float32")


def run(mod, *args, kind="aot"):
    return relay.create_executor(kind, mod=mod, device=relay.cpu(0), target="llvm").evaluate()(
        *args
    )


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
