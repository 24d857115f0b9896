"""Compare speed, accuracy and memory with other libraries: `python -m benchmarks --help`."""
