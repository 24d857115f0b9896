"""The five papers behind this library, repeated: every table and figure by one command, `hinge reproduce`."""

from hinge.papers._document import write_document
from hinge.papers._experiment import Cell, Check
from hinge.papers._ledger import about
from hinge.papers._page import write_page
from hinge.papers._registry import ALL, PAPERS, Entry, find
from hinge.papers._run import FAILED, Watcher, describe, draw, known_outcomes, run
from hinge.papers._verdict import Outcome

__all__ = [
    "ALL",
    "FAILED",
    "PAPERS",
    "Cell",
    "Check",
    "Entry",
    "Outcome",
    "Watcher",
    "about",
    "describe",
    "draw",
    "find",
    "known_outcomes",
    "run",
    "write_document",
    "write_page",
]
