"""Tables as CSV: what a spreadsheet or the standard library reads back is what was in the table."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.display.table_csv import csv_text

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


def test_lines_end_in_cr_lf_and_only_what_must_be_is_quoted() -> None:
    rows = (("1", "plain"), ("2", 'with "quotes", commas'), ("3", "two\nlines"))
    assert csv_text(("id", "text"), rows) == ('id,text\r\n1,plain\r\n2,"with ""quotes"", commas"\r\n3,"two\nlines"\r\n')


def test_a_missing_value_and_an_empty_text_are_told_apart() -> None:
    assert csv_text(("a", "b"), (("NULL", ""),), ((0, 0),)) == 'a,b\r\n,""\r\n'
    assert csv_text(("a",), (("NULL",),)) == "a\r\nNULL\r\n"


@given(rows=st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=5))
def test_it_reads_back_as_it_was(rows: list[list[str]]) -> None:
    text = csv_text(("a", "b"), rows)
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["a", "b"], *rows]
