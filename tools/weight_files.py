"""Write small weight files for the tests, with results of the libraries of their formats.

python tools/weight_files.py tests/frontend/parameters

Needs `gguf`, `safetensors`, `torch` and `transformers` 4. The files contain blocks of every
quantised type, with the values by `gguf`, and a Llama of two layers, with the tokens that
`transformers` generates.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

gguf: Any = import_module("gguf")
torch: Any = import_module("torch")
transformers: Any = import_module("transformers")
safetensors: Any = import_module("safetensors.numpy")

QUANTISED = (
    *("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"),
    *("IQ4_NL", "IQ4_XS", "MXFP4"),
)

LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""The names of a layer's weights in GGUF and in `transformers`."""


def write_blocks(folder: Path) -> None:
    """Write random blocks of each type with finite scales, and their values."""
    random = np.random.default_rng(0)
    writer = gguf.GGUFWriter(folder / "blocks.gguf", "test")
    values: dict[str, Any] = {}
    for name in QUANTISED:
        kind = gguf.GGMLQuantizationType[name]
        _, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = random.integers(0, 256, (3, 64, size)).astype(np.uint8)
        decoded = gguf.quants.dequantize(blocks, kind)
        finite = np.isfinite(decoded).reshape(3, 64, -1).all(axis=-1)
        kept = np.stack([row[good][:2] for row, good in zip(blocks, finite, strict=True)])
        writer.add_tensor(name, kept.reshape(3, -1), raw_dtype=kind)
        values[name] = gguf.quants.dequantize(kept.reshape(3, -1), kind)
    writer.add_tensor("F32", np.arange(6, dtype=np.float32).reshape(2, 3))
    writer.add_tensor("F16", np.arange(6, dtype=np.float16).reshape(2, 3))
    writer.add_array("test.words", ["a", "bé"])
    writer.add_uint32("test.number", 7)
    _finish(writer)
    np.savez_compressed(folder / "blocks.npz", allow_pickle=False, **values)


def write_llama(folder: Path) -> None:
    """Write a Llama with weights in half precision, and the tokens it generates after a prompt."""
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=128,
        tie_word_embeddings=False, rms_norm_eps=1e-5, rope_theta=10000.0, initializer_range=0.3,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config).eval()
    for parameter in model.parameters():  # not the model, whose table of angles would be rounded
        parameter.data = parameter.data.half().float()
    prompt = torch.tensor([[1, 17, 42, 5, 23]])
    tokens = model.generate(
        prompt, max_new_tokens=12, do_sample=False, eos_token_id=None, pad_token_id=0
    )
    scores = model(tokens).logits[0].detach().numpy()
    np.savez_compressed(
        folder / "llama.npz", allow_pickle=False, prompt=prompt[0], tokens=tokens[0], scores=scores
    )
    weights = {name: each.numpy().astype(np.float16) for name, each in model.state_dict().items()}
    safetensors.save_file(weights, folder / "llama.safetensors", {"format": "pt"})
    _write_gguf(folder / "llama.gguf", weights, config)


def _write_gguf(path: Path, weights: dict[str, Any], config: Any) -> None:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_embedding_length(config.hidden_size)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10000.0)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_tensor("token_embd.weight", weights["model.embed_tokens.weight"])
    writer.add_tensor("output_norm.weight", weights["model.norm.weight"])
    writer.add_tensor("output.weight", weights["lm_head.weight"])
    half = config.hidden_size // config.num_attention_heads // 2
    for index in range(config.num_hidden_layers):
        for ours, theirs in LAYER.items():
            weight = weights[f"model.layers.{index}.{theirs}.weight"]
            if ours in ("attn_q", "attn_k"):  # GGUF rotates neighbours, not halves
                weight = weight.reshape(-1, 2, half, weight.shape[-1]).swapaxes(1, 2)
                weight = np.ascontiguousarray(weight.reshape(-1, weight.shape[-1]))
            writer.add_tensor(f"blk.{index}.{ours}.weight", weight)
    _finish(writer)


def _finish(writer: Any) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main(arguments: list[str]) -> None:
    """Write all files into a folder."""
    (folder,) = arguments
    write_blocks(Path(folder))
    write_llama(Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
