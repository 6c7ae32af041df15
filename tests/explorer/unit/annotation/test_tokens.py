"""Tokens are shown once, kept as digests, and replaced on wish."""

from __future__ import annotations

import json

import pytest

from grassmeans.errors import ArtifactError, InputError
from grassmeans_explorer.annotation.project import ADJUDICATOR, make_project
from grassmeans_explorer.annotation.tokens import TOKENS, give_tokens, is_token, read_digests
from grassmeans_explorer.annotation.uses import Use


@pytest.fixture
def project(tmp_path):
    use = Use("a", "crane", "a crane", (2, 7), (0, 7))
    return make_project(tmp_path / "lines", [use], ["Ann", "Bo"], labels={"1": "bird"})


def test_everybody_has_a_token_of_their_own(project):
    made = give_tokens(project)
    assert set(made) == {"Ann", "Bo", ADJUDICATOR}
    assert len(set(made.values())) == 3
    digests = read_digests(project)
    assert all(is_token(made[name], digests[name]) for name in made)
    assert not is_token(made["Ann"], digests["Bo"])
    assert not is_token("", "")
    assert not any(token in (project.path / TOKENS).read_text() for token in made.values())
    assert give_tokens(project) == {}


def test_a_new_token_ends_the_old_one(project):
    before = give_tokens(project)
    after = give_tokens(project, ["Ann"])
    digests = read_digests(project)
    assert is_token(after["Ann"], digests["Ann"])
    assert not is_token(before["Ann"], digests["Ann"])
    assert is_token(before["Bo"], digests["Bo"])
    with pytest.raises(InputError, match="no annotator"):
        give_tokens(project, ["Zoe"])


def test_a_damaged_file_lets_nobody_in(project):
    give_tokens(project)
    path = project.path / TOKENS
    values = json.loads(path.read_text())
    path.write_text(json.dumps(values | {"digests": {"Ann": 5}}))
    with pytest.raises(ArtifactError, match="digest"):
        read_digests(project)
