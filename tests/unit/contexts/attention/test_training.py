"""An encoder's folder: repeatable, resumable, and usable without PyTorch."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from grassmeans import Corpus, SenseModel, find_senses, load
from grassmeans.artifacts.writing import read_manifest
from grassmeans.cli.main import app
from grassmeans.contexts import open_contexts
from grassmeans.contexts.attention.training import (
    EncoderSettings,
    choose_device,
    choose_size,
    train_encoder,
)
from grassmeans.errors import GrassmeansWarning, InputError, MissingExtraError
from grassmeans.models.building import build_model
from synthetic import make_topic_text

SMALL = EncoderSettings(dim=64, layers=1, passage=32, epochs=2, batch_tokens=1024)


@pytest.fixture(scope="module")
def trained(tmp_path_factory, topic_corpus) -> Path:
    """An encoder of the synthetic corpus."""
    pytest.importorskip("torch", reason="needs the extra encoder")
    folder = tmp_path_factory.mktemp("encoder") / "encoder"
    train_encoder(topic_corpus, folder, SMALL, device="cpu", workers=1)
    return folder


def read_everything(folder: Path) -> dict[str, bytes]:
    files = [*folder.glob("vectors/*.npy"), *folder.glob("encoder/*.safetensors")]
    return {path.name: path.read_bytes() for path in files}


def test_a_folder_says_what_it_is_and_opens_as_contexts(trained, topic_corpus) -> None:
    manifest = read_manifest(trained, "encoder")
    assert manifest["language"] == "en"
    assert manifest["tokenizer"] == topic_corpus.tokenizer.to_dict()
    assert manifest["corpus"]["digest"] == topic_corpus.manifest["digest"]
    assert manifest["training"]["random_state"] == 0
    assert manifest["tokens_seen"] == pytest.approx(2 * topic_corpus.n_tokens, rel=0.1)
    losses = [point["held_out_loss"] for point in manifest["curve"]]
    assert losses[-1] == manifest["held_out_loss"] < losses[0] - 0.5
    encoder = open_contexts(trained)
    assert encoder.kind == "learned"
    assert encoder.shape.rank == 1
    assert encoder.function_words == topic_corpus.function_words
    n_frequent = topic_corpus.vocabulary.size_at(5)
    assert list(encoder.vectors.words) == topic_corpus.vocabulary.words[:n_frequent]
    positions = topic_corpus.positions("crane")[:3]
    bases = encoder.encode_at(topic_corpus, positions)
    np.testing.assert_allclose(np.linalg.norm(bases, axis=2), 1.0, rtol=1e-4)


def test_senses_are_induced_with_it_and_text_is_tagged(trained, topic_corpus, tmp_path) -> None:
    model = build_model(
        topic_corpus.path, trained, tmp_path / "model", ["crane"], calibrated=False, workers=1
    )
    assert model.encoder.kind == "learned"
    assert model.encoder.identity() == open_contexts(trained).identity()
    (found,) = model.tag("a crane flew over the water", words=["crane"], idk_threshold=None).words
    assert found.sense >= 1


def test_the_same_seed_gives_the_same_encoder(trained, topic_corpus, tmp_path) -> None:
    train_encoder(topic_corpus, tmp_path / "again", SMALL, device="cpu", workers=1)
    assert read_everything(tmp_path / "again") == read_everything(trained)
    other = EncoderSettings(
        dim=64, layers=1, passage=32, epochs=2, batch_tokens=1024, random_state=1
    )
    train_encoder(topic_corpus, tmp_path / "other", other, device="cpu", workers=1)
    assert read_everything(tmp_path / "other") != read_everything(trained)


def test_a_killed_training_goes_on_to_the_same_end(
    trained, topic_corpus, tmp_path, monkeypatch
) -> None:
    from grassmeans.contexts.attention import course
    from grassmeans.contexts.attention.optimising import Trainer

    steps: list[int] = []
    step = Trainer.step

    def fail_once(self, ids, number, progress):
        steps.append(number)
        if number == 13 and steps.count(13) == 1:
            raise RuntimeError("killed")
        return step(self, ids, number, progress)

    monkeypatch.setattr(course, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(Trainer, "step", fail_once)
    folder = tmp_path / "encoder"
    with pytest.raises(RuntimeError, match="killed"):
        train_encoder(topic_corpus, folder, SMALL, device="cpu", workers=1)
    assert not folder.exists()
    train_encoder(topic_corpus, folder, SMALL, device="cpu", workers=1)
    assert steps == [*range(14), *range(13, steps[-1] + 1)]
    assert read_everything(folder) == read_everything(trained)
    known = ("tokens_seen", "held_out_loss", "loss")
    one, other = (read_manifest(place)["curve"] for place in (folder, trained))
    assert [[p[name] for name in known] for p in one] == [
        [p[name] for name in known] for p in other
    ]


def test_minutes_end_a_training(topic_corpus, tmp_path) -> None:
    pytest.importorskip("torch", reason="needs the extra encoder")
    settings = EncoderSettings(dim=64, layers=1, passage=32, minutes=0.5 / 60, batch_tokens=1024)
    train_encoder(topic_corpus, tmp_path / "encoder", settings, device="cpu", workers=1)
    manifest = read_manifest(tmp_path / "encoder")
    assert 0.45 <= manifest["seconds"] < 5  # a tenth is kept for the end
    assert manifest["training"]["epochs"] is None


def test_the_command_trains_and_tells(topic_corpus, tmp_path) -> None:
    pytest.importorskip("torch", reason="needs the extra encoder")
    line = f"encoder {topic_corpus.path} -o {tmp_path / 'encoder'} --dim 64 --layers 1"
    line += " --passage 32 --epochs 0.3 --vocabulary 50 --batch-tokens 512 --device cpu -j 1 --json"
    told = json.loads(CliRunner().invoke(app, line.split()).stdout)
    assert (told["n_words"], told["dim"], told["layers"]) == (50, 64, 1)
    assert told["held_out_loss"] > 0
    assert told["frequency_loss"] > 0


def test_an_encoder_that_has_seen_too_little_says_so_wherever_it_is_used(
    topic_corpus, synthetic, tmp_path
) -> None:
    pytest.importorskip("torch", reason="needs the extra encoder")
    lack = r"trained too little.* it has seen 2,048 tokens of a corpus of 11,200"
    settings = EncoderSettings(dim=64, layers=1, passage=32, epochs=0.2, batch_tokens=1024)
    place = tmp_path / "encoder"
    with pytest.warns(GrassmeansWarning, match=lack):
        encoder = train_encoder(topic_corpus, place, settings, device="cpu", workers=1)
    given = ["induce", str(topic_corpus.path), str(place), "-o", str(tmp_path / "model")]
    done = CliRunner().invoke(app, [*given, "-w", "crane", "--no-calibrate", "-j", "1"])
    assert done.exit_code == 0, done.output
    (said,) = [line for line in done.stderr.splitlines() if re.search(lack, line)]
    assert said.endswith(
        "train it longer (--epochs, --minutes), on more text where that does not help"
    )
    with pytest.warns(GrassmeansWarning, match=lack):
        load(tmp_path / "model").tag("a crane")
    (tmp_path / "text.txt").write_text("a crane\nthe crane\n")
    done = CliRunner().invoke(app, ["tag", str(tmp_path / "model"), str(tmp_path / "text.txt")])
    assert len(re.findall(lack, done.stderr)) == 1
    texts = synthetic.documents[:16]
    for door in (
        lambda: find_senses(texts, "crane", contexts=encoder),
        lambda: SenseModel.fit(texts, "crane", contexts=place, calibrated=False),
    ):
        with pytest.warns(GrassmeansWarning, match=lack):
            door()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dim": 100}, "multiple of 64, got 100"),
        ({"epochs": 1, "minutes": 1}, "either epochs or minutes"),
        ({"minutes": 0.0}, "minutes must be positive, up to 1,000,000, got 0"),
        ({"epochs": float("nan")}, "epochs must be positive"),
        ({"passage": 1}, "passage must be a whole number from 4 to 65,536; got 1"),
        ({"batch_tokens": 64}, "hold a passage of 128 tokens or more, got 64"),
        ({"layers": 0}, "layers must be a whole number from 1 to 256"),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong, message) -> None:
    with pytest.raises(InputError, match=message):
        EncoderSettings(**wrong)


def test_sizes_grow_with_the_corpus_and_what_is_given_stays() -> None:
    sizes = [choose_size(n, "cpu")["dim"] for n in (10**5, 5 * 10**6, 2 * 10**7, 10**9)]
    assert sizes == sorted(sizes)
    assert choose_size(10**9, "cuda")["dim"] > sizes[-1]
    given = EncoderSettings(dim=64, minutes=3).complete(10**6, "cpu")
    assert (given.dim, given.minutes, given.epochs) == (64, 3, None)
    assert given.batch_tokens == 4_096
    assert EncoderSettings(passage=5_000).complete(10**6, "cpu").batch_tokens == 5_000


def test_without_torch_the_extra_is_named(topic_corpus, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"grassmeans\[encoder\]"):
        train_encoder(topic_corpus, tmp_path / "encoder")
    assert list(tmp_path.iterdir()) == []


def test_a_device_that_is_not_there_is_told_in_one_line(monkeypatch) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra encoder")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="no GPU here that PyTorch can use: take device='cpu'"):
        choose_device("cuda")
    with pytest.raises(InputError, match="device must be one of cpu, cuda, got 'tpu'"):
        choose_device("tpu")
    assert choose_device() == "cpu"


@pytest.fixture(scope="module")
def other_corpus(tmp_path_factory) -> Corpus:
    """Half as long as the other one, with some words of its own."""
    text = make_topic_text(80, random_state=1)
    documents = [f"{document} Novel novel harbour." for document in text.documents]
    return Corpus.from_texts(documents, tmp_path_factory.mktemp("other") / "other")


def test_several_corpora_are_read_by_their_shares(topic_corpus, other_corpus, brief, tmp_path):
    pytest.importorskip("torch", reason="needs the extra encoder")
    given = {"shares": [3, 1], "device": "cpu", "workers": 1}
    both = [topic_corpus, other_corpus]
    encoder = train_encoder(both, tmp_path / "one", brief, **given)
    manifest = read_manifest(tmp_path / "one")
    assert manifest["training"]["shares"] == [0.75, 0.25]
    digests = [about["digest"] for about in manifest["corpora"]]
    assert digests == [corpus.manifest["digest"] for corpus in both]
    assert manifest["corpus"] == manifest["corpora"][0]
    # It is there 160 times, in a quarter of what is read.
    counts = dict(zip(encoder.vectors.words, encoder.vectors.counts.tolist(), strict=True))
    n_tokens = topic_corpus.n_tokens + other_corpus.n_tokens
    assert counts["novel"] == round(160 * 0.25 * n_tokens / other_corpus.n_tokens)
    train_encoder(both, tmp_path / "two", brief, **given)
    assert read_everything(tmp_path / "two") == read_everything(tmp_path / "one")
    with pytest.raises(InputError, match="a share above 0 for each of the 2 corpora; got"):
        train_encoder(both, tmp_path / "three", brief, **(given | {"shares": [1.0]}))
    with pytest.raises(InputError, match="there must be a corpus"):
        train_encoder([], tmp_path / "three", brief, device="cpu")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_a_folder_tells_who_taught_it(
    taught_folder, base_folder, transformer_folder, topic_corpus
) -> None:
    manifest = read_manifest(taught_folder, "encoder")
    teacher = manifest["teacher"]
    assert teacher["source"] == str(transformer_folder)
    assert (teacher["layers"], teacher["licence"]) == ("2,3", None)
    assert len(teacher["digest"]) > 8
    assert manifest["corpus"]["digest"] == topic_corpus.manifest["digest"]
    assert manifest["context"]["kind"] == "taught"
    losses = [point["held_out_loss"] for point in manifest["curve"]]
    assert losses[-1] == manifest["held_out_loss"] < losses[0] - 0.2
    assert manifest["voices"].keys() == {"line", "deviation", "variance"}
    # Contexts say little of what a transformer of random numbers says; 1 is what a guess has.
    assert 0 < manifest["voices"]["line"] < 0.6
    assert 0 < manifest["voices"]["deviation"] < 0.97
    encoder = open_contexts(taught_folder)
    assert encoder.weights.teacher == teacher
    assert list(encoder.vectors.words) == list(open_contexts(base_folder).vectors.words)
    bases = encoder.encode_at(topic_corpus, topic_corpus.positions("crane")[:3])
    np.testing.assert_allclose(np.linalg.norm(bases, axis=2), 1.0, rtol=1e-4)


@pytest.mark.filterwarnings("ignore::grassmeans.errors.GrassmeansWarning")
def test_a_killed_teaching_goes_on_to_the_same_end(
    taught_folder, base_folder, transformer_folder, topic_corpus, brief, tmp_path, monkeypatch
) -> None:
    from grassmeans.contexts.attention import course
    from grassmeans.contexts.teaching.lessons import LessonFiles
    from grassmeans.contexts.teaching.student import StudentTrainer
    from grassmeans.contexts.teaching.teacher import Teacher

    steps: list[int] = []
    written: list[str] = []
    step, write = StudentTrainer.step, LessonFiles.write

    def fail_once(self, batch, number, progress):
        steps.append(number)
        if number == 4 and steps.count(4) == 1:
            raise RuntimeError("killed in a step")
        return step(self, batch, number, progress)

    def write_some(self, number, lesson):
        written.append(self.folder.name)
        if len(written) == 2:
            raise RuntimeError("killed while it reads")
        write(self, number, lesson)

    monkeypatch.setattr(course, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(StudentTrainer, "step", fail_once)
    monkeypatch.setattr(LessonFiles, "write", write_some)
    folder = tmp_path / "taught"
    given = {"base": base_folder, "device": "cpu", "workers": 1}
    for killed in ("while it reads", "in a step"):
        with pytest.raises(RuntimeError, match=killed):
            train_encoder(
                topic_corpus,
                folder,
                brief,
                teacher=Teacher(str(transformer_folder), "2-3"),
                **given,
            )
        assert not folder.exists()
    train_encoder(
        topic_corpus, folder, brief, teacher=Teacher(str(transformer_folder), "2-3"), **given
    )
    assert written == ["0-trained", "0-held-out", "0-held-out"]
    assert steps == [*range(5), *range(4, steps[-1] + 1)]
    # From other folders, and yet the same as what was never interrupted.
    assert read_everything(folder) == read_everything(taught_folder)
    assert [path.name for path in tmp_path.iterdir()] == ["taught"]


@pytest.mark.filterwarnings("ignore::grassmeans.errors.GrassmeansWarning")
def test_without_a_base_one_is_trained_first_and_kept_where_the_teacher_fails(
    taught_folder, base_folder, transformer_folder, topic_corpus, brief, tmp_path, monkeypatch
) -> None:
    from grassmeans.contexts.attention.optimising import Trainer
    from grassmeans.contexts.teaching import teacher

    given = {"teacher": teacher.Teacher(str(transformer_folder), "2-3"), "device": "cpu"}
    folder = tmp_path / "taught"
    sizes = iter([10**12])  # there is room before the base is trained, and none after it
    with monkeypatch.context() as full:
        full.setattr(
            teacher.shutil, "disk_usage", lambda path: SimpleNamespace(free=next(sizes, 0))
        )
        with pytest.raises(InputError, match=r"has 0\.0 GB free"):
            train_encoder(topic_corpus, folder, brief, workers=1, **given)
    (base,) = tmp_path.glob(".taught.building/scratch/base")
    assert read_everything(base) == read_everything(base_folder)
    seen: list[type] = []
    step = Trainer.step

    def note_step(self, batch, number, progress):
        seen.append(type(self))
        return step(self, batch, number, progress)

    monkeypatch.setattr(Trainer, "step", note_step)
    train_encoder(topic_corpus, folder, brief, workers=1, **given)
    assert Trainer not in seen  # the base was trained before
    assert read_everything(folder) == read_everything(taught_folder)


def test_where_no_document_is_held_out_no_loss_is_told(
    base_folder, transformer_folder, synthetic, brief, tmp_path
) -> None:
    corpus = Corpus.from_texts(synthetic.documents[:39], tmp_path / "corpus")
    line = f"encoder {corpus.path} -o {tmp_path / 'e'} --passage 32 --dim 64 --layers 1"
    line += f" --epochs 0.5 --batch-tokens 512 --device cpu -j 1 --base {base_folder}"
    done = CliRunner().invoke(
        app, [*line.split(), "--teacher", f"transformer:{transformer_folder}"]
    )
    assert done.exit_code == 0, done.output
    assert "held-out" not in done.stdout
    assert read_manifest(tmp_path / "e")["voices"] is None


@pytest.mark.filterwarnings("ignore::grassmeans.errors.GrassmeansWarning")
def test_the_command_mixes_corpora_and_hears_a_teacher(
    topic_corpus, other_corpus, transformer_folder, tmp_path
) -> None:
    out, cache = tmp_path / "taught", tmp_path / "lessons"
    line = f"encoder {topic_corpus.path} {other_corpus.path} -o {out} --share 0.5 0.5 --dim 64"
    line += " --layers 1 --passage 32 --epochs 0.4 --batch-tokens 512 --device cpu -j 1 --json"
    line += f" --teacher transformer:{transformer_folder} --teacher-layers 2-3"
    line += f" --teacher-cache {cache} --teacher-disk 0.0004 --vocabulary 100"
    done = CliRunner().invoke(app, line.split())
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["n_words"], told["dim"], told["layers"]) == (100, 64, 1)
    assert told["voices"].keys() == {"line", "deviation", "variance"}
    assert "GB, and it reads for about 1 min" in done.stderr
    manifest = read_manifest(out)
    assert manifest["training"]["shares"] == [0.5, 0.5]
    assert manifest["teacher"]["layers"] == "2,3"
    # Room for 312 passages of 32 words of 40 bytes, half of them of each corpus.
    said = [np.load(path, mmap_mode="r").shape for path in cache.glob("*/?-trained/*.codes.npy")]
    assert said == [(156, 32, 32)] * 2
    assert open_contexts(out).kind == "taught"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"teacher": None}, r"\(base=...\) is for one with a teacher"),
        ({"base": "taught"}, "is no encoder that was trained without a teacher: give another"),
        ({"passage": 64}, "reads 32 tokens at once, fewer than 64: take passage=32, or another"),
        ({"teacher": "corpus"}, r"is no transformer, it has no config\.json"),
    ],
)
def test_teachings_that_cannot_be_are_refused(
    changes, message, taught_folder, base_folder, transformer_folder, topic_corpus, brief, tmp_path
) -> None:
    teacher = changes.get("teacher", transformer_folder)
    given = {
        "base": taught_folder if "base" in changes else base_folder,
        "teacher": topic_corpus.path if teacher == "corpus" else teacher,
        "settings": replace(brief, passage=changes.get("passage", 32)),
    }
    with pytest.raises(InputError, match=message):
        train_encoder(topic_corpus, tmp_path / "e", device="cpu", workers=1, **given)
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_without_frequent_words_is_refused(tmp_path) -> None:
    pytest.importorskip("torch", reason="needs the extra encoder")
    corpus = Corpus.from_texts(["one two three four"])
    with pytest.raises(InputError, match="no word occurs 5 times"):
        train_encoder(corpus, tmp_path / "encoder", device="cpu", workers=1)
    assert list(tmp_path.iterdir()) == []


def test_layers_are_trained_in_what_the_processor_is_fast_with(
    monkeypatch, topic_corpus, tmp_path
) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra encoder")
    from grassmeans.contexts.attention import network as networks

    given = []
    monkeypatch.setattr(networks, "choose_dtype", lambda device: torch.bfloat16)
    whole = networks.LeaveOneOutNetwork

    def make(*arguments, **named):
        given.append(arguments[3])
        return whole(*arguments, **named)

    monkeypatch.setattr(networks, "LeaveOneOutNetwork", make)
    brief = replace(SMALL, epochs=0.2)
    train_encoder(topic_corpus, tmp_path / "encoder", brief, device="cpu", workers=1)
    assert given == [torch.bfloat16]
