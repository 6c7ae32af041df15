"""Text -> words and sentences: tokenizer, letters, phrases, markup."""
