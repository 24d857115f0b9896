"""The time from a key press to the next example on the screen, in a real browser."""

import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from benchmarks.micro import Section
from benchmarks.micro.people import served, write_digits

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
COLUMNS = ("", "labels", "median, ms", "95 %, ms", "max, ms")
ROW = "document.querySelector('#example').dataset.row"
PAUSE_MS = 50  # between two labels


def measure(quick: bool) -> Section:
    """Label digits by keyboard; the page measures the time from the key to the second frame after the change."""
    n_labels = 30 if quick else 200
    path = os.environ.get("HINGE_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        data = Path(folder) / "digits.npz"
        truth = write_digits(data)
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        with served(data, "keys") as port:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(f"http://localhost:{port}/")
            page.wait_for_selector("#example[data-row]")
            waits = [_press(page, truth) for _ in range(n_labels)]
        browser.close()
    figures = [*np.percentile(waits, [50, 95]).tolist(), max(waits)]
    row = ("one person in Chromium", f"{n_labels}", *(f"{figure:.1f}" for figure in figures))
    return Section("From a key press to the next example on the screen (aim: 100 ms)", COLUMNS, [row])


def _press(page: Page, truth: list[str]) -> float:
    """Press the key of the correct label; return the milliseconds until the page showed the next example."""
    row = str(page.evaluate(ROW))
    page.keyboard.press(truth[int(row)])
    page.wait_for_function(f"row => {ROW} !== row", arg=row)
    page.wait_for_timeout(PAUSE_MS)
    return float(page.evaluate("document.documentElement.dataset.lastLatency"))
