"""Networks of torchvision and transformers with random weights, small enough to try in minutes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import torch
from torch import nn

Inputs = tuple[Any, ...]


@dataclass(frozen=True)
class Architecture:
    """A network: how it is built, its inputs for a batch size, and whether it can be scripted."""

    family: str
    build: Callable[[], nn.Module]
    inputs: Callable[[int], Inputs]
    scripted: bool
    """Whether `torch.jit.script` is used; others are traced."""
    any_batch: bool = True
    """Whether the network accepts batches of any size."""


class Detector(nn.Module):
    """A detector whose input is one image, and whose result is a tuple."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, image: torch.Tensor) -> Any:
        """Return the detections."""
        return tuple(self.model([image])[0].values())


class Plain(nn.Module):
    """A network of transformers with up to three inputs, whose result is a tuple of tensors."""

    def __init__(self, model: nn.Module, names: tuple[str, ...]) -> None:
        super().__init__()
        self.model, self.names = model, names

    def forward(
        self, first: torch.Tensor, second: Any = None, third: Any = None
    ) -> tuple[torch.Tensor, ...]:
        """Return the tensors among the results."""
        inputs = dict(zip(self.names, (first, second, third), strict=False))
        found = self.model(**inputs, return_dict=True)
        return tuple(each for each in found.values() if isinstance(each, torch.Tensor))


CLASSIFIERS: Mapping[str, int] = {
    "alexnet": 64, "convnext_tiny": 32, "convnext_small": 32, "densenet121": 32, "densenet169": 32,
    "efficientnet_b0": 32, "efficientnet_b1": 32, "efficientnet_b2": 32, "efficientnet_b3": 32,
    "efficientnet_v2_s": 32, "googlenet": 64, "inception_v3": 75, "maxvit_t": 224, "mnasnet0_5": 32,
    "mnasnet0_75": 32, "mnasnet1_0": 32, "mnasnet1_3": 32, "mobilenet_v2": 32,
    "mobilenet_v3_large": 32, "mobilenet_v3_small": 32, "regnet_x_400mf": 32, "regnet_x_800mf": 32,
    "regnet_x_1_6gf": 32, "regnet_y_400mf": 32, "regnet_y_800mf": 32, "regnet_y_1_6gf": 32,
    "resnet18": 64, "resnet34": 32, "resnet50": 32, "resnet101": 32, "resnext50_32x4d": 32,
    "shufflenet_v2_x0_5": 32, "shufflenet_v2_x1_0": 32, "shufflenet_v2_x1_5": 32,
    "shufflenet_v2_x2_0": 32, "squeezenet1_0": 64, "squeezenet1_1": 64, "swin_t": 64, "swin_s": 64,
    "swin_v2_t": 64, "vgg11": 32, "vgg11_bn": 32, "vgg13": 32, "vgg16": 32, "vgg19_bn": 32,
    "vit_b_16": 32, "vit_b_32": 64, "wide_resnet50_2": 32,
}  # fmt: skip
"""Classifiers, and a size of images that is large enough for each."""

SEGMENTERS: Mapping[str, int] = {
    "deeplabv3_mobilenet_v3_large": 64, "deeplabv3_resnet50": 32, "fcn_resnet50": 32,
    "fcn_resnet101": 32, "lraspp_mobilenet_v3_large": 64,
}  # fmt: skip

DETECTORS: Mapping[str, int] = {
    "fasterrcnn_mobilenet_v3_large_320_fpn": 64, "fasterrcnn_resnet50_fpn": 64,
    "fasterrcnn_resnet50_fpn_v2": 64, "fcos_resnet50_fpn": 64, "keypointrcnn_resnet50_fpn": 64,
    "maskrcnn_resnet50_fpn": 64, "retinanet_resnet50_fpn": 64, "ssd300_vgg16": 300,
    "ssdlite320_mobilenet_v3_large": 320,
}  # fmt: skip

VIDEOS: Mapping[str, tuple[int, int]] = {
    "r3d_18": (4, 32), "mc3_18": (4, 32), "r2plus1d_18": (4, 32), "s3d": (16, 224),
    "mvit_v1_b": (16, 224), "mvit_v2_s": (16, 224), "swin3d_t": (4, 32),
}  # fmt: skip
"""Classifiers of videos, with a number of frames and their size."""

FLOWS: Mapping[str, int] = {"raft_small": 128}

_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "inception_v3": {"init_weights": False},
    "googlenet": {"init_weights": False},
    "vit_b_16": {"image_size": 32},
    "vit_b_32": {"image_size": 64},
}


def _image(size: int, batch: int) -> Inputs:
    return (torch.randn(batch, 3, size, size),)


def _one_image(size: int, _: int) -> Inputs:
    return (torch.rand(3, size, size),)


def _video(frames: int, size: int, batch: int) -> Inputs:
    return (torch.randn(batch, 3, frames, size, size),)


def _two_images(size: int, batch: int) -> Inputs:
    return _image(size, batch) * 2


def _torchvision(name: str, folder: str = "", **more: Any) -> nn.Module:
    models: Any = import_module(f"torchvision.models{folder}")
    return getattr(models, name)(weights=None, **{**_OPTIONS.get(name, {}), **more})


_FEW = {"rpn_post_nms_top_n_test": 50, "box_score_thresh": 0.02}
"""Options of networks with proposals: some detections although all scores are small."""


def _detector(name: str, size: int) -> nn.Module:
    options: dict[str, Any] = _FEW if "rcnn" in name else {}
    sizes = {} if name.startswith("ssd") else {"min_size": size, "max_size": size}
    return Detector(_torchvision(name, ".detection", weights_backbone=None, **sizes, **options))


def _vision() -> dict[str, Architecture]:
    found: dict[str, Architecture] = {}
    for name, size in CLASSIFIERS.items():
        build = partial(_torchvision, name)
        found[name] = Architecture("classification", build, partial(_image, size), scripted=True)
    for name, size in SEGMENTERS.items():
        build = partial(_torchvision, name, ".segmentation", weights_backbone=None)
        found[name] = Architecture("segmentation", build, partial(_image, size), scripted=True)
    for name, size in DETECTORS.items():
        build, inputs = partial(_detector, name, size), partial(_one_image, size)
        found[name] = Architecture("detection", build, inputs, scripted=False, any_batch=False)
    for name, (frames, size) in VIDEOS.items():
        build = partial(_torchvision, name, ".video")
        found[name] = Architecture("video", build, partial(_video, frames, size), scripted=True)
    for name, size in FLOWS.items():
        build = partial(_torchvision, name, ".optical_flow")
        found[name] = Architecture("flow", build, partial(_two_images, size), scripted=True)
    return found


_SMALL: Mapping[str, Any] = {
    "hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 97,
    "intermediate_size": 48, "initializer_range": 0.2, "use_cache": False, "pad_token_id": 0,
}  # fmt: skip

_HEADS: Mapping[str, Any] = {"num_key_value_heads": 2, "head_dim": 8}

_PAIR: Mapping[str, Any] = {
    "d_model": 32, "vocab_size": 97, "encoder_layers": 2, "decoder_layers": 2,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48, "use_cache": False, "init_std": 0.2,
}  # fmt: skip

_IMAGES: Mapping[str, Any] = {
    "hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 48,
    "image_size": 32, "patch_size": 8, "initializer_range": 0.2,
}  # fmt: skip

_STAGES: Mapping[str, Any] = {"image_size": 32, "depths": [1, 1], "initializer_range": 0.2}

_SPEECH: Mapping[str, Any] = {
    "hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 48,
    "conv_dim": (16, 16), "conv_kernel": (10, 3), "conv_stride": (5, 2),
    "num_feat_extract_layers": 2, "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4, "mask_time_prob": 0.0,
}  # fmt: skip

TEXT: Mapping[str, Mapping[str, Any]] = {
    "albert": {"embedding_size": 16}, "bert": {}, "bloom": {"n_layer": 2, "n_head": 4},
    "deberta": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "deberta-v2": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "distilbert": {"dim": 32, "n_heads": 4, "n_layers": 2, "hidden_dim": 48},
    "electra": {"embedding_size": 16}, "falcon": {}, "gemma": _HEADS,
    "gpt2": {"n_positions": 64}, "gpt_neox": {}, "llama": _HEADS,
    "longformer": {"attention_window": 4}, "mistral": _HEADS,
    "mixtral": {**_HEADS, "num_local_experts": 4}, "mobilebert": {"embedding_size": 32},
    "mpnet": {}, "opt": {"ffn_dim": 48, "word_embed_proj_dim": 32}, "phi": {},
    "qwen2": {"num_key_value_heads": 2}, "roberta": {}, "squeezebert": {"embedding_size": 32},
    "xlnet": {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 48},
}  # fmt: skip
"""Language models, and what their configurations have beside the common sizes."""

PAIRS: Mapping[str, Mapping[str, Any]] = {
    "bart": _PAIR, "marian": {**_PAIR, "pad_token_id": 0}, "pegasus": _PAIR,
    "t5": {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4,
           "vocab_size": 97, "use_cache": False},
}  # fmt: skip

SIGHT: Mapping[str, Mapping[str, Any]] = {
    "beit": _IMAGES, "convnext": {**_STAGES, "hidden_sizes": [16, 32], "num_stages": 2},
    "deit": _IMAGES, "dinov2": _IMAGES, "resnet": {"embedding_size": 16, "depths": [1, 1],
    "hidden_sizes": [32, 64]}, "segformer": {"num_encoder_blocks": 2, "depths": [1, 1],
    "sr_ratios": [2, 1], "hidden_sizes": [16, 32], "patch_sizes": [7, 3], "strides": [4, 2],
    "num_attention_heads": [1, 2], "mlp_ratios": [2, 2]},
    "swin": {**_STAGES, "embed_dim": 16, "num_heads": [2, 4], "window_size": 4, "patch_size": 4},
    "vit": _IMAGES,
}  # fmt: skip

SOUND: Mapping[str, Mapping[str, Any]] = {"hubert": _SPEECH, "wav2vec2": _SPEECH}

_CLIP: Mapping[str, Any] = {
    "text_config": {**_SMALL, "max_position_embeddings": 16, "eos_token_id": 96},
    "vision_config": _IMAGES, "projection_dim": 16,
}  # fmt: skip

_WHISPER = {**_PAIR, "num_mel_bins": 8, "max_source_positions": 10, "max_target_positions": 12,
            "pad_token_id": 0, "decoder_start_token_id": 1}  # fmt: skip


def _transformer(kind: str, options: Mapping[str, Any], *names: str) -> nn.Module:
    library: Any = import_module("transformers")
    config = library.AutoConfig.for_model(kind, **options)
    config.torchscript = False
    return Plain(library.AutoModel.from_config(config), names)


def _tokens(batch: int) -> Inputs:
    ids = torch.randint(1, 97, (batch, 8))
    mask = torch.ones(batch, 8, dtype=torch.int64)
    mask[0, 5:] = 0
    return ids, mask


def _two_texts(batch: int) -> Inputs:
    return torch.randint(2, 97, (batch, 8)), torch.randint(2, 97, (batch, 6))


def _waves(batch: int) -> Inputs:
    return (torch.randn(batch, 400),)


def _text_and_image(batch: int) -> Inputs:
    ids, mask = _tokens(batch)
    return ids, torch.randn(batch, 3, 32, 32), mask


def _mel_and_text(batch: int) -> Inputs:
    return torch.randn(batch, 8, 20), torch.randint(2, 97, (batch, 6))


def _transformers() -> dict[str, Architecture]:
    both = ("input_ids", "attention_mask")
    groups: list[tuple[Mapping[str, Mapping[str, Any]], Any, tuple[str, ...]]] = [
        ({kind: {**_SMALL, **more} for kind, more in TEXT.items()}, _tokens, both),
        (PAIRS, _two_texts, ("input_ids", "decoder_input_ids")),
        (SIGHT, partial(_image, 32), ("pixel_values",)),
        (SOUND, _waves, ("input_values",)),
        ({"clip": _CLIP}, _text_and_image, ("input_ids", "pixel_values", "attention_mask")),
        ({"whisper": _WHISPER}, _mel_and_text, ("input_features", "decoder_input_ids")),
    ]
    return {
        f"transformers.{kind}": Architecture(
            "transformers", partial(_transformer, kind, options, *names), inputs, scripted=False
        )
        for group, inputs, names in groups
        for kind, options in group.items()
    }


ARCHITECTURES: Mapping[str, Architecture] = {**_vision(), **_transformers()}


def built(architecture: Architecture) -> nn.Module:
    """Return the network in inference mode, with distinct random weights."""
    torch.manual_seed(0)
    model = architecture.build().eval()
    with torch.no_grad():
        for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
            if not tensor.is_floating_point():
                continue
            if tensor.ndim != 1:
                if not tensor.any():  # the last layer of some networks, which would hide the others
                    tensor.normal_(0, 0.1)
                continue
            if name.endswith("running_var"):
                tensor.uniform_(0.5, 1.5)
            elif name.endswith("weight"):
                tensor.uniform_(0.8, 1.2)
            elif name.endswith(("bias", "running_mean")):
                tensor.normal_(0, 0.1)
        if isinstance(model, Detector):
            _spread(model.model, architecture.inputs(1) + architecture.inputs(1))
    return model


def _spread(model: Any, images: Inputs) -> None:
    """Normalise features by their statistics, and spread scores so that no two detections tie."""
    for each in model.modules():
        if isinstance(each, nn.BatchNorm2d):
            each.momentum = 1.0
    model.backbone.train()(model.transform(list(images))[0].tensors)
    model.eval()
    for tensor in model.parameters():
        if tensor.ndim > 2 and tensor.shape[0] % _CLASSES == 0:  # those of proposals are matrices
            tensor.mul_(3)


_CLASSES = 91
