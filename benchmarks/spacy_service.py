"""A spaCy pipeline of the small English model's size, served as `grassmeans serve` serves a model.

    python benchmarks/spacy_service.py PORT PROCESSES

``en_core_web_sm`` is not on the package index, so that a benchmark cannot count on it. Where it is
installed it is taken; else a pipeline is made after its configuration as we know it (a shared
embedding of 96 dimensions and 4 layers, tagger and parser on it, an entity recogniser with its own)
with as many labels, and learns for a moment from sentences with made-up labels. What it says is
nonsense, at about the same cost. It has no lemmatizer and no attribute ruler.
"""

from __future__ import annotations

import json
import random
import sys
import zlib
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Response
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from grassmeans_explorer.commands.explore import open_socket
from grassmeans_explorer.endpoints.answers import json_answer
from grassmeans_explorer.endpoints.guard import Guard
from grassmeans_explorer.limits import Limits
from grassmeans_explorer.processes import Processes

SENTENCES = Path(__file__).parents[1] / "tests" / "data" / "english-sentences.jsonl"
SMALL = "en_core_web_sm"
N_TAGS, N_DEPENDENCIES, N_ENTITIES = 50, 45, 18  # as many as the small model has
_WIDTH, _DEPTH = 96, 4
_ROWS = {"NORM": 5000, "PREFIX": 1000, "SUFFIX": 2500, "SHAPE": 2500, "SPACY": 50, "IS_SPACE": 50}
_N_EXAMPLES, _BATCH, _EPOCHS = 300, 15, 4


def read_sentences() -> list[str]:
    """The sentences that are sent, in an order that does not depend on their words."""
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    sentences = [json.loads(line)["text"] for line in lines]
    random.Random(0).shuffle(sentences)
    return sentences


def _embedding(rows: dict[str, int]) -> dict[str, Any]:
    return {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": _WIDTH,
            "attrs": list(rows),
            "rows": list(rows.values()),
            "include_static_vectors": False,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": _WIDTH,
            "depth": _DEPTH,
            "window_size": 1,
            "maxout_pieces": 3,
        },
    }


def _transitions(kind: str, tok2vec: dict[str, Any]) -> dict[str, Any]:
    return {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": kind,
        "extra_state_tokens": False,
        "hidden_width": 64,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": tok2vec,
    }


def _make_example(nlp: Any, text: str) -> Any:
    from spacy.training import Example

    words = [token.text for token in nlp.make_doc(text)]
    codes = [zlib.crc32(word.encode()) for word in words]
    root = len(words) // 2  # to which all others lead, from both sides
    names = [f"d{code % (N_DEPENDENCIES - 1)}" for code in codes]
    annotations = {
        "tags": [f"T{code % N_TAGS}" for code in codes],
        "heads": [n + (n < root) - (n > root) for n in range(len(words))],
        "deps": [*names[:root], "ROOT", *names[root + 1 :]],
        "entities": [f"U-E{code // 8 % N_ENTITIES}" if code % 8 == 0 else "O" for code in codes],
    }
    return Example.from_dict(nlp.make_doc(text), annotations)


def make_pipeline() -> tuple[Any, str]:
    """The small model or one of its size, and what it is."""
    import spacy

    if spacy.util.is_package(SMALL):
        return spacy.load(SMALL), SMALL
    nlp = spacy.blank("en")
    listener = {
        "@architectures": "spacy.Tok2VecListener.v1", "width": _WIDTH, "upstream": "tok2vec"
    }  # fmt: skip
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}
    own = {name: _ROWS[name] for name in ("NORM", "PREFIX", "SUFFIX", "SHAPE")}
    nlp.add_pipe("tok2vec", config={"model": _embedding(_ROWS)})
    nlp.add_pipe("tagger", config={"model": tagger})
    parser = {"model": _transitions("parser", listener), "min_action_freq": 1}
    nlp.add_pipe("parser", config=parser)
    nlp.add_pipe("ner", config={"model": _transitions("ner", _embedding(own))})
    examples = [_make_example(nlp, text) for text in read_sentences()[:_N_EXAMPLES]]
    nlp.initialize(lambda: examples)
    for start in [*range(0, len(examples), _BATCH)] * _EPOCHS:
        nlp.update(examples[start : start + _BATCH])
    return nlp, f"{', '.join(nlp.pipe_names)} of the size of {SMALL}, labels made up"


class TagRequest(BaseModel):
    """A text to tag."""

    text: str


def make_app() -> FastAPI:
    """One endpoint, behind the same guard; queries run in threads there too."""
    nlp, what = make_pipeline()
    app = FastAPI()

    def tag(text: str) -> Response:
        doc = nlp(text)
        words = [
            {"start": t.idx, "end": t.idx + len(t), "word": t.text, "tag": t.tag_, "dep": t.dep_}
            | {"head": t.head.i, "entity": t.ent_type_}
            for t in doc
        ]
        return json_answer({"text": text, "words": words})

    @app.post("/api/tag")
    async def answer(body: TagRequest) -> Response:
        return await run_in_threadpool(tag, body.text)

    @app.get("/healthz")
    async def show_health() -> Response:
        return json_answer({"status": "ok", "model": what})

    app.add_middleware(Guard, limits=Limits(), methods_of=lambda path: ["POST"])
    return app


if __name__ == "__main__":
    Processes(
        make_app,
        open_socket("127.0.0.1", int(sys.argv[1])),
        int(sys.argv[2]),
        partial(print, flush=True),
    ).run()
