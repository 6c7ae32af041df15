"""Link targets: which of them are articles, which are text, and how titles are spelled."""

from __future__ import annotations

import re

# Files, categories and the like stand for no text at all, under their names in many languages.
_DROPPED_NAMES = """
file image media category
archivo imagen categoría
fichier catégorie
datei bild kategorie
immagine categoria
ficheiro imagem arquivo
файл изображение категория
bestand afbeelding categorie
plik grafika kategoria
fil kategori tiedosto kuva luokka
soubor súbor kategória fájl kép
fitxer imatge dosya resim fișier imagine датотека слика категорија зображення категорія
קובץ קטגוריה ملف صورة تصنيف پرونده رده berkas gambar tập_tin hình thể_loại
ファイル 画像 カテゴリ 文件 图像 圖像 檔案 分类 分類 파일 그림 분류 चित्र श्रेणी
"""
# Other namespaces and sister projects: the anchor is text, the target is no article.
_OTHER_NAMES = """
template talk user wikipedia wp project help portal special draft module mos book topic mediawiki
usuario usuaria wikiproyecto ayuda portail utilisateur aide projet discussion benutzer hilfe
utente aiuto progetto usuário ajuda участник википедия портал помощь проект gebruiker
plantilla modèle vorlage predefinição шаблон sjabloon szablon mall
wikt wiktionary wikisource wikiquote wikibooks wikinews wikivoyage wikiversity wikispecies
wikidata commons meta metawikipedia species incubator phab mw doi hdl arxiv imdbname rfc isbn
s q b n v d c m voy
"""
_DROPPED_NAMESPACES = frozenset(_DROPPED_NAMES.split())
_OTHER_NAMESPACES = frozenset(_OTHER_NAMES.split())
_LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,8}){0,2}|simple")
_LOCAL_PREFIX = re.compile(r"\s*w\s*:", re.IGNORECASE)


def is_dropped_link(target: str) -> bool:
    """Whether a link shows nothing in the text: files, categories, the same page elsewhere.

    A colon in front (``[[:Category:Birds]]``) makes an ordinary link of it.
    """
    prefix, colon, _ = target.partition(":")
    prefix = prefix.strip()
    if not colon or not prefix:
        return False
    return _fold_prefix(prefix) in _DROPPED_NAMESPACES or _is_language(prefix)


def normalize_title(target: str) -> str:
    """The title of the article that a link points to; empty where it points to no article.

    Underscores are spaces, the first letter is upper-case, the section is dropped.
    """
    target = _LOCAL_PREFIX.sub("", target.strip().removeprefix(":"), count=1)
    title = " ".join(target.partition("#")[0].replace("_", " ").split())
    if not title or title.startswith(("/", "../")):
        return ""
    prefix, colon, rest = title.partition(":")
    folded = _fold_prefix(prefix)
    if colon and (
        folded in _OTHER_NAMESPACES
        or folded in _DROPPED_NAMESPACES
        or folded.endswith(("_talk", "discussion"))
        or (_is_language(prefix) and not rest.startswith(" "))  # "Ace: A Life" is a title
    ):
        return ""
    return title[:1].upper() + title[1:]


def _fold_prefix(prefix: str) -> str:
    return prefix.strip().lower().replace(" ", "_")


def _is_language(prefix: str) -> bool:
    return _LANGUAGE_CODE.fullmatch(prefix) is not None
