"""Contexts -> groups: K-Grassmeans, trees, merging, and how many groups there are."""
