"""A corpus with phrases and sources, for queries by HTTP and in a browser."""

from __future__ import annotations

import pytest

from grassmeans import Corpus

PHRASES = "We ate in New York, Paris and the U.S. and they don't mind. "
TOPICS_WITH_PHRASES = (0, 1)


@pytest.fixture(scope="session")
def phrase_corpus(tmp_path_factory, synthetic) -> Corpus:
    """The usual documents; those of birds and of machines have some phrases in their midst."""
    records = []
    for number, text in enumerate(synthetic.documents):
        sentences = text.split(". ")
        if synthetic.topics[number] in TOPICS_WITH_PHRASES:
            middle = len(sentences) // 2
            # Of the words of its topic alone: a word that both topics have would tell nothing.
            words = [x for x in sentences[middle].split() if x.casefold() != "crane"]
            own = " ".join([*words[:7], "ice cream", *words[7:]])
            around = " ".join(words)
            sentences[middle:middle] = [PHRASES.rstrip(". "), around, own, around]
        source = "odd" if synthetic.topics[number] % 2 else "even"
        records.append({"text": ". ".join(sentences), "source": source})
    folder = tmp_path_factory.mktemp("phrases") / "corpus"
    return Corpus.from_texts(records, folder, meta=["source"])
