"""Test sets that can be made from public resources."""
