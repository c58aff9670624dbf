"""The operators of torchvision, declared here as it declares them."""

import numpy as np
import pytest
import torch
from frontend.torch_models import same
from torch import Tensor

import relay

pytestmark = pytest.mark.filterwarnings("ignore")

DECLARED = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    (
        "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height,"
        " SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor"
    ),
    (
        "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias,"
        " SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h,"
        " SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor"
    ),
)

LIBRARY = torch.library.Library("torchvision", "FRAGMENT")
for each in DECLARED:
    if not hasattr(torch.ops.torchvision, each.partition("(")[0]):
        LIBRARY.define(each)


def test_boxes_that_overlap_a_better_one_are_dropped():
    @torch.jit.script
    def kept(boxes: Tensor, scores: Tensor):
        found = torch.ops.torchvision.nms(boxes, scores, 0.5)
        return found, boxes[found]

    boxes = torch.tensor([[0, 0, 2, 2], [0, 0, 2, 1.9], [3, 0, 4, 1], [0, 1, 2, 3.0]])
    scores = torch.tensor([0.3, 0.9, 0.2, 0.8])
    found, best = relay.compile(kept, (boxes, scores), threads=1)(boxes, scores)
    assert found.tolist() == [1, 3, 2]
    same(np.asarray(best), boxes[[1, 3, 2]])


def test_regions_of_a_plane_have_the_values_of_their_centres():
    @torch.jit.script
    def pooled(x: Tensor, regions: Tensor):
        return torch.ops.torchvision.roi_align(x, regions, 0.5, 2, 3, 2, True)

    rows, columns = torch.meshgrid(torch.arange(9.0), torch.arange(11.0), indexing="ij")
    x = (10 * rows + columns)[None, None]
    region = torch.tensor([[0, 3.0, 3.0, 15.0, 11.0]])  # half of it: 1.5 … 7.5, 1.5 … 5.5
    found = relay.compile(pooled, (x, region), threads=1)(x, region)
    centres = 10 * np.array([[2.0], [4.0]]) + np.array([2.0, 4.0, 6.0])
    same(np.asarray(found)[0, 0], centres.astype(np.float32), 1e-4)


def test_a_deformable_convolution_without_offsets_is_a_convolution():
    @torch.jit.script
    def convolved(x: Tensor, weight: Tensor, offset: Tensor, mask: Tensor, bias: Tensor):
        return torch.ops.torchvision.deform_conv2d(
            x, weight, offset, mask, bias, 2, 1, 1, 0, 1, 1, 1, 1, True
        )

    x, weight, bias = torch.randn(2, 3, 6, 5), torch.randn(4, 3, 3, 2), torch.randn(4)
    given = (x, weight, torch.zeros(2, 12, 3, 4), torch.full((2, 6, 3, 4), 0.5), bias)
    expected = torch.nn.functional.conv2d(x, weight * 0.5, bias, (2, 1), (1, 0))
    same(np.asarray(relay.compile(convolved, given, threads=1)(*given)), expected, 1e-4)
