from __future__ import annotations

from grassmeans.corpus.duplicates import DUPLICATE, digest_text, without_duplicates

from grassmeans.reading.documents import RawDocument, ReadReport


def test_a_text_is_taken_once_and_the_first_of_the_others_is_told():
    documents = [
        RawDocument("1", "Crane", "a crane"),
        RawDocument("2", "", "a Crane"),
        RawDocument("3", "Again", "a crane", markup="tokens"),
        RawDocument("4", "", "a crane"),
    ]
    report = ReadReport()
    assert [found.id for found in without_duplicates(documents, report)] == ["1", "2"]
    assert report.skipped == {DUPLICATE: 2}
    assert report.examples == {DUPLICATE: "Again"}


def test_many_redirects_lead_to_one_page():
    report = ReadReport()
    given = [RawDocument(str(i), "Grus", "Crane", markup="redirect") for i in range(3)]
    given.append(RawDocument("3", "", "Crane"))
    assert list(without_duplicates(given, report)) == given
    assert not report.skipped


def test_half_a_letter_of_utf_16_has_a_digest_too():
    assert len(digest_text("\ud800")) == 8
    assert digest_text("\ud800") != digest_text("x")
