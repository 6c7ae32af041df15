"""Dictionary entries that a person writes: their fields, drafts, proposals and formats."""
