"""What the README shows is what happens."""

import re
from pathlib import Path

import pytest

from hinge.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def test_python_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102
    accuracy = re.search(r"accuracy (0\.\d+)", capsys.readouterr().out)
    assert accuracy is not None
    assert float(accuracy[1]) > 0.9


def test_commands_are_the_checked_ones():
    first, second = blocks("console")[0].strip().splitlines()
    checks = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert first.endswith(".venv/bin/hinge train")
    assert second.removeprefix("$ ") in checks


@pytest.mark.slow
def test_first_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["train"])
    assert ended.value.code == 0
    assert "scikit-learn SVC" in capsys.readouterr().out


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target
