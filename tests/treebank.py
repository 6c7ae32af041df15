"""A small treebank in CoNLL-U, whose relations can be counted by hand."""

from __future__ import annotations

# Each token: form, lemma, pos, head (its number in the sentence, 0 for the root), relation.
SENTENCES = {
    "lift": [
        ("Cranes", "crane", "NOUN", 3, "nsubj"),
        ("slowly", "slowly", "ADV", 3, "advmod"),
        ("lift", "lift", "VERB", 0, "root"),
        ("heavy", "heavy", "ADJ", 5, "amod"),
        ("beams", "beam", "NOUN", 3, "obj"),
        (".", ".", "PUNCT", 3, "punct"),
    ],
    "see": [
        ("We", "we", "PRON", 2, "nsubj"),
        ("saw", "see", "VERB", 0, "root"),
        ("white", "white", "ADJ", 4, "amod"),
        ("cranes", "crane", "NOUN", 2, "obj"),
        ("and", "and", "CCONJ", 6, "cc"),
        ("herons", "heron", "NOUN", 4, "conj"),
        ("on", "on", "ADP", 9, "case"),
        ("the", "the", "DET", 9, "det"),
        ("bank", "bank", "NOUN", 2, "obl"),
        ("of", "of", "ADP", 12, "case"),
        ("a", "a", "DET", 12, "det"),
        ("river", "river", "NOUN", 9, "nmod"),
    ],
}


def write_sentence(name: str) -> str:
    """A sentence in CoNLL-U, with a range and a comment that have no tokens."""
    rows = [
        f"{number}\t{form}\t{lemma}\t{pos}\t{pos[:2]}\t_\t{head}\t{relation}\t_\t_\n"
        for number, (form, lemma, pos, head, relation) in enumerate(SENTENCES[name], start=1)
    ]
    return f"# text = {name}\n1-2\tx\t_\t_\t_\t_\t_\t_\t_\t_\n{''.join(rows)}\n"


def write_treebank(*documents: str) -> str:
    """Documents, each the names of its sentences."""
    return "".join(
        f"# newdoc id = {number}\n" + "".join(map(write_sentence, names.split()))
        for number, names in enumerate(documents)
    )
