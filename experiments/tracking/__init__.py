"""Usunier, Bordes and Bottou, "Guarantees for approximate incremental SVMs", AISTATS 2010."""
