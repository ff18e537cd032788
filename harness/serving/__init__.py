"""Servers: targets and tools behind protocols that other programs speak."""
