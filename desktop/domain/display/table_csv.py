"""A table as CSV (RFC 4180), for the clipboard and for files."""

from collections.abc import Collection, Sequence

_QUOTED = frozenset(',"\r\n')


def csv_text(
    columns: Sequence[str], rows: Sequence[Sequence[str]], nulls: Collection[tuple[int, int]] = frozenset()
) -> str:
    """The header and the rows, lines ended by CR LF, a cell quoted where it must be, quotes doubled.

    A cell of `nulls` (row, column) is left empty; an empty text is written as `""`, so that the two can be told apart.
    """
    empty = frozenset(nulls)
    lines = [[_cell(name) for name in columns]]
    lines += [
        ["" if (index, column) in empty else _cell(cell) for column, cell in enumerate(row)]
        for index, row in enumerate(rows)
    ]
    return "".join(f"{','.join(line)}\r\n" for line in lines)


def _cell(text: str) -> str:
    if text == "" or _QUOTED & set(text):
        return '"' + text.replace('"', '""') + '"'
    return text
