"""`import hinge` is quick; everything it promises is imported when it is first used."""

import re
import subprocess
import sys
import tomllib
import types
from pathlib import Path

import pytest

import hinge

ROOT = Path(__file__).parents[1]


def test_every_name_is_there():
    for name in hinge.__all__:
        assert getattr(hinge, name) is not None
        assert name in dir(hinge)
    assert isinstance(hinge.streaming, types.ModuleType)
    assert hinge.load.__module__.startswith("hinge.persistence")


def test_a_star_import_brings_every_name():
    names = {}
    exec("from hinge import *", names)  # noqa: S102
    assert set(hinge.__all__) <= set(names)


def test_other_names_are_errors():
    with pytest.raises(AttributeError, match="module 'hinge' has no attribute 'OnlineSVD'"):
        hinge.OnlineSVD  # noqa: B018
    assert not hasattr(hinge, "web_")


def test_submodules_need_no_import_of_their_own():
    code = "import hinge; print(*(m.__name__ for m in (hinge.approximate, hinge.io, hinge.tables, hinge.tracking)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "hinge.approximate hinge.io hinge.tables hinge.tracking\n"


def test_the_import_loads_nothing_else():
    code = "import hinge, sys; sys.exit(any(name in sys.modules for name in ('numpy', 'scipy', 'sklearn', 'rich')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_description_of_the_package_agrees():
    yaml = pytest.importorskip("yaml")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text())
    needed = {
        f"python {project['requires-python']}",
        *(re.sub("(?=>=)", " ", each) for each in project["dependencies"]),
    }
    assert set(recipe["requirements"]["run"]) == needed
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert recipe["context"]["version"] == citation["version"] == project["version"]
    assert recipe["package"]["name"] == project["name"]
    assert recipe["about"]["license"] == citation["license"] == project["license"]
