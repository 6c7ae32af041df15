"""Documents -> the stored corpus: words, shards, occurrences."""
