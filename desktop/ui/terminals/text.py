"""Rows of a terminal as cells and as lines of text: for selecting, finding and links."""

from collections.abc import Callable, Sequence

from desktop.domain.display.cell_width import cell_width
from desktop.domain.terminals.updates import Row, is_wrapped, row_text
from desktop.records import dataclass

Place = tuple[int, int]
"""A row, counted from the first that ever was, and a cell in it."""
RowAt = Callable[[int], Row]
"""Gives the row of a number, () for one that is gone."""


def row_cells(row: Row) -> list[str]:
    """What stands in each cell; the second of a wide character holds ""."""
    text = row_text(row)
    if text.isascii():
        return list(text)
    cells: list[str] = []
    for char in text:
        width = cell_width(char)
        if width == 0 and cells:
            at = len(cells) - (2 if cells[-1] == "" and len(cells) > 1 else 1)
            cells[at] += char
        else:
            cells.extend([char, ""][: max(width, 1)])
    return cells


@dataclass(frozen=True)
class TextLine:
    """One line of text over one or more rows. `places`: for each character the row and cell in which it stands."""

    first: int
    count: int
    text: str
    places: tuple[Place, ...]


def text_line(rows: Sequence[Row], first: int) -> TextLine:
    """The rows of one line, as text. `first`: the number of the first of them."""
    texts: list[str] = []
    places: list[Place] = []
    for at, row in enumerate(rows):
        for cell, content in enumerate(row_cells(row)):
            texts.append(content)
            places.extend([(first + at, cell)] * len(content))
    return TextLine(first, len(rows), "".join(texts), tuple(places))


def line_start(row_at: RowAt, number: int, least: int) -> int:
    """The first row of the line that this row belongs to."""
    while number > least and is_wrapped(row_at(number - 1)):
        number -= 1
    return number


def line_rows(row_at: RowAt, number: int, end: int) -> list[Row]:
    """The rows of the line that begins here."""
    rows = [row_at(number)]
    while is_wrapped(rows[-1]) and number + len(rows) < end:
        rows.append(row_at(number + len(rows)))
    return rows


def selected_text(row_at: RowAt, start: Place, stop: Place) -> str:
    """The text from one place up to another, which is not part of it; lines that only wrapped are joined,
    blanks at the end of a line left out."""
    parts: list[str] = []
    for number in range(start[0], stop[0] + 1):
        row = row_at(number)
        cells = row_cells(row)
        low = start[1] if number == start[0] else 0
        high = stop[1] if number == stop[0] else len(cells)
        text = "".join(cells[low:high])
        parts.append(text if high < len(cells) or is_wrapped(row) else text.rstrip(" "))
        if number < stop[0] and not is_wrapped(row):
            parts.append("\n")
    return "".join(parts)
