"""An evaluation harness: grades targets, clause by clause, against a contract."""
