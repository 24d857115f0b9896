"""The time from a key press to the next example on the screen, in a real browser."""

import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.micro import Section
from benchmarks.micro.people import served, write_digits

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
COLUMNS = ("", "labels", "median, ms", "95 %, ms", "max, ms")
ROW = "document.querySelector('#example').dataset.row"
PAUSE_MS = 50  # between two labels
NAMES = [f"class {number:03} of the catalogue" for number in range(400)]
TYPING_MS = 60  # from one letter of a name to the next


def measure(quick: bool) -> Section:
    """Label by keyboard; the page measures the time from the key to the second frame after the change."""
    n_labels = 30 if quick else 200
    path = os.environ.get("HINGE_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        digits, table = Path(folder) / "digits.npz", Path(folder) / "table.csv"
        truth = write_digits(digits)
        _write_table(table)
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        with served(digits, "keys") as port:
            page = _open(browser, port)
            waits = {"digits, by key": [_press(page, truth) for _ in range(n_labels)]}
        with served(table, "names", ",".join(NAMES)) as port:
            page = _open(browser, port)
            waits["400 classes, by name"] = [_find(page, number) for number in range(n_labels)]
        browser.close()
    rows = [
        (name, f"{n_labels}", *(f"{each:.1f}" for each in (*np.percentile(times, [50, 95]).tolist(), max(times))))
        for name, times in waits.items()
    ]
    return Section("From a key press to the next example on the screen (aim: 100 ms)", COLUMNS, rows)


def _write_table(path: Path) -> None:
    """Write 1000 rows of 33 columns."""
    rows = np.random.default_rng(0).normal(size=(1000, 33)).round(4).tolist()
    lines = [[f"measurement {column}" for column in range(33)], *rows]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n")


def _open(browser: Browser, port: int) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"http://localhost:{port}/")
    page.wait_for_selector("#example[data-row]")
    return page


def _press(page: Page, truth: list[str]) -> float:
    """Press the key of the correct label; return the milliseconds until the page showed the next example."""
    row = str(page.evaluate(ROW))
    page.keyboard.press(truth[int(row)])
    return _latency(page, row)


def _find(page: Page, number: int) -> float:
    """Find a class by its name and press Enter; return the milliseconds from then until the next example."""
    row = str(page.evaluate(ROW))
    page.keyboard.press("/")
    page.keyboard.type(f"{(137 * number) % len(NAMES):03}", delay=TYPING_MS)
    page.keyboard.press("Enter")
    return _latency(page, row)


def _latency(page: Page, row: str) -> float:
    """Wait until the page shows another example; return the milliseconds that it took, as the page measured them."""
    page.wait_for_function(f"row => {ROW} !== row", arg=row)
    page.wait_for_timeout(PAUSE_MS)
    return float(page.evaluate("document.documentElement.dataset.lastLatency"))
