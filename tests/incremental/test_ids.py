"""Ids of examples."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinge import DataError
from hinge.incremental._id_ranges import IdRanges
from hinge.incremental._ids import Ids, as_id_list


def make_ids(*values):
    ids = Ids()
    ids.add(ids.check_new(list(values), len(values), 0), range(len(values)))
    return ids


class TestIdRanges:
    @given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6), st.booleans())), st.sets(st.integers(0, 40)))
    @settings(deadline=None, max_examples=150)
    def test_behaves_like_a_set(self, steps, others):
        ids, wanted = IdRanges(), set()
        for start, length, adding in steps:
            added = range(start, start + length)
            if adding and not wanted.intersection(added):
                ids.add(added.start, added.stop)
                wanted.update(added)
            elif not adding:
                ids.discard(start)
                wanted.discard(start)
        assert ids.to_array().tolist() == sorted(wanted)
        assert len(ids) == len(wanted)
        assert [number for number in range(50) if number in ids] == sorted(wanted)
        assert all(before[1] < after[0] for before, after in zip(ids.ranges(), ids.ranges()[1:], strict=False))
        other = IdRanges()
        for number in others:
            other.add(number, number + 1)
        assert ids.difference(other).to_array().tolist() == sorted(wanted - others)

    def test_consecutive_integers_are_one_range(self):
        ids = IdRanges()
        for start in range(0, 10**6, 1000):
            ids.add(start, start + 1000)
        assert ids.ranges() == [(0, 10**6)]


class TestAsIdList:
    @pytest.mark.parametrize(
        "ids",
        [
            ["a", "b"],
            np.array(["a", "b"]),
            np.array(["a", "b"], dtype=object),
            pd.Series(["a", "b"], index=[7, 3]),
            pd.Index(["a", "b"]),
            iter(["a", "b"]),
            dict.fromkeys("ab").keys(),
        ],
        ids=lambda ids: type(ids).__name__,
    )
    def test_collections(self, ids):
        assert as_id_list(ids) == ["a", "b"]

    @pytest.mark.parametrize("single", ["ab", b"ab", 7, 1.5, None, ("a", 1), dt.date(2020, 1, 2), Decimal(3), True])
    def test_single_id(self, single):
        assert as_id_list(single) == [single]

    def test_numpy_values_become_python_values(self):
        assert [type(value) for value in as_id_list(np.arange(2))] == [int, int]
        assert [type(value) for value in as_id_list([np.int32(1), np.str_("a"), np.array(3)[()]])] == [int, str, int]
        assert as_id_list(np.array(5)) == [5]
        assert as_id_list(np.array(["2020-01-01"], dtype="datetime64[ns]")) == [np.datetime64("2020-01-01", "ns")]

    @pytest.mark.parametrize("bad", [float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), (1, np.nan)])
    def test_values_that_differ_from_themselves(self, bad):
        with pytest.raises(DataError, match=r"^Every id must equal itself, got .*; use a string"):
            as_id_list([1, bad])

    def test_unhashable_values(self):
        with pytest.raises(DataError, match=r"^Every id must be hashable, got a list, \[1, 2\]; use a string, a"):
            as_id_list([[1, 2]])
        with pytest.raises(DataError, match="must be hashable"):
            as_id_list(np.zeros((2, 2)))

    def test_sets_are_rejected_where_order_matters(self):
        assert sorted(as_id_list({1, 2})) == [1, 2]
        with pytest.raises(DataError, match=r"^ids must be in the order of the rows, got a set, which has no order"):
            as_id_list({1, 2}, ordered=True)


class TestIds:
    def test_default_ids_need_no_memory(self):
        ids = Ids()
        for first in range(0, 100_000, 100):
            ids.add(ids.check_new(None, 100, first), range(first, first + 100))
        assert len(pickle.dumps(ids)) < 500
        assert ids.find([99_999, np.int64(5), 7.0]).tolist() == [99_999, 5, 7]

    def test_equal_values_are_one_id(self):
        ids = make_ids("a", 10)
        for same in (10, 10.0, np.int8(10), np.float32(10), Decimal(10)):
            assert ids.find(same).tolist() == [1]
            with pytest.raises(DataError, match="must be new"):
                ids.check_new([same], 1, 2)
        default = Ids()
        default.add(default.check_new(None, 3, 0), range(3))
        for same in (True, 1.0, np.uint8(1), Decimal(1)):
            assert default.find([same]).tolist() == [1]
            with pytest.raises(DataError, match="must be new"):
                default.check_new([same], 1, 3)

    def test_number_of_ids_differs_from_number_of_rows(self):
        for wrong in (["a"], "ab", ("a", "b"), []):
            with pytest.raises(DataError, match=r"^ids must hold one id per row, 2 in all, got [01]; a string or"):
                Ids().check_new(wrong, 2, 0)

    def test_repeated_ids(self):
        with pytest.raises(DataError, match=r"^Every id must occur once, got 'b' twice; drop one of the two\.$"):
            Ids().check_new(["a", "b", "c", "b", "a"], 5, 0)
        with pytest.raises(DataError, match="got 'a' twice"):
            make_ids("a").find(["a", "a"])

    def test_ids_in_use(self):
        with pytest.raises(DataError, match=r"^Every id must be new, got 'b', which the model holds already; cho"):
            make_ids("a", "b").check_new(["c", "b"], 2, 2)

    def test_default_id_that_is_in_use(self):
        ids = make_ids(2, "a")  # the id of the first example is 2
        assert ids.check_new(None, 0, 2) == range(2, 2)
        with pytest.raises(DataError, match="got 2, which the model holds already"):
            ids.check_new(None, 1, 2)

    def test_unknown_ids(self):
        ids = make_ids("a", "b")
        for unknown in (["a", "x"], 0, "x", [None], [-1], [1e300], [float("inf")], [1j]):
            with pytest.raises(DataError, match=r"^Every id must be the id of an example in the model, got "):
                ids.find(unknown)

    def test_removed_ids_can_be_used_again(self):
        ids = make_ids("a", "b")
        ids.remove([0])
        assert ids.check_new(["a"], 1, 2) == ["a"]
        with pytest.raises(DataError, match="got 'a'"):
            ids.find("a")
        assert len(ids) == ids.n_held == 1

    def test_rows_of_weight_zero(self):
        ids = make_ids("a", "b", 2, "c")
        ids.mark_weightless([1, 2])
        assert ids.n_held == 2
        assert ids.are_weightless([0, 1, 2, 3]).tolist() == [False, True, True, False]
        ids.retain(np.array([3]))
        assert len(ids) == 3
        assert ids.find(["b", 2, "c"]).tolist() == [1, 2, 3]
        ids.remove([1, 2])
        assert len(ids) == ids.n_held == 1

    @pytest.mark.parametrize("twin", [copy.deepcopy, Ids.copy, lambda ids: pickle.loads(pickle.dumps(ids))])
    def test_copies(self, twin):
        ids = make_ids("a", ("b", (1, None)), dt.date(2020, 1, 1), 3, 17)
        ids.mark_weightless([0])
        other = twin(ids)
        ids.remove([1])
        assert other.at(range(5)) == ["a", ("b", (1, None)), dt.date(2020, 1, 1), 3, 17]
        assert other.find([("b", (1, None)), 17, 3]).tolist() == [1, 4, 3]
        assert (len(other), other.n_held) == (5, 4)
        assert other.is_consistent()
