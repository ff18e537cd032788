"""The world of a scenario: built from YAML, and answered from as kubectl answers from a cluster."""
