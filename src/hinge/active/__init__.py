"""Which examples are worth a label: `query` asks a model about a pool of them."""

from hinge.active._query import query

__all__ = ["query"]
