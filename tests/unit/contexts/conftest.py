"""What the tests of networks share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grassmeans.contexts.attention.training import EncoderSettings, train_encoder


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Matrices as small as these are slower with several threads."""
    try:
        import torch
    except ImportError:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def brief() -> EncoderSettings:
    """Of a training of a second."""
    return EncoderSettings(dim=64, layers=1, passage=32, epochs=2, batch_tokens=512)


@pytest.fixture(scope="session")
def base_folder(tmp_path_factory, topic_corpus, brief) -> Path:
    """An encoder without a teacher."""
    pytest.importorskip("torch", reason="needs the extra encoder")
    folder = tmp_path_factory.mktemp("base") / "base"
    train_encoder(topic_corpus, folder, brief, device="cpu", workers=1)
    return folder


@pytest.fixture(scope="session")
def lessons_folder(tmp_path_factory) -> Path:
    """Where what the tiny transformer says is kept."""
    return tmp_path_factory.mktemp("lessons")


@pytest.fixture(scope="session")
def taught_folder(
    tmp_path_factory, topic_corpus, transformer_folder, base_folder, lessons_folder, brief
) -> Path:
    """An encoder that a tiny transformer has taught."""
    from grassmeans.contexts.teaching.teacher import Teacher

    folder = tmp_path_factory.mktemp("taught") / "taught"
    teacher = Teacher(str(transformer_folder), "2-3", cache=lessons_folder)
    given = {"teacher": teacher, "base": base_folder, "device": "cpu", "workers": 1}
    train_encoder(topic_corpus, folder, brief, **given)
    return folder
