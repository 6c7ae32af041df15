"""WordNet's own database files: words, their senses, and how these are related.

Reads ``index.noun``, ``data.noun`` and so on (the format "wndb" of Princeton's WordNet, versions
2.0 to 3.1) from a folder or a zip archive, as NLTK ships them. Sense counts come from
``index.sense``, else ``cntlist.rev``; where there is neither, a sense counts once if the index says
that it was ever seen in tagged text.
"""

from __future__ import annotations

import contextlib
import os
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from grassmeans.artifacts.writing import digest_of_bytes
from grassmeans.errors import InputError

PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_POS_OF_TYPE = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # ss_type of a sense key
_HOW_TO_GET_IT = (
    "get WordNet 3.0 with `python -m nltk.downloader wordnet`, or from Princeton's site, and name "
    "the folder with index.noun and data.noun in it, or the zip file"
)


@dataclass(frozen=True, slots=True)
class Pointer:
    """A relation to another synset: its symbol (``"@"``: hypernym) and where it leads."""

    symbol: str
    pos: str
    offset: int


@dataclass(frozen=True, slots=True)
class Synset:
    """One meaning."""

    pos: str  # ``"n"``, ``"v"``, ``"a"`` (satellites too) or ``"r"``
    offset: int  # its place in the data file, which names it
    lexicographer_file: int  # the broad class: 5 is noun.animal, 6 noun.artifact,
    lemmas: tuple[str, ...]  # as written, with underscores for spaces
    pointers: tuple[Pointer, ...]
    definition: str
    examples: tuple[str, ...]

    @property
    def name(self) -> str:
        """The part of speech and the offset: ``n02012849``."""
        return f"{self.pos}{self.offset:08d}"


@dataclass(frozen=True, slots=True)
class WordSense:
    """A sense of a word; ``count`` is how often it was seen in tagged text."""

    synset: Synset
    number: int
    count: int


@dataclass
class WordNet:
    """The database, read as it is asked for."""

    place: str  # where it was found, for messages
    # The content of the files by name: ``index.noun``, ``data.noun``,.
    files: dict[str, bytes] = field(repr=False)
    _parsed: dict[tuple[str, int], Synset] = field(default_factory=dict, init=False, repr=False)
    _bases: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def open(cls, path: str | Path | None = None) -> WordNet:
        """Open the database of a folder or a zip archive; None looks where NLTK keeps its data.

        `InputError` where there is none; the message says how to get it.
        """
        if path is not None:
            return cls(str(path), _read_place(Path(path)))
        for place in usual_places():
            if place.exists():
                return cls(str(place), _read_place(place))
        raise InputError(f"WordNet was not found in the usual places of NLTK: {_HOW_TO_GET_IT}")

    @cached_property
    def index(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """``index[pos][lemma]``: the offsets of the lemma's synsets, in the order of the senses."""
        return {
            pos: dict(self._parse_index(f"index.{name}")) for pos, name in PARTS_OF_SPEECH.items()
        }

    def senses_of(self, lemma: str) -> list[WordSense]:
        """The senses of a lemma (lower case), nouns first, in the order of the database."""
        return [
            WordSense(self.synset(pos, offset), number, self.count_of(lemma, pos, number))
            for pos, lemmas in self.index.items()
            for number, offset in enumerate(lemmas.get(lemma, ()), start=1)
        ]

    def n_senses(self, lemma: str) -> int:
        """How many senses a lemma has in all parts of speech; 0 where it is unknown."""
        return sum(len(lemmas.get(lemma, ())) for lemmas in self.index.values())

    def count_of(self, lemma: str, pos: str, number: int) -> int:
        """How often a sense was seen in tagged text; senses are numbered from 1."""
        return self._counts.get((lemma, pos, number), 0)

    def synset(self, pos: str, offset: int) -> Synset:
        """The synset at an offset."""
        known = self._parsed.get((pos, offset))
        if known is None:
            known = self._parsed[pos, offset] = self._read_synset(pos, offset)
        return known

    def _read_synset(self, pos: str, offset: int) -> Synset:
        name = f"data.{PARTS_OF_SPEECH[pos]}"
        content = self.files[name]
        line = content[offset : content.find(b"\n", offset)].decode("utf-8", "replace")
        if not line.startswith(f"{offset:08d} "):
            raise InputError(
                f"{self.place}: {name} has no synset at byte {offset}; the file is damaged, or its "
                f"line ends were changed: {_HOW_TO_GET_IT}"
            )
        with self._explain_damage(name, line):
            return _parse_synset(line, pos)

    def related(self, synset: Synset, *symbols: str) -> Iterator[Synset]:
        """The synsets that the relations lead to, in the order of the database."""
        for pointer in synset.pointers:
            if pointer.symbol in symbols:
                yield self.synset(pointer.pos, pointer.offset)

    def synsets(self) -> Iterator[Synset]:
        """All synsets."""
        for pos, name in PARTS_OF_SPEECH.items():
            for line in self.files[f"data.{name}"].decode("utf-8", "replace").split("\n"):
                if line and not line.startswith("  "):
                    with self._explain_damage(f"data.{name}", line):
                        synset = _parse_synset(line, pos)
                    yield synset

    @cached_property
    def digest(self) -> str:
        """Of all its files."""
        return digest_of_bytes(*(self.files[name] for name in sorted(self.files)))

    def base_forms(self, word: str) -> list[str]:
        """All lemmas that a word may be a form of: itself, then others; ``found``: found, find."""
        forms = [word, self._exceptions.get(word, word), *_cut_endings(word)]
        return [form for form in dict.fromkeys(forms) if self.n_senses(form)]

    def base_form(self, word: str) -> str:
        """The dictionary form of an inflected word; the word itself where it is one, or unknown."""
        base = self._bases.get(word)
        if base is None:
            base = self._bases[word] = self._find_base_form(word)
        return base

    def _find_base_form(self, word: str) -> str:
        if self.n_senses(word):
            return word
        if word in self._exceptions:
            return self._exceptions[word]
        return next((stem for stem in _cut_endings(word) if self.n_senses(stem)), word)

    @cached_property
    def _exceptions(self) -> dict[str, str]:
        """Irregular forms: ``went`` is a form of ``go``."""
        pairs = (
            line.split()[:2]
            for name in PARTS_OF_SPEECH.values()
            for line in self.files.get(f"{name}.exc", b"").decode("utf-8", "replace").split("\n")
        )
        return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}

    def _parse_index(self, name: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        for line in self.files[name].decode("utf-8", "replace").split("\n"):
            if line and not line.startswith(" "):
                with self._explain_damage(name, line):
                    lemma, _, n_synsets, *rest = line.split()
                    offsets = tuple(map(int, rest[-int(n_synsets) :]))
                yield lemma, offsets

    @contextlib.contextmanager
    def _explain_damage(self, name: str, line: str) -> Iterator[None]:
        """Say which line of which file is not as it should be."""
        try:
            yield
        except (ValueError, IndexError, KeyError) as error:
            raise InputError(
                f"{self.place}: {name} is damaged at {line[:40].strip()!r}: {_HOW_TO_GET_IT}"
            ) from error

    @cached_property
    def _counts(self) -> dict[tuple[str, str, int], int]:
        for name, columns in (("index.sense", 4), ("cntlist.rev", 3)):
            if name in self.files:
                return dict(_parse_counts(self.files[name], columns))
        return {
            (lemma, pos, number): 1
            for pos, name in PARTS_OF_SPEECH.items()
            for lemma, n_tagged in _parse_tagged(self.files[f"index.{name}"])
            for number in range(1, n_tagged + 1)
        }


_ENDINGS = (
    ("ies", "y"),
    ("ves", "f"),
    ("es", "e"),
    ("es", ""),
    ("s", ""),
    ("ied", "y"),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("men", "man"),
)


def _cut_endings(word: str) -> Iterator[str]:
    """What may be left of an inflected word."""
    for ending, replacement in _ENDINGS:
        if word.endswith(ending):
            yield word.removesuffix(ending) + replacement


def usual_places() -> list[Path]:
    """Where NLTK and Linux distributions keep WordNet."""
    roots = [Path(part) for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part]
    roots += [Path.home() / "nltk_data"]
    roots += [Path(sys.prefix) / part for part in ("nltk_data", "share/nltk_data", "lib/nltk_data")]
    roots += [Path(f"/usr/{part}/nltk_data") for part in ("share", "local/share", "lib")]
    places = [root / "corpora" / name for root in roots for name in ("wordnet", "wordnet.zip")]
    return [*places, Path("/usr/share/wordnet")]


def _read_place(path: Path) -> dict[str, bytes]:
    wanted = {f"{kind}.{name}" for kind in ("index", "data") for name in PARTS_OF_SPEECH.values()}
    optional = {"index.sense", "cntlist.rev"} | {f"{n}.exc" for n in PARTS_OF_SPEECH.values()}
    try:
        files = _read_zip(path, wanted | optional) if path.is_file() else {}
        if path.is_dir():
            found = (path / name for name in sorted(wanted | optional))
            files = {file.name: file.read_bytes() for file in found if file.is_file()}
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(f"cannot read WordNet at {path}: {error}; {_HOW_TO_GET_IT}") from error
    missing = sorted(wanted - files.keys())
    if missing:
        what = f"it has no {missing[0]}" if path.exists() else "there is nothing there"
        raise InputError(f"{path} is not a WordNet database: {what}; {_HOW_TO_GET_IT}")
    return files


def _read_zip(path: Path, wanted: set[str]) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {
            PurePosixPath(name).name: archive.read(name)
            for name in archive.namelist()
            if PurePosixPath(name).name in wanted
        }


def _parse_synset(line: str, pos: str) -> Synset:
    """A line: offset, file, type, words with ids, pointers, for verbs frames; then the gloss."""
    head, _, gloss = line.partition(" | ")
    fields = head.split()
    n_lemmas = int(fields[3], 16)
    end = 4 + 2 * n_lemmas
    lemmas = tuple(lemma.split("(")[0] for lemma in fields[4:end:2])  # "(p)": a mark of adjectives
    n_pointers = int(fields[end])
    places = range(end + 1, end + 1 + 4 * n_pointers, 4)
    pointers = tuple(
        Pointer(fields[i], fields[i + 2].replace("s", "a"), int(fields[i + 1])) for i in places
    )
    definition, *examples = gloss.strip().split('"')
    return Synset(
        pos=pos,
        offset=int(fields[0]),
        lexicographer_file=int(fields[1]),
        lemmas=lemmas,
        pointers=pointers,
        definition=definition.strip(" ;"),
        examples=tuple(examples[::2]),
    )


def _parse_counts(content: bytes, n_columns: int) -> Iterator[tuple[tuple[str, str, int], int]]:
    """Lines ``key offset number count`` (index.sense) or ``key number count`` (cntlist.rev)."""
    for line in content.decode("utf-8", "replace").split("\n"):
        columns = line.split()
        if len(columns) == n_columns:
            lemma, _, rest = columns[0].partition("%")
            yield (lemma, _POS_OF_TYPE[rest[0]], int(columns[-2])), int(columns[-1])


def _parse_tagged(content: bytes) -> Iterator[tuple[str, int]]:
    """How many senses of each lemma of an index were seen in tagged text."""
    for line in content.decode("utf-8", "replace").split("\n"):
        if line and not line.startswith(" "):
            lemma, _, n_synsets, *rest = line.split()
            yield lemma, int(rest[-int(n_synsets) - 1])
