"""`kubectl describe`, one module per family of kinds.

Every description is a list of lines in which a tab ends a cell; the columns are made at the end.
"""
