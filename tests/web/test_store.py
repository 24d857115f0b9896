"""The label database: what it stores, and what it rejects."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hinge.exceptions import HingeError, ParameterError
from hinge.web._events import EventLog
from hinge.web._labels import AlreadyLabelledError, InvalidRequestError, LabelRecord, NotFoundError
from hinge.web._store import Store

MALICIOUS = [
    "'; DROP TABLE hinge_labels; --",
    "quotes \" and ' and `",
    "%s %(name)s :name ? $1 {0}",
    "\\",
    "🦆👩‍👩‍👧",
    "日本語",
    "<script>alert(1)</script>",
    "NULL",
    "x" * 100,
    "🦆" * 100,
]


def answer(key="7", label="cat", person="ann", **others):
    return LabelRecord(key, label, person, "chosen", "0f3a", **others)


def test_a_label_is_read_back_unchanged(store, url):
    moment = datetime(2026, 3, 1, 23, 30, 1, 123456, tzinfo=timezone(timedelta(hours=-5)))
    given = answer(seconds=1.25, guess="dog", margin=-0.1, labelled_at=moment)
    kept = store.add(given)
    assert kept == replace(given, number=kept.number)
    assert kept.number is not None
    with Store(url, "pets") as other:
        (found,) = other.records()
        assert found == kept == other.find("7")
        assert found.labelled_at.tzinfo is UTC
        assert other.classes() == ["cat"]
        assert other.find("8") is None


def test_labels_are_numbered_in_their_order(store):
    kept = [store.add(answer(str(place), "ab"[place % 2])) for place in (5, 3, 9)]
    store.delete("9")
    kept[2] = store.add(answer("1"))
    assert [each.number for each in kept] == sorted({each.number for each in kept})
    assert store.records() == kept


def test_an_example_has_one_label(store):
    kept = store.add(answer())
    with pytest.raises(AlreadyLabelledError, match="'7' already has a label") as caught:
        store.add(answer(label="new", person="bob"))
    assert caught.value.key == "7"
    assert store.records() == [kept]
    assert store.classes() == ["cat"]  # the class of a rejected label is not added


def test_projects_are_separate(store, url):
    with Store(url, " birds ") as birds:
        assert birds.project == "birds"
        birds.add_class("owl")
        birds.add(answer(label="duck"))
        store.add(answer(label="cat"))
        store.skip("1", "ann")
        store.delete("7")
        assert (store.classes(), store.counts(), store.history()) == (["cat"], {"cat": 0}, (0, []))
        assert (birds.classes(), birds.counts(), birds.skips()) == (["owl", "duck"], {"owl": 0, "duck": 1}, [])


def test_changing_a_label_keeps_its_other_fields(store):
    kept = store.add(answer(seconds=2.0, guess="dog", margin=0.5))
    before = datetime.now(UTC)
    changed = store.change("7", " dog ", " bob ")
    assert before <= changed.changed_at <= datetime.now(UTC)
    assert changed == replace(kept, label="dog", person="bob", changed_at=changed.changed_at) == store.find("7")
    assert store.counts() == {"cat": 0, "dog": 1}
    assert store.change("7", "dog", "eve") == changed  # nothing to change


def test_deleting_a_label(store):
    kept = store.add(answer())
    assert store.delete("7") == kept
    assert store.records() == []
    assert store.classes() == ["cat"]
    for attempt in (lambda: store.delete("7"), lambda: store.change("7", "dog", "ann")):
        with pytest.raises(NotFoundError, match="'7' has no label"):
            attempt()
    assert store.classes() == ["cat"]
    assert store.add(answer()).number > kept.number


def test_a_deleted_label_remains_in_the_history_only(tmp_path):
    with Store(tmp_path / "labels.db", "pets") as store:
        store.add(answer("7"))
        store.delete("7", "bob")
        assert store.records() == []
        found = [
            (each.action, each.person, each.key, each.before, each.after) for each in EventLog(store.connections).all()
        ]
    assert found == [
        ("label", answer().person, "7", None, answer().label),
        ("delete", "bob", "7", answer().label, None),
    ]
    assert [each.name for each in tmp_path.iterdir()] == ["labels.db"]


def test_classes_keep_their_order(store):
    assert store.add_class(" owl ")
    assert store.add_class("cat")
    assert not store.add_class("owl")
    store.add(answer(label="ant"))
    assert store.classes() == ["owl", "cat", "ant"]
    assert list(store.counts().items()) == [("owl", 0), ("cat", 0), ("ant", 1)]


def test_classes_without_labels_can_be_removed(store):
    store.add(answer())
    store.add_class("owl")
    store.remove_class("owl")
    with pytest.raises(NotFoundError, match="no class 'owl'"):
        store.remove_class("owl")
    with pytest.raises(InvalidRequestError, match="'cat' has labels"):
        store.remove_class("cat")
    store.delete("7")
    store.remove_class("cat")
    assert store.classes() == []


def test_the_number_of_classes_is_limited(store, monkeypatch):
    monkeypatch.setattr("hinge.web._label_rows.MAX_CLASSES", 3)
    for name in "abc":
        store.add_class(name)
    for attempt in (
        lambda: store.add_class("d"),
        lambda: store.add(answer(label="d")),
        lambda: store.import_records([answer("1", "a"), answer("2", "d")]),
    ):
        with pytest.raises(InvalidRequestError, match="at most 3 classes, got 4"):
            attempt()
    assert store.counts() == {"a": 0, "b": 0, "c": 0}


def test_history_is_newest_first(store):
    for place in range(10):
        store.add(answer(str(place), "ab"[place % 2], ("ann", "bob")[place < 4]))

    def keys(*arguments, **wanted):
        total, entries = store.history(*arguments, **wanted)
        return total, "".join(entry.key for entry in entries)

    assert keys() == (10, "9876543210")
    assert keys(2, 3) == (10, "765")
    assert keys(9, 5) == (10, "0")
    assert keys(10, 5) == keys(0, 0) == (10, "")
    assert keys(0, 2, label="b") == (5, "97")
    assert keys(person="bob") == (4, "3210")
    assert keys(label="a", person="bob") == (2, "20")
    assert keys(label="none") == keys(person="none") == (0, "")


@pytest.mark.parametrize(("offset", "limit"), [(-1, 5), (0, -1), (2**70, 5), (0, 2**70), ("0", 5), (0, None)])
def test_history_requires_whole_numbers(store, offset, limit):
    with pytest.raises(ParameterError, match="must be a whole number"):
        store.history(offset, limit)


def test_skips_belong_to_people(store, url):
    for key, person in [("1", "ann"), ("2", "bob"), ("1", "bob"), ("1", " ann ")]:
        store.skip(key, person)
    assert store.skips() == [("1", "ann"), ("2", "bob"), ("1", "bob")]
    store.unskip("1", "ann")
    store.unskip("1", "nobody")
    with Store(url, "pets") as other:
        assert other.skips() == [("2", "bob"), ("1", "bob")]


def test_importing_keeps_existing_labels(store):
    kept = store.add(answer("1", "cat", guess="dog"))
    imported = [answer("1", "dog"), answer("2", "cow"), answer("3", "cat"), answer("2", "cow", "eve")]
    assert store.import_records(imported) == (2, 0, 1)
    assert store.import_records(imported) == (0, 0, 3)
    assert store.find("1") == kept
    assert store.classes() == ["cat", "cow"]  # the class of a label that is not imported is not added
    assert [each.key for each in store.records()] == ["1", "2", "3"]


def test_importing_can_replace_existing_labels(store):
    kept = store.add(answer("1", "cat", guess="dog"))
    assert store.import_records(iter([answer("1", "dog", "eve"), answer("2", "cow")]), replace=True) == (1, 1, 0)
    found = store.find("1")
    assert found == replace(kept, label="dog", person="eve", changed_at=found.changed_at)
    assert found.changed_at is not None
    assert store.import_records([], replace=True) == (0, 0, 0)


def test_importing_is_all_or_nothing(store):
    for wrong in (answer("3", ""), answer("1", "dog"), replace(answer("3"), drawn="guessed")):
        with pytest.raises(InvalidRequestError):
            store.import_records([answer("1"), answer("2"), wrong])
    assert (store.records(), store.classes()) == ([], [])


@pytest.mark.parametrize("text", MALICIOUS, ids=range(len(MALICIOUS)))
def test_malicious_texts_are_stored_unchanged(store, text):
    store.add(answer(text, text, text[:40], guess=text))
    store.skip(text, text[:40])
    store.add_class("other")
    total, (entry,) = store.history(label=text, person=text[:40])
    assert (total, entry) == (1, store.find(text))
    assert (entry.key, entry.label, entry.guess) == (text, text, text)
    assert store.change(text, "other", text[:40]).label == "other"
    store.unskip(text, text[:40])
    store.delete(text)
    store.remove_class(text)
    assert (store.classes(), store.records(), store.skips()) == (["other"], [], [])


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=50), st.text(max_size=50), st.text(max_size=50))
def test_any_text_is_stored_or_rejected(tmp_path, key, label, person):
    with Store(tmp_path / "labels.db", "pets") as store:
        try:
            kept = store.add(answer(key, label, person))
        except InvalidRequestError:
            assert store.classes() == []
        else:
            assert store.records() == [kept]
            assert (kept.key, kept.label, kept.person) == (key, label.strip(), person.strip())
            store.delete(key)
            store.remove_class(label)
        assert store.records() == []


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"label": " "}, "A label must have 1 to 100 characters, got 0"),
        ({"label": "x" * 101}, "got 101"),
        ({"label": "two\nlines"}, "must not contain control characters, got 'two\\\\nlines'"),
        ({"label": "\ud800"}, "must not contain control characters"),
        ({"label": 7}, "must be text, got 7"),
        ({"person": "x" * 41}, "A person's name must have 1 to 40 characters, got 41"),
        ({"person": "bell\a!"}, "must not contain control characters"),
        ({"key": ""}, "must have 1 to 2000 bytes, got 0"),
        ({"key": "🦆" * 501}, "got 2004"),
        ({"key": "a\0b"}, "text that can be encoded as UTF-8"),
        ({"key": "caf\udce9.png"}, "text that can be encoded as UTF-8"),
        ({"key": 7}, "text that can be encoded as UTF-8, got 7"),
        ({"drawn": "guessed"}, "one of first, chosen, random, wanted, imported, got 'guessed'"),
        ({"seconds": -1.0}, "seconds must be at least 0"),
        ({"seconds": float("nan")}, "seconds must be a finite number"),
        ({"margin": float("inf")}, "margin must be a finite number"),
        ({"guess": ""}, "1 to 100"),
        ({"digest": ""}, "A digest must have"),
        ({"labelled_at": datetime(2026, 1, 1)}, "labelled_at must have a time zone"),  # noqa: DTZ001
    ],
)
def test_invalid_records_are_rejected(store, wrong, complaint):
    with pytest.raises(InvalidRequestError, match=complaint) as caught:
        store.add(replace(answer(), **wrong))
    assert isinstance(caught.value, HingeError)
    assert isinstance(caught.value, ValueError)
    assert store.records() == []
    assert store.classes() == []


@pytest.mark.parametrize("bad", ["\ud800", "x\0"])
def test_all_methods_reject_invalid_texts(store, bad):
    for attempt in (
        lambda: store.find(bad),
        lambda: store.delete(bad),
        lambda: store.change(bad, "cat", "ann"),
        lambda: store.change("7", bad, "ann"),
        lambda: store.change("7", "cat", bad),
        lambda: store.add_class(bad),
        lambda: store.remove_class(bad),
        lambda: store.history(label=bad),
        lambda: store.history(person=bad),
        lambda: store.skip(bad, "ann"),
        lambda: store.unskip("7", bad),
    ):
        with pytest.raises(InvalidRequestError):
            attempt()
