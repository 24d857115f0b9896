"""
Next to River on a stream
=========================

Test, then train, row by row, on River's Bananas.
"""

import matplotlib.pyplot as plt
import numpy as np
from river import datasets, linear_model, naive_bayes, preprocessing, tree

from hinge import OnlineSVC
from hinge.river import HingeClassifier

models = {
    "hinge OnlineSVC": HingeClassifier(OnlineSVC()),
    "Hoeffding tree": tree.HoeffdingTreeClassifier(),
    "naive Bayes": naive_bayes.GaussianNB(),
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
