"""What reports say that a kernel reads and computes."""

import pytest

import relay
from relay.build.kernel_flops_and_bytes import bytes_of


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("exp(%x)", 4 * 2 * 1000 * 16),
        ("%x", 4 * 2 * 1000 * 16),
        ("take(%x, %i, axis=0)", 4 * 2 * 3 * 16 + 4 * 3),
        ("take(%x, %i, axis=0) + take(%x, 7, axis=0)", 4 * (3 * 16 + 4 * 16) + 4 * 3),
        ("concatenate((take(%x, %i, axis=0), %x), axis=0)", 4 * 16 * 2003 + 4 * 3),
        ("strided_slice(%x, begin=[5], end=[9])", 4 * 2 * 4 * 16),
        ("strided_slice(%x, begin=[5], end=[9]) * sum(%x)", 4 * (4 + 1000) * 16),
    ],
)
def test_of_a_table_the_rows_are_read_that_are_picked(body: str, expected: int):
    params = "%x: Tensor[(1000, 16), float32]" + (", %i: Tensor[(3), int32]" * ("%i" in body))
    main = relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ {body} }}').main
    assert bytes_of(main) == expected
