"""Pretrained transformers: what `grassmeans.encoders.transformer` is made of."""
