"""Laskov, Gehl, Krüger, Müller: Incremental Support Vector Learning: Analysis, Implementation and Applications, JMLR 7, 2006."""
