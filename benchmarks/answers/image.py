"""Questions about pictures: digits, a face, a line of text."""

import gzip
import io

import numpy as np
import onnx
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from benchmarks.answers.question import Run, Verdict
from benchmarks.material import material


def digits(run: Run) -> Verdict:
    """Check that at least 99 % of 5,000 handwritten digits are recognised."""
    with gzip.open(material("digits.csv.gz"), "rt") as lines:
        table = np.loadtxt(lines, delimiter=",", dtype=np.float32)
    images, labels = table[:, :-1].reshape(-1, 1, 1, 28, 28), table[:, -1].astype(int)
    guesses = [int(run({"Input3": image})[0].argmax()) for image in images]
    share = float(np.mean(labels == guesses))
    return Verdict(share >= 0.99, f"{share:.2%} of {len(labels)} digits")


Box = tuple[float, float, float, float, float]  # score, left, top, right, bottom


def one_face(run: Run) -> Verdict:
    """Check that the one face in the photo of the astronaut is found at its position."""
    photo = np.asarray(
        Image.open(io.BytesIO(material("astronaut.png").read_bytes())).convert("RGB")
    )
    canvas = np.zeros((640, 640, 3), np.float32)
    canvas[: photo.shape[0], : photo.shape[1]] = photo[:, :, ::-1]  # the model reads BGR
    outputs = run({"input": np.ascontiguousarray(canvas.transpose(2, 0, 1)[None])})
    faces = _apart([box for i, s in enumerate((8, 16, 32)) for box in _boxes(outputs, i, s)])
    if len(faces) != 1:
        return Verdict(False, f"{len(faces)} faces")
    score, left, top, right, bottom = faces[0]
    x, y = (left + right) / 2, (top + bottom) / 2
    # The face of this photo is centred near (224, 115).
    near = bool(abs(x - 224) < 30 and abs(y - 115) < 30)
    return Verdict(near, f"at ({x:.0f}, {y:.0f}), score {score:.2f}")


def _boxes(outputs: list[NDArray[np.float32]], level: int, stride: int) -> list[Box]:
    """Decode one scale of (cls ×3, obj ×3, bbox ×3, kps ×3) above a score of 0.6."""
    kinds, objects, shapes = (outputs[level + 3 * k][0] for k in range(3))
    scores = np.sqrt(np.clip(kinds, 0, 1) * np.clip(objects, 0, 1))[:, 0]
    boxes: list[Box] = []
    for index in np.flatnonzero(scores > 0.6):
        row, column = divmod(int(index), 640 // stride)
        dx, dy, dw, dh = (float(value) for value in shapes[index])
        x, y = (column + dx) * stride, (row + dy) * stride
        w, h = np.exp(dw) * stride / 2, np.exp(dh) * stride / 2
        boxes.append((float(scores[index]), x - w, y - h, x + w, y + h))
    return boxes


def _apart(boxes: list[Box]) -> list[Box]:
    """Return the best of boxes that overlap by more than 0.3 of their union."""
    kept: list[Box] = []
    for box in sorted(boxes, reverse=True):
        if all(_overlap(box, other) <= 0.3 for other in kept):
            kept.append(box)
    return kept


def _overlap(one: Box, two: Box) -> float:
    width = min(one[3], two[3]) - max(one[1], two[1])
    height = min(one[4], two[4]) - max(one[2], two[2])
    common = max(width, 0.0) * max(height, 0.0)
    areas = [(b[3] - b[1]) * (b[4] - b[2]) for b in (one, two)]
    return common / (sum(areas) - common)


LINE = "Relay reads 2026 lines"


def a_line_of_text(run: Run) -> Verdict:
    """Check that a rendered line of text is recognised."""
    image = _render(LINE)
    pixels = np.asarray(image, np.float32).transpose(2, 0, 1)[None]
    scores = run({"x": np.ascontiguousarray(pixels / 127.5 - 1)})[0][0]
    text = _collapse(scores.argmax(axis=1))
    return Verdict(text == LINE, repr(text))


def _render(text: str) -> Image.Image:
    font = ImageFont.load_default(32)
    width = int(font.getlength(text)) + 16
    image = Image.new("RGB", (max(320, (width + 31) // 32 * 32), 48), "white")
    ImageDraw.Draw(image).text((8, 4), text, font=font, fill="black")
    return image


def _collapse(path: NDArray[np.int64]) -> str:
    """Join repeats and drop blanks (0) of the best path; the last label is the space."""
    entries = {p.key: p.value for p in onnx.load(material("ocr-recognizer.onnx")).metadata_props}
    letters = ["", *entries["character"].split("\n"), " "]
    changes = [int(p) for i, p in enumerate(path) if i == 0 or p != path[i - 1]]
    return "".join(letters[index] for index in changes)
