"""The time series of a world: how files state them, and what a monitoring system would have read of them."""
