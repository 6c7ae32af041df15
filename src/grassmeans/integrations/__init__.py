"""Grassmeans inside other tools; each module needs its own extra, and none is imported unasked."""
