"""
A table as people have it
=========================

Dates, sentences and labels written in several ways: `TableClassifier` finds out what the columns are.
"""

from pathlib import Path

import pandas as pd

from hinge.tables import TableClassifier

table = pd.read_csv(Path("../data/tickets.csv"))
label = table.pop("team").str.strip().str.lower()
model = TableClassifier().fit(table[:180], label[:180])
print(f"accuracy {model.score(table[180:], label[180:]):.2f}")
print(pd.crosstab(label[180:], model.predict(table[180:]), colnames=["predicted"]))
