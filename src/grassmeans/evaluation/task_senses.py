"""The senses that a test set is answered with: a model's own, or new ones of a corpus."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from grassmeans.artifacts import digest_of, digest_of_array
from grassmeans.corpus.corpus import Corpus
from grassmeans.evaluation.answering import known_form
from grassmeans.evaluation.tasks.loading import ClusteringTask
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import InductionSettings


@dataclass(frozen=True, slots=True)
class TaskSenses:
    """Senses of the words of a test set; ``n_induced`` of the words are new."""

    inventory: SenseInventory
    n_induced: int


def find_task_senses(
    task: ClusteringTask,
    model: SenseModel,
    settings: InductionSettings,
    *,
    n_senses: int | None = None,
    corpus: Corpus | None = None,
    workers: int | None = 1,
) -> TaskSenses:
    """The model's senses of the words where they fit, else senses induced from the corpus.

    Parameters
    ----------
    settings : InductionSettings
        Of a new induction; see `settings_of`.
    n_senses : int, optional
        A word fits that has so many senses in the model; without it, any word that has senses.
    corpus : Corpus, optional
        Without it, words that do not fit have no senses.
    """
    counts = model.inventory.sense_counts
    targets = dict.fromkeys(instance.target for instance in task.instances)
    forms = {target: known_form(model.inventory, target) for target in targets}
    fitting = {form: None for form in forms.values() if form and n_senses in (None, counts[form])}
    missing = [target for target, form in forms.items() if form not in fitting]
    entries = [model.inventory[word] for word in fitting]
    if corpus is None or not missing:
        return TaskSenses(SenseInventory(entries), 0)
    wanted = dict.fromkeys(_form_in(corpus, target) for target in missing)
    induced = SenseInventory.induce(
        corpus, model.vectors, wanted, settings=settings, workers=workers
    )
    entries += [induced[word] for word in induced.words]
    return TaskSenses(SenseInventory(entries, induced.skipped), len(induced.words))


def settings_of(
    model: SenseModel, n_senses: int | None = None, random_state: int | None = None
) -> InductionSettings:
    """The settings by which a model's senses were induced, some of them changed."""
    known = {field.name for field in fields(InductionSettings)}
    stored = model.manifest.get("settings", {})
    settings = InductionSettings(**{name: v for name, v in stored.items() if name in known})
    rules = model.rules
    return replace(
        settings,
        window=rules.window,
        rank=rules.rank,
        weighting=rules.weighting,
        drop_repeats=rules.drop_repeats,
        n_senses=settings.n_senses if n_senses is None else n_senses,
        random_state=settings.random_state if random_state is None else random_state,
    )


def digest_of_model(model: SenseModel) -> str:
    """A short digest of what a model's answers depend on: vectors, directions, rules."""
    inventory, rules = model.inventory, model.rules
    directions = [digest_of_array(inventory.directions(word)) for word in inventory.words]
    return digest_of(
        [
            digest_of_array(model.vectors.vectors),
            digest_of(list(model.vectors.words)),
            list(inventory.words),
            directions,
            rules.tokenizer.to_dict(),
            sorted(rules.function_words),
            [rules.window, rules.rank, rules.weighting, rules.drop_repeats],
        ]
    )


def _form_in(corpus: Corpus, target: str) -> str:
    forms = (target, target.lower())
    return next((form for form in forms if corpus.vocabulary.id_of(form) >= 0), target)
