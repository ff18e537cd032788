"""PromQL over the series of a world, answered as the HTTP API of Prometheus does.

What is meant is Prometheus 2: a range includes both of its ends, and a sample is looked for up to five
minutes back. `rate` and its kin extrapolate as there. A valid query that asks for more than is built here
gets an error with `harness_limited`, which is nobody's fault.
"""

from harness.cluster.promql.api import query

__all__ = ["query"]
