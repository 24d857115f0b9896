"""The command `hinge label` in its own process, and clients that send requests as browsers do."""

from __future__ import annotations

import csv
import io
import os
import re
import signal
import subprocess
import sys
import time

import httpx
import numpy as np

import hinge
from hinge.web.pools import open_pool

UNAVAILABLE = 503  # the database does not respond


class Server:
    """The labelling page of the digits; killed at the end."""

    def __init__(self, folder, *options, data="digits"):
        self.folder, self.options, self.data, self.port = folder, options, data, 0
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        """Start the server, after a restart at the same port."""
        self.process = subprocess.Popen(
            command("--port", self.port, *self.options, data=self.data),
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = re.search(r"http://\S+", self.process.stdout.readline())[0]
        self.port = int(re.search(r":(\d+)/", self.url)[1])

    def kill(self):
        """Kill the server; return its standard error."""
        self.process.send_signal(signal.SIGKILL)
        return self.process.communicate()[1]


def command(*options, data="digits"):
    return [sys.executable, "-m", "hinge", "label", data, "--no-browser", *map(str, options)]


def environment():
    """Return the environment without PYTHONUNBUFFERED, which would hide missing flushes."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


class Person:
    """A person with a browser.

    Attributes
    ----------
    acknowledged : list
        Row and label of everything that the server acknowledged.
    unacknowledged : list
        Row and label of everything that was sent without a response.
    """

    def __init__(self, url, name):
        self.name = name
        self.acknowledged, self.unacknowledged, self.given = [], [], []
        headers = {"X-Hinge-Person": name, "Content-Type": "application/json"}
        self._client = httpx.Client(base_url=url, headers=headers, timeout=60)

    def close(self):
        self._client.close()

    def next(self, holding=None):
        """Return the row to look at."""
        return self._shown(self._client.post("/api/next", json={"holding": holding}))

    def answer(self, row, label):
        """Label a row; return the next one."""
        self.unacknowledged.append((row, label))
        response = self._client.post("/api/answer", json={"row": row, "label": label, "seconds": 0.5})
        if response.status_code == UNAVAILABLE:  # the label may be saved or not
            raise httpx.ReadError(response.text)
        if response.status_code == 200:
            assert response.json()["saved"] == row
            self.acknowledged.append(self.unacknowledged[-1])
        self.unacknowledged.pop()
        return self._shown(response)

    def _shown(self, response):
        if response.status_code == UNAVAILABLE:
            raise httpx.ReadError(response.text)
        body = response.json()
        assert response.status_code in (200, 409), body
        example = body.get("next", body)["example"]
        if example is None:
            return None
        self.given.append(example["row"])
        return example["row"]


def exported(server):
    """Return the labels on the server by row."""
    lines = list(csv.DictReader(io.StringIO(_export(server, "labels.csv").text)))
    labels = {int(line["key"]): line["label"] for line in lines}
    assert len(labels) == len(lines)
    return labels


def _export(server, name):
    """Return a file from the server; ask again while its database is unavailable or its model is still learning."""
    for _ in range(20):
        response = httpx.get(f"{server.url}api/export/{name}", timeout=60)
        if response.status_code == 200 or not (
            response.status_code == UNAVAILABLE or "still learning" in response.text
        ):
            break
        time.sleep(1)
    assert response.status_code == 200, response.text
    return response


def is_model_of(server, labels, path):
    """Return whether the model of the server is the one trained on the labels."""
    path.write_bytes(_export(server, "model.hinge").content)
    model, X = hinge.load(path), open_pool("digits").X
    rows = sorted(labels)
    fresh = hinge.IncrementalSVC(**model.get_params()).fit(X[rows], [labels[row] for row in rows])
    np.testing.assert_allclose(model.decision_function(X), fresh.decision_function(X), atol=1e-6)
    return model.classes_.tolist() == fresh.classes_.tolist()
