"""Speed, accuracy and memory beside the peers: `python -m benchmarks --help`."""
