"""What the instructions do: scratchpads, the matrix unit, the vector unit, DMA and tokens.

The machine refuses, and counts, operands outside of its scratchpads, elements that no DMA has
brought there since a kernel began, and kernels whose modules wait for each other.
"""

from collections import Counter, deque
from collections.abc import Sequence

import numpy as np

from vtasim.isa import BYTES, DEPTH, FIELDS, LANES, OUT_BYTES, UOP, Alu, Op, Pad, module_of

ORDERS = ((0, 1, 2), (2, 1, 0), (1, 0, 2))
"""Which module goes first when several can: any order must give the same results."""

_ALU = {
    Alu.MIN: np.minimum,
    Alu.MAX: np.maximum,
    Alu.ADD: np.add,
    Alu.SHR: np.right_shift,
}


class RefusalError(Exception):
    """What the machine does not do."""


class Machine:
    """The state of the accelerator while it runs a kernel on some blocks of memory."""

    order: Sequence[int] = ORDERS[0]

    def __init__(
        self, uops: np.ndarray, blocks: Sequence[np.ndarray], counts: Counter[str]
    ) -> None:
        self.blocks = [*blocks, uops.view(np.uint8)]  # the last one is argument KERNEL
        self.counts = counts
        shapes = {Pad.INP: (LANES,), Pad.WGT: (LANES, LANES), Pad.ACC: (LANES,), Pad.UOP: ()}
        kinds = {Pad.INP: np.int8, Pad.WGT: np.int8, Pad.ACC: np.int32, Pad.UOP: UOP}
        self.pads = {p: np.zeros((DEPTH[p], *shapes[p]), kinds[p]) for p in Pad}
        self.filled = {p: np.zeros(DEPTH[p], bool) for p in Pad}

    def run(self, rows: np.ndarray) -> None:
        """Run a kernel to its end."""
        queues: list[deque[np.void]] = [deque(), deque(), deque()]
        for row in rows:
            queues[module_of(row)].append(row)
        tokens: Counter[tuple[int, int]] = Counter()  # by the modules between which they go
        while any(queues):
            ready = [m for m in self.order if queues[m] and _may_start(m, queues[m][0], tokens)]
            if not ready:
                raise self._refuse("deadlock", f"all modules wait: {list(map(len, queues))} left")
            self._step(ready[0], queues[ready[0]].popleft(), tokens)
        if any(tokens.values()):
            raise self._refuse("tokens", f"tokens are left: {dict(tokens)}")

    def _step(self, module: int, row: np.void, tokens: Counter[tuple[int, int]]) -> None:
        for beside, pop in ((module - 1, "pop_prev"), (module + 1, "pop_next")):
            tokens[beside, module] -= int(row[pop])
        {Op.LOAD: self._load, Op.STORE: self._store, Op.GEMM: self._gemm, Op.ALU: self._alu}[
            Op(row["op"])
        ](row)
        for beside, push in ((module - 1, "push_prev"), (module + 1, "push_next")):
            tokens[module, beside] += int(row[push])

    def _refuse(self, kind: str, why: str) -> RefusalError:
        self.counts[f"refused: {kind}"] += 1
        return RefusalError(why)

    def _load(self, row: np.void) -> None:
        """Copy a block of elements into a scratchpad, with zeros around it."""
        pad = Pad(row["pad"])
        n = {name: int(row[name]) for name in FIELDS}
        if n["rows"] * n["columns"] == 0 and not n["top"] + n["bottom"]:
            return
        height, width = n["top"] + n["rows"] + n["bottom"], n["left"] + n["columns"] + n["right"]
        target = self._span(pad, n["sram"], height * width)
        size = BYTES[pad] if pad is not Pad.UOP else UOP.itemsize
        source = self._elements(row, size)
        image = np.zeros((height, width, size), np.uint8)
        image[n["top"] : height - n["bottom"], n["left"] : width - n["right"]] = source
        kind, shape = self.pads[pad].dtype, self.pads[pad].shape[1:]
        self.pads[pad][target] = image.reshape(-1).view(kind).reshape(height * width, *shape)
        self.filled[pad][target] = True
        self.counts[f"{pad.name} bytes"] += n["rows"] * n["columns"] * size

    def _store(self, row: np.void) -> None:
        """Copy the low bytes of accumulators out of the machine."""
        n = {name: int(row[name]) for name in FIELDS}
        if n["rows"] * n["columns"] == 0:
            return
        place = np.arange(n["sram"], n["sram"] + n["rows"] * n["columns"])
        found = self._read(Pad.ACC, place).astype(np.int8)
        self._elements(row, OUT_BYTES)[:] = found.view(np.uint8).reshape(
            n["rows"], n["columns"], -1
        )
        self.counts["OUT bytes"] += n["rows"] * n["columns"] * OUT_BYTES

    def _elements(self, row: np.void, size: int) -> np.ndarray:
        """Return a view of the elements in memory that a DMA names: rows, columns, bytes."""
        block = self.blocks[int(row["argument"])]
        rows, columns, stride = int(row["rows"]), int(row["columns"]), int(row["stride"])
        first = int(row["dram"])
        last = first + (rows - 1) * stride + columns
        if first < 0 or (rows and columns and last * size > block.nbytes):
            raise self._refuse("outside", f"a DMA of {rows} × {columns} leaves its block")
        return np.lib.stride_tricks.as_strided(
            block[first * size :], (rows, columns, size), (stride * size, size, 1)
        )

    def _gemm(self, row: np.void) -> None:
        """Add products of inputs and weights to accumulators, or clear these."""
        uops, grid_acc, grid_inp = self._loops(row)
        if row["reset"]:
            for acc in uops["acc"]:
                place = self._inside(Pad.ACC, grid_acc + int(acc))
                self.pads[Pad.ACC][place], self.filled[Pad.ACC][place] = 0, True
            self.counts["reset"] += len(uops) * grid_acc.size
            return
        for acc in np.unique(uops["acc"]):
            group = uops[uops["acc"] == acc]
            place = self._inside(Pad.ACC, grid_acc + int(acc))
            inputs = self._read(Pad.INP, grid_inp[:, None] + group["inp"][None, :].astype(int))
            weights = self._read(Pad.WGT, group["wgt"].astype(int))
            left = inputs.reshape(len(grid_inp), -1).astype(np.float64)  # exact: below 2 ** 53
            right = weights.transpose(0, 2, 1).reshape(-1, LANES).astype(np.float64)
            total = self._read(Pad.ACC, place) + (left @ right).astype(np.int64)
            self.pads[Pad.ACC][place] = total.astype(np.int32)
        self.counts["GEMM"] += len(uops) * grid_acc.size

    def _alu(self, row: np.void) -> None:
        """Combine accumulators with a number."""
        uops, grid_acc, _ = self._loops(row)
        for acc in uops["acc"]:
            place = self._inside(Pad.ACC, grid_acc + int(acc))
            found = _ALU[Alu(row["alu"])](self._read(Pad.ACC, place), np.int32(row["number"]))
            self.pads[Pad.ACC][place] = found
        self.counts["ALU"] += len(uops) * grid_acc.size

    def _loops(self, row: np.void) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the micro-operations of an instruction, and what its two loops add to indices."""
        uops = self._read(Pad.UOP, np.arange(int(row["begin"]), int(row["end"])))
        outer, inner = np.meshgrid(np.arange(row["outer"]), np.arange(row["inner"]), indexing="ij")
        acc = outer * row["acc_outer"] + inner * row["acc_inner"]
        inp = outer * row["inp_outer"] + inner * row["inp_inner"]
        return uops, acc.reshape(-1), inp.reshape(-1)

    def _read(self, pad: Pad, place: np.ndarray) -> np.ndarray:
        if not self.filled[pad][self._inside(pad, place)].all():
            raise self._refuse("unmoved", f"{pad.name} is read where no DMA wrote")
        return self.pads[pad][place]

    def _span(self, pad: Pad, first: int, count: int) -> np.ndarray:
        return self._inside(pad, np.arange(first, first + count))

    def _inside(self, pad: Pad, place: np.ndarray) -> np.ndarray:
        if place.size and (place.min() < 0 or place.max() >= DEPTH[pad]):
            raise self._refuse(
                "oversized", f"{pad.name} has {DEPTH[pad]} elements, not {place.max() + 1}"
            )
        return place


def _may_start(module: int, row: np.void, tokens: Counter[tuple[int, int]]) -> bool:
    before = not row["pop_prev"] or tokens[module - 1, module] > 0
    return bool(before and (not row["pop_next"] or tokens[module + 1, module] > 0))
