"""Several servers that label one project in PostgreSQL: nobody labels an example in vain."""

from __future__ import annotations

import threading

import pytest

pytest.importorskip("fastapi", reason="the extra hinge-svm[label] is not installed")

from hinge.web._claims import Claims
from hinge.web._labels import AlreadyLabelledError, LabelRecord
from hinge.web._session import Session
from hinge.web._settings import SessionSettings
from hinge.web._store import Store

from .common import NAMES, Blobs

pytestmark = pytest.mark.slow


@pytest.fixture
def stores(schema):
    with Store(schema, "blobs") as one, Store(schema, "blobs") as other:
        yield one, other


def test_a_claim_excludes_others_until_the_next_one(stores, monkeypatch):
    one, other = (Claims(each.connections) for each in stores)
    assert one.take("blob 1", "ann")
    assert one.take("blob 1", "ann")
    assert not other.take("blob 1", "bob")
    assert other.take("blob 2", "bob")
    assert one.take("blob 3", "ann")  # ends the claim of blob 1
    assert other.take("blob 1", "bob")
    stores[0].add(LabelRecord("blob 1", "ape", "bob", "chosen", "0f"))
    assert not one.take("blob 1", "ann")
    assert one.take("blob 1", "ann", labelled=True) is False  # bob still looks at it
    assert other.take("blob 4", "bob")
    assert one.take("blob 1", "ann", labelled=True)
    monkeypatch.setattr("hinge.web._claims.HOLD_S", -1.0)
    assert other.take("blob 5", "bob")
    assert one.take("blob 5", "ann")  # bob's claim has expired


def test_two_servers_waste_no_answers(stores):
    pool = Blobs(160, std=5.0)
    sessions = [Session(pool, store, SessionSettings(seed=0), NAMES) for store in stores]
    refused, given = [], []

    def work(person, session):
        row = session.next_example(person)["example"]["row"]
        for _ in range(30):
            try:
                response = session.add_label(person, row, pool.truth[row], 1.0)
                given.append(row)
            except AlreadyLabelledError:
                refused.append(row)
                response = session.next_example(person)
            row = response["example"]["row"]

    people = [threading.Thread(target=work, args=(f"person {n}", sessions[n % 2])) for n in range(4)]
    for each in people:
        each.start()
    for each in people:
        each.join()
    for session in sessions:
        session.close()
    assert refused == []
    assert len(given) == len(set(given)) == 120
    assert len(stores[0].records()) == 120
