"""Laskov, Gehl, Krüger, Müller: Incremental Support Vector Learning, JMLR 7, 2006."""
