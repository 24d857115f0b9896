"""Names of examples."""

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
from hinge.incremental._ids import Ids, as_names
from hinge.incremental._places import Places


def with_names(*names):
    ids = Ids()
    ids.add(ids.checked(list(names), len(names), 0), range(len(names)))
    return ids


class TestPlaces:
    @given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6), st.booleans())), st.sets(st.integers(0, 40)))
    @settings(deadline=None, max_examples=150)
    def test_they_are_a_set(self, steps, others):
        places, wanted = Places(), set()
        for start, length, adding in steps:
            run = range(start, start + length)
            if adding and not wanted.intersection(run):
                places.add(run.start, run.stop)
                wanted.update(run)
            elif not adding:
                places.discard(start)
                wanted.discard(start)
        assert places.numbers().tolist() == sorted(wanted)
        assert len(places) == len(wanted)
        assert [place for place in range(50) if place in places] == sorted(wanted)
        assert all(before[1] < after[0] for before, after in zip(places.runs(), places.runs()[1:], strict=False))
        other = Places()
        for place in others:
            other.add(place, place + 1)
        assert places.without(other).numbers().tolist() == sorted(wanted - others)

    def test_streams_take_no_room(self):
        places = Places()
        for start in range(0, 10**6, 1000):
            places.add(start, start + 1000)
        assert places.runs() == [(0, 10**6)]


class TestNames:
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
        assert as_names(ids) == ["a", "b"]

    @pytest.mark.parametrize("one", ["ab", b"ab", 7, 1.5, None, ("a", 1), dt.date(2020, 1, 2), Decimal(3), True])
    def test_one_by_itself(self, one):
        assert as_names(one) == [one]

    def test_numbers_of_numpy(self):
        assert [type(name) for name in as_names(np.arange(2))] == [int, int]
        assert [type(name) for name in as_names([np.int32(1), np.str_("a"), np.array(3)[()]])] == [int, str, int]
        assert as_names(np.array(5)) == [5]
        assert as_names(np.array(["2020-01-01"], dtype="datetime64[ns]")) == [np.datetime64("2020-01-01", "ns")]

    @pytest.mark.parametrize("bad", [float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), (1, np.nan)])
    def test_what_is_not_itself(self, bad):
        with pytest.raises(DataError, match=r"^Every id must be equal to itself, got .*; texts"):
            as_names([1, bad])

    def test_what_has_no_hash(self):
        with pytest.raises(DataError, match=r"^Every id must be hashable, got a list, \[1, 2\]; a text, a number"):
            as_names([[1, 2]])
        with pytest.raises(DataError, match="must be hashable"):
            as_names(np.zeros((2, 2)))

    def test_sets_have_no_order(self):
        assert sorted(as_names({1, 2})) == [1, 2]
        with pytest.raises(DataError, match=r"^ids must come in the order of the rows, got a set, which has none"):
            as_names({1, 2}, ordered=True)


class TestIds:
    def test_places_take_no_room(self):
        ids = Ids()
        for first in range(0, 100_000, 100):
            ids.add(ids.checked(None, 100, first), range(first, first + 100))
        assert len(pickle.dumps(ids)) < 500
        assert ids.find([99_999, np.int64(5), 7.0]).tolist() == [99_999, 5, 7]

    def test_equal_names_are_one(self):
        ids = with_names("a", 10)
        for same in (10, 10.0, np.int8(10), np.float32(10), Decimal(10)):
            assert ids.find(same).tolist() == [1]
            with pytest.raises(DataError, match="must be new"):
                ids.checked([same], 1, 2)
        default = Ids()
        default.add(default.checked(None, 3, 0), range(3))
        for same in (True, 1.0, np.uint8(1), Decimal(1)):
            assert default.find([same]).tolist() == [1]
            with pytest.raises(DataError, match="must be new"):
                default.checked([same], 1, 3)

    def test_wrong_number(self):
        for wrong in (["a"], "ab", ("a", "b"), []):
            with pytest.raises(DataError, match=r"^ids must hold one id a row, 2 in all, got [01]; a text or a tup"):
                Ids().checked(wrong, 2, 0)

    def test_repeated(self):
        with pytest.raises(DataError, match=r"^Every id must be given once, got 'b' twice; drop one of the two\.$"):
            Ids().checked(["a", "b", "c", "b", "a"], 5, 0)
        with pytest.raises(DataError, match="got 'a' twice"):
            with_names("a").find(["a", "a"])

    def test_held(self):
        with pytest.raises(DataError, match=r"^Every id must be new, got 'b', which the model holds already; cho"):
            with_names("a", "b").checked(["c", "b"], 2, 2)

    def test_places_that_are_names_already(self):
        ids = with_names(2, "a")  # the first example is called 2
        assert ids.checked(None, 0, 2) == range(2, 2)
        with pytest.raises(DataError, match="got 2, which the model holds already"):
            ids.checked(None, 1, 2)

    def test_unknown(self):
        ids = with_names("a", "b")
        for unknown in (["a", "x"], 0, "x", [None], [-1], [1e300], [float("inf")], [1j]):
            with pytest.raises(DataError, match=r"^Every id must be that of an example which the model holds, got "):
                ids.find(unknown)

    def test_removed_names_are_free(self):
        ids = with_names("a", "b")
        ids.remove([0])
        assert ids.checked(["a"], 1, 2) == ["a"]
        with pytest.raises(DataError, match="got 'a'"):
            ids.find("a")
        assert len(ids) == ids.n_held == 1

    def test_passed_over(self):
        ids = with_names("a", "b", 2, "c")
        ids.pass_over([1, 2])
        assert ids.n_held == 2
        assert ids.is_idle([0, 1, 2, 3]).tolist() == [False, True, True, False]
        ids.settle(np.array([3]))
        assert len(ids) == 3
        assert ids.find(["b", 2, "c"]).tolist() == [1, 2, 3]
        ids.remove([1, 2])
        assert len(ids) == ids.n_held == 1

    @pytest.mark.parametrize("twin", [copy.deepcopy, Ids.copy, lambda ids: pickle.loads(pickle.dumps(ids))])
    def test_copies(self, twin):
        ids = with_names("a", ("b", (1, None)), dt.date(2020, 1, 1), 3, 17)
        ids.pass_over([0])
        other = twin(ids)
        ids.remove([1])
        assert other.names(range(5)) == ["a", ("b", (1, None)), dt.date(2020, 1, 1), 3, 17]
        assert other.find([("b", (1, None)), 17, 3]).tolist() == [1, 4, 3]
        assert (len(other), other.n_held) == (5, 4)
        assert other.is_sound()
