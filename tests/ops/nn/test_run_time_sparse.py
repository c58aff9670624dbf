import numpy as np

import relay
from relay.ops.nn.sparse_matrices import DynamicSparseToDense, SparseToDense
from relay.semantics.evaluate import evaluate


def test_the_shape_of_a_sparse_matrix_may_be_a_tensor():
    count = relay.DimVar("count")
    places = relay.var("places", shape=(count, 2), dtype="int64")
    values = relay.var("values", shape=(count,))
    shape = relay.var("shape", shape=(2,), dtype="int64")
    dense = relay.sparse_to_dense(places, shape, values, 0.5)
    assert isinstance(dense.op, DynamicSparseToDense)
    module = relay.parse(
        str(relay.IRModule.from_expr(relay.Function((places, values, shape), dense)))
    )
    given = np.array([[0, 1], [2, 3]]), np.array([1, 2], np.float32)
    for size in ((3, 5), (4, 4)):
        expected = np.full(size, 0.5, np.float32)
        expected[tuple(given[0].T)] = given[1]
        np.testing.assert_array_equal(evaluate(module, *given, np.array(size)), expected)
        np.testing.assert_array_equal(relay.compile(module)(*given, np.array(size)), expected)
    known = relay.sparse_to_dense(places, relay.const([3, 5]), values, 0.5)
    assert isinstance(known.op, SparseToDense)
