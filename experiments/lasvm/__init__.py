"""Bordes, Ertekin, Weston, Bottou: Fast Kernel Classifiers with Online and Active Learning, JMLR 6, 2005."""
