"""Names of the IR become names of C++."""

import pytest

from vyre.lowering.cuda.names import Names, kernel_name, sanitised


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("sum", "sum"),
        ("row sum.0", "row_sum_0"),
        ("0", "v0"),
        ("", "v"),
        ("Größe", "Gr_e"),
        ("a__b", "a_b"),
        ("_Reserved", "Reserved"),
        ("int", "int_"),
        ("threadIdx", "threadIdx_"),
        ("sqrtf", "sqrtf_"),
        ("atomicAdd", "atomicAdd_"),
        ("vyre_stop", "vyre_stop_"),
        ("y0", "y0"),
    ],
)
def test_texts_become_legal_names(text: str, name: str):
    assert sanitised(text) == name


def test_kernels_have_names_that_no_function_has():
    assert kernel_name("index") == "index_kernel"
    assert kernel_name("p.0") == "p_0_kernel"


def test_names_are_used_once_where_they_can_be_seen():
    names = Names()
    assert [names.new("sum"), names.new("sum"), names.new(None)] == ["sum", "sum_1", "v"]
    with names.scope():
        assert [names.new("sum"), names.new("k")] == ["sum_2", "k"]
    with names.scope():
        assert names.new("k") == "k"
    assert [names.new("int"), names.new("int")] == ["int_", "int_1"]
