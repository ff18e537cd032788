"""What people and programs read of a run. Import its modules where they are needed: some load rich."""
