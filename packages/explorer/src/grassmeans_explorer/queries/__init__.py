"""What can be asked of an open model: plain functions that return dataclasses, no HTTP."""
