"""
Next to River on a stream
=========================

Test, then train, row by row, on River's Bananas, with default parameters. Nearest neighbours keep the last 1000 rows,
and forests are strong as well; trees and linear models need many more rows for a boundary of this shape.
"""

import matplotlib.pyplot as plt
import numpy as np
from river import datasets, forest, linear_model, neighbors, preprocessing, tree

from hinge import OnlineSVC
from hinge.river import HingeClassifier

models = {
    "hinge OnlineSVC": HingeClassifier(OnlineSVC()),
    "adaptive random forest": forest.ARFClassifier(seed=0),
    "nearest neighbours": neighbors.KNNClassifier(),
    "Hoeffding tree": tree.HoeffdingTreeClassifier(),
    "logistic regression": linear_model.LogisticRegression(),
}
for name, classifier in models.items():
    model = preprocessing.StandardScaler() | classifier
    wrong = []
    for x, y in datasets.Bananas().take(1500):
        wrong.append(model.predict_one(x) != y)
        model.learn_one(x, y)
    plt.plot(100 * np.cumsum(wrong) / np.arange(1, len(wrong) + 1), label=name)
plt.gca().set(xlabel="rows", ylabel="error so far, %", ylim=(0, 60))
_ = plt.legend()
