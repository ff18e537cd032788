"""What the harness costs, beside bare loops and other frameworks: `python -m benchmarks.speed`."""
