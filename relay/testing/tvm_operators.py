"""The list of TVM's Relay operators, and the reasons why some are missing here.

A missing operator must have a reason in `LEFT_OUT`.
"""

from collections.abc import Mapping
from types import MappingProxyType

_TEXT = """
Core: unary elementwise:
  abs acos acosh asin asinh atan atanh bitwise_not ceil copy cos cosh erf exp fast_erf
  fast_exp fast_tanh floor isfinite isinf isnan log log10 log2 logical_not negative ones_like
  round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc zeros_like
Core: binary broadcast:
  add bitwise_and bitwise_or bitwise_xor divide floor_divide floor_mod left_shift logical_and
  logical_or logical_xor maximum minimum mod multiply power right_shift subtract trunc_divide
  trunc_mod
Core: comparison:
  equal greater greater_equal less less_equal not_equal
Core: reductions:
  all any argmax argmin max mean min prod sum variance
Core: tensor manipulation, creation, sorting, misc:
  adv_index arange argsort argwhere auto_scheduler_layout_transform broadcast_to
  broadcast_to_like call_lowered cast cast_like clip collapse_sum_like collapse_sum_to
  concatenate contrib_reverse_reshape cumprod cumsum debug device_copy dft einsum expand_dims
  fixed_point_multiply fixed_point_multiply_per_axis full full_like gather gather_nd
  invert_permutation layout_transform matrix_set_diag meshgrid meta_schedule_layout_transform
  ndarray_size on_device one_hot ones reinterpret repeat reshape reshape_like reverse
  reverse_sequence scatter_elements scatter_nd searchsorted sequence_mask shape_of slice_like
  sliding_window sort sparse_fill_empty_rows sparse_reshape sparse_to_dense split squeeze
  stack stft strided_set strided_slice take tile topk torch_op transpose trilu unique
  unravel_index where zeros
nn: layers:
  nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d nn.adaptive_max_pool1d
  nn.adaptive_max_pool2d nn.adaptive_max_pool3d nn.avg_pool1d nn.avg_pool2d nn.avg_pool2d_grad
  nn.avg_pool3d nn.batch_flatten nn.batch_matmul nn.batch_norm nn.batch_to_space_nd
  nn.bias_add nn.conv1d nn.conv1d_transpose nn.conv2d nn.conv2d_backward_weight
  nn.conv2d_transpose nn.conv3d nn.conv3d_transpose nn.correlation nn.cross_entropy
  nn.cross_entropy_with_logits nn.deformable_conv2d nn.dense nn.depth_to_space nn.dilate
  nn.dropout nn.fast_softmax nn.fifo_buffer nn.global_avg_pool2d nn.global_max_pool2d
  nn.group_norm nn.instance_norm nn.l2_normalize nn.layer_norm nn.leaky_relu nn.log_softmax
  nn.lrn nn.matmul nn.max_pool1d nn.max_pool2d nn.max_pool2d_grad nn.max_pool3d nn.mirror_pad
  nn.nll_loss nn.pad nn.prelu nn.relu nn.softmax nn.space_to_batch_nd nn.space_to_depth
  nn.upsampling nn.upsampling3d
nn: contrib / bit-serial / sparse:
  nn.bitpack nn.bitserial_conv2d nn.bitserial_dense nn.contrib_conv2d_NCHWc
  nn.contrib_conv2d_gemm_weight_transform nn.contrib_conv2d_gemm_without_weight_transform
  nn.contrib_conv2d_winograd_nnpack_weight_transform
  nn.contrib_conv2d_winograd_weight_transform
  nn.contrib_conv2d_winograd_without_weight_transform
  nn.contrib_conv3d_winograd_weight_transform
  nn.contrib_conv3d_winograd_without_weight_transform nn.contrib_dense_pack
  nn.contrib_depthwise_conv2d_NCHWc nn.internal.sparse_dense_padded nn.sparse_add
  nn.sparse_conv2d nn.sparse_dense nn.sparse_transpose
image:
  image.affine_grid image.crop_and_resize image.dilation2d image.grid_sample image.resize1d
  image.resize2d image.resize3d
vision:
  vision.all_class_non_max_suppression vision.get_valid_counts vision.multibox_prior
  vision.multibox_transform_loc vision.non_max_suppression vision.proposal
  vision.regular_non_max_suppression vision.roi_align vision.roi_pool vision.yolo_reorg
random:
  random.multinomial random.normal random.threefry_generate random.threefry_split
  random.uniform
dyn:
  dyn.broadcast_to dyn.expand_dims dyn.full dyn.image.resize2d dyn.nn.pad dyn.nn.upsampling
  dyn.nn.upsampling3d dyn.one_hot dyn.ones dyn.reshape dyn.sparse_to_dense dyn.squeeze
  dyn.strided_slice dyn.tile dyn.topk dyn.zeros
annotation:
  annotation.bitpack_end annotation.bitpack_start annotation.cast_hint annotation.checkpoint
  annotation.compiler_begin annotation.compiler_end annotation.stop_fusion
  annotation.with_funcid relay.op.annotation.simulated_quantize
memory and vm dialects, internal:
  memory.alloc_storage memory.alloc_tensor memory.kill vm.invoke_tvm_op vm.reshape_tensor
  vm.shape_of parser.MetaRef
qnn:
  qnn.abs qnn.add qnn.avg_pool2d qnn.batch_matmul qnn.concatenate qnn.contrib_dense_pack
  qnn.conv2d qnn.conv2d_transpose qnn.dense qnn.dequantize qnn.erf qnn.exp qnn.hardswish
  qnn.leaky_relu qnn.log qnn.mul qnn.quantize qnn.requantize qnn.rsqrt qnn.sigmoid
  qnn.simulated_dequantize qnn.simulated_quantize qnn.softmax qnn.sqrt qnn.subtract qnn.tanh
"""

_REGIONS = "regions are calls of functions: relay.transform.AnnotateTarget makes them"

LEFT_OUT: Mapping[str, str] = MappingProxyType(
    {
        "auto_scheduler_layout_transform": "schedules choose layouts through layout_transform",
        "call_lowered": "calls of kernels are not written in programs: relay.compile lowers them",
        "meta_schedule_layout_transform": "schedules choose layouts through layout_transform",
        "torch_op": "programs do not call libraries of other frameworks: import the model instead",
        "nn.contrib_conv2d_winograd_nnpack_weight_transform": "it is for NNPACK alone",
        "annotation.bitpack_end": "it marks regions for VTA, which is not a target yet",
        "annotation.bitpack_start": "it marks regions for VTA, which is not a target yet",
        "annotation.compiler_begin": _REGIONS,
        "annotation.compiler_end": _REGIONS,
        "annotation.with_funcid": "it numbers functions inside the classic partial evaluator",
        "memory.alloc_storage": "relay.compile plans memory by itself",
        "memory.alloc_tensor": "relay.compile plans memory by itself",
        "memory.kill": "relay.compile plans memory by itself",
        "vm.invoke_tvm_op": "relay.vm.compile writes what runs the program by itself",
        "vm.reshape_tensor": "relay.vm.compile writes what runs the program by itself",
        "vm.shape_of": "shape_of is the same",
        "parser.MetaRef": "the parser resolves references to meta data itself",
    }
)
"""The reasons for missing operators, by name."""


def inventory() -> dict[str, tuple[str, ...]]:
    """Return the names of TVM's Relay operators, by chapter of its documentation.

    >>> sum(map(len, inventory().values()))
    298
    """
    chapters: dict[str, tuple[str, ...]] = {}
    title = ""
    for line in _TEXT.strip().splitlines():
        if line.startswith(" "):
            chapters[title] = (*chapters[title], *line.split())
        else:
            title = line.rstrip(":")
            chapters[title] = ()
    return chapters
