"""Iterative decoding: senses found again from contexts whose words have senses."""
