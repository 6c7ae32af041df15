"""The formats of dictionaries: entries out, and back in where a format has them all.

Every format is a module with `write` (a lexicon -> text) and perhaps `read` (text -> a lexicon).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from grassmeans.errors import InputError, check_choice
from grassmeans.outputs.places import output_file
from grassmeans_explorer.entries.entry import Lexicon


@dataclass(frozen=True, slots=True)
class Format:
    """A format, and what its files are called."""

    name: str
    endings: tuple[str, ...]
    """Of files' names; the first one is usual."""
    about: str
    """What it is, for people."""
    module: str
    can_read: bool = False
    lacks: str = ""
    """What is not in its files, and is not there any more where entries are read back."""

    def load(self, function: str) -> Callable[..., str | Lexicon]:
        """Its function of this name."""
        found: Callable[..., str | Lexicon] = getattr(
            import_module(f"{__name__}.{self.module}"), function
        )
        return found


_NOT_SHOWN = "examples never to be shown"
_LINKED = f"collocates, the status, former keys, {_NOT_SHOWN}"
_FLAT = f"notes, collocates, the status, former keys, {_NOT_SHOWN}, ways to other files' entries"
FORMATS = {
    one.name: one
    for one in (
        Format("tei", (".tei.xml", ".tei"), "TEI Lex-0 (XML)", "tei", True, _NOT_SHOWN),
        Format("ontolex", (".ttl",), "OntoLex-Lemon (RDF, Turtle)", "ontolex", True, _LINKED),
        Format("lexonomy", (".lexonomy.xml",), "Lexonomy (XML)", "lexonomy", True, _NOT_SHOWN),
        Format("dmlex", (".dmlex.json",), "DMLex (JSON)", "dmlex", True, _FLAT),
        Format("csv", (".csv",), "a table, a row for each field", "table", True),
        Format("html", (".html", ".htm"), "a page to read and to print", "page"),
        Format("json", (".json",), "all that there is, for this program", "own", True),
    )
}


_OF_SEVERAL = (".xml", ".json")
_TEI = re.compile(r"<(?:\w+:)?TEI\b")
_OURS = re.compile(r'"kind"\s*:\s*"grassmeans-lexicon"')
_DMLEX = re.compile(r'"(?:langCode|headword)"\s*:')


def find_format(path: str | Path, name: str | None = None, *, to_read: bool = False) -> Format:
    """The format of a name, or of a file's ending; `InputError` where it cannot be told."""
    if name is not None:
        check_choice("format", name, FORMATS)
        found: Format | None = FORMATS[name]
    else:
        known = ((ending, one) for one in FORMATS.values() for ending in one.endings)
        low = Path(path).name.lower()
        fitting = [(len(ending), one) for ending, one in known if low.endswith(ending)]
        found = max(fitting, key=lambda pair: pair[0])[1] if fitting else None
    if found is None:
        raise InputError(
            f"the format of {Path(path).name} cannot be told from its name: name it with "
            f"format=... ({', '.join(FORMATS)})"
        )
    if to_read and not found.can_read:
        readable = ", ".join(one.name for one in FORMATS.values() if one.can_read)
        raise InputError(f"entries are not read from {found.name}: take one of {readable}")
    return found


def write_lexicon(lexicon: Lexicon, format: str) -> str:
    """A lexicon as the text of a format."""
    check_choice("format", format, FORMATS)
    return str(FORMATS[format].load("write")(lexicon))


def encode_lexicon(lexicon: Lexicon, format: str) -> bytes:
    """The same in UTF-8; half of a surrogate pair, which that cannot hold, as its number."""
    return write_lexicon(lexicon, format).encode("utf-8", "backslashreplace")


def save_lexicon(
    lexicon: Lexicon, path: str | Path, format: str | None = None, *, overwrite: bool = False
) -> None:
    """Write a lexicon into a file, in a format or in that of the file's ending.

    `InputError` where the file is there already and ``overwrite`` is not set.
    """
    chosen = find_format(path, format)
    with output_file(path, overwrite=overwrite) as place:
        place.write_bytes(encode_lexicon(lexicon, chosen.name))


def load_lexicon(path: str | Path, format: str | None = None) -> Lexicon:
    """Read the lexicon of a file; `InputError` says what is wrong with it."""
    path = Path(path)
    known = format is not None or path.suffix.lower() not in _OF_SEVERAL
    if known:
        find_format(path, format, to_read=True)
    if not path.is_file():
        raise InputError(f"there is no file {path} to read entries from")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error})") from error
    return read_lexicon(text, format or recognise_format(text, path), path)


def read_lexicon(text: str, format: str, path: Path) -> Lexicon:
    """The lexicon of a text in a format; the path is for the error where it cannot be read."""
    chosen = find_format(path, format, to_read=True)
    found = chosen.load("read")(text.removeprefix("\ufeff"), path)
    assert isinstance(found, Lexicon)
    if not chosen.lacks:
        return found
    return replace(found, remarks=(f"{chosen.about} has no place for {chosen.lacks}",))


def recognise_format(text: str, path: Path) -> str:
    """The name of a file's format: by its ending, and where several have that, by its text."""
    suffix = path.suffix.lower()
    if suffix == ".xml":
        return "tei" if _TEI.search(text) else "lexonomy"
    if suffix == ".json":
        return "json" if _OURS.search(text) else "dmlex" if _DMLEX.search(text) else "json"
    return find_format(path, to_read=True).name
