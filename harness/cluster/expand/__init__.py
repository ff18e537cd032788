"""What controllers make of the workloads that a world file abbreviates."""
