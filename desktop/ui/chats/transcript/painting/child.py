"""The rows of a sub-agent as pieces, below the call that began it."""

from desktop.language import tr
from desktop.ui.chats.folds.rows import Call, Child, Row
from desktop.ui.chats.transcript.painting.blocks import Builder
from desktop.ui.chats.transcript.painting.documents import plain_document
from desktop.ui.chats.transcript.painting.icons import STATE_COLOURS, call_icon
from desktop.ui.chats.transcript.painting.pieces import ButtonsPiece, LinePiece
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.text.safe_text import prose_line, prose_lines, safe_line
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SPACE_5

OPEN_CHILD, STOP_CHILD, FOLLOW_CHILD = "open_child:", "stop_child:", "follow_child:"
MOST_CHARS = 600
_SAID = frozenset({"assistant", "plan", "report"})
_LEFT_OUT = frozenset({"agent_message", "thinking", "date", "todos", "unknown", "recap"})


def opened_child(row: Row, part: str) -> str:
    """The sub-agent whose call this part of a row is, "" for none."""
    calls = (call for call in row.calls if part == call.call_id or (part == "row" and not row.is_group))
    return next((call.child_id for call in calls), "")


def child_pieces(child: Child, builder: Builder) -> None:
    """What it did, a line for each call, and the buttons that lead to it."""
    x = 2 * theme().px(SPACE_5)
    if child.earlier:
        _said(builder, tr("Earlier rows are on its own page."), x, scale=CAPTION)
    for row in child.below or ():
        _row(row, builder, x)
    buttons = [(f"{OPEN_CHILD}{child.child_id}", tr("Open"))]
    buttons += [(f"{FOLLOW_CHILD}{child.child_id}", tr("Show its rows"))] if child.below is None else []
    buttons += [(f"{STOP_CHILD}{child.child_id}", tr("Stop"))] if child.runs else []
    builder.add(ButtonsPiece(x, builder.width - x, tuple(buttons), links=True))


def _row(row: Row, builder: Builder, x: int) -> None:
    if row.kind == "calls":
        for call in row.calls:
            if call.state != "thought":
                _call(call, builder, x)
    elif row.kind in _SAID:
        cut = row.text if len(row.text) <= MOST_CHARS else f"{row.text[:MOST_CHARS]}…"
        _said(builder, cut, x)
    elif row.kind not in _LEFT_OUT:
        piece = LinePiece(x, builder.width - x, (row.icon or "info", "muted"), prose_line(row.text))
        piece.ink = "muted"
        builder.add(piece)


def _call(call: Call, builder: Builder, x: int) -> None:
    ink, ground = STATE_COLOURS.get(call.shape, ("muted", "sunken"))
    chips = ((safe_line(call.figure), ink, ground),) if call.figure else ()
    piece = LinePiece(x, builder.width - x, call_icon(call), safe_line(call.name), chips)
    piece.ink = "muted"
    builder.add(piece)


def _said(builder: Builder, text: str, x: int, scale: float = 1.0) -> None:
    width = builder.width - x
    builder.document(
        ("below", text, width, scale),
        lambda: DocumentPiece(plain_document(text, "muted", scale=scale, show=prose_lines), x, width),
    )
