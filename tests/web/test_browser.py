"""The page in a real browser: labels by keyboard, corrections, reloads, a killed server."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import hinge
from hinge.web.pools import open_pool

from .serving import Server

pytestmark = pytest.mark.slow
pytest.importorskip("fastapi", reason="the extra hinge-svm[label] is not installed")


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path)
    yield server
    server.kill()


@pytest.fixture(scope="module")
def truth():
    return dict(open_pool("digits", known="label").known)


@pytest.fixture
def page(browser, server):
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(server.url)
    page.wait_for_selector("#example[data-row]")
    yield page
    context.close()
    unexpected = [each for each in errors if "ERR_CONNECTION" not in each and "Failed to load" not in each]
    assert not unexpected


def shown(page):
    return int(page.get_attribute("#example", "data-row"))


def press(page, key):
    """Press a key, and wait until another example is shown."""
    row = shown(page)
    page.keyboard.press(key)
    page.wait_for_function("row => document.querySelector('#example').dataset.row !== row", arg=str(row))
    return row


def label(page, truth, n):
    given = {}
    for _ in range(n):
        row = shown(page)
        given[press(page, truth[row])] = truth[row]
    return given


def saved(page, server):
    """Return the labels as the server exports them."""
    with page.expect_download() as download:
        page.evaluate("document.querySelector('a[href$=\"labels.csv\"]').click()")
    with Path(download.value.path()).open(encoding="utf-8-sig", newline="") as file:
        return {int(line["key"]): line["label"] for line in csv.DictReader(file)}


def model(page, folder):
    with page.expect_download() as download:
        page.evaluate("document.querySelector('a[href$=\"model.hinge\"]').click()")
    download.value.save_as(folder / "model.hinge")
    return hinge.load(folder / "model.hinge")


def test_a_session(page, server, truth, tmp_path):
    given = label(page, truth, 100)
    assert page.inner_text("#labelled") == "100"
    given |= correct(page, list(given)[10:13])
    for row in delete(page, list(given)[20:22]):
        del given[row]
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+n")
    page.fill("#class-name", "no digit")
    page.keyboard.press("Enter")
    page.wait_for_selector("#classes button[data-label='no digit']")
    row = shown(page)
    page.click("#classes button[data-label='no digit']")
    page.wait_for_function("row => document.querySelector('#example').dataset.row !== row", arg=str(row))
    given[row] = "no digit"
    assert saved(page, server) == given

    row = shown(page)
    page.reload()
    page.wait_for_selector("#example[data-row]")
    assert shown(page) == row

    server.kill()
    page.keyboard.press(truth[row])
    page.wait_for_selector("#banner:not([hidden])")
    assert shown(page) == row  # not saved, and not reported as saved
    server.start()
    page.wait_for_function(
        "row => document.querySelector('#example').dataset.row !== row", arg=str(row), timeout=60_000
    )
    given[row] = truth[row]
    assert saved(page, server) == given
    assert_model_of(given, model(page, tmp_path))


def correct(page, rows):
    """Change labels in the history; return the new ones."""
    open_history(page)
    given = {}
    for row in rows:
        entry = find(page, row)
        old = entry.locator("select.correct").input_value()
        given[row] = str((int(old) + 1) % 10)
        with page.expect_response(lambda answer: answer.request.method == "PUT") as answer:
            entry.locator("select.correct").select_option(given[row])
        assert answer.value.ok
    page.keyboard.press("Escape")
    return given


def delete(page, rows):
    open_history(page)
    for row in rows:
        entry = find(page, row)
        with page.expect_response(lambda answer: answer.request.method == "DELETE") as answer:
            entry.locator("button.delete").click()
        assert answer.value.ok
    return rows


def open_history(page):
    with page.expect_response(lambda answer: "/api/history" in answer.url):
        page.keyboard.press("Alt+h")
    page.wait_for_timeout(200)


def find(page, row):
    """Return the entry of a row in the history, from any of its pages."""
    page.wait_for_selector("#history-list [data-row]")
    for _ in range(5):
        entry = page.locator(f"#history-list [data-row='{row}']")
        if entry.count():
            return entry
        first = page.get_attribute("#history-list [data-row]", "data-row")
        page.click("#older" if page.is_enabled("#older") else "#newer")
        page.wait_for_function(
            "first => document.querySelector('#history-list [data-row]').dataset.row !== first", arg=first
        )
    raise AssertionError(f"row {row} is not in the history")


def assert_model_of(labels, found):
    pool = open_pool("digits")
    rows = sorted(labels)
    inner = found.model if hasattr(found, "model") else found
    plain = hinge.IncrementalSVC(C=inner.C, gamma=inner.gamma, kernel=inner.kernel)
    plain.fit(pool.X[rows], [labels[row] for row in rows])
    assert sorted(inner.classes_) == sorted(set(labels.values()))
    np.testing.assert_allclose(inner.decision_function(pool.X), plain.decision_function(pool.X), atol=1e-6)


def test_undo_and_skip(page, server, truth):
    given = label(page, truth, 5)
    skipped = press(page, "Alt+s")
    undone = press(page, "Backspace")
    assert shown(page) == skipped
    assert undone != skipped
    page.keyboard.press("Alt+u")
    page.wait_for_function("() => document.querySelector('#labelled').textContent === '4'")
    last = list(given)[-1]
    page.wait_for_function("row => document.querySelector('#example').dataset.row === row", arg=str(last))
    assert saved(page, server) == dict(list(given.items())[:-1])


def test_a_phone(browser, server, truth):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(server.url)
    page.wait_for_selector("#example[data-row]")
    for _ in range(3):
        row = shown(page)
        page.tap(f"#classes button[data-label='{truth[row]}']")
        page.wait_for_function("row => document.querySelector('#example').dataset.row !== row", arg=str(row))
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    buttons = page.locator("#classes button")
    boxes = [buttons.nth(place).bounding_box() for place in range(buttons.count())]
    assert min(box["height"] for box in boxes) >= 44  # large enough for a thumb
    assert max(box["y"] + box["height"] for box in boxes) <= 844
    context.close()


def test_two_people_see_different_examples(browser, server):
    pages = []
    for name in ("ann", "bob"):
        page = browser.new_context().new_page()
        page.add_init_script(f"localStorage.setItem('hinge-person', '{name}')")
        page.goto(server.url)
        page.wait_for_selector("#example[data-row]")
        page.fill("#person", name)
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)
        pages.append(page)
    assert shown(pages[0]) != shown(pages[1])
    for page in pages:
        page.context.close()


def test_letters_belong_to_the_classes(browser, tmp_path):
    (tmp_path / "mail.txt").write_text("\n".join(f"message number {n} of many, " + "word " * 900 for n in range(30)))
    with Server(tmp_path, "--classes", "spam,ham,unsure,no", data="mail.txt") as server:
        page = browser.new_page()
        page.goto(server.url)
        page.wait_for_selector("#example[data-row]")
        for key, name in (("s", "spam"), ("h", "ham"), ("u", "unsure"), ("n", "no"), ("2", "ham")):
            press(page, key)
            assert page.inner_text("#saved").startswith("saved")
            open_history(page)
            assert page.locator("#history-list select.correct").first.input_value() == name
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog[open]", state="detached")
        row, scroll = shown(page), "document.querySelector('#example').scrollTop"
        page.keyboard.press("Space")
        page.wait_for_function(f"() => {scroll} > 50")
        assert shown(page) == row
        page.keyboard.press("?")
        page.uncheck("#character-keys")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
        page.keyboard.press("s")
        page.wait_for_timeout(300)
        assert shown(page) == row
        press(page, "Alt+s")
        page.context.close()


def test_reviewing_and_importing(page, server, truth, tmp_path):
    given = label(page, truth, 40)
    wrong = list(given)[5:35:5]
    labels = {row: str((int(truth[row]) + 1) % 10) for row in wrong}
    for row, other in labels.items():
        page.evaluate(
            "([row, label]) => fetch(`api/labels/${row}`, {method: 'PUT', body: JSON.stringify({label}),"
            "headers: {'Content-Type': 'application/json', 'X-Hinge-Person': 'ann'}})",
            [row, other],
        )
    page.keyboard.press("Alt+r")
    page.wait_for_selector("#review-actions:not([hidden])", timeout=60_000)
    while row := page.get_attribute("#review-item", "data-row"):  # one key: confirms or corrects
        labels.pop(int(row), None)
        page.keyboard.press(truth[int(row)])
        page.wait_for_function("row => document.querySelector('#review-item').dataset.row !== row", arg=row)
    page.keyboard.press("Escape")
    assert len(labels) < len(wrong)
    given |= labels
    assert saved(page, server) == given

    rows = list(given)[:3]
    (tmp_path / "new.csv").write_text("row,label\n" + "".join(f"{row},{(int(given[row]) + 1) % 10}\n" for row in rows))
    page.click("#data")
    page.set_input_files("#import", tmp_path / "new.csv")
    page.wait_for_selector("#import-preview:not([hidden])")
    assert "3 changed labels" in page.inner_text("#import-preview")
    assert saved(page, server) == given
    page.click("#import-start")
    page.wait_for_selector("#import-note button")
    assert saved(page, server) == {**given, **{row: str((int(given[row]) + 1) % 10) for row in rows}}
    page.click("#import-note button")
    page.wait_for_function("() => document.querySelector('#import-note').textContent.startsWith('Undone')")
    assert saved(page, server) == given
