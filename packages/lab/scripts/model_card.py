"""The model card: what a model is made of, how well it does, and what it cannot do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grassmeans.contexts import LearnedEncoder, describe_encoder
from grassmeans.models.model import SenseModel

_LIMITS = """\
- Trained on 62 million words, a thirtieth of what the paper used: rare senses are missing or share
  a sense with others, and rare words have no senses at all.
- Encyclopedic English of 2014 to 2021: names of people and places make senses of their own, speech
  and slang hardly occur.
- Words are forms, not lemmas: "crane" and "cranes" have senses of their own. No phrases.
- Senses are found, not defined: their number and numbering come from the corpus and fit no
  dictionary. What the articles say of people, with all their bias, is in the vectors.
- English only. `grassmeans tag` remarks on text that seems to be in another language.
"""

_LIMITS_OF_KINDS = {
    "subspaces": """\
- The number of senses follows the contexts, not a dictionary. Granularity 1.3, at most five senses
  and weighted subspaces of rank 5 were chosen among three settings by looking at the scores below,
  so these are a little optimistic. Words that show one sense are left out, test words among them
  (their instances count as one cluster in the scores).
""",
    "learned": """\
- The number of senses follows the contexts, not a dictionary, and when two directions are one sense
  was chosen by looking at scores such as those above, so these are a little optimistic.
- A context is predicted by a network from the words around: why it lies where it does can be asked
  word by word (`grassmeans explore`), but not be read off the vectors.
- A word that shows one sense has one, and is then always tagged with it.
""",
}


def write_card(model: SenseModel, folder: Path, scores: Mapping[str, Mapping[str, Any]]) -> None:
    """Write MODEL_CARD.md into the model's folder."""
    manifest = model.manifest
    corpus, recipe = manifest.get("corpus", {}), manifest.get("recipe", {})
    compact = manifest.get("compact", {})
    described = describe_encoder(model.encoder)["context"]
    if isinstance(model.encoder, LearnedEncoder):
        described |= {f"network {k}": v for k, v in asdict(model.encoder.weights.shape).items()}
    parameters = described | model.settings.to_dict() | compact | recipe
    n_senses = sum(model.inventory.sense_counts.values())
    n_bytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    lines = [
        f"# Model `{manifest.get('name', folder.name)}`",
        "",
        f"Senses of {len(model.words):,} words ({n_senses:,} senses), vectors of "
        f"{len(model.vectors):,} words, {model.vectors.dim} dimensions of {compact.get('bits')} "
        f"bits, {_describe_lexemes(model)}{n_bytes / 1e6:.1f} MB. Language: {model.language}.",
        "",
        "## Source and licence",
        "",
        f"{manifest.get('source')}: {corpus.get('n_documents', 0):,} documents, "
        f"{corpus.get('n_tokens', 0):,} tokens. Licence of the model: {manifest.get('licence')}. "
        "The example lines are quotations from these articles; each names its article.",
        "",
        "## Parameters",
        "",
        *[f"- {name}: {value}" for name, value in parameters.items()],
        "",
        "## Scores",
        "",
        *_tabulate(scores),
        "",
        "## Limits",
        "",
        _LIMITS + _LIMITS_OF_KINDS[model.encoder.kind],
    ]
    (folder / "MODEL_CARD.md").write_text("\n".join(lines), encoding="utf-8")


def _describe_lexemes(model: SenseModel) -> str:
    lexemes = model.lexemes
    return "" if lexemes is None else f"{len(lexemes):,} lexemes of {lexemes.dim} dimensions, "


def _tabulate(scores: Mapping[str, Mapping[str, Any]]) -> list[str]:
    rows: dict[str, dict[str, str]] = {}
    for system, tests in scores.items():
        for name, value in _flatten(tests):
            rows.setdefault(name, {})[system] = value
    systems = list(scores)
    lines = [f"| | {' | '.join(systems)} |", "|---" * (len(systems) + 1) + "|"]
    for name, values in rows.items():
        lines.append(f"| {name} | {' | '.join(values.get(s, '-') for s in systems)} |")
    return lines


def _flatten(tests: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = []
    for task in ("makes-sense", "semeval2010"):
        if task in tests:
            group = tests[task]["all"]
            found += [
                (f"{task} V / F", f"{group['v_measure']:.2f} / {group['f_score']:.2f}"),
                (f"{task} clusters", f"{group['n_clusters']:.2f}"),
            ]
    if "sentences" in tests:
        # Accuracy is that of the answers: it means nothing without their share.
        names = ("answered", "accuracy", "pairwise")
        values = (f"{tests['sentences']['all'][name]:.2f}" for name in names)
        found.append(("sentences, answered / right of these / pairs", " / ".join(values)))
    for part in ("all", "lite"):
        for system, score in tests.get("scws", {}).get(part, {}).items():
            if score["spearman"] is not None:
                found.append((f"SCWS {part}, {system}", f"{score['spearman']:.2f}"))
    if "sentences" in tests:
        group = tests["sentences"]["all"]
        found += [
            (
                "sentences answered, of these right",
                f"{group['answered']:.1f}%, {group['accuracy']:.1f}%",
            ),
            (
                "the same in pairs of sentences",
                f"{group['answered_in_pairs']:.1f}%, {group['accuracy_in_pairs']:.1f}%",
            ),
        ]
    return found
