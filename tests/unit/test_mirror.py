"""Every module has tests in the file of its name, in the mirrored place; or it stands below."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
# The folder of tests -> the sources that its unit tests mirror.
SOURCES = {
    TESTS: ROOT / "src" / "grassmeans",
    TESTS / "explorer": ROOT / "packages" / "explorer" / "src" / "grassmeans_explorer",
}

# Modules, or all of a folder that have no tests of their name -> where they are tested instead.
# A module that is new has tests of its own: only what is a part of another one comes here.
CORE = {
    # Thin shells, and what all of them share: each command is run.
    "cli/*": "functional/test_commands.py",
    # The devices have one suite; their signatures hold no code.
    "kernels/cpu/*": "contract/kernels",
    "kernels/gpu/*": "contract/kernels",
    "kernels/interface.py": "contract/kernels",
    "kernels/arguments.py": "contract/kernels",
    "kernels/blocks.py": "unit/clustering/test_loop.py",
    # Parts of one thing, which is tested as a whole.
    "artifacts/digests.py": "unit/artifacts/test_checking.py",
    "change/tables.py": "unit/change/test_comparing.py",
    "change/uses.py": "unit/change/test_comparing.py",
    "contexts/pretrained/fitting.py": "unit/contexts/test_transformer.py",
    "corpus/ingest.py": "unit/corpus/test_corpus.py",
    "corpus/shard.py": "unit/corpus/test_corpus.py",
    "corpus/shard_writing.py": "unit/corpus/test_corpus.py",
    "editing/edited_words.py": "explorer/unit/editing/test_sense_edits.py",
    "editing/new_contexts.py": "unit/editing/test_growing.py",
    "editing/saving.py": "unit/test_lazy.py",
    "editing/version_merge.py": "unit/test_lazy.py",
    "engines/on_dask.py": "system/test_cluster.py",
    "engines/on_joblib.py": "unit/engines/test_parallel.py",
    "evaluation/running.py": "unit/evaluation/test_grouping.py",
    "models/deciding.py": "unit/models/test_model.py",
    "models/tagging_model.py": "unit/tagging/test_tagging.py",
    "outputs/ownership.py": "unit/outputs/test_places.py",
    "senses/entries.py": "unit/senses/test_inventory.py",
    "senses/word_induction.py": "unit/senses/test_inventory.py",
    "senses/pseudowords.py": "unit/senses/test_calibration.py",
    "vectors/training.py": "unit/vectors/test_skipgram.py",
    # Settings and errors: what is wrong with a value is told in one table.
    "clustering/settings.py": "unit/test_wrong_types.py",
    "arrays.py": "unit/test_wrong_types.py",
    "errors.py": "unit/test_wrong_types.py",
    "version.py": "system/test_cli.py",
}

EXPLORER = {
    # Thin shells over queries, and queries by what is seen of them.
    "commands/merge.py": "functional/test_commands.py",
    "commands/serve.py": "unit/commands/test_explore.py",
    "commands/annotation.py": "functional/test_corpus_commands.py",
    "commands/query.py": "functional/test_corpus_commands.py",
    "commands/sketch.py": "functional/test_corpus_commands.py",
    "commands/tables.py": "functional/test_corpus_commands.py",
    "editing/*": "unit/editing/test_sense_edits.py",
    "endpoints/*": "system/test_api.py",
    "queries/*": "unit/queries/test_queries.py",
    # Entries of an open model, tested by what is asked of them.
    "entries/editing.py": "system/test_entries_api.py",
    "entries/exchange.py": "system/test_entries_api.py",
    "entries/showing.py": "system/test_entries_api.py",
    # Parts of one thing, which is tested as a whole.
    "entries/formats/ontolex_vocabulary.py": "unit/entries/formats/test_ontolex.py",
    "grammar/conllu.py": "unit/grammar/test_making.py",
    "grammar/layer.py": "unit/grammar/test_making.py",
    "querying/automaton.py": "unit/querying/test_matching.py",
    "querying/conditions.py": "unit/querying/test_matching.py",
    "querying/source.py": "unit/querying/test_matching.py",
    "limits.py": "unit/test_work.py",
    "open_model.py": "unit/queries/test_queries.py",
}
ELSEWHERE = dict(zip(SOURCES, (CORE, EXPLORER), strict=True))

pytestmark = pytest.mark.skipif(not SOURCES[TESTS].is_dir(), reason="the sources are not here")
HERE = [tests for tests, sources in SOURCES.items() if sources.is_dir()]
each_distribution = pytest.mark.parametrize("tests", HERE, ids=lambda tests: tests.name)


def list_untested(tests: Path) -> list[str]:
    """The modules without a test file of their own, by their paths."""
    modules = [path.relative_to(SOURCES[tests]) for path in sorted(SOURCES[tests].rglob("*.py"))]
    return [
        module.as_posix()
        for module in modules
        if not module.name.startswith("_")
        and not (tests / "unit" / module.parent / f"test_{module.name}").exists()
    ]


@each_distribution
def test_every_module_has_tests_where_a_reader_looks_for_them(tests) -> None:
    known = ELSEWHERE[tests]
    assert [m for m in list_untested(tests) if not any(fnmatch(m, one) for one in known)] == []


@each_distribution
def test_modules_that_are_tested_elsewhere_are_there_and_so_are_their_tests(tests) -> None:
    untested = list_untested(tests)
    known = ELSEWHERE[tests]
    assert [one for one in known if not any(fnmatch(m, one) for m in untested)] == []
    assert [place for place in known.values() if not (tests / place).exists()] == []
