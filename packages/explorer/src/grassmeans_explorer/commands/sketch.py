"""`grassmeans annotate-grammar` and `sketch`: what a word does with which others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.output import note, print_summary
from grassmeans_explorer.commands.query import Grammar
from grassmeans_explorer.commands.tables import Csv, print_rows

if TYPE_CHECKING:
    from grassmeans_explorer.sketches.differences import SketchDifference


@dataclass(frozen=True)
class Kept:
    """Which collocates a sketch has."""

    fewest: Annotated[
        int, typer.Option(min=1, help="Times that a collocate is in a relation, at least.")
    ] = 3
    limit: Annotated[int, typer.Option(min=1, help="Collocates a relation.")] = 10
    max_contexts: options.MaxContexts = 5_000
    seed: options.Seed = 0

    @property
    def passed(self) -> dict[str, Any]:
        """What functions of sketches take by these names."""
        named = {name: getattr(self, name) for name in ("fewest", "limit", "max_contexts")}
        return named | {"random_state": self.seed}


_COLUMNS = ("relation", "word", "pos", "count", "log_dice")
_COMPARED = ["relation", "word", "pos", "first", "second", "difference"]


def annotate_grammar(
    corpus: options.Corpus,
    output: options.Output,
    conllu: Annotated[
        list[Path] | None,
        options.READ,
        typer.Option(help="A CoNLL-U file or folder that the corpus was read from; repeat."),
    ] = None,
    spacy: Annotated[str | None, typer.Option(help="The name of a spaCy pipeline.")] = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Write the lemma, tag, head and relation of every token into a folder beside a corpus.

    They come from the CoNLL-U files that the corpus was read from, or from a spaCy pipeline that is
    installed. Queries by tag and sketches by relation need them.

    [dim]grassmeans annotate-grammar corpus -o grammar --conllu treebank.conllu[/]

    [dim]grassmeans annotate-grammar corpus -o grammar --spacy en_core_web_sm[/]

    Options
    -------
    output: Folder of the layer.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans_explorer.grammar.conllu import ConlluGrammar
    from grassmeans_explorer.grammar.making import GrammarSource, make_layer
    from grassmeans_explorer.grammar.pipeline import PipelineGrammar, load_pipeline

    if (conllu is None) == (spacy is None):
        raise InputError("grammar comes from --conllu FILE or from --spacy NAME: name one of them")
    opened = Corpus.open(corpus)
    source: GrammarSource
    if conllu is not None:
        source = ConlluGrammar(conllu)
    else:
        source = PipelineGrammar(load_pipeline(str(spacy)), str(spacy))
    layer = make_layer(opened, output, source, inputs=conllu or (), overwrite=overwrite)
    about = {name: layer.manifest[name] for name in ("n_described", "n_documents_missing")}
    if about["n_documents_missing"]:
        note(f"{about['n_documents_missing']:,} documents have no grammar there")
    print_summary(
        {"grammar": str(output)} | about,
        f"{about['n_described']:,} of {opened.n_tokens:,} tokens have grammar now",
        as_json,
        [f"grassmeans sketch {corpus} WORD --grammar {output}"],
    )


def sketch(
    corpus: options.Corpus,
    word: str,
    model: options.ReadPath | None = None,
    grammar: Grammar = None,
    spacy: Annotated[
        str | None, typer.Option(help="A spaCy pipeline, for a layer that is not kept.")
    ] = None,
    against: str | None = None,
    sense: options.Count | None = None,
    other_sense: options.Count | None = None,
    as_json: options.Json = False,
    as_csv: Csv = False,
    *,
    kept: Kept,
) -> None:
    """Show the collocates of a word, or of each of its senses, by grammatical relation.

    With a layer of grammar (grassmeans annotate-grammar) or a spaCy pipeline: objects, subjects,
    modifiers, and/or, prepositions. Without one: what stands left, right and within five words.
    Scored by logDice, 14 at most.

    [dim]grassmeans sketch corpus bank --model en --grammar grammar[/]

    [dim]grassmeans sketch corpus bank --model en --sense 1 --other-sense 2[/]   two senses

    [dim]grassmeans sketch corpus strong --against powerful[/]   two words

    Options
    -------
    word: The word.
    model: Whose senses have a sketch each.
    against: Another word: what tells the two apart.
    sense: With --model: only this sense.
    other_sense: With --sense: what tells the two apart.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans_explorer.grammar.making import open_layer
    from grassmeans_explorer.sketches.differences import compare_senses, compare_words
    from grassmeans_explorer.sketches.sketching import sketch_word

    if (sense is not None and model is None) or (other_sense is not None and sense is None):
        raise InputError("--sense needs --model, and --other-sense needs --sense")
    if against is not None and model is not None:
        raise InputError("two words are compared as wholes: leave --model out, or --against")
    opened = Corpus.open(corpus)
    with open_layer(opened, grammar, spacy) as layer:
        passed = kept.passed | {"layer": layer}
        if against is not None:
            _print_difference(compare_words(opened, word, against, **passed), as_json, as_csv)
            return
        if model is not None and sense is not None and other_sense is not None:
            difference = compare_senses(opened, word, sense, other_sense, model=model, **passed)
            _print_difference(difference, as_json, as_csv)
            return
        found = sketch_word(opened, word, model=model, **passed)
    if found.n_looked_at < found.n_lines:
        note(f"from a random sample: {found.n_looked_at:,} of {found.n_lines:,} occurrences")
    rows = [row for row in found.rows() if sense is None or row["sense"] == sense]
    columns = [*(["sense"] if model else []), *_COLUMNS]
    print_rows(rows, columns, as_json=as_json, as_csv=as_csv)


def _print_difference(found: SketchDifference, as_json: bool, as_csv: bool) -> None:
    title = f"{found.first} against {found.second}"
    print_rows(found.rows(), _COMPARED, as_json=as_json, as_csv=as_csv, title=title)
