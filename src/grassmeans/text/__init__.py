"""Text -> words and sentences: tokenizer, segmenting, phrases, markup."""
