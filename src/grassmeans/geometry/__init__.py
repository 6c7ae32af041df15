"""Contexts -> bases -> distances: every user of a context goes through here."""
