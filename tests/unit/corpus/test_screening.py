from __future__ import annotations

from grassmeans.corpus.screening import DUPLICATE, digest_document, without_duplicates
from grassmeans.reading.documents import RawDocument, ReadReport


def leave_out(documents, report):
    return list(without_duplicates(documents, report, digest_document, lambda found: found))


def test_a_text_is_taken_once_and_the_first_of_the_others_is_told():
    documents = [
        RawDocument("1", "Crane", "a crane"),
        RawDocument("2", "", "a Crane"),
        RawDocument("3", "Again", "a crane", markup="tokens"),
        RawDocument("4", "", "a crane"),
    ]
    report = ReadReport()
    assert [found.id for found in leave_out(documents, report)] == ["1", "2"]
    assert report.skipped == {DUPLICATE: 2}
    assert report.examples == {DUPLICATE: "Again"}


def test_many_redirects_lead_to_one_page():
    report = ReadReport()
    given = [RawDocument(str(i), "Grus", "Crane", markup="redirect") for i in range(3)]
    given.append(RawDocument("3", "", "Crane"))
    assert leave_out(given, report) == given
    assert not report.skipped


def test_half_a_letter_of_utf_16_has_a_digest_too():
    assert digest_document(RawDocument("1", "", "\ud800")) is not None
