"""Define the protocol buffers of TensorFlow's files, as far as Relay reads them.

A line of `_MESSAGES` describes a message: its fields with their numbers and types. `*` marks a
repeated field, `%` a map from strings, `|` an alternative of the message's `value`. Other fields
are omitted; the parser skips them.
"""

from typing import Any

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

_PACKAGE = "relay.tensorflow"

_MESSAGES = """
Dim: size 1 int64
Shape: dim 2 *Dim, unknown_rank 3 bool
Tensor: dtype 1 int32, shape 2 Shape, content 4 bytes, half_val 13 *int32, float_val 5 *float,
  double_val 6 *double, int_val 7 *int32, string_val 8 *bytes, scomplex_val 9 *float,
  int64_val 10 *int64, bool_val 11 *bool, dcomplex_val 12 *double, uint32_val 16 *uint32,
  uint64_val 17 *uint64
FunctionName: name 1 string
Attributes: s 2 *bytes, i 3 *int64, f 4 *float, b 5 *bool, type 6 *int32, shape 7 *Shape,
  tensor 8 *Tensor, func 9 *FunctionName
Attribute: list 1 |Attributes, s 2 |bytes, i 3 |int64, f 4 |float, b 5 |bool, type 6 |int32,
  shape 7 |Shape, tensor 8 |Tensor, placeholder 9 |string, func 10 |FunctionName
Node: name 1 string, op 2 string, input 3 *string, attr 5 %Attribute
Argument: name 1 string, type 3 int32, type_attr 4 string, number_attr 5 string,
  type_list_attr 6 string
Definition: name 1 string, default_value 3 Attribute
Operator: name 1 string, input_arg 2 *Argument, output_arg 3 *Argument, attr 4 *Definition
Function: signature 1 Operator, node 3 *Node, ret 4 %string, control_ret 6 %string
Library: function 1 *Function
Graph: node 1 *Node, library 2 Library
TensorInfo: name 1 string, dtype 2 int32, shape 3 Shape
Signature: inputs 1 %TensorInfo, outputs 2 %TensorInfo
Operators: op 1 *Operator
MetaInfo: operators 2 Operators, tags 4 *string
Child: node_id 1 int32, local_name 2 string
Object: children 1 *Child
ConcreteFunction: bound_inputs 2 *int32
Objects: nodes 1 *Object, concrete_functions 2 %ConcreteFunction
StoredAttribute: name 1 string, checkpoint_key 3 string
StoredObject: children 1 *Child, attributes 2 *StoredAttribute
StoredObjects: nodes 1 *StoredObject
Asset: tensor_info 1 TensorInfo, filename 2 string
MetaGraph: info 1 MetaInfo, graph 2 Graph, signatures 5 %Signature, assets 6 *Asset,
  objects 7 Objects
SavedModel: version 1 int64, meta_graphs 2 *MetaGraph
BundleHeader: num_shards 1 int32, endianness 2 int32
BundleEntry: dtype 1 int32, shape 2 Shape, shard_id 3 int32, offset 4 int64, size 5 int64,
  slices 7 *Slice
Slice: extent 1 *Dim
"""

_SCALARS = {
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "double": FieldDescriptorProto.TYPE_DOUBLE,
    "float": FieldDescriptorProto.TYPE_FLOAT,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "string": FieldDescriptorProto.TYPE_STRING,
    "uint32": FieldDescriptorProto.TYPE_UINT32,
    "uint64": FieldDescriptorProto.TYPE_UINT64,
}


def _pool() -> DescriptorPool:
    """Return the descriptors of all messages, in a separate descriptor pool."""
    file = FileDescriptorProto(name="relay_tensorflow.proto", package=_PACKAGE, syntax="proto3")
    for line in _MESSAGES.strip().replace("\n  ", " ").splitlines():
        name, _, fields = line.partition(": ")
        message = file.message_type.add(name=name)
        for field in fields.split(", "):
            _add_field(message, *field.split())
    pool = DescriptorPool()
    pool.Add(file)
    return pool


def _add_field(message: DescriptorProto, name: str, number: str, kind: str) -> None:
    field = message.field.add(
        name=name, number=int(number), label=FieldDescriptorProto.LABEL_OPTIONAL
    )
    mark, element = (kind[0], kind[1:]) if kind[0] in "*%|" else ("", kind)
    if mark in ("*", "%"):
        field.label = FieldDescriptorProto.LABEL_REPEATED
    if mark == "|":
        if not message.oneof_decl:
            message.oneof_decl.add(name="value")
        field.oneof_index = 0
    if mark == "%":
        element = _add_entry(message, name, element)
    _set_type(field, element)


def _add_entry(message: DescriptorProto, name: str, element: str) -> str:
    """Add the message type of a map's entries to a message, and return its name."""
    entry = message.nested_type.add(name=f"{name.title().replace('_', '')}Entry")
    entry.options.map_entry = True
    for number, (field, kind) in enumerate((("key", "string"), ("value", element)), 1):
        _add_field(entry, field, str(number), kind)
    return f"{message.name}.{entry.name}"


def _set_type(field: FieldDescriptorProto, kind: str) -> None:
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
    else:
        field.type = FieldDescriptorProto.TYPE_MESSAGE
        field.type_name = f".{_PACKAGE}.{kind}"


_POOL = _pool()


def message_class(name: str) -> Any:
    """Return the class of a message type: `message_class("Graph")()` is an empty graph."""
    return GetMessageClass(_POOL.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
