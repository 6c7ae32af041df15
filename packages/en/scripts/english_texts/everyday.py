"""The small sources of everyday English: where each is from, its licence, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from english_texts.dialogues import (
    read_casino,
    read_changelog,
    read_meetings,
    read_schema_guided,
    read_self_dialogues,
    read_star,
    read_taskmaster,
    read_topical_chat,
)
from english_texts.documents import Document
from english_texts.pages import (
    read_addresses,
    read_answers,
    read_handbook,
    read_news,
    read_openstax,
    read_pages,
    read_stories,
    read_tatoeba,
    read_treebank,
)
from english_texts.singles import read_captions, read_customers, read_requests, read_translations

_COOKERY = "Woman-s-Institute-Library-of-Cookery--13-Volume"
Reader = Callable[[Path], Iterator[Document]]


@dataclass(frozen=True)
class Source:
    """A repository, what may be done with its text, and how much of it is taken."""

    repository: str
    licence: str
    read: Reader
    most_words: int = 5_000_000


def _openstax(book: str) -> Source:
    return Source(
        f"openstax/osbooks-{book}", "CC BY 4.0", partial(read_openstax, source=f"openstax-{book}")
    )


def _handbook(name: str) -> Source:
    return Source(f"GITenberg/{name}", "public domain", read_handbook)


SOURCES = (
    Source("thechangelog/transcripts", "CC BY-SA 4.0", read_changelog),
    Source(
        "google-research-datasets/dstc8-schema-guided-dialogue",
        "CC BY-SA 4.0",
        read_schema_guided,
        1_000_000,
    ),
    Source("google-research-datasets/Taskmaster", "CC BY 4.0", read_taskmaster),
    Source("alexa/Topical-Chat", "CDLA-Sharing-1.0", read_topical_chat),
    Source(
        "UniversalDependencies/UD_English-EWT", "CC BY-SA 4.0", partial(read_treebank, source="ewt")
    ),
    Source(
        "UniversalDependencies/UD_English-GUM",
        "CC BY, public domain (the parts that are read)",
        partial(read_treebank, source="gum"),
    ),
    *map(
        _openstax,
        (
            "college-success",
            "introduction-anthropology",
            "introduction-business",
            "life-liberty-and-pursuit-happiness",
            "principles-economics-bundle",
        ),
    ),
    Source(
        "GSA/digitalgov.gov",
        "public domain, CC0",
        partial(
            read_pages,
            under="content/news/ content/guides/ content/resources/",
            kind="web",
            source="digitalgov",
        ),
    ),
    Source(
        "18F/18f.gsa.gov",
        "public domain, CC0",
        partial(read_pages, under="content/", kind="web", source="18f"),
    ),
    Source(
        "sourcegraph/handbook",
        "Apache-2.0",
        partial(
            read_pages,
            under="content/benefits-pay-perks/ content/company-info-and-process/",
            kind="howto",
            source="sourcegraph",
        ),
    ),
    Source(
        "ronaldl29/public-domain-recipes",
        "Unlicense (public domain)",
        partial(read_pages, under="content/", kind="howto", source="recipes"),
    ),
    *map(
        _handbook,
        (
            "A-Little-Cook-Book-for-a-Little-Girl_16514",
            "Carpentry-for-BoysIllustrations_20763",
            "Etiquette_14314",
            "How-to-Live-on-24-Hours-a-Day_2274",
            "The-Art-of-Public-Speaking_16317",
            "The-Book-of-Household-Management_10136",
            "The-Boy-Mechanic--Volume-1700-Things-for-Boys-to-Do_12655",
            "The-Easiest-Way-in-Housekeeping-and-CookingAdapted-to-Domestic-Use-or-Study-in"
            "-Classes_15360",
            f"{_COOKERY}-1--Essentials-of-Cookery--Cereals--Bread--Hot-__9935",
            f"{_COOKERY}-2--Milk-Butter-and-Cheese--Eggs--Vegetables_9936",
            f"{_COOKERY}-3--Soup--Meat--Poultry-and-Game--Fish-and-Shel__9937",
            f"{_COOKERY}-4--Salads-and-Sandwiches--Cold-and-Frozen-Dess__9938",
            f"{_COOKERY}-5--Fruit-and-Fruit-Desserts--Canning-and-Dryin__9939",
            "Woodcraft-and-Camping_34607",
        ),
    ),
    Source("stdlib-js/datasets-sotu", "CC0, public domain", read_addresses),
    Source(
        "global-asp/asp-source",
        "CC BY (stories that say so)",
        partial(read_stories, source="african-storybook"),
    ),
    Source(
        "global-asp/pb-source",
        "CC BY (stories that say so)",
        partial(read_stories, source="pratham-books"),
    ),
    Source(
        "13luoyu/Transformer-machine-translation",
        "CC BY 2.0 FR (Tatoeba)",
        partial(read_tatoeba, under="cmn.txt", source="tatoeba"),
    ),
    Source(
        "kevswanberg/beer_tentrr",
        "CC BY-SA 3.0 (Stack Exchange)",
        partial(read_answers, under="Posts.xml", source="stackexchange-beer"),
    ),
    Source(
        "Yoav-Shafir/Elasticsearch-Coffee-Search-Engine-JS",
        "CC BY-SA 3.0 (Stack Exchange)",
        partial(read_answers, under="Posts.xml", source="stackexchange-coffee"),
    ),
    Source("vanatteveldt/wikinews", "CC BY 2.5", read_news),
    Source(
        "LukeSmithxyz/based.cooking",
        "public domain",
        partial(read_pages, under="content/", kind="howto", source="based-cooking"),
    ),
    Source("jfainberg/self_dialogue_corpus", "BSD-3-Clause", read_self_dialogues, 3_000_000),
    Source("Yale-LILY/QMSum", "MIT, of meetings under CC BY 4.0", read_meetings, 900_000),
    Source("RasaHQ/STAR", "MIT", read_star),
    Source("kushalchawla/CaSiNo", "CC BY 4.0", read_casino),
    Source("PolyAI-LDN/task-specific-datasets", "CC BY 4.0", read_customers),
    Source("clinc/oos-eval", "CC BY 3.0", read_requests),
    Source(
        "ruizewang/evaluate",
        "CC BY 4.0 (COCO)",
        partial(read_captions, under="annotations/captions_val2017.json"),
    ),
    Source(
        "Helsinki-NLP/Tatoeba-Challenge", "CC BY 2.0 FR (Tatoeba)", read_translations, 3_000_000
    ),
)


def read_everyday(raw: Path) -> Iterator[Document]:
    """The documents of all sources, each from its folder ``OWNER+NAME`` in ``raw``."""
    for source in SOURCES:
        folder = raw / source.repository.replace("/", "+")
        yield from take_words(source.read(folder), source.most_words)


def take_words(documents: Iterable[Document], most: int) -> Iterator[Document]:
    """Documents until there are so many words."""
    taken = 0
    for document in documents:
        if taken >= most:
            return
        taken += len(document.text.split())
        yield document
