"""The vocabularies of OntoLex-Lemon that entries are written and read in."""

from __future__ import annotations

PREFIXES = {
    "ontolex": "http://www.w3.org/ns/lemon/ontolex#",
    "lexicog": "http://www.w3.org/ns/lemon/lexicog#",
    "lime": "http://www.w3.org/ns/lemon/lime#",
    "lexinfo": "http://www.lexinfo.net/ontology/3.0/lexinfo#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dct": "http://purl.org/dc/terms/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
}
PARTS_OF_SPEECH = {
    "noun": "noun", "proper noun": "properNoun", "verb": "verb", "adjective": "adjective",
    "adverb": "adverb", "pronoun": "pronoun", "preposition": "preposition",
    "conjunction": "conjunction", "determiner": "determiner", "numeral": "numeral",
    "interjection": "interjection", "particle": "particle", "affix": "affix",
}  # fmt: skip
"""Individuals of LexInfo."""
OF_SENSES = {"synonym": "lexinfo:synonym", "antonym": "lexinfo:antonym"}
"""References that are said of a sense."""
OF_CONCEPTS = {"broader": "skos:broader", "narrower": "skos:narrower"}
"""Those that are said of its concept."""
