"""
A table as people have it
=========================

Dates, sentences and numbers: `TableClassifier` finds out what the columns are, and `OnlineSVCCV` which C and gamma suit
them.
"""

from pathlib import Path

import pandas as pd

from hinge import OnlineSVCCV
from hinge.tables import TableClassifier

table = pd.read_csv(Path("../data/tickets.csv"))
label = table.pop("team").str.strip().str.lower()
model = TableClassifier(OnlineSVCCV(random_state=0)).fit(table[:180], label[:180])
print(f"accuracy {model.score(table[180:], label[180:]):.2f}")
print(pd.crosstab(label[180:], model.predict(table[180:]), colnames=["predicted"]))
