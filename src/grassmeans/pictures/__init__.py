"""Senses as pictures: context planes in three dimensions, and pages that need no other file."""
