"""
Spam with sparse text
=====================

Made-up messages become sparse rows of word weights, which all online models read as they are.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from hinge import OnlineSVC

rng = np.random.default_rng(0)
COMMON = "hello today we the meeting order please thanks call team report see you at noon".split()
SPAM = "free winner prize click offer cash now limited cheap pills".split()
is_spam = rng.random(1500) < 0.3
texts = [
    " ".join(
        [*rng.choice(COMMON, 8), *rng.choice(SPAM if spam else COMMON, 2), *rng.choice(SPAM, int(rng.random() < 0.3))]
    )
    for spam in is_spam
]
X = HashingVectorizer(n_features=2**16).transform(texts)
model = OnlineSVC(C=1, gamma=1)
for start in range(0, 1500, 50):
    model.partial_fit(X[start : start + 50], is_spam[start : start + 50], classes=[False, True])
    plt.scatter(start, 100 * model.progressive_score_.recent_error, color="C0")
_ = plt.gca().set(xlabel="messages", ylabel="error of the last 1000, %")
