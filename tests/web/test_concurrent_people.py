"""Ten people who label at the same time."""

from __future__ import annotations

import threading
import time

import pytest

from hinge.web.pools import open_pool

from .serving import Person, Server, exported, is_model_of

pytestmark = pytest.mark.slow
pytest.importorskip("fastapi", reason="the extra hinge-svm[label] is not installed")

SECONDS, THINKING_S = 10.0, 0.05


def label_for_a_while(person, truth, end):
    row = person.next()
    while time.monotonic() < end and row is not None:
        time.sleep(THINKING_S)
        row = person.answer(row, truth[row])


def test_ten_people_at_once(tmp_path):
    truth = open_pool("digits", known="label").known
    with Server(tmp_path) as server:
        people = [Person(server.url, f"person {number}") for number in range(10)]
        end = time.monotonic() + SECONDS
        threads = [threading.Thread(target=label_for_a_while, args=(person, truth, end)) for person in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        kept = exported(server)
        given = [row for person in people for row in person.given]
        assert len(given) == len(set(given))  # no example was assigned twice
        acknowledged = {row: label for person in people for row, label in person.acknowledged}
        assert len(acknowledged) == sum(len(person.acknowledged) for person in people) > 100
        assert kept == acknowledged == {row: truth[row] for row in acknowledged}
        assert not any(person.unacknowledged for person in people)
        assert is_model_of(server, kept, tmp_path / "model.hinge")
        for person in people:
            person.close()
