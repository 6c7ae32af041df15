"""`grassmeans label`, `export`: a corpus whose words carry their senses, also for other tools."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from grassmeans.terminal import options
from grassmeans.terminal.output import note, print_summary


def label(
    corpus: options.Corpus,
    model: options.Model,
    output: options.Output,
    decoding: str = "hard",
    idk: options.Idk = None,
    confidence: options.Confidence = None,
    sharpness: options.Sharpness = None,
    seed: options.Whole = 0,
    device: options.Device = "cpu",
    *,
    work: options.Work,
) -> None:
    """Give every occurrence of the model's words its sense: crane becomes crane.2.

    The result is a corpus again: `grassmeans lexemes` trains vectors of senses on it, and
    `grassmeans export` writes it for other tools. crane.0 means "I don't know".

    Occurrences are read in their documents, and an only sense is always given; `grassmeans tag`
    reads sentence by sentence, and answers some of them otherwise.

    The distances to all senses stay in the result. Give the labelled corpus as CORPUS, with the
    same model and another --decoding, --idk or --sharpness, and only the labels are decided anew.
    Started again after an interruption, it goes on from where it was.

    [dim]grassmeans label corpus model -o labelled[/]

    [dim]grassmeans label labelled model --idk 0.7 -o labelled-0.7[/]

    Options
    -------
    output: Folder of the new, labelled corpus.
    decoding: hard: the nearest sense or 'don't know'; soft: drawn at random.
    seed: Soft: of the random numbers.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.labelling.labeller import TAGGED_OTHERWISE, label_corpus
    from grassmeans.senses.decoding import MODEL_THRESHOLD

    source = Corpus.open(corpus)
    if source.is_labelled:
        note(f"{corpus} is labelled already: its stored distances are decoded anew")
    started = time.perf_counter()
    labelled = label_corpus(
        source,
        model,
        output,
        decoding=decoding,
        idk_threshold=MODEL_THRESHOLD if idk is None else idk,
        confidence=confidence,
        sharpness=sharpness,
        random_state=seed,
        device=device,
        **work.passed,
    )
    seconds = time.perf_counter() - started
    facts = labelled.manifest["labelled"]
    about = {"corpus": str(output), "n_tokens": labelled.n_tokens}
    unknown = facts["n_idk"] / max(facts["n_occurrences"], 1)
    print_summary(
        about | facts | {"seconds": round(seconds, 1)},
        f"{facts['n_occurrences']:,} occurrences of {facts['n_words']:,} words labelled "
        f'in {seconds:.0f} s, {unknown:.1%} of them "don\'t know"\n'
        f"read in documents, an only sense always given: `grassmeans tag` answers some of "
        f"them otherwise, {TAGGED_OTHERWISE:.0%} with the English model and Wikipedia",
        work.as_json,
        [f"grassmeans lexemes {output} -o lexemes", f"grassmeans export {output}"],
    )


def export(
    corpus: options.ReadPath,
    output: options.Output | None = None,
    format: Annotated[str, typer.Option("--format", "-f")] = "text",
    model: options.ReadPath | None = None,
    overwrite: options.OverwriteFile = False,
) -> None:
    """Write a labelled corpus as text for other tools.

    text: keys (crane.2) separated by spaces, one document a line. vertical: form, key, word and
    sense, one word a line. jsonl: one document a line, with the spans of its labelled words.
    conllu: the key as Sense= in the last column. terms: for a search engine, a document's words a
    line, each with its sense behind it as a term of its own (crane crane|2). parquet: one row a
    labelled word. In a corpus without labels the words are their own keys.

    With the model that has labelled it, jsonl, conllu and parquet have the names of senses, and how
    likely each is right.

    [dim]grassmeans export labelled -f parquet --model en -o labelled.parquet[/]

    Options
    -------
    corpus: A corpus folder, labelled or not.
    output: File; standard output by default.
    format: text, vertical, jsonl, conllu, terms or parquet.
    model: The model by which the corpus was labelled: names and confidence.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.labelling.export import export_corpus

    source = Corpus.open(corpus)
    if output is None:
        export_corpus(source, sys.stdout.buffer, format, model=model)
        sys.stdout.buffer.flush()
        return
    n_documents = export_corpus(source, output, format, model=model, overwrite=overwrite)
    note(f"wrote {n_documents:,} documents to {output}")
