"""What a model is made of, in words: sources, licences, and its card."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from grassmeans.artifacts.schema import each, either, optional, record, shorten, text, whole
from grassmeans.contexts import describe_encoder
from grassmeans.errors import InputError, import_extra
from grassmeans.models.model import FIRST_READER, SenseModel
from grassmeans.recipes.scoring import describe_scores

CARD = "MODEL_CARD.md"
_NOT_GIVEN = "not told"
_LIMITS = """\
Senses are found, not defined: their number and numbering follow the text and fit no dictionary.
A word that shows one sense has one: another use of it may be taken for that.
Words that occur fewer than {min_count:,} times in the text have no senses here.
Senses that are rare in the text are missing, or share one with others.
What the text says of people, with all its bias, is in the vectors.
Language: {language} alone."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that a model is made from."""

    name: str
    licence: str = _NOT_GIVEN
    words: int | None = None

    @classmethod
    def parse(cls, told: str) -> Source:
        """From ``NAME;LICENCE;WORDS``, of which the last two may be missing."""
        name, *more = (part.strip() for part in told.split(";"))
        licence, words = (*more, "", "")[:2]
        number = words.replace(",", "").replace("_", "")
        if not name or len(more) > 2 or not (number.isdecimal() or not number):
            raise InputError(f'a source must be "NAME;LICENCE;WORDS", got {told!r}')
        return cls(name, licence or _NOT_GIVEN, int(number) if number else None)


@dataclass(frozen=True, slots=True)
class About:
    """What a model's card tells that no program knows.

    Parameters
    ----------
    name : str, optional
        Of the model; that of its folder by default.
    version : str, optional
        Of the model: its own, ``"0.2.0"``, not that of the program.
    licence : str, optional
        Of the model.
    sources : tuple of Source
    words : str
        A paragraph for the card: what the model is for.
    limits : tuple of str
        What it does not know, beside what is true of all models.
    """

    name: str | None = None
    licence: str | None = None
    sources: tuple[Source, ...] = ()
    words: str = ""
    limits: tuple[str, ...] = ()
    version: str | None = None

    @classmethod
    def read(cls, path: str | Path) -> About:
        """From a file of JSON, or YAML (which needs PyYAML), with these names as fields."""
        place = Path(path)
        is_yaml = place.suffix in (".yaml", ".yml")
        read = import_extra("yaml", None, "reading YAML").safe_load if is_yaml else json.loads
        try:
            return cls.from_dict(read(place.read_text(encoding="utf-8")))
        except Exception as error:  # each reader has its own
            raise InputError(f"{path} does not tell about a model: {error}") from error

    @classmethod
    def from_dict(cls, given: Any) -> About:
        """From plain values; sources are texts, or records with name, licence and words."""
        if problem := _RULE(given):
            raise InputError(f"expected {problem}, got {shorten(given)}")
        if unknown := set(given) - {field.name for field in fields(cls)}:
            raise InputError(f"it has unknown fields: {', '.join(sorted(unknown))}")
        told = given.get("sources", [])
        sources = (Source.parse(x) if isinstance(x, str) else Source(**x) for x in told)
        return cls(**given | {"limits": tuple(given.get("limits", ())), "sources": tuple(sources)})

    def describe(self, folder_name: str) -> dict[str, Any]:
        """What a manifest tells of it."""
        sources = [asdict(source) for source in self.sources]
        version = {} if self.version is None else {"version": self.version}
        told = {"licence": self.licence, "sources": sources}
        return {"name": self.name or folder_name} | version | told


_SOURCE_RULE = record({"name": text}, {"licence": text, "words": optional(whole())})
_RULE = record(
    optional=dict.fromkeys(("name", "version", "licence", "words"), text)
    | {"limits": each(text), "sources": each(either(text, _SOURCE_RULE))}
)


def count_bytes(folder: Path) -> int:
    """Of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def describe_model(
    model: SenseModel,
    about: About,
    manifest: Mapping[str, Any],
    tables: Mapping[str, str],
    n_bytes: int,
) -> str:
    """The card of a model; ``manifest`` is what its own will tell, tables are of test sets."""
    recipe, corpus = manifest["recipe"], manifest["corpus"]
    n_senses = sum(model.inventory.sense_counts.values())
    told = [
        f"- {source.name}: {_describe_words(source)}{source.licence}" for source in about.sources
    ]
    limits = _LIMITS.format(min_count=recipe["min_count"], language=model.language).split("\n")
    settings = describe_encoder(model.encoder)["context"] | model.settings.to_dict()
    settings |= manifest["compact"]
    settings |= {
        k: v for k, v in recipe.items() if v is not None and k not in ("encoder", "compact")
    }
    lines = [
        f"# Model `{manifest['name']}`",
        " ".join([*_describe_version(about), f"For grassmeans {FIRST_READER} and later."]),
        *([about.words] if about.words else []),
        f"Senses of {len(model.words):,} words ({n_senses:,} senses), vectors of "
        f"{len(model.vectors):,} words, {_count_lexemes(model)}{n_bytes / 1e6:.1f} MB. "
        f"Language: {model.language}.",
        "## Text and licence",
        "\n".join(told) or "The sources of the text are not told.",
        f"Senses were sought in {corpus['n_documents']:,} documents, {corpus['n_tokens']:,} words. "
        f"Licence of the model: {about.licence or _NOT_GIVEN}. Example lines are quotations from "
        "the text; each names its document.",
        "## Encoder",
        _list_values(recipe["encoder"]),
        "## Settings",
        _list_values(settings),
        "## Scores",
        "\n".join(f"- {line}" for line in describe_scores(manifest["scores"])),
        *(f"{name}:\n\n{table.strip()}" for name, table in tables.items()),
        "## What it does not know",
        "\n".join(f"- {limit}" for limit in (*about.limits, *limits)),
    ]
    return "\n\n".join(lines) + "\n"


def _describe_version(about: About) -> list[str]:
    return [] if about.version is None else [f"Version {about.version}."]


def _describe_words(source: Source) -> str:
    return "" if source.words is None else f"{source.words:,} words, "


def _count_lexemes(model: SenseModel) -> str:
    lexemes = model.stored_lexemes
    return "" if lexemes is None else f"{len(lexemes):,} lexemes of {lexemes.dim} dimensions, "


def _list_values(values: Mapping[str, Any]) -> str:
    return "\n".join(f"- {name.replace('_', ' ')}: {value}" for name, value in values.items())
