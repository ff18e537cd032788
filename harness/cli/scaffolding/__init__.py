"""What `harness new` writes: working files to be edited, never a file that is there already."""
