"""Measure how fast programs are parsed, printed and typed, and how that grows with their size.

`python -m benchmarks.language` parses and prints texts of 1, 3 and 10 MB in three styles, and
infers the types of programs of 2,000 to 20,000 nodes in which only parameters have types; it writes
`benchmarks/results/language.md`. Each figure is the minimum processor time of a few runs, which
other load affects little. A text is parsed without type inference.
"""

import argparse
import gc
import time
from collections.abc import Callable
from typing import TypeVar

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table of operators
from benchmarks.machine import machine_line
from benchmarks.report import RESULTS
from relay.ir.walk import post_order
from relay.semantics.infer import infer
from relay.text.parser import parse_module
from relay.text.printer import text_of

MEGABYTES = (1, 3, 10)
NODES = (2_000, 6_000, 20_000)
GOALS = "Goals: 1 MB/s each way, and 20,000 nodes typed in 2 s; neither may grow with the size."

VERSION = '#[version = "0.0.5"]\n'
IMAGE = "Tensor[(1, 64, 56, 56), float32]"
BLOCK = """
def @block{i}(
  %x: {image}, %w: Tensor[(64, 64, 3, 3), float32], %b: Tensor[(64), float32]
) -> {image} {{
  %{a} = nn.conv2d(%x, %w, padding=[1, 1], channels=64, kernel_size=[3, 3]);
  let %y: {image} = nn.relu(nn.bias_add(%{a}, %b));
  %{b} = add(%y, %x);
  if (sum(%{b}) > 1f) {{
    nn.max_pool2d(%{b}, pool_size=[3, 3], padding=[1, 1])
  }} else {{
    let %f = fn (%z: {image}) -> {image} {{ %z * 0.5f + tanh(%y) }};
    %f(%{b})
  }}
}}
"""

_Result = TypeVar("_Result")


def network(size: int) -> str:
    """Return a text of `size` characters or more: convolutions, branches and closures."""
    parts = [VERSION]
    total = 0
    while total < size:
        index = len(parts) - 1
        parts.append(BLOCK.format(i=index, a=2 * index, b=2 * index + 1, image=IMAGE))
        total += len(parts[-1])
    return "".join(parts)


def bindings(size: int) -> str:
    """Return one function of short `let` bindings, each with its type."""
    ty = "Tensor[(2, 3), float32]"
    lines = [f"{VERSION}def @main(%v0: {ty}) -> {ty} {{"]
    total = 0
    while total < size:
        index = len(lines)
        lines.append(f"  let %v{index}: {ty} = add(%v{index - 1}, %v{index // 2});")
        total += len(lines[-1]) + 1
    return "\n".join([*lines, f"  %v{len(lines) - 1}\n}}\n"])


def graph(size: int) -> str:
    """Return one function of numbered values of some twenty characters each, the densest text."""
    lines = [f"{VERSION}def @main(%x: Tensor[(2, 3), float32]) {{\n  %0 = nn.relu(%x);"]
    total = 0
    while total < size:
        index = len(lines)
        lines.append(f"  %{index} = add(%{index - 1}, %{index // 2});")
        total += len(lines[-1]) + 1
    return "\n".join([*lines, f"  %{len(lines) - 1}\n}}\n"])


STYLES: dict[str, Callable[[int], str]] = {
    "functions of a network": network,
    "`let` with types": bindings,
    "numbered values": graph,
}


def untyped(nodes: int) -> str:
    """Return a program in which all types but that of `main`'s parameter must be inferred."""
    lines = [f"{VERSION}def @main(%v0: Tensor[(2, 3), float32]) {{"]
    steps = range(1, nodes // 3 + 1)  # a variable, a call and a let
    lines += [f"  let %v{index} = add(%v{index - 1}, %v{index // 2});" for index in steps]
    return "\n".join([*lines, f"  %v{len(lines) - 1}\n}}\n"])


def fastest(action: Callable[[], _Result], runs: int) -> tuple[float, _Result]:
    """Return the least processor time of some runs in seconds, and the last result."""
    best, results = float("inf"), list[_Result]()
    for _ in range(runs):
        results.clear()
        gc.collect()
        started = time.process_time()
        results.append(action())
        best = min(best, time.process_time() - started)
    return best, results[0]


def text_rows(megabytes: tuple[int, ...], runs: int) -> list[str]:
    """Return a row for each style and size."""
    rows = ["| text | MB | parse MB/s | print MB/s | nodes |", "|---|---|---|---|---|"]
    for title, make in STYLES.items():
        for size in megabytes:
            text = make(size * 1_000_000)
            read, module = fastest(lambda text=text: parse_module(text), runs)
            write, printed = fastest(lambda module=module: text_of(module), runs)
            nodes = sum(len(post_order(function)) for function in module.functions.values())
            speeds = f"{len(text) / 1e6 / read:.2f} | {len(printed) / 1e6 / write:.2f}"
            rows.append(f"| {title} | {len(text) / 1e6:.1f} | {speeds} | {nodes:,} |")
    return rows


def inference_rows(counts: tuple[int, ...], runs: int) -> list[str]:
    """Return a row for each number of nodes."""
    rows = ["| nodes | inference s | µs a node |", "|---|---|---|"]
    for count in counts:
        module = parse_module(untyped(count))
        seconds, typed = fastest(lambda module=module: infer(module), runs)
        nodes = len(post_order(typed.main))
        rows.append(f"| {nodes:,} | {seconds:.3f} | {seconds / nodes * 1e6:.1f} |")
    return rows


def main() -> None:
    """Measure, print, and keep the page unless told not to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, nargs="+", default=list(MEGABYTES))
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    page = ["# Language", "", f"{machine_line()} One thread.", "", GOALS, ""]
    page += [*text_rows(tuple(options.megabytes), options.runs), "", "## Types", ""]
    page += inference_rows(NODES, options.runs)
    print("\n".join(page))
    if not options.dry:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "language.md").write_text("\n".join(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
