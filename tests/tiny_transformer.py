"""A transformer of a few thousand random numbers with its tokenizer, made on the spot."""

from __future__ import annotations

import string
from pathlib import Path

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LENGTH = 48
"""Pieces that it takes at most."""


def make_transformer(folder: Path, *, n_layers: int = 4, dim: int = 32, seed: int = 0) -> Path:
    """Write weights and tokenizer: words of the list are one piece, others one a letter."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    letters = string.ascii_lowercase + string.digits + ".,;!?'“”äüöß"
    words = ["crane", "river", "steel", "bird", "bank", "money", "the", "of"]
    pieces = [*SPECIAL, *words, *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    rule = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    rule.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
    rule.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(name, vocabulary[name]) for name in ("[SEP]", "[CLS]")]
    rule.post_processor = processors.BertProcessing(*ends)
    named = dict(zip(("pad", "unk", "cls", "sep", "mask"), SPECIAL, strict=True))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=rule,
        model_max_length=LENGTH,
        **{f"{name}_token": token for name, token in named.items()},
    )
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=dim,
        num_hidden_layers=n_layers,
        num_attention_heads=2,
        intermediate_size=2 * dim,
        max_position_embeddings=LENGTH + 2,
        initializer_range=0.3,
    )
    BertModel(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
