"""What a cluster fills in and reports: defaults of specs, and every status that follows from the pods."""
