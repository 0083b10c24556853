"""The page and the tests tell the same."""

from __future__ import annotations

from tests.anywhere import told as telling


def test_every_row_of_the_page_is_told_by_a_test():
    texts, rows = set(telling.texts_of_tests()), telling.shown()
    assert rows
    assert not [row for row in rows if not set(row) <= texts]
