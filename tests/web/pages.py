"""The application without a network, and a client that sends it requests."""

from __future__ import annotations

import asyncio
import json

import httpx
import numpy as np

import hinge
from hinge import DataError, IncrementalSVC
from hinge.web._app import create_app
from hinge.web._features import feature_sets
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
    """The same clusters, with an image of each point."""

    kind = "image"

    def view(self, row):
        return {"kind": "image", "width": 8, "height": 8}

    def image(self, row):
        if row == 1:
            raise DataError("The file is missing; put it back.")
        return b"\x89PNG picture" if row else b"\xff\xd8 photo"


class Client:
    """Sends requests to an application without a network; keeps cookies as a browser does."""

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

    def forget_cookies(self):
        self._client.cookies.clear()

    def take_cookies(self, other):
        self._client.cookies.update(other._client.cookies)

    def close(self):
        self._runner.run(self._client.aclose())
        self._runner.close()


class Page:
    """A session and its application."""

    def __init__(self, folder, pool, token=None):
        self.pool = pool
        self.store = Store(folder / "labels.sqlite", "test")
        self.session = Session(pool, self.store, SessionSettings(seed=0), NAMES)
        self.app = create_app(self.session, token)
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
        """Give n correct labels; return the rows, and the response to the last."""
        response, rows = self.ask("next", {}).json(), []
        for _ in range(n):
            rows.append(response["example"]["row"])
            response = self.ask("answer", {"row": rows[-1], "label": self.pool.truth[rows[-1]], "seconds": 1.5}).json()
        return rows, response

    def import_csv(self, text, **headers):
        headers = {"content-type": "text/csv", **headers}
        return self.client.post("/api/import", content=text, headers=headers)

    def state(self):
        """Return everything that is stored."""
        return self.store.records(), self.store.classes(), self.store.skips(), dict(self.session.cache.records)

    def model_matches_the_labels(self):
        """Return whether the exported model is the one trained on the labels."""
        path = self.store.connections.location.path.with_name("model.hinge")
        path.write_bytes(self.client.get("/api/export/model.hinge").content)
        model = hinge.load(path)
        rows = sorted(self.session.cache.records)
        labels = [self.session.cache.records[row].label for row in rows]
        X = feature_sets(self.pool)[self.session.learning.features.name].X
        fresh = IncrementalSVC(**model.get_params()).fit(X[rows], labels)
        same = np.allclose(model.decision_function(X), fresh.decision_function(X), rtol=0, atol=1e-7)
        return same and model.classes_.tolist() == sorted(set(labels))


def is_refused(response, *statuses):
    """Return whether a request was rejected with one sentence."""
    body = response.json()
    sentence = body["error"]
    assert body.keys() <= {"error", "next"}
    assert response.status_code in (statuses or range(400, 500)), response.text
    assert isinstance(sentence, str)
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence
    assert 5 < len(sentence) < 1000
    assert all(response.headers[name].startswith(value) for name, value in PROTECTION.items())
    return True
