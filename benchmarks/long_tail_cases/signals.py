"""Fourier transforms."""

from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.long_tail_cases.case import Case, floats, node


def cases() -> Iterator[Case]:
    """Yield the cases."""
    for rows, size in (
        (1, 64), (64, 64), (64, 256), (64, 400), (1, 1024), (64, 1024), (1, 4096), (16, 1000),
        (16, 509),
    ):  # fmt: skip
        yield node(
            f"Fourier transform of {rows} × {size} real numbers", "DFT",
            [floats(rows, size, 1), None, np.array(1)],
            lambda x: torch.view_as_real(torch.fft.fft(x[..., 0])), constants=[2],
        )  # fmt: skip
    yield node(
        "one-sided transform of 64 × 512 real numbers", "DFT",
        [floats(64, 512, 1), None, np.array(1)],
        lambda x: torch.view_as_real(torch.fft.rfft(x[..., 0])), constants=[2], onesided=1,
    )  # fmt: skip
    yield node(
        "inverse transform of 64 × 512 complex numbers", "DFT",
        [floats(64, 512, 2), None, np.array(1)],
        lambda x: torch.view_as_real(torch.fft.ifft(torch.view_as_complex(x))), constants=[2],
        inverse=1,
    )  # fmt: skip
    for size, hop in ((256, 64), (400, 160), (1024, 256)):
        window = np.hanning(size).astype(np.float32)
        yield node(
            f"spectrogram of 16,000 samples, frames of {size}", "STFT",
            [floats(1, 16000, 1), np.array(hop), window],
            lambda x, w, size=size, hop=hop: torch.view_as_real(
                torch.stft(x[..., 0], size, hop, window=w, center=False, return_complex=True)
            ).transpose(1, 2),
            constants=[1], onesided=1,
        )  # fmt: skip
