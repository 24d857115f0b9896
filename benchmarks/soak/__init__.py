"""An hour of mixed traffic in one process, with memory and accuracy over time: `python -m benchmarks.soak`.

Models learn endless streams, are saved, loaded and pickled, predict in other threads, get bad input and forget,
while a simulated person labels over HTTP. Nothing may fail, and memory must not grow.
"""
