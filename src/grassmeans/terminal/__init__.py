"""What all commands share: options with the same words, tables for people, JSON for programs."""
