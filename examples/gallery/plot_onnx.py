"""
ONNX in another process
=======================

The exported model needs neither Hinge nor scikit-learn to predict.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

from hinge import OnlineSVC
from hinge.export import to_onnx

X, y = load_iris(return_X_y=True)
model = OnlineSVC(random_state=0).fit(X, y)
PROGRAM = """
import numpy, onnxruntime
session = onnxruntime.InferenceSession("iris.onnx")
rows = numpy.load("rows.npy")
print(session.run(None, {session.get_inputs()[0].name: rows})[0][:10])
"""
with tempfile.TemporaryDirectory() as folder:
    to_onnx(model, Path(folder) / "iris.onnx")
    np.save(Path(folder) / "rows.npy", X[::15].astype(np.float32))
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, capture_output=True, text=True, check=True)
print("onnxruntime:", done.stdout.strip())
print("hinge:      ", model.predict(X[::15]))
