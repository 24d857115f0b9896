"""The five papers behind this library, repeated: every table and figure by one command, `hinge reproduce`."""

from experiments._document import write_document
from experiments._experiment import Cell, Check
from experiments._ledger import about
from experiments._page import write_page
from experiments._registry import ALL, PAPERS, Entry, find
from experiments._run import FAILED, Watcher, describe, draw, known_outcomes, run
from experiments._verdict import Outcome

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
