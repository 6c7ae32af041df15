"""Small corpora with known topics, in which some words occur in two of them.

Every topic has its own invented words, so the sense of an ambiguous word is its document's topic
and the gold labels are exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TOPICS = ("bird", "machine", "river", "money", "fish", "music", "garden", "letter")
FUNCTION_WORDS = ("the", "of", "and", "a", "in", "to", "was", "with")
# Each of these is a word of two topics, given by their positions in TOPICS.
POLYSEMOUS = {"crane": (0, 1), "bank": (2, 3), "bass": (4, 5), "seal": (6, 7)}
SYLLABLES = tuple(c + v for c in "bdgklmnr" for v in "aeiou")


@dataclass(frozen=True)
class SyntheticCorpus:
    """Documents with the topic of each, and of each occurrence of an ambiguous word.

    Attributes
    ----------
    documents : list of str
        Sentences of lower-case words (the first one capitalised), each ended by a full stop.
    topics : list of int
        The topic of each document.
    topic_words : list of list of str
        The invented words of each topic, from the most to the least frequent; no word is in two.
    gold : dict of str to list of (int, int)
        For each ambiguous word, ``(document, topic)`` for every occurrence in reading order.
    """

    documents: list[str]
    topics: list[int]
    topic_words: list[list[str]]
    gold: dict[str, list[tuple[int, int]]]


def make_topic_text(
    n_documents: int = 160,
    random_state: int = 0,
    *,
    n_sentences: int = 5,
    n_content: int = 8,
    n_function: int = 5,
    words_per_topic: int = 40,
) -> SyntheticCorpus:
    """Make a corpus in which document ``i`` is about topic ``i % 8``.

    Every sentence holds ``n_content`` words of the topic, ``n_function`` function words and the
    topic's ambiguous word once, in random order; so each ambiguous word occurs ``n_sentences``
    times in a document of either of its topics, and never elsewhere.
    """
    if words_per_topic > len(SYLLABLES):
        raise ValueError(f"words_per_topic is at most {len(SYLLABLES)}, got {words_per_topic}")
    rng = np.random.default_rng(random_state)
    topic_words = [[stem + end for end in SYLLABLES[:words_per_topic]] for stem in TOPICS]
    # A flattened Zipf law: some words are rare, as in real text, but all of them can be learnt.
    weights = 1.0 / (np.arange(words_per_topic) + 10.0)
    weights /= weights.sum()

    topics = [document % len(TOPICS) for document in range(n_documents)]
    documents: list[str] = []
    gold: dict[str, list[tuple[int, int]]] = {word: [] for word in POLYSEMOUS}
    for document, topic in enumerate(topics):
        target = next(word for word, senses in POLYSEMOUS.items() if topic in senses)
        sentences = []
        for _ in range(n_sentences):
            content = rng.choice(topic_words[topic], n_content, p=weights)
            function = rng.choice(FUNCTION_WORDS, n_function)
            words = rng.permutation([*content, *function, target]).tolist()
            sentences.append(" ".join(words).capitalize() + ".")
            gold[target].append((document, topic))
        documents.append(" ".join(sentences))
    return SyntheticCorpus(documents, topics, topic_words, gold)
