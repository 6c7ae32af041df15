"""Text -> a finished model: an encoder, senses, labels, lexemes, packed, scored and described.

Each step is a function of another room, with a folder of its own (`grassmeans.recipes.steps`); here
is only what goes from one to the next.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grassmeans.artifacts.checking import read_json
from grassmeans.artifacts.schema import check_arguments
from grassmeans.artifacts.writing import SEAL, identify_file, read_manifest, write_manifest
from grassmeans.contexts.attention.training import EncoderSettings, choose_device, train_encoder
from grassmeans.corpus.appending import check_alike, join_corpora
from grassmeans.corpus.corpus import Corpus, default_options, is_corpus
from grassmeans.engines import EngineChoice
from grassmeans.errors import InputError
from grassmeans.evaluation.loading import open_task
from grassmeans.labelling.labeller import label_corpus
from grassmeans.lexemes.training import train_lexemes
from grassmeans.models.building import fit_model
from grassmeans.models.compacting import CompactSettings, compact_model
from grassmeans.models.model import FORMAT_VERSION, SenseModel, load
from grassmeans.models.places import KIND
from grassmeans.outputs.places import output_folder
from grassmeans.reading.documents import ReadReport
from grassmeans.reading.inputs import list_inputs
from grassmeans.recipes import planning
from grassmeans.recipes.about import CARD, About, count_bytes, describe_model
from grassmeans.recipes.scoring import SCORES, score_model
from grassmeans.recipes.steps import Steps
from grassmeans.senses.induction import default_min_count
from grassmeans.tagging.lemmas import AUTO_LEMMAS
from grassmeans.vectors.skipgram import SkipGram, choose_epochs, train_vectors

if TYPE_CHECKING:
    from grassmeans.contexts.teaching.teacher import Teacher

STEPS = ".steps"
"""Behind the name of a model: the folder of steps that are kept."""

_CLAIM = "a model by a recipe"
_HEAD = {"kind", "format_version", "grassmeans", "created", SEAL}
_TOLD = ("n_words", "tokens_seen", "corpora", "training", "teacher")
_MOST_EPOCHS = 20


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides a model, apart from its text; what is None is chosen by the text's size.

    Parameters
    ----------
    encoder : EncoderSettings
    min_count : int, optional
        Senses of all content words are sought that occur so often.
    max_contexts : int, optional
        Occurrences of a word that are looked at.
    granularity : float
        Larger gives more senses.
    lexemes : bool
        Whether vectors of senses are trained and go into the model.
    epochs : int, optional
        Of vectors and lexemes.
    compact : CompactSettings
    random_state : int
    lemmas : bool or "auto"
        Whether the forms of a word have one entry, as for `SenseModel.fit`.
    """

    encoder: EncoderSettings = field(default_factory=EncoderSettings)
    min_count: int | None = None
    max_contexts: int | None = None
    granularity: float = 1.0
    lexemes: bool = True
    epochs: int | None = None
    compact: CompactSettings = field(default_factory=CompactSettings)
    random_state: int = 0
    lemmas: bool | str = AUTO_LEMMAS

    def __post_init__(self) -> None:
        if self.compact.dimensions is not None and not self.lexemes:
            raise InputError("the dimensions are those of lexemes: leave them out, or lexemes in")

    @property
    def induction(self) -> dict[str, Any]:
        """What differs from the usual settings of an induction."""
        names = ("granularity", "max_contexts", "random_state")
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Reading:
    """What the encoder of a model is, and what it reads.

    Parameters
    ----------
    encoder : path, optional
        One that is there; by default one is trained on all corpora.
    shares, teacher, base, start
        As for `grassmeans.contexts.attention.training.train_encoder`.
    """

    encoder: str | Path | None = None
    shares: Sequence[float] | None = None
    teacher: Teacher | str | None = None
    base: str | Path | None = None
    start: str | Path | None = None

    def __post_init__(self) -> None:
        trained = [self.shares, self.teacher, self.base, self.start]
        if self.encoder is not None and any(given is not None for given in trained):
            left = "leave shares, teacher, base, start out"
            raise InputError(f"the encoder is given, not trained: {left}")

    def identify(self) -> list[Any]:
        """What a training depends on, beside corpora and settings; a teacher may be elsewhere."""
        told = {name: getattr(self.teacher, name, None) for name in ("source", "layers", "disk")}
        base = None if self.base is None else read_manifest(Path(self.base), "encoder")
        start = [] if self.start is None else [read_manifest(Path(self.start))]
        return [self.shares, str(told["source"] or self.teacher), *told.values(), base, *start]


@check_arguments()
def make_model(
    texts: str | Path | Sequence[str | Path],
    output: str | Path,
    recipe: Recipe | None = None,
    *,
    language: str | None = None,
    senses_from: Sequence[str | Path] = (),
    lexemes_from: str | Path | None = None,
    reading: Reading | None = None,
    about: About | None = None,
    tests: Mapping[str, str | Path] | None = None,
    device: str = "cpu",
    workers: int | None = None,
    engine: EngineChoice = None,
    keep: bool = False,
    overwrite: bool = False,
    show_progress: bool | None = None,
    tell: Callable[[str], None] | None = None,
) -> SenseModel:
    """Make a model from text: packed, calibrated, scored and described, as ``grassmeans model``.

    Started again after an interruption, it goes on from where it was.

    Parameters
    ----------
    texts : path or paths
        Corpora, or files and folders of text, which become one.
    output : path
        Folder of the model.
    recipe : Recipe, optional
    language : str, optional
        Of texts, "en" by default; that of corpora is known.
    senses_from : paths
        Corpora in which senses are sought; the last of the texts by default.
    lexemes_from : path, optional
        A corpus that is labelled to learn vectors of senses from, in place of all text in which
        senses are sought: without a GPU, labelling takes longer than anything else.
    reading : Reading, optional
        An encoder that is there; or shares, teacher and base of one to be trained.
    about : About, optional
        Sources and licences, for its card.
    tests : mapping of str to path, optional
        Test sets to score it on, by their names (`grassmeans.evaluation.loading.open_task`).
    device, workers, engine
        As for the steps.
    keep : bool
        Leave the steps in a folder beside the model, named as it with ``.steps`` behind: another
        run takes those over that it would make in the same way.
    overwrite : bool
        Replace a finished model, and steps that were made with other options.
    tell : callable, optional
        Told what the work will take, and what is done.

    Returns
    -------
    SenseModel
        Its manifest has ``recipe``, ``sources`` and ``scores``.

    `InputError` where the disk has too little room, or no word is frequent enough.
    """
    output, chosen, say = Path(output), recipe or Recipe(), tell or (lambda line: None)
    about, reading = about or About(), reading or Reading()
    paths = [Path(path) for path in ([texts] if isinstance(texts, str | Path) else texts)]
    tasks = {name: open_task(name, path) for name, path in (tests or {}).items()}
    if reading.encoder is None:
        choose_device(device)  # refuses what is not there, before anything is done
    inputs = [*paths, *senses_from, lexemes_from, reading.encoder, reading.base, reading.start]
    inputs += (tests or {}).values()
    here: dict[str, Any] = {"workers": workers, "show_progress": show_progress}
    there = here | {"engine": engine}
    with output_folder(
        output, KIND, _CLAIM, inputs=inputs, overwrite=overwrite, keep_failed=True
    ) as building:
        place = output.with_name(output.name + STEPS) if keep else building.scratch / "steps"
        steps = Steps(place, overwrite=overwrite, tell=say)
        corpora = _take_corpora(steps, paths, language, there)
        sought = _open_corpora(senses_from, language) or corpora[-1:]
        told = None if lexemes_from is None else Corpus.open(lexemes_from)
        check_alike([*sought, *([told] if told else [])])
        min_count = chosen.min_count or default_min_count(sum(c.n_tokens for c in sought))
        plan = planning.Plan(corpora, sought, chosen.encoder, reading.encoder, reading.shares)
        n_words = plan.count_sought(min_count)
        say(plan.describe_room(place, lexemes=chosen.lexemes))
        if steps.is_new and plan.is_long:
            say(plan.describe_time(n_words, device, workers, chosen.induction))
        corpus = _take_joined(steps, sought, here)
        how = {"device": device, "tell": say} | here
        encoder = _take_encoder(steps, corpora, chosen, reading, how)
        trained = read_manifest(encoder, "encoder")
        find = partial(fit_model, corpus, contexts=encoder, min_count=min_count, device=device)
        induced = steps.take(
            "senses",
            [trained, corpus.manifest["digest"], min_count, chosen.induction, chosen.lemmas],
            partial(find, lemmas=chosen.lemmas, **there, **chosen.induction),
        )
        lexemes = _take_lexemes(steps, corpus, told or corpus, induced, chosen, device, there)
        extra = about.describe(output.name)
        pack = partial(compact_model, induced, lexemes=lexemes, settings=chosen.compact)
        packed = steps.take("compact", [asdict(chosen.compact), extra], partial(pack, extra=extra))
        score = partial(score_model, packed, trained, corpus, sought, tasks, device=device, **here)
        digests = {name: task.digest for name, task in tasks.items()}
        scored = read_json(steps.take("scores", digests, score) / SCORES)
        facts = asdict(chosen) | {"min_count": min_count}
        facts["encoder"] = {name: trained[name] for name in _TOLD if trained.get(name) is not None}
        _publish(packed, building.folder, about, facts, scored)
    return load(output)


def _open_corpora(paths: Sequence[str | Path], language: str | None) -> list[Corpus]:
    """Corpora that one model can be made from."""
    corpora = [Corpus.open(path) for path in paths]
    for corpus in corpora:
        found = corpus.manifest["options"]["language"]
        if language not in (None, found):
            raise InputError(
                f"{corpus.path} is in the language {found!r}, not {language!r}: leave the language "
                "out, or ingest the text again"
            )
        if corpus.is_labelled:
            raise InputError(f"{corpus.path} is labelled: give the corpus it was made from")
    if corpora:
        check_alike(corpora)
    return corpora


def _take_corpora(
    steps: Steps, paths: Sequence[Path], language: str | None, there: dict[str, Any]
) -> list[Corpus]:
    """The corpora that are given, or the one of the texts."""
    stored = [path for path in paths if is_corpus(path)]
    if not paths or 0 < len(stored) < len(paths):
        raise InputError("a model is made from corpora alone, or from files and folders of text")
    if stored:
        return _open_corpora(paths, language)
    files = [identify_file(path) for path in list_inputs(paths, ReadReport())]
    rules = default_options(language or "en")
    make = partial(Corpus.from_files, paths, options=rules, **there)
    return [Corpus.open(steps.take("corpus", [files, rules.to_dict()], make))]


def _take_joined(steps: Steps, sought: Sequence[Corpus], here: dict[str, Any]) -> Corpus:
    """One corpus, in which senses are sought."""
    if len(sought) == 1:
        return sought[0]
    digests = [corpus.manifest["digest"] for corpus in sought]
    return Corpus.open(steps.take("joined", digests, partial(join_corpora, sought, **here)))


def _take_encoder(
    steps: Steps,
    corpora: Sequence[Corpus],
    recipe: Recipe,
    reading: Reading,
    how: dict[str, Any],
) -> Path:
    """The encoder that is given, or one that is trained on the corpora."""
    if reading.encoder is not None:
        return Path(reading.encoder)
    digests = [corpus.manifest["digest"] for corpus in corpora]
    given = {name: getattr(reading, name) for name in ("shares", "teacher", "base", "start")}
    make = partial(train_encoder, corpora, settings=recipe.encoder, **given, **how)
    return steps.take("encoder", [digests, asdict(recipe.encoder), *reading.identify()], make)


def _take_lexemes(
    steps: Steps,
    corpus: Corpus,
    text: Corpus,
    induced: Path,
    recipe: Recipe,
    device: str,
    there: dict[str, Any],
) -> Path | None:
    """Vectors of senses, from soft labels of a text, around words that are held fixed."""
    if not recipe.lexemes:
        return None
    seed: dict[str, Any] = {"random_state": recipe.random_state}
    epochs = recipe.epochs or choose_epochs(corpus.n_tokens, _MOST_EPOCHS)
    trainer = SkipGram(epochs=epochs, workers=there["workers"], device=device, **seed)
    how = {name: value for name, value in there.items() if name != "workers"}
    label = partial(label_corpus, text, induced, decoding="soft", device=device, **seed)
    labelled = steps.take("labelled", [seed, text.manifest["digest"]], partial(label, **there))
    train = partial(train_vectors, corpus, trainer=trainer, keep_output=True, **how)
    vectors = steps.take("vectors", [epochs, seed], train)
    fixed: dict[str, Any] = {"start_from": vectors, "freeze_words": True}
    return steps.take(
        "lexemes", None, partial(train_lexemes, labelled, trainer=trainer, **fixed, **how)
    )


def _publish(
    small: Path, folder: Path, about: About, recipe: dict[str, Any], scored: dict[str, Any]
) -> None:
    """Copy the packed model, with its card and what its manifest tells of its making."""
    for left in folder.iterdir():  # of a run that was killed here
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    shutil.copytree(small, folder, dirs_exist_ok=True)
    model = load(small)
    fields = {name: value for name, value in model.manifest.items() if name not in _HEAD}
    fields |= {"recipe": recipe, "scores": scored["scores"]}
    card = describe_model(model, about, fields, scored["tables"], count_bytes(small))
    (folder / CARD).write_text(card, encoding="utf-8")
    write_manifest(folder, KIND, FORMAT_VERSION, fields)
