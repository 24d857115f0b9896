"""Databases of earlier versions of the label tables are upgraded, and nothing in them is lost."""

from __future__ import annotations

import sqlite3

import pytest

from hinge.web._claims import Claims
from hinge.web._events import EventLog
from hinge.web._labels import LabelRecord
from hinge.web._opinions import Opinion, Opinions
from hinge.web._state import ProjectState
from hinge.web._store import Store

VERSION_1 = """
CREATE TABLE hinge_schema (version INTEGER NOT NULL PRIMARY KEY);
CREATE TABLE hinge_projects (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(100) NOT NULL UNIQUE);
CREATE TABLE hinge_classes (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, project_id BIGINT NOT NULL,
  name VARCHAR(100) NOT NULL, UNIQUE (project_id, name));
CREATE TABLE hinge_labels (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, project_id BIGINT NOT NULL, key TEXT NOT NULL,
  class_id BIGINT NOT NULL, person VARCHAR(40) NOT NULL, drawn VARCHAR(20) NOT NULL, digest VARCHAR(100) NOT NULL,
  seconds DOUBLE, guess VARCHAR(100), margin DOUBLE, labelled_at DATETIME NOT NULL, changed_at DATETIME,
  UNIQUE (project_id, key));
CREATE TABLE hinge_skips (id INTEGER NOT NULL PRIMARY KEY, project_id BIGINT NOT NULL, key TEXT NOT NULL,
  person VARCHAR(40) NOT NULL, UNIQUE (project_id, key, person));
INSERT INTO hinge_schema VALUES (1);
INSERT INTO hinge_projects VALUES (1, 'pets');
INSERT INTO hinge_classes VALUES (1, 1, 'cat' || char(8203));
INSERT INTO hinge_labels VALUES (1, 1, '7', 1, 'ann', 'random', '0f', 1.5, NULL, NULL, '2026-05-01 12:00:00', NULL);
INSERT INTO hinge_labels VALUES (2, 1, '8', 1, 'ann', 'chosen', '0f', 1.5, NULL, NULL, '2026-05-01 12:00:00', NULL);
"""


def test_a_database_of_version_1_is_upgraded(tmp_path):
    path = tmp_path / "labels.db"
    with sqlite3.connect(path) as old:
        old.executescript(VERSION_1)
    for _ in range(2):
        with Store(path, "pets") as store:
            # The random example influenced what was chosen, so it measures nothing.
            assert [(each.key, each.drawn) for each in store.records()] == [("7", "wanted"), ("8", "chosen")]
    with Store(path, "pets") as store:  # a name that would be refused today remains usable
        store.add(LabelRecord("9", "cat\u200b", "ann", "chosen", "0f", guess="cat\u200b"))
        assert store.change("7", "cat\u200b", "bob").label == "cat\u200b"


VERSION_2 = """
CREATE TABLE hinge_schema (version INTEGER NOT NULL PRIMARY KEY);
CREATE TABLE hinge_projects (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(100) NOT NULL UNIQUE);
CREATE TABLE hinge_classes (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES hinge_projects (id), name VARCHAR(100) NOT NULL, UNIQUE (project_id, name));
CREATE TABLE hinge_labels (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES hinge_projects (id), key TEXT NOT NULL,
  class_id INTEGER NOT NULL REFERENCES hinge_classes (id), person VARCHAR(40) NOT NULL, drawn VARCHAR(20) NOT NULL,
  digest VARCHAR(100) NOT NULL, seconds DOUBLE, guess VARCHAR(100), margin DOUBLE, labelled_at DATETIME NOT NULL,
  changed_at DATETIME, UNIQUE (project_id, key));
CREATE INDEX hinge_labels_order ON hinge_labels (project_id, id);
CREATE INDEX hinge_labels_class ON hinge_labels (project_id, class_id, id);
CREATE INDEX hinge_labels_person ON hinge_labels (project_id, person, id);
CREATE TABLE hinge_skips (id INTEGER NOT NULL PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES hinge_projects (id), key TEXT NOT NULL, person VARCHAR(40) NOT NULL,
  UNIQUE (project_id, key, person));
CREATE TABLE hinge_events (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES hinge_projects (id), at DATETIME NOT NULL, person VARCHAR(40) NOT NULL,
  action VARCHAR(20) NOT NULL, key TEXT, before VARCHAR(100), after VARCHAR(100), batch VARCHAR(32){previous});
CREATE INDEX hinge_events_key ON hinge_events (project_id, key, id);
CREATE INDEX hinge_events_order ON hinge_events (project_id, id);
CREATE TABLE hinge_second_labels (id INTEGER NOT NULL PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES hinge_projects (id), key TEXT NOT NULL,
  class_id INTEGER NOT NULL REFERENCES hinge_classes (id), person VARCHAR(40) NOT NULL, digest VARCHAR(100) NOT NULL,
  seconds DOUBLE, labelled_at DATETIME NOT NULL, UNIQUE (project_id, key, person));
CREATE TABLE hinge_invitations (id INTEGER NOT NULL PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES hinge_projects (id), person VARCHAR(40) NOT NULL, role VARCHAR(20) NOT NULL,
  digest VARCHAR(64) NOT NULL UNIQUE, created_at DATETIME NOT NULL, revoked_at DATETIME);
CREATE TABLE hinge_sessions (id INTEGER NOT NULL PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES hinge_projects (id), digest VARCHAR(64) NOT NULL UNIQUE,
  token_check VARCHAR(64), invitation_id INTEGER REFERENCES hinge_invitations (id), created_at DATETIME NOT NULL);
CREATE TABLE hinge_state (id INTEGER NOT NULL PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES hinge_projects (id), name VARCHAR(100) NOT NULL, value TEXT NOT NULL,
  UNIQUE (project_id, name));
INSERT INTO hinge_schema VALUES (2);
INSERT INTO hinge_projects VALUES (1, 'pets');
INSERT INTO hinge_classes VALUES (1, 1, 'cat'), (2, 1, 'dog');
INSERT INTO hinge_labels VALUES (1, 1, '7', 1, 'ann', 'random', '0f', 1.5, 'dog', 0.25, '2026-05-01 12:00:00', NULL);
INSERT INTO hinge_labels VALUES (2, 1, '8', 2, 'bob', 'chosen', '0f', NULL, NULL, NULL, '2026-05-01 12:01:00',
  '2026-05-01 12:02:00');
INSERT INTO hinge_skips VALUES (1, 1, '9', 'bob');
INSERT INTO hinge_events (id, project_id, at, person, action, key, before, after) VALUES
  (1, 1, '2026-05-01 12:00:00', 'ann', 'label', '7', NULL, 'cat'),
  (2, 1, '2026-05-01 12:01:00', 'bob', 'label', '8', NULL, 'cat'),
  (3, 1, '2026-05-01 12:02:00', 'bob', 'change', '8', 'cat', 'dog');
INSERT INTO hinge_second_labels VALUES (1, 1, '7', 2, 'bob', '0f', 2.5, '2026-05-01 12:03:00');
INSERT INTO hinge_state VALUES (1, 1, 'letters', '{{"cat": "c"}}');
"""


@pytest.mark.parametrize("previous", [", previous TEXT", ""])  # versions in development lacked the column
def test_a_database_of_version_2_is_upgraded(tmp_path, previous):
    path = tmp_path / "labels.db"
    with sqlite3.connect(path) as old:
        old.executescript(VERSION_2.format(previous=previous))
    for _ in range(2):
        with Store(path, "pets") as store:
            records = {each.key: each for each in store.records()}
            # The random example was kept out of choosing in version 2, so it still measures the accuracy.
            assert [(each.label, each.person, each.drawn) for each in records.values()] == [
                ("cat", "ann", "random"),
                ("dog", "bob", "chosen"),
            ]
            assert (records["7"].seconds, records["7"].guess, records["7"].margin) == (1.5, "dog", 0.25)
            assert records["8"].changed_at is not None
            assert store.classes() == ["cat", "dog"]
            assert Opinions(store.connections).all()[0].label == "dog"
            assert ProjectState(store.connections).get("letters") == {"cat": "c"}
            assert [each.action for each in EventLog(store.connections).all()] == ["label", "label", "change"]
    with Store(path, "pets") as store:  # and it can be used
        store.add(LabelRecord("9", "cat", "ann", "chosen", "0f"))
        Opinions(store.connections).add(Opinion("9", "dog", "bob", "0f"))
        assert store.delete("8", "bob").label == "dog"
        assert Claims(store.connections).take("10", "ann")
        assert len(EventLog(store.connections).all()) == 6
