"""Tokens: what annotators show of themselves where a server is open to others.

A token is made by chance and shown once. The folder of an annotation keeps digests alone, in a file
that only its owner may read; digests are compared in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable, Mapping

from grassmeans.artifacts.checking import damaged, parse_json, read_text
from grassmeans.artifacts.schema import check_values, one_of, record
from grassmeans.artifacts.writing import write_json
from grassmeans.errors import InputError
from grassmeans_explorer.annotation.project import ADJUDICATOR, AnnotationProject

TOKENS = "tokens.json"
LONGEST_TOKEN = 100
"""Of what is taken for one at all."""
_BYTES = 18
_KIND, _FORMAT = "tokens", 1
_RULES = {"kind": one_of(_KIND), "format_version": one_of(_FORMAT), "digests": record()}


def make_token() -> str:
    """A new token, of letters that any form takes."""
    return secrets.token_urlsafe(_BYTES)


def is_token(token: str, digest: str) -> bool:
    """Whether a token is the one of a digest; it takes as long where it is not."""
    return hmac.compare_digest(digest_token(token), digest)


def digest_token(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "backslashreplace")).hexdigest()


def read_digests(project: AnnotationProject) -> dict[str, str]:
    """The digests by the names of those who have a token."""
    path = project.path / TOKENS
    if not path.exists():
        return {}
    values = parse_json(read_text(path), path)
    check_values(path, values, _RULES)
    found: Mapping[str, object] = values["digests"]
    if not all(isinstance(digest, str) for digest in found.values()):
        raise damaged(path, "a digest is no text")
    return {name: str(digest) for name, digest in found.items()}


def give_tokens(project: AnnotationProject, names: Iterable[str] | None = None) -> dict[str, str]:
    """New tokens for those named; by default for annotators and adjudicator who have none.

    An earlier token of the same name is good for nothing from then on. What is returned is kept
    nowhere else.
    """
    known = read_digests(project)
    everybody = (*project.annotators, ADJUDICATOR)
    wanted = [name for name in everybody if name not in known] if names is None else list(names)
    for name in wanted:
        if name not in everybody:
            raise InputError(f"{name[:80]!r} is no annotator of {project.path.name}")
    made = {name: make_token() for name in wanted}
    if made:
        digests = known | {name: digest_token(token) for name, token in made.items()}
        path = project.path / TOKENS
        write_json(path, {"kind": _KIND, "format_version": _FORMAT, "digests": digests})
        os.chmod(path, 0o600)
    return made
