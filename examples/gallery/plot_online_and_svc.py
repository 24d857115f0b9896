"""
Online learning next to SVC
===========================

One pass of `partial_fit`, a hundred rows at a time, against `sklearn.svm.SVC` trained from scratch each time.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from hinge import OnlineSVC

X, y = load_digits(return_X_y=True)
model = OnlineSVC(C=10, gamma=0.001, random_state=0)
seen, online, batch = [], [], []
for start in range(0, 1400, 100):
    end = start + 100
    model.partial_fit(X[start:end], y[start:end])
    seen.append(end)
    online.append(100 * (1 - model.score(X[1400:], y[1400:])))
    batch.append(100 * (1 - SVC(C=10, gamma=0.001).fit(X[:end], y[:end]).score(X[1400:], y[1400:])))
plt.plot(seen, online, label="OnlineSVC, goes on")
plt.plot(seen, batch, "--", label="SVC, from scratch")
plt.gca().set(xlabel="digits seen", ylabel="test error, %", yscale="log")
_ = plt.legend()
