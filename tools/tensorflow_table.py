"""Write docs/tensorflow-operators.md: all operators of TensorFlow, and Relay's support.

`python tools/tensorflow_table.py` writes the page again from the operators that it lists;
`--registry` takes them from the installed TensorFlow. `REASONS` must match each operator without a
translation.
"""

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from textwrap import fill
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay and tools are those of this checkout
from relay.frontend.tensorflow.load import translated_tensorflow_operators
from relay.frontend.tensorflow.v1_loops import CONTROL_FLOW
from tools.pages import Support, names_in, write_or_check

PAGE = Path("docs/tensorflow-operators.md")

INTRODUCTION = """\
<!-- Written by tools/tensorflow_table.py. -->

# Operators of TensorFlow

{summary}

A graph with an operator of the second table can be imported if the outputs do not depend on it, or
if `custom_convert_map` has a function for it
([run-a-tensorflow-model](how-to/run-a-tensorflow-model.md)).

## Translated operators

| translation | operators |
|---|---|
{translated}

## Other operators

| reason | operators |
|---|---|
{others}
"""

SUMMARY = (
    "TensorFlow 2.21 registers {count} operators (`tf.raw_ops`). Relay translates {known} of them, "
    "and {older} operators of older versions and of XLA. `relay ops --tensorflow` lists the "
    "functions that translate them. If Relay does not support an attribute or an element type of "
    "an operator that it translates, an error names the node (`F030`, `F052`)."
)

REASONS: Sequence[tuple[str, str]] = (
    (
        "inputs, assertions and control dependencies: the importer itself understands them",
        (r"Placeholder|NoOp|Assert|ControlTrigger"),
    ),
    (
        "texts: Relay has no strings",
        (
            r"AsString|.*String.*|Regex.*|StaticRegex.*|Unicode.*|Substr|ReduceJoin|EncodeBase64|"
            r"DecodeBase64|UnsortedSegmentJoin|Fingerprint|SdcaFprint|EditDistance"
        ),
    ),
    (
        "files, and encoded images, sounds and records: decode them before the model",
        (
            r"(Decode|Encode|Parse|Serialize|Deserialize).*|ReadFile|WriteFile|MatchingFiles|.*Reader.*|"
            r"(Save|Restore|Load|Merge|Generate|ShardedFile).*|.*JpegShape|LMDB.*|RecordInput|"
            r"DistributedSave|DisableCopyOnRead|FileSystem.*|ImmutableConst|CompressElement|"
            r"UncompressElement"
        ),
    ),
    (
        "pipelines of data, queues and iterators: feed the tensors to the program",
        (
            r".*Dataset.*|.*Iterator.*|.*Queue.*|Barrier.*|(Ordered)?Map(Clear|Incomplete|Peek|Size|"
            r"Stage|Unstage).*|Stage.*|Unstage|Stack.*|Optional.*|.*MemoryCache|.*SeedGenerator|"
            r"IteratorGetDevice|(Experimental)?(StatsAggregator|ThreadPool).*|Batch|BatchFunction|"
            r"Unbatch.*|GetElementAtIndex|MapDefun|GetOptions|ComputeBatchSize|DummyIterationCounter|"
            r"ExperimentalIteratorGetDevice"
        ),
    ),
    (
        "hash tables, whose entries are a state of the session",
        (r".*HashTable.*|LookupTable.*|InitializeTable.*|TensorMap.*|EmptyTensorMap"),
    ),
    (
        "assignments to variables, and optimisers (`F095`): return the new values instead",
        (
            r"(Resource)?(Sparse)?Apply.*|Assign.*|(Resource)?Scatter(Add|Div|Max|Min|Mul|Sub|Update|"
            r"Nd(Add|Max|Min|Sub|Update))|ResourceSparseApply.*|.*Accumulator.*|(Resource)?CountUpTo|"
            r"(Resource)?StridedSliceAssign|DestroyResourceOp|.*TemporaryVariable|IsVariableInitialized|"
            r"VarIsInitializedOp|SdcaOptimizer.*|SdcaShrinkL1|ReadVariableXlaSplitND"
        ),
    ),
    (
        "random numbers: make them an input of the model",
        (
            r"Random.*|Stateful.*|Stateless(Random|Multinomial|Truncated|Shuffle|Sample|Parameterized)"
            r".*|.*CandidateSampler|Multinomial|TruncatedNormal|ParameterizedTruncatedNormal|"
            r"NonDeterministicInts|Rng.*|SampleDistortedBoundingBox.*|KMC2.*|Kmeans.*|"
            r"ComputeAccidentalHits|Fractional.*|AllCandidateSampler|SobolSample"
        ),
    ),
    (
        "several devices, and tensor processing units",
        (
            r".*TPU.*|Collective.*|Nccl.*|Xla.*|.*SparseCore.*|Send|Recv|Infeed.*|Outfeed.*|"
            r"CrossReplicaSum|AllToAll|.*Minibatch.*|Prelinearize.*|CheckPinned|ConvertTo.*|"
            r"WorkerHeartbeat|SyncDevice|DeviceIndex|GlobalIterId|RemoteCall|Cudnn.*"
        ),
    ),
    ("boosted trees: Relay imports trees from ONNX", r"BoostedTrees.*|IsBoostedTrees.*"),
    (
        "effects on the process: summaries, debugging, Python functions, locks",
        (
            r".*Summary.*|Debug.*|.*PyFunc.*|Mutex.*|ConsumeMutexLock|Abort|PrintV2|Timestamp|"
            r"ImportEvent|(Get|Delete)Session.*|SymbolicGradient|FakeParam|CompositeTensorVariant.*|"
            r"Copy|CopyHost|Fact|PlaceholderV2"
        ),
    ),
    (
        "sparse and ragged tensors: convert them to dense ones before the model",
        (r".*Sparse.*|CSR.*|.*Ragged.*|DenseTo.*|DenseCount.*|SetSize"),
    ),
    (
        "quantised types of version 1 (`quint8` and alike): convert the model to TensorFlow Lite",
        (r"(Uniform)?Quantize.*|(Uniform)?Dequantize|UniformRequantize|Requant.*"),
    ),
)
"""Why operators have no translation, and a pattern of their names; the first match counts."""


def registered() -> list[str]:
    """Return the operators of the installed TensorFlow."""
    raw: Any = import_module("tensorflow").raw_ops
    return sorted(name for name in dir(raw) if name[0].isupper())


def page(names: Iterable[str]) -> str:
    """Return the text of the page for the operators of TensorFlow's registry."""
    found = dict(translated_tensorflow_operators())
    found |= {name: "v1_loops.loop" for name in CONTROL_FLOW if name not in found}
    support = Support([*names], found, REASONS)
    known = support.count(support.names)
    summary = SUMMARY.format(count=len(support.names), known=known, older=len(found) - known)
    return INTRODUCTION.format(
        summary=fill(summary + " A star marks the latter.", 100),
        translated=support.translations,
        others=support.others,
    )


def main(args: Sequence[str]) -> int:
    """Write the page, or return 1 if `--check` finds another one."""
    names = registered() if "--registry" in args else names_in(PAGE.read_text("utf-8"))
    return write_or_check(PAGE, lambda: page(names), args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
