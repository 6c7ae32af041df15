"""Folders of results: what writes them, and what checks them before they are used."""
