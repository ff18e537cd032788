"""The columns of `kubectl get`, one module per family of kinds."""
