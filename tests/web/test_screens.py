"""Every screen of the page in a real browser: accessible, and harmless whatever the texts are."""

from __future__ import annotations

import csv
import os
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from .serving import Server

pytestmark = pytest.mark.slow
pytest.importorskip("fastapi", reason="the extra hinge-svm[label] is not installed")

HOSTILE = "<img src=x onerror=window.hacked=1><script>window.hacked=2</script>\"'><svg onload=window.hacked=3>"
MARKDOWN = f"""# {HOSTILE}
[a link](javascript:window.hacked=4) ![a picture](x" onerror="window.hacked=5)
- **{HOSTILE}**
- `{HOSTILE}`
<a href="javascript:window.hacked=6" onclick="window.hacked=7">click</a>
"""
INJECTED = """() => [
  window.hacked,
  document.querySelectorAll("img[src='x'], svg[onload], script:not([src]), [onerror], [onclick]").length,
  document.querySelectorAll("a[href^='javascript' i]").length,
]"""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE = """async (tags) => (await axe.run(document, {runOnly: {type: "tag", values: tags}})).violations
  .map(each => `${each.id}: ${each.nodes.map(node => node.html).join(" ")}`)"""


@pytest.fixture(scope="module")
def axe():
    """The source of axe-core: the file HINGE_AXE, or that of the package axe_selenium_python."""
    path = os.environ.get("HINGE_AXE")
    if path is None and (found := find_spec("axe_selenium_python")) is not None:
        path = Path(found.origin).parent / "node_modules/axe-core/axe.min.js"
    if path is None or not Path(path).exists():
        pytest.skip("set HINGE_AXE to the path of axe.min.js (of the npm package axe-core) to run this test")
    source = Path(path).read_text(encoding="utf-8")
    version = re.search(r"axe v(\d+)", source)
    if version is None or int(version[1]) < 4:  # older rules know neither switches nor WCAG 2.2
        pytest.skip(f"set HINGE_AXE to the path of axe.min.js of axe-core 4; {path} is older")
    return source


@pytest.fixture
def hostile(tmp_path):
    """A page on which the texts, columns, classes, people and instructions are attacks."""
    with (tmp_path / "hostile.csv").open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["text", f"column {HOSTILE}", "key"])
        lines.writerows([f"text {number} {HOSTILE} of many words", f"cell {HOSTILE}", number] for number in range(40))
    (tmp_path / "guide.md").write_text(MARKDOWN, encoding="utf-8")
    options = ("--text", "text", "--instructions", "guide.md", "--overlap", "100", "--classes", "spam,ham")
    with Server(tmp_path, *options, data="hostile.csv") as server:
        yield server


def screens(page):
    """Open one screen after the other; yield their names."""
    yield "labelling"
    for name, open_it, sign in (
        ("instructions", "Alt+i", "#instructions-text *"),
        ("history", "Alt+h", "#history-list li"),
        ("review", "Alt+r", "#review-item *"),
        ("help", "?", "#help-sheet dl"),
        ("class", "Alt+n", "#class-name"),
        ("data", "#data", "#class-list li"),
        ("team", "#team-open", "#team-people table"),
    ):
        if open_it == "#team-open" and not page.is_visible(open_it):  # on a phone the progress is a screen, too
            page.keyboard.press("Alt+p")
            page.wait_for_selector("#progress-sheet[open]")
            page.wait_for_timeout(300)
            yield "progress"
        page.click(open_it) if open_it.startswith("#") else page.keyboard.press(open_it)
        page.wait_for_selector(f"{sign} >> visible=true")
        page.wait_for_timeout(300)
        yield name
        while page.locator("dialog[open]").count():
            page.keyboard.press("Escape")
            page.wait_for_timeout(100)


def send(page, path, body, person="ann"):
    """Send a request as the page does; return the status and the response."""
    return page.evaluate(
        "([path, body, person]) => fetch(path, {method: 'POST', body: JSON.stringify(body), headers: {"
        "'Content-Type': 'application/json', 'X-Hinge-Person': encodeURIComponent(person)}})"
        ".then(async answer => [answer.status, await answer.json()])",
        [path, body, person],
    )


def prepare(page):
    """Label in a class whose name is an attack, under two names, with disagreements."""
    name = HOSTILE[:98]
    assert send(page, "api/classes", {"name": name})[0] == 200
    people = (HOSTILE[:38], "ann")
    for turn, person in enumerate(people):
        row = send(page, "api/next", {}, person)[1]["example"]["row"]
        for number in range(12):
            label = name if (number + turn) % 3 == 0 else ("spam", "ham")[number % 2]
            status, body = send(page, "api/answer", {"row": row, "label": label, "seconds": 1}, person)
            assert status == 200, body
            row = body["example"]["row"]
    for _ in range(100):  # the labels are arbitrary, so the model doubts some of them
        found = page.evaluate("fetch('api/doubts').then(answer => answer.json())")
        if found["ready"]:
            break
        page.wait_for_timeout(200)
    assert found["doubts"]


def opened(browser, server, **options):
    page = browser.new_page(**options)
    page.on("dialog", lambda dialog: page.evaluate("window.hacked = 'dialog'") or dialog.dismiss())
    page.goto(server.url)
    page.wait_for_selector("#example[data-row]")
    return page


def test_no_script_in_any_text_is_executed(browser, hostile):
    page = opened(browser, hostile)
    prepare(page)
    page.reload()
    page.wait_for_selector("#example[data-row]")
    page.fill("#person", HOSTILE[:38])
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    page.evaluate("document.activeElement.blur()")
    assert "<img" in page.inner_text("#example")  # the text is shown as it is
    for name in screens(page):
        assert page.evaluate(INJECTED) == [None, 0, 0], name
    page.click("#data")
    page.set_input_files(
        "#import", {"name": f"{HOSTILE[:20]}.csv", "mimeType": "text/csv", "buffer": import_file().encode()}
    )
    page.wait_for_selector("#import-preview:not([hidden])")
    assert page.evaluate(INJECTED) == [None, 0, 0]
    page.close()


def import_file():
    quoted = HOSTILE.replace('"', '""')[:90]
    return f'row,label\n0,"{quoted}"\n1,spam\n'


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_on_any_screen(browser, hostile, axe, scheme, width):
    page = opened(browser, hostile, viewport={"width": width, "height": 844}, color_scheme=scheme)
    prepare(page)
    page.reload()
    page.wait_for_selector("#example[data-row]")
    page.evaluate(axe)
    found = {}
    for name in screens(page):
        if violations := page.evaluate(AXE, RULES):
            found[name] = violations
    assert found == {}
    page.close()


def test_axe_finds_nothing_without_the_token(browser, axe, tmp_path):
    with Server(tmp_path, "--token", "a secret of friends") as server:
        page = browser.new_page()
        page.goto(server.url.partition("?")[0])
        page.wait_for_selector("#token-dialog[open]")
        page.evaluate(axe)
        assert page.evaluate(AXE, RULES) == []
        page.close()
