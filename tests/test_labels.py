from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinge import DataError
from hinge._model.labels import ClassTable, as_classes, as_labels, class_factors, distinct
from tests.conftest import tried

labels = st.one_of(
    st.lists(st.integers(-5, 5), min_size=1, max_size=12),
    st.lists(st.sampled_from(["", "a", "bb", "ccc", "ä"]), min_size=1, max_size=12),
    st.lists(st.booleans(), min_size=1, max_size=12),
)


@given(st.lists(labels, min_size=1, max_size=4))
def test_numbers_follow_the_order_of_arrival_and_classes_are_sorted(chunks):
    chunks = [chunk for chunk in chunks if type(chunk[0]) is type(chunks[0][0])]
    table, arrived = ClassTable.of(np.array(chunks[0])), sorted(set(chunks[0]))
    for chunk in chunks[1:]:
        table = table.extended(np.array(chunk))
        arrived += sorted(set(chunk) - set(arrived))
    assert table.classes.tolist() == sorted(arrived)
    assert [arrived[number] for number in table.numbers] == table.classes.tolist()
    for chunk in chunks:
        assert [arrived[number] for number in table.encode(np.array(chunk))] == chunk


def test_extended_with_known_labels_is_the_same_table():
    table = ClassTable.of(np.array([3, 1]))
    assert table.extended(np.array([1, 1, 3])) is table


def test_longer_words_are_not_cut_off():
    table = ClassTable.of(np.array(["a"])).extended(np.array(["long word"]))
    assert table.classes.tolist() == ["a", "long word"]


@pytest.mark.parametrize(
    ("known", "found"),
    [
        ([1, 2], ["1"]),
        (["a"], [1.0]),
        (np.array(["a"], dtype=object), [3]),
        ([b"a", b"\xff"], ["a"]),
        (["a"], [b"a"]),
        (np.array(["2020-01-01"], dtype="M8[D]"), ["2020-01-01"]),
        (np.array(["30000-01-01"], dtype="M8[D]"), np.array(["2020-01-01"], dtype="M8[ns]")),
        (np.array([1], dtype="m8[M]"), np.array([30], dtype="m8[D]")),
    ],
)
def test_types_do_not_mix(known, found):
    table = ClassTable.of(np.asarray(known))
    with pytest.raises(DataError, match="of the type of the known ones"):
        table.extended(np.asarray(found))
    with pytest.raises(DataError, match="Every label must be one of"):
        table.encode(np.asarray(found))


numbers = st.one_of(st.integers(-3, 3), *(st.integers(-2, 2).map(lambda n, b=b: 2**b + n) for b in (24, 53, 62, 63)))
arrays = st.tuples(st.sampled_from(["i1", "i4", "i8", "u8", "f4", "f8"]), st.lists(numbers, min_size=1, max_size=4))


def as_array(dtype, values):
    info = np.iinfo(dtype) if dtype[0] in "iu" else np.finfo(dtype)
    return np.array([value for value in values if info.min <= value <= info.max] or [0], dtype=dtype)


@given(st.lists(arrays, min_size=2, max_size=4))
@tried(150)
def test_numbers_of_any_types_stay_apart_or_are_refused(chunks):
    """Python compares whole numbers and floats exactly, NumPy does not."""
    chunks = [as_array(*chunk) for chunk in chunks]
    table, arrived = ClassTable.of(chunks[0]), set(chunks[0].tolist())
    for chunk in chunks[1:]:
        before = table.classes.tolist()
        try:
            table = table.extended(chunk)
        except DataError:
            assert max(map(abs, [*before, *chunk.tolist()])) > 2**53
            assert table.classes.tolist() == before
            continue
        arrived |= set(chunk.tolist())
        assert table.classes.tolist() == sorted(arrived)
        assert table.classes[np.argsort(table.numbers)][table.encode(chunk)].tolist() == chunk.tolist()


@pytest.mark.parametrize(
    ("known", "found", "classes"),
    [
        (np.array([1, 2]), np.array([7.0]), [1.0, 2.0, 7.0]),
        (np.array([1, 2], dtype="i4"), np.array([2**62 + 1]), [1, 2, 2**62 + 1]),
        (np.array([2**62]), np.array([2.0**60]), [2.0**60, 2.0**62]),
        (np.array([False]), np.array([1, 3]), [0, 1, 3]),
        (np.array([-1]), np.array([2], dtype="u8"), [-1.0, 2.0]),
        (np.array(["2020-01-01"], dtype="M8[D]"), np.array(["2019-01-01"], dtype="M8[s]"), None),
    ],
)
def test_what_fits_is_joined(known, found, classes):
    table = ClassTable.of(known).extended(found)
    assert len(table) == len(known) + len(found)
    assert classes is None or table.classes.tolist() == classes


@pytest.mark.parametrize("values", [[2**53 + 1, 7.0], [2**64 - 1, -1], (np.uint64(2**64 - 1), np.int64(-1))])
@pytest.mark.parametrize("container", [tuple, list, lambda values: np.array(values, dtype=object)])
def test_lists_of_several_types_that_fit_into_none(values, container):
    with pytest.raises(DataError, match="cannot hold exactly"):
        as_labels(container(values))


@pytest.mark.parametrize("container", [list, tuple, np.array, range, pd.Series, pd.Index, pd.Categorical])
def test_containers_of_classes(container):
    assert as_classes(range(3) if container is range else container([0, 1, 2])).tolist() == [0, 1, 2]


def test_many_named_classes_are_no_reason_to_warn():
    assert len(as_classes(np.array([f"class {n}" for n in range(60)], dtype=object))) == 60


def test_mixed_objects_are_refused():
    with pytest.raises(DataError, match="mixture of int, str"):
        distinct(np.array(["a", 1], dtype=object))


def test_unknown_labels_are_named():
    with pytest.raises(DataError, match=r"one of \[1, 2\], got \[7\]"):
        ClassTable.of(np.array([1, 2])).encode(np.array([1, 7]))


@pytest.mark.parametrize("unknown", [[9], [-9], [1.5], [np.nan], ["1"]])
def test_positions_of_unknown_labels_are_none(unknown):
    assert ClassTable.of(np.array([1, 2])).positions(np.array(unknown)) is None


def test_the_single_machine_is_turned_when_its_positive_class_sorts_first():
    in_order = ClassTable.of(np.array(["a", "b"]))
    turned = ClassTable.of(np.array(["b"])).extended(np.array(["a"]))
    native = np.array([[2.0], [-1.0]])
    assert in_order.choose(in_order.arrange(native)).tolist() == ["b", "a"]
    assert turned.choose(turned.arrange(native)).tolist() == ["a", "b"]


def test_columns_of_several_machines_follow_the_classes():
    table = ClassTable.of(np.array(["b", "c"])).extended(np.array(["a"]))
    native = np.array([[0.0, 1.0, 2.0]])  # columns: b, c, a
    assert table.arrange(native).tolist() == [[2.0, 0.0, 1.0]]
    assert table.choose(table.arrange(native)).tolist() == ["a"]


def test_one_class_is_always_chosen():
    assert ClassTable.of(np.array(["a"])).choose(np.array([[1.0], [-1.0]])).tolist() == ["a", "a"]


@pytest.mark.parametrize(
    ("values", "kind"), [([1, 2], "i"), ([True, False], "b"), ([0.0, 1.0], "f"), (["a", "b"], "O"), ([{}, {}], "O")]
)
def test_objects_that_are_numbers_become_numbers(values, kind):
    assert as_labels(np.array(values, dtype=object)).dtype.kind == kind


def test_balanced_factors_give_every_class_the_same_mass():
    y, weights = np.array([0, 0, 0, 1, 2]), np.array([1.0, 2.0, 0.0, 4.0, 0.0])
    factors = class_factors("balanced", y, weights)
    masses = [(factors * weights)[y == label].sum() for label in (0, 1, 2)]
    np.testing.assert_allclose(masses, [3.5, 3.5, 0.0])


def test_factors_of_a_dictionary():
    assert class_factors({"a": 2}, np.array(["b", "a"]), np.ones(2)).tolist() == [1.0, 2.0]
