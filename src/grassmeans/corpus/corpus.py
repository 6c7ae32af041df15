"""The stored corpus: token ids, documents, words and the original text, memory-mapped."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Indices, Integers
from grassmeans.artifacts import schema
from grassmeans.artifacts.checking import MANIFEST, damaged, has_file
from grassmeans.artifacts.schema import check_arguments, check_values, instance_of, optional
from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.artifacts.writing import find_manifest, read_manifest
from grassmeans.corpus.ingest import FORMAT_VERSION, KIND, Ingest, IngestOptions
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.corpus.shard import (
    ConcordanceLine,
    ConcordanceLines,
    Shard,
    ShardSizes,
    ShardText,
    shard_folder,
)
from grassmeans.corpus.vocabulary import (
    FUNCTION_WORDS,
    NO_LANGUAGE,
    UNKNOWN,
    Vocabulary,
    load_function_words,
    read_function_words,
)
from grassmeans.engines import EngineChoice, use_engine
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.outputs.stores import fetch_inputs
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport, check_field_names
from grassmeans.reading.given import check_words, iterate_documents, spell_word
from grassmeans.reading.inputs import check_paths, list_inputs
from grassmeans.text.tokenizer import Tokenizer, normalize_text, tokenizer_from_dict

_MOST_TOKENS = 2**31 - 1  # of a shard, whose positions are numbers of 32 bits

_SIZE = schema.whole(0, _MOST_TOKENS)
_MANIFEST_RULES = {
    "n_tokens": schema.whole(),
    "n_documents": schema.whole(),
    "n_types": _SIZE,
    "digest": schema.text,
    "options": schema.record(
        {"tokenizer": schema.record(), "language": schema.text},
        {
            "fields": schema.each(schema.text),
            **dict.fromkeys(("keep_links", "keep_duplicates"), schema.flag),
            **dict.fromkeys(("max_vocabulary", "shard_chars"), schema.whole(1)),
        },
    ),
    "shards": schema.each(schema.record({"n_tokens": _SIZE, "n_documents": schema.whole()})),
}


class Corpus:
    """A corpus on disk; open one with `Corpus.open`, make one with `from_files` or `from_texts`."""

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        n_words = manifest["n_types"]
        sizes = [ShardSizes(s["n_tokens"], s["n_documents"], n_words) for s in manifest["shards"]]
        # (n_shards + 1,) Where each shard's tokens and documents begin, and how many there are.
        self.shard_starts = np.cumsum([0, *(s.n_tokens for s in sizes)], dtype=np.int64)
        self.document_starts = np.cumsum([0, *(s.n_documents for s in sizes)], dtype=np.int64)
        starts = zip(self.shard_starts.tolist(), self.document_starts.tolist(), strict=True)
        self.shards = [  # fewer than starts, of which the last is the end
            Shard(shard_folder(path, i), size, *first)
            for i, (size, first) in enumerate(zip(sizes, starts, strict=False))
        ]

    @classmethod
    @check_arguments()
    def open(cls, path: str | Path) -> Corpus:
        """Open a corpus folder; arrays are mapped when they are first used."""
        folder = Path(path)
        manifest = read_manifest(folder, KIND, FORMAT_VERSION)
        check_values(folder / MANIFEST, manifest, _MANIFEST_RULES)
        for name in ("n_tokens", "n_documents"):
            total = sum(shard[name] for shard in manifest["shards"])
            if total != manifest[name]:
                raise damaged(folder / MANIFEST, f"{name} is not {total:,}, that of its shards")
        return cls(folder, manifest)

    @classmethod
    @check_arguments(options=optional(instance_of(IngestOptions)))
    def from_files(
        cls,
        inputs: str | Path | Iterable[str | Path],
        output: str | Path,
        *,
        language: str = "en",
        options: IngestOptions | None = None,
        workers: int | None = None,
        engine: EngineChoice = None,
        overwrite: bool = False,
        show_progress: bool | None = None,
        **reading: Any,
    ) -> Corpus:
        """Read files or folders into a new corpus folder; or addresses (``"s3://bucket/file"``).

        ``language`` and ``options`` are those of `from_texts`, and ``engine`` is where workers run,
        as for `grassmeans.engines.use_engine`. ``reading`` is for `ReadOptions`: ``format``,
        ``text_field``, ``column``, ``encoding``, ``meta``.
        """
        given = check_paths(inputs)
        chosen = options or default_options(language)
        read_options = ReadOptions(keep_redirects=chosen.keep_links, **reading)
        chosen = replace(chosen, fields=read_options.meta)
        ingest = Ingest(
            Path(output), chosen, workers=workers, overwrite=overwrite, show_progress=show_progress
        )
        with use_engine(engine, workers), fetch_inputs(given, Path(output), workers) as paths:
            ingest.take_files(list_inputs(paths, ingest.report), read_options)
        return cls.open(output)

    @classmethod
    @check_arguments(options=optional(instance_of(IngestOptions)), output=optional(schema.path))
    def from_texts(
        cls,
        texts: Any,
        output: str | Path | None = None,
        *,
        column: str | None = None,
        meta: Iterable[str] = (),
        language: str = "en",
        options: IngestOptions | None = None,
        workers: int | None = 1,
    ) -> Corpus:
        """Make a corpus of texts in memory, one document each.

        Parameters
        ----------
        texts : iterable, table or path
            Strings, lists of tokens, records, a column or a table, paths: see
            `grassmeans.reading.given.iterate_documents`. Missing ones are passed over; those that
            come twice are not, unless ``options`` say so.
        output : path, optional
            Without it the corpus lies in a temporary folder that goes when the corpus does.
        column : str, optional
            The column or field of the texts.
        meta : iterable of str
            Other columns or fields to be kept with the documents: "date", "source", ...
        language : str
            Whose function words are left out of contexts; "none" for none.
        options : IngestOptions, optional
            In place of the language and of what is usual.
        """
        reading, report = ReadOptions(meta=check_field_names(meta)), ReadReport()
        documents = iterate_documents(
            texts, column=column, skip_missing=True, options=reading, report=report
        )
        # Who gives the same text twice in a list means it twice.
        chosen = options or replace(default_options(language), keep_duplicates=True)
        chosen = replace(chosen, fields=reading.meta)
        with contextlib.ExitStack() as stack:
            place = Path(output or stack.enter_context(temporary_folder()) / "corpus")
            ingest = Ingest(place, chosen, report, workers=workers, show_progress=False)
            ingest.take_documents(documents)
            corpus = cls.open(place)
            weakref.finalize(corpus, stack.pop_all().close)
        return corpus

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers open the folder again instead of receiving arrays, and keep it from task to task.
        return (_open_kept, (self.path, self.manifest["digest"]))

    def __repr__(self) -> str:
        place, n_tokens, n_documents = str(self.path), self.n_tokens, self.n_documents
        return f"Corpus({place!r}: {n_tokens:,} tokens, {n_documents:,} documents)"

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words with their counts, most frequent first."""
        return Vocabulary.load(self.path, self.manifest["n_types"])

    @cached_property
    def function_words(self) -> frozenset[str]:
        """The words that contexts leave out."""
        has_list = has_file(self.path / FUNCTION_WORDS)
        return read_function_words(self.path) if has_list else frozenset()

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The token rule that made the corpus."""
        about = self.manifest["options"]["tokenizer"]
        try:
            tokenizer = tokenizer_from_dict(about)
            if not isinstance(tokenizer, Tokenizer):
                raise InputError(f"a corpus has no tokenizer {about}")
        except InputError as error:
            raise damaged(self.path / MANIFEST, str(error)) from error
        return tokenizer

    @cached_property
    def options(self) -> IngestOptions:
        """How the documents became tokens; what the manifest does not tell is the default."""
        stored = self.manifest["options"]
        known = {name: stored[name] for name in IngestOptions.__slots__ if name in stored}
        own = {name: getattr(self, name) for name in ("tokenizer", "function_words", "fields")}
        return IngestOptions(**known | own)

    @cached_property
    def text_tokenizer(self) -> Tokenizer:
        """The token rule for new text: that of the corpus, unless all of it came tokenised."""
        if all(shard.pretokenised.all() for shard in self.shards):
            return replace(self.tokenizer, numbers="keep", underscores=True)
        return self.tokenizer

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return int(self.shard_starts[-1])

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return int(self.document_starts[-1])

    @property
    def is_labelled(self) -> bool:
        """Whether its words are lexemes: `grassmeans label` has written it."""
        return "labelled" in self.manifest

    @check_arguments()
    def spell(self, word: str) -> str:
        """A word as the corpus spells it: in lower case, say."""
        return word if word in self.vocabulary else spell_word(word, self.tokenizer)

    def word_id(self, word: str) -> int:
        """The word's id; raises `UnknownWordError` where it does not occur."""
        i = self.vocabulary.id_of(self.spell(word))
        if i == UNKNOWN:
            name = "" if self.path.name == "corpus" else f" {self.path.name}"  # in memory, say
            raise UnknownWordError(f"{word!r} does not occur in the corpus{name}")
        return i

    def ids_of_forms(self, word: str) -> list[int]:
        """The ids of all that counts as a word; raises `UnknownWordError` where none occurs."""
        return [self.word_id(word)]

    @check_arguments(word=schema.either(schema.text, schema.whole()))
    def positions(self, word: str | int) -> Indices:
        """(n_occurrences,) positions of a word in the corpus, in order; read from the index."""
        ids = self.ids_of_forms(word) if isinstance(word, str) else [word]
        pairs = product(self.shards, ids)
        parts = (s.first_position + s.positions(i).astype(np.int64) for s, i in pairs)
        found = np.concatenate([np.empty(0, np.int64), *parts])
        return found if len(ids) == 1 else np.sort(found)

    def gather_positions(self, words: Sequence[str]) -> list[Indices]:
        """The same for each of some words, all of them looked up in a shard at once."""
        forms = [self.ids_of_forms(word) for word in words]
        ids = np.array([i for own in forms for i in own], np.int64)
        owner = np.repeat(np.arange(len(forms)), [len(own) for own in forms])
        parts, owners = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for shard in self.shards:
            found, sizes = shard.gather_positions(ids)
            parts.append(shard.first_position + found.astype(np.int64))
            owners.append(np.repeat(owner, sizes))
        whose = np.concatenate(owners)
        gathered = np.concatenate(parts)[np.argsort(whose, kind="stable")]
        ends = np.append(0, np.cumsum(np.bincount(whose, minlength=len(forms)))).tolist()
        each = (gathered[start:end] for start, end in pairwise(ends))
        pairs = zip(each, forms, strict=True)
        return [found if len(own) == 1 else np.sort(found) for found, own in pairs]

    def split_positions(
        self, positions: Indices, at_once: int | None = None
    ) -> Iterator[tuple[slice, Shard, Indices]]:
        """Go through (n,) positions of the corpus, in text order, shard by shard.

        Yields which of them, the shard, and (n_part,) positions inside it, ``at_once`` at most.
        """
        bounds = np.searchsorted(positions, self.shard_starts).tolist()
        for shard, (first, end) in zip(self.shards, pairwise(bounds), strict=True):
            for start in range(first, end, at_once or max(end - first, 1)):
                part = slice(start, min(start + (at_once or end), end))
                yield part, shard, positions[part] - shard.first_position

    def occurrences(self, positions: Indices) -> Iterator[tuple[slice, Occurrences]]:
        """The occurrences at positions in text order: which of them, and they in their shard."""
        for part, shard, local in self.split_positions(positions):
            yield part, self.occurrences_in(shard, local)

    def occurrences_in(self, shard: Shard, local: Indices) -> Occurrences:
        """The occurrences at positions inside a shard, in text order."""
        text = ShardText(shard, self.tokenizer)
        words = self.vocabulary.words
        return Occurrences(shard.tokens, shard.document_offsets, local, words, text)

    def tokens_at(self, positions: Indices) -> Integers:
        """(n,) word ids at (n,) positions in text order."""
        found = np.empty(len(positions), np.int32)
        for part, shard, local in self.split_positions(positions):
            found[part] = shard.tokens[local]
        return found

    def count_of(self, word: str) -> int:
        """How often a word occurs."""
        return int(self.vocabulary.counts[self.ids_of_forms(word)].sum())

    def forms_of(self, word: str) -> tuple[tuple[str, int], ...]:
        """What counts as a word, and how often each occurs; nothing where that is itself alone."""
        ids, vocabulary = self.ids_of_forms(word), self.vocabulary
        found = tuple((vocabulary.words[i], int(vocabulary.counts[i])) for i in ids)
        return () if found[0][0] == word and len(found) == 1 else found

    def words_from(self, min_count: int) -> Sequence[str]:
        """The words that occur so often, most frequent first."""
        return self.vocabulary.words[: self.vocabulary.size_at(min_count)]

    @check_arguments()
    def locate(self, position: int) -> tuple[Shard, int]:
        """The shard of a position, and the position inside it."""
        if not 0 <= position < self.n_tokens:
            raise InputError(f"position {position} is outside the corpus of {self.n_tokens} tokens")
        shard = self.shards[int(np.searchsorted(self.shard_starts, position, side="right")) - 1]
        return shard, position - shard.first_position

    @check_arguments()
    def line_at(
        self, position: int, width: int = 60, *, keep_breaks: bool = False
    ) -> ConcordanceLine:
        """The original text around an occurrence, up to ``width`` characters a side.

        It is cut between words. With ``keep_breaks`` its lines stay as they are, and are cut at
        exactly so many characters.
        """
        shard, local = self.locate(position)
        return shard.line_at(local, self.tokenizer, width, keep_breaks=keep_breaks)

    @check_arguments(where=optional(instance_of(Mapping)))
    def concordance(
        self,
        word: str,
        *,
        limit: int | None = 100,
        width: int = 60,
        where: Mapping[str, str] | None = None,
    ) -> ConcordanceLines:
        """The first ``limit`` keyword-in-context lines of a word: a list, and a table.

        ``where`` are values that fields of their documents have to have: ``{"source": "times"}``.
        """
        positions = self.positions(word)
        if where:
            fitting = np.ones(self.n_documents, np.bool_)
            for name, value in where.items():
                fitting &= np.array([found == value for found in self.field_values(name)])
            positions = positions[fitting[self.documents_of(positions)]]
        lines = (self.line_at(int(p), width) for p in positions[:limit])
        return ConcordanceLines(lines, self.fields)

    @property
    def fields(self) -> tuple[str, ...]:
        """What is known of the documents beside their text: the names of the fields."""
        return tuple(self.manifest["options"].get("fields", ()))

    @check_arguments()
    def check_field(self, name: str) -> None:
        """`InputError` where the documents have no such field."""
        if name not in self.fields:
            known = ", ".join(self.fields) or "none"
            raise InputError(
                f"the documents of {self.path.name} have no field {name!r} (they have {known}): "
                f"ingest the texts with --meta {name}"
            )

    def field_values(self, name: str) -> list[str]:
        """The value of a field for each document, "" where it has none."""
        self.check_field(name)
        return [fields.get(name, "") for shard in self.shards for fields in shard.fields]

    def documents_of(self, positions: Indices) -> Indices:
        """(n,) numbers of the documents of (n,) positions in text order."""
        found = np.empty(len(positions), np.int64)
        for part, occurrences in self.occurrences(positions):
            shard, _ = self.locate(int(positions[part.start]))
            found[part] = shard.first_document + occurrences.documents
        return found

    @check_arguments()
    def find_document(self, number: int) -> tuple[Shard, int]:
        """The shard of a document, and its number there."""
        if not 0 <= number < self.n_documents:
            raise InputError(f"document {number} is outside the corpus of {self.n_documents}")
        shard = self.shards[int(np.searchsorted(self.document_starts, number, side="right")) - 1]
        return shard, number - shard.first_document

    def describe_document(self, number: int) -> tuple[str, str, Mapping[str, str]]:
        """Id, title and fields of a document."""
        shard, local = self.find_document(number)
        return *shard.metadata[local], shard.fields[local]

    def document(self, number: int) -> RawDocument:
        """A document as it could be read again: its text, or its tokens and their keys."""
        shard, local = self.find_document(number)
        text, (identifier, title) = shard.document_text(local), shard.metadata[local]
        fields = tuple(shard.fields[local].items())
        if not shard.pretokenised[local]:
            return RawDocument(identifier, title, text, fields=fields)
        start, end = shard.document_offsets[local : local + 2]
        words = self.vocabulary.words
        tokens = zip(text.split(" "), shard.tokens[start:end].tolist(), strict=True)
        keys = tuple(form if token < 0 else words[token] for form, token in tokens)
        return RawDocument(identifier, title, text, "tokens", keys, fields=fields)

    def document_text(self, number: int) -> str:
        """The cleaned text of a document."""
        shard, local = self.find_document(number)
        return shard.document_text(local)


def as_corpus(texts: Any) -> Corpus:
    """A corpus as it is, the one in a folder, or one of texts as `Corpus.from_texts` makes it."""
    return open_corpus(texts) if is_corpus(texts) else Corpus.from_texts(texts)


@lru_cache(maxsize=2)
def _open_kept(path: Path, digest: str) -> Corpus:
    return Corpus.open(path)


@check_arguments(corpus=schema.either(instance_of(Corpus), schema.path))
def open_corpus(corpus: Corpus | str | Path) -> Corpus:
    """A corpus as it is, or the one in a folder: what every door takes that needs one."""
    return corpus if isinstance(corpus, Corpus) else Corpus.open(corpus)


def is_corpus(texts: Any) -> bool:
    """Whether something is a corpus, or the folder of one."""
    if not isinstance(texts, str | Path):
        return isinstance(texts, Corpus)
    try:
        manifest = find_manifest(Path(texts))
    except (OSError, ValueError):  # a text is too long for a path
        return False
    return manifest is not None and manifest["kind"] == KIND


@check_arguments()
def default_options(
    language: str | None = "en", function_words: Iterable[str] | None = None
) -> IngestOptions:
    """Options for a language: its function words or those given, everything else as documented."""
    if function_words is None:
        words = load_function_words(language)
    else:
        given = check_words(function_words, "function_words")
        words = frozenset(normalize_text(word).strip().lower() for word in given)
    return IngestOptions(language=language or NO_LANGUAGE, function_words=words)
