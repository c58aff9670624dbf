"""Compare the speed of JAX's loops, imported and compiled by Relay, with that of `jax.jit`.

    python tools/jax_speed.py [--rounds 1000] [--write]

Each function runs in alternating rounds, with one thread of each; the results must agree. A line
has the microseconds of the fastest and of the middle round. `--write` writes the page
`benchmarks/results/jax_speed.md`.
"""

# What JAX gives has no types.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout

import relay
from benchmarks.machine import machine_line
from relay.frontend.jax import from_jax

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
lax = jax.lax

PAGE = Path(__file__).parents[1] / "benchmarks/results/jax_speed.md"
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def floats(*shape: int) -> Any:
    """Return small random numbers, the same ones in each run."""
    return np.random.default_rng(len(shape)).normal(0, 0.04, shape).astype(np.float32)


def rnn(w: Any, u: Any, xs: Any) -> Any:
    """Return the last state of a recurrent layer, and all its states."""

    def step(h: Any, x: Any) -> Any:
        h = jnp.tanh(h @ w + x @ u)
        return h, h

    return lax.scan(step, jnp.zeros((*xs.shape[1:-1], len(w)), jnp.float32), xs)


def lstm(w: Any, u: Any, b: Any, xs: Any) -> Any:
    """Return the last states of a layer of LSTM cells, and all its outputs."""

    def step(state: Any, x: Any) -> Any:
        h, c = state
        gates = jnp.split(x @ u + h @ w + b, 4, -1)
        i, f, o = (jax.nn.sigmoid(each) for each in gates[:3])
        c = f * c + i * jnp.tanh(gates[3])
        h = o * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((*xs.shape[1:-1], len(w)), jnp.float32)
    return lax.scan(step, (zeros, zeros), xs)


def root(a: Any) -> Any:
    """Return a square root by Newton's method, and the number of its steps."""

    def step(state: Any) -> Any:
        return 0.5 * (state[0] + a / state[0]), state[1] + 1

    return lax.while_loop(lambda s: jnp.abs(s[0] * s[0] - a) > 1e-4 * a, step, (a, 0))


def cube_roots(a: Any) -> Any:
    """Return cube roots by Newton's method, whose steps end when all have converged."""

    def step(x: Any) -> Any:
        return x - (x**3 - a) / (3 * x**2)

    return lax.while_loop(lambda x: jnp.max(jnp.abs(x**3 - a)) > 1e-3, step, a)


def loss(w: Any, u: Any, xs: Any) -> Any:
    """Return the sum of squares of a recurrent layer's states."""
    return (rnn(w, u, xs)[1] ** 2).sum()


POSITIVE = np.abs(floats(4096)) * 1000 + 1
CASES: Mapping[str, tuple[Any, ...]] = {
    "`scan`, RNN, 64 wide, 100 steps": (rnn, floats(64, 64), floats(32, 64), floats(100, 32)),
    "`scan`, RNN, 64 wide, 2000 steps": (rnn, floats(64, 64), floats(32, 64), floats(2000, 32)),
    "`scan`, RNN, 128 wide, batch 16, 64 steps": (
        rnn, floats(128, 128), floats(64, 128), floats(64, 16, 64),
    ),
    "`scan`, RNN, 512 wide, 100 steps": (rnn, floats(512, 512), floats(64, 512), floats(100, 64)),
    "`scan`, LSTM, 64 wide, 100 steps": (
        lstm, floats(64, 256), floats(32, 256), floats(256), floats(100, 32),
    ),
    "`scan`, LSTM, 128 wide, batch 8, 50 steps": (
        lstm, floats(128, 512), floats(64, 512), floats(512), floats(50, 8, 64),
    ),
    "`grad` of `scan`, RNN, 64 wide, 100 steps": (
        jax.grad(loss, (0, 1)), floats(64, 64), floats(32, 64), floats(100, 32),
    ),
    "`while_loop`, Newton's square root": (root, np.float32(70000)),
    "`vmap` of it, 4096 numbers": (jax.vmap(root), POSITIVE),
    "`while_loop`, Newton's cube roots, 4096 numbers": (cube_roots, POSITIVE),
}  # fmt: skip


def timed(rounds: int, calls: Sequence[Callable[[], object]]) -> list[list[float]]:
    """Return the microseconds of each call in each of the alternating rounds."""
    found: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, times in zip(calls, found, strict=True):
            begin = perf_counter()
            call()
            times.append((perf_counter() - begin) * 1e6)
    return found


def row(name: str, rounds: int) -> str:
    """Return the row of a function, after comparing its results with JAX's."""
    function, *args = CASES[name]
    compiled, given = jax.jit(function), [jnp.asarray(each) for each in args]
    program: Any = relay.compile(from_jax(function, *args), threads=1)
    found, wanted = program(*args), jax.tree_util.tree_leaves(compiled(*given))
    for one, other in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-3, atol=1e-4)
    ours, theirs = timed(
        rounds, (lambda: program(*args), lambda: jax.block_until_ready(compiled(*given)))
    )
    numbers = (min(ours), min(theirs), median(ours), median(theirs))
    ratio = numbers[0] / numbers[1]
    return f"| {name} | " + " | ".join(f"{each:.1f}" for each in numbers) + f" | {ratio:.2f} |"


HEAD = """\
# JAX's loops in Relay and in JAX

`python tools/jax_speed.py --rounds {rounds} --write`, with jax {version}.

{machine}

Microseconds of one call with one thread, of alternating rounds; a ratio below 1 means that Relay is
faster. The machine was not idle.

| function | Relay, fastest | JAX, fastest | Relay, median | JAX, median | ratio of the fastest |
|---|---|---|---|---|---|
"""


def main() -> None:
    """Print the rows of all functions, and write the page if asked to."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    os.environ["XLA_FLAGS"] = ONE_THREAD  # which JAX reads when it first compiles
    rows: list[str] = []
    for name in CASES:
        rows.append(row(name, options.rounds))
        print(rows[-1], flush=True)
    if options.write:
        head = HEAD.format(rounds=options.rounds, version=jax.__version__, machine=machine_line())
        PAGE.write_text(head + "\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    main()
