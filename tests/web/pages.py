"""The application without a network, and somebody who talks to it."""

from __future__ import annotations

import asyncio
import json

import httpx
import numpy as np

import hinge
from hinge import DataError, IncrementalSVC
from hinge.web._app import application
from hinge.web._session import Session
from hinge.web._settings import SessionSettings
from hinge.web._store import Store

from .common import NAMES, Blobs

HOME = "http://localhost:8517"
TOKEN = "kept between friends é"  # noqa: S105
ANN = {"X-Hinge-Person": "ann"}
PROTECTION = {
    "content-security-policy": "default-src 'self'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


class Pictures(Blobs):
    """The same clouds, with a picture of each point."""

    kind = "image"

    def view(self, row):
        return {"kind": "image", "width": 8, "height": 8}

    def image(self, row):
        if row == 1:
            raise DataError("The file is no longer there; put it back.")
        return b"\x89PNG picture" if row else b"\xff\xd8 photo"


class Client:
    """Talks to an application without a network; keeps cookies as a browser does."""

    def __init__(self, app):
        self._runner = asyncio.Runner()
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url=HOME, headers=ANN)
        self.headers = self._client.headers

    def request(self, method, path, **more):
        return self._runner.run(self._client.request(method, path, **more))

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, **more):
        return self.request("POST", path, **more)

    def close(self):
        self._runner.run(self._client.aclose())
        self._runner.close()


class Page:
    """A session with the application before it."""

    def __init__(self, folder, pool, token=None):
        self.pool = pool
        self.store = Store(folder / "labels.sqlite", "test")
        self.session = Session(pool, self.store, SessionSettings(seed=0), NAMES)
        self.app = application(self.session, token)
        self.client = Client(self.app)

    def close(self):
        self.client.close()
        self.session.close()
        self.store.close()

    def ask(self, path, content, method="POST", **headers):
        headers = {"content-type": "application/json", **headers}
        data = None if content is None else json.dumps(content)
        return self.client.request(method, f"/api/{path}", content=data, headers=headers)

    def label(self, n):
        """Give n right labels; return the rows, and the turn after them."""
        turn, rows = self.ask("next", {}).json(), []
        for _ in range(n):
            rows.append(turn["example"]["row"])
            turn = self.ask("answer", {"row": rows[-1], "label": self.pool.truth[rows[-1]], "seconds": 1.5}).json()
        return rows, turn

    def bring(self, text, **headers):
        headers = {"content-type": "text/csv", **headers}
        return self.client.post("/api/import", content=text, headers=headers)

    def state(self):
        """Return everything that is kept."""
        return self.store.answers(), self.store.classes(), self.store.skips(), dict(self.session.book.answers)

    def model_is_that_of_the_labels(self):
        """Tell whether the model that can be downloaded is the one that the labels make."""
        path = self.store._place.path.with_name("model.hinge")
        path.write_bytes(self.client.get("/api/export/model.hinge").content)
        model = hinge.load(path)
        rows = sorted(self.session.book.answers)
        labels = [self.session.book.answers[row].label for row in rows]
        fresh = IncrementalSVC(**model.get_params()).fit(self.pool.X[rows], labels)
        same = np.allclose(
            model.decision_function(self.pool.X), fresh.decision_function(self.pool.X), rtol=0, atol=1e-7
        )
        return same and model.classes_.tolist() == sorted(set(labels))


def is_refused(response, *statuses):
    """Tell whether a request was refused with one sentence."""
    body = response.json()
    sentence = body["error"]
    assert body.keys() <= {"error", "turn"}
    assert response.status_code in (statuses or range(400, 500)), response.text
    assert isinstance(sentence, str)
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence
    assert 5 < len(sentence) < 1000
    assert all(response.headers[name].startswith(value) for name, value in PROTECTION.items())
    return True
