"""The audit of dependencies fails for a finding, and for nothing else."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "audit"
CLEAN = {"name": "numpy", "version": "2.0", "vulns": []}
FOUND = {"name": "numpy", "version": "1.0", "vulns": [{"id": "CVE-1", "fix_versions": ["2.0"]}]}
UNKNOWN = {"name": "scipy", "skip_reason": "not found"}
OURS = {"name": "hinge-svm", "version": "0.2.0", "vulns": FOUND["vulns"]}


@pytest.mark.parametrize(
    ("found", "status", "said"),
    [
        ([CLEAN, UNKNOWN], 0, "1 packages audited, 0 findings; 1 unknown: scipy"),
        ([CLEAN, FOUND], 1, "numpy 1.0: CVE-1, fixed in 2.0"),
        ([CLEAN, OURS], 0, "1 packages audited, 0 findings; 0 unknown: -"),
        ([UNKNOWN], 0, "Not audited"),
        (None, 0, ""),
    ],
)
@pytest.mark.skipif(not SCRIPT.exists(), reason="the checks do not come with the sources")
def test_only_findings_fail(  # noqa: PLR0917
    tmp_path, monkeypatch, capsys, found, status, said
):
    (tmp_path / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    monkeypatch.setattr("sys.argv", ["audit", str(tmp_path)])
    main = runpy.run_path(str(SCRIPT))["main"]
    monkeypatch.setitem(main.__globals__, "run_audit", lambda packages, folder: found)
    assert main() == status
    assert said in capsys.readouterr().out
