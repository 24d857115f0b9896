"""An hour of mixed traffic in one process, with memory and accuracy over time: `python -m benchmarks.soak`.

Models learn streams that do not end, are saved, loaded and pickled, asked by other threads, given bad input and told to
forget; people label over the network of this computer. Nothing may fail, and memory must not grow.
"""
