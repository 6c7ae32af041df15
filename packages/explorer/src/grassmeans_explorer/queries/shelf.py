"""A folder of annotations, or one alone, and who may do what with them.

On a machine of one's own nobody is asked for anything. Where a server is open to others, annotators
and who adjudicates show their token, and who makes a new annotation shows that of the server, which
is made when it starts. Tokens are told by ``tell``, once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from grassmeans.artifacts.checking import MANIFEST
from grassmeans.errors import GrassmeansError, InputError
from grassmeans_explorer.annotation.project import ADJUDICATOR, AnnotationProject
from grassmeans_explorer.annotation.tokens import (
    digest_token,
    give_tokens,
    is_token,
    make_token,
    read_digests,
)
from grassmeans_explorer.limits import ConflictError, NotAllowedError, NothingThereError

MOST_PROJECTS = 1_000


class Shelf:
    """The annotations that a server shows."""

    def __init__(
        self,
        folder: str | Path,
        *,
        needs_tokens: bool = False,
        read_only: bool = False,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.folder = Path(folder)
        self.needs_tokens = needs_tokens
        self.is_one_project = (self.folder / MANIFEST).exists()
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"--annotation {self.folder} is no folder")
        self._tell = tell
        self._opened: dict[str, AnnotationProject] = {}
        self._lock = threading.Lock()
        self._making = ""
        if needs_tokens:
            token = make_token()
            self._making = digest_token(token)
            if not self.is_one_project:
                tell(f"token for who makes annotations in the pages: {token}")
            # Where nothing is written, the tokens are those that were handed out before.
            for name in () if read_only else self.list_names():
                self.hand_out(name)

    def list_names(self) -> list[str]:
        """The names of all folders that may be annotations."""
        if self.is_one_project:
            return [self.folder.resolve().name]
        if not self.folder.is_dir():
            return []
        found = (path for path in self.folder.iterdir() if (path / MANIFEST).is_file())
        return sorted(path.name for path in found if not path.name.startswith("."))[:MOST_PROJECTS]

    def find(self, name: str) -> AnnotationProject:
        """The annotation of a name; `NothingThereError` where there is none."""
        if name not in self.list_names():
            raise NothingThereError(f"there is no annotation {name[:80]!r} here")
        path = self.folder if self.is_one_project else self.folder / name
        fresh = AnnotationProject.open(path)
        with self._lock:
            kept = self._opened.get(name)
            # One that was replaced meanwhile has other items.
            if kept is None or kept.manifest != fresh.manifest:
                kept = self._opened[name] = fresh
        return kept

    def list_projects(self) -> tuple[list[AnnotationProject], list[str]]:
        """All annotations, and the names of folders that cannot be read as one."""
        found, damaged = [], []
        for name in self.list_names():
            try:
                found.append(self.find(name))
            except GrassmeansError:
                damaged.append(name)
        return found, damaged

    def place_for(self, name: str) -> Path:
        """Where a new annotation goes; `ConflictError` where there cannot be one."""
        if self.is_one_project:
            raise ConflictError("--annotation names one annotation: name a folder of them for more")
        if (self.folder / name).exists():
            raise ConflictError(f"{name} exists already: choose another name")
        if len(self.list_names()) >= MOST_PROJECTS:
            raise ConflictError(f"there are {MOST_PROJECTS:,} annotations already")
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / name

    def hand_out(self, name: str) -> None:
        """Tell the tokens of an annotation that nobody knows yet, where tokens are needed."""
        if not self.needs_tokens:
            return
        try:
            made: Mapping[str, str] = give_tokens(self.find(name))
        except GrassmeansError as error:
            self._tell(f"annotation {name}: {error}")
            return
        for who, token in made.items():
            self._tell(f"annotation {name}, token of {who}: {token}")

    def check_annotator(self, project: AnnotationProject, name: str, token: str) -> None:
        """`NotAllowedError` where the token is not that of the annotator."""
        if self.needs_tokens:
            self._check(read_digests(project).get(name, ""), token)
        if name not in project.annotators:
            raise NothingThereError(f"{name[:80]!r} is no annotator of {project.path.name}")

    def check_adjudicator(self, project: AnnotationProject, token: str) -> None:
        """`NotAllowedError` where the token is not that of who adjudicates."""
        if self.needs_tokens:
            self._check(read_digests(project).get(ADJUDICATOR, ""), token)

    def check_maker(self, token: str) -> None:
        """`NotAllowedError` where the token is not that of who makes annotations."""
        if self.needs_tokens:
            self._check(self._making, token)

    @staticmethod
    def _check(digest: str, token: str) -> None:
        if not is_token(token, digest):
            raise NotAllowedError("the name or the token is not right: see what was handed out")
