"""Pretrained transformers: what `grassmeans.contexts.transformer` is made of."""
