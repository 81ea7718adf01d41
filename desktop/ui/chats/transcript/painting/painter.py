"""Rows as pieces, laid out for a width: what each kind of row shows."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtGui import QFontMetrics

from desktop.language import said, tr
from desktop.ui.chats.folds.decisions import decision_sentence, held_sentence, refused_sentence
from desktop.ui.chats.folds.row_words import group_title
from desktop.ui.chats.folds.rows import BAD_STATES, VENDOR_RULE, Call, Row
from desktop.ui.chats.transcript.painting.blocks import Builder
from desktop.ui.chats.transcript.painting.child import child_pieces
from desktop.ui.chats.transcript.painting.documents import colour_words, plain_document, strike
from desktop.ui.chats.transcript.painting.icons import RUNNING_ICON, STATE_COLOURS, call_icon
from desktop.ui.chats.transcript.painting.markdown_blocks import MarkdownBlocks
from desktop.ui.chats.transcript.painting.pieces import (
    ButtonsPiece,
    DividerPiece,
    HeadPiece,
    LinePiece,
    MarkPiece,
    Piece,
    PieceHit,
)
from desktop.ui.chats.transcript.painting.report import report_pieces
from desktop.ui.chats.transcript.painting.row_layout import MOST_WRITTEN, RowLayout
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.chats.transcript.painting.thumbnails import PicturesPiece
from desktop.ui.text.format import clock_time, count, size
from desktop.ui.text.safe_text import prose_line, prose_lines, safe_line, safe_text, said_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SPACE_1, SPACE_2, SPACE_3, SPACE_4, SPACE_5

NOT_APPLIED = tr("Not applied: the call failed.")
_TODO_ICONS = {
    "completed": ("circle-check", "success"),
    "in_progress": ("circle-dot", "accent"),
    "pending": ("circle", "muted"),
}

MOST_TYPED, MOST_WARNED = 12_000, 600
MOST_CALLS, EARLIER = 200, ":earlier"
"""Calls of an open group that have a line, the newest; and the part of the row that is all before them."""
REMOVED = tr("Removed from the context")
PUT_BACK = ("put_back", tr("Put back"))
_PLAN_WORDS = {
    "waiting for you": tr("waiting for you"),
    "approved": tr("approved"),
    "to be revised": tr("to be revised"),
    "withdrawn": tr("withdrawn"),
}
_TOP = {
    **dict.fromkeys(("user", "agent_message", "assistant"), SPACE_1),
    **dict.fromkeys(("error", "interrupted", "report"), SPACE_2),
}


def lay_out(row: Row, builder: Builder, former: RowLayout | None = None) -> RowLayout:
    """The row's pieces for the builder's width. A former layout of the row lends what did not change."""
    layout = RowLayout(row, builder.pieces, 0, [], former.markdown if former else MarkdownBlocks())
    if former is not None:
        builder.former = {piece.reuse: piece for piece in former.pieces if piece.reuse is not None}
    builder.ink, builder.struck = ("muted", not row.left) if row.muted else ("text", False)
    _BUILD.get(row.kind, _notice)(row, builder, layout)
    if builder.struck:
        _removed(builder, row.key)
    y, gap = theme().px(theme().dense(_TOP.get(row.kind, 0))), 0
    for piece in builder.pieces:
        piece.y = y + (gap if piece.height else 0)
        if piece.height:
            y, gap = piece.y + piece.height, round(theme().dense(piece.gap))
        else:
            piece.y = y + gap
    layout.height, layout.unfinished = y + (gap if builder.pieces and gap else 0), builder.unfinished
    layout.hits = _named([hit for piece in builder.pieces for hit in piece.hits()])
    return layout


def _named(hits: list[PieceHit]) -> list[PieceHit]:
    """Hits with names of their own: the second `code_copy` is `code_copy_2`."""
    seen: dict[str, int] = {}
    result = []
    for hit in hits:
        seen[hit.name] = seen.get(hit.name, 0) + 1
        result.append(hit if seen[hit.name] == 1 else replace(hit, name=f"{hit.name}_{seen[hit.name]}"))
    return result


def _head(row: Row, builder: Builder, icon: str, name: str) -> None:
    if row.head:
        time = clock_time(row.at) if row.at else ""
        time = " · ".join(part for part in (row.detail if row.kind == "user" else "", time) if part)
        builder.add(HeadPiece(builder.width, icon, safe_line(name), time, builder.ink))


def _user(row: Row, builder: Builder, layout: RowLayout) -> None:
    indent = theme().px(SPACE_5)
    _head(row, builder, "user" if row.kind == "user" else "bot", row.author)

    def show(text: str) -> None:
        document = plain_document(text, builder.ink, show=prose_lines)
        colour_words(document, [prose_lines(one.written) for one in row.mentions])
        if builder.struck:
            strike(document)
        builder.add(DocumentPiece(document, indent, builder.width - indent))

    typed = row.text.strip("\n")
    if typed or not row.files:
        builder.cut(typed, MOST_TYPED, indent, "rest", show)
    pictures = [file for file in row.files if file.width_px and file.sha256]
    if pictures:
        builder.add(PicturesPiece(indent, builder.width - indent, pictures, builder.thumbnail))
    for file in (file for file in row.files if file not in pictures):
        figure = (size(file.size_bytes), "muted", "sunken")
        icon = "image" if file.width_px else "paperclip"
        line = _line(builder, (icon, "muted"), file.name, (figure,) if file.size_bytes else ())
        line.ink = "muted"
    for one in row.mentions:
        ink = "muted" if one.given else "warning"
        name = safe_line(one.title) or one.written.removeprefix("@")
        line = _line(builder, ("at-sign", ink), name, ((safe_line(one.words), ink, "sunken"),))
        line.ink = "muted"


def _removed(builder: Builder, part: str) -> None:
    """Under a row that no longer goes to the model: that it does not, and how it comes back."""
    x = theme().px(SPACE_5)
    builder.add(DocumentPiece(plain_document(REMOVED, "muted", scale=CAPTION), x, builder.width - x))
    builder.add(ButtonsPiece(x, builder.width - x, (PUT_BACK,), links=True, part=part))


def _assistant(row: Row, builder: Builder, layout: RowLayout) -> None:
    _head(row, builder, "sparkles", tr("Agent"))
    x = theme().px(SPACE_5)
    if row.live:
        builder.markdown(layout.markdown, row.text, x, live=True)
        return
    builder.cut(row.text, MOST_WRITTEN, x, "rest", lambda text: builder.markdown(layout.markdown, text, x))
    if marked := () if builder.unfinished else builder.marks(row.text):
        color = "muted" if marked[0].startswith("This is long") else "warning"
        width = builder.width - x
        builder.document(
            ("marks", marked, builder.width),
            lambda: DocumentPiece(
                plain_document("\n".join(map(said, marked)), color, scale=CAPTION, show=said_text), x, width
            ),
        )


def _thinking(row: Row, builder: Builder, layout: RowLayout) -> None:
    if row.head:
        _head(row, builder, "sparkles", tr("Agent"))
    title = tr("Thinking") if row.live else (tr("Thought for {time}", time=row.detail) if row.detail else tr("Thought"))
    line = _line(builder, ("brain", "muted"), title, toggle="row_toggle")
    line.ink = "muted"
    if line.opened:
        show = partial(_muted, builder, bar="border", show=prose_lines)
        builder.cut(row.text, MOST_TYPED, theme().px(SPACE_5) * 2, "rest", show)


def _line(
    builder: Builder,
    icon: tuple[str, str],
    title: str,
    chips: tuple[tuple[str, str, str], ...] = (),
    toggle: str = "",
    part: str = "row",
) -> LinePiece:
    indent = theme().px(SPACE_5)
    piece = LinePiece(indent, builder.width - indent, icon, safe_line(title), chips)
    piece.ink = builder.ink
    if toggle:
        piece.toggle, piece.part, piece.opened = toggle, part, builder.is_open(part)
    builder.add(piece)
    return piece


def _muted(builder: Builder, text: str, *, bar: str = "", show: Callable[[str], str] = safe_text) -> None:
    x = theme().px(SPACE_5) * 2
    builder.add(DocumentPiece(plain_document(text, "muted", show=show), x, builder.width - x, bar=bar))


def _calls(row: Row, builder: Builder, layout: RowLayout) -> None:
    if not row.is_group:
        _call(row.calls[0], builder, "row_toggle", "row")
        return
    shapes = {call.shape for call in row.calls}
    bad, waiting = not shapes.isdisjoint(BAD_STATES), "waiting" in shapes
    icon = ("shield-alert", "warning") if waiting else ("triangle-alert", "danger") if bad else ("list", "muted")
    head = _line(builder, icon, group_title(row), toggle="row_toggle")
    head.ink = "muted"
    head.arrow = True
    if not waiting and not head.opened and "running" in shapes:
        head.icon = (RUNNING_ICON, "accent")
    if head.opened:
        left = 0 if builder.is_open(EARLIER) else max(0, len(row.calls) - MOST_CALLS)
        if left:
            x, label = theme().px(SPACE_5), count(left, "earlier call")
            builder.add(ButtonsPiece(x, builder.width - x, (("row_show_all", label),), links=True, part=EARLIER))
        for number, call in enumerate(row.calls[left:], start=left + 1):
            _call(call, builder, f"call_{number}", call.call_id)


def _call(call: Call, builder: Builder, toggle: str, part: str) -> None:
    ink, ground = STATE_COLOURS.get(call.shape, ("muted", "sunken"))
    figure = (safe_line(call.figure), ink, ground)
    marks = (
        (call.removed, (tr("not in context"), "muted", "sunken")),
        (bool(call.unkept), (tr("no checkpoint"), "warning", "warning_bg")),
        (call.taken_back, (tr("taken back"), "muted", "sunken")),
        (call.review_after, (tr("review", context="to do"), "warning", "warning_bg")),
        (bool(call.figure), figure),
        (call.state == "error" and not call.figure, (tr("failed"), "danger", "danger_bg")),
    )
    chips = tuple(chip for shown, chip in marks if shown)
    more = bool(
        call.child
        or call.unkept
        or call.evidence
        or call.result
        or call.tail
        or call.output
        or call.held_by
        or decision_sentence(call)
    )
    line = _line(builder, call_icon(call), call.name, chips, toggle if more else "", part)
    line.move_right(call.depth * theme().px(SPACE_4))
    if call.rule == VENDOR_RULE or (call.category == "read" and call.title.startswith("Ask: ")):
        line.title = prose_line(call.name)
    if call.state in ("thought", "malformed"):
        line.ink = "muted"
    if call.state == "refused" and call.reason:
        _muted(builder, refused_sentence(call))
    if call.child is not None and call.child.now:
        _muted(builder, call.child.now, show=prose_line)
    if line.opened:
        _opened(call, builder, f"{part}:")
    elif call.tail and call.state == "running":
        _tail(call, builder, 3)


def _opened(call: Call, builder: Builder, part: str) -> None:
    x = 2 * theme().px(SPACE_5)
    if call.state == "error" and call.category == "write" and not call.touched:
        builder.add(DocumentPiece(plain_document(NOT_APPLIED, "danger", scale=CAPTION), x, builder.width - x))
    for number, block in enumerate(call.evidence):
        builder.block(block, x, f"{part}e{number}")
    if call.child is not None:
        child_pieces(call.child, builder)
    if call.child is None or not call.child.below:
        for number, block in enumerate(call.result):
            builder.block(block, x, f"{part}r{number}")
    if call.state == "running" and call.tail:
        _tail(call, builder, 20)
    if call.full is not None:
        label = tr("Open full output ({size})", size=size(call.full.size))
        builder.add(ButtonsPiece(x, builder.width - x, (("row_open_full", label),), links=True, part=call.call_id))
    unkept = tr("No whole checkpoint before this call: {reason}", reason=call.unkept) if call.unkept else ""
    for sentence in (decision_sentence(call), held_sentence(call), unkept):
        if sentence:
            builder.add(DocumentPiece(plain_document(sentence, "muted", scale=CAPTION), x, builder.width - x))


def _tail(call: Call, builder: Builder, lines: int) -> None:
    newest = "\n".join(call.tail.rstrip("\n").split("\n")[-lines:])
    builder.console(newest, 2 * theme().px(SPACE_5), "tail")


def _resolved(row: Row, builder: Builder, layout: RowLayout) -> None:
    _wide_line(row, builder, (row.icon, row.level))
    for text in row.lines:
        _muted(builder, text, show=prose_lines)


def _wide_line(row: Row, builder: Builder, icon: tuple[str, str]) -> None:
    """One muted line; when it does not fit, or there is more to say, it opens. A warning is there as a whole."""
    look = theme()
    room = builder.width - 3 * look.px(SPACE_5)
    text = prose_line(row.text)
    long = len(text) * look.px(SPACE_4) > room and QFontMetrics(look.font()).horizontalAdvance(text) > room
    if long and not row.detail and row.level in ("warning", "danger") and len(text) <= MOST_WARNED:
        builder.add(Piece(0, 0, look.px(SPACE_1), gap=0))
        builder.add(MarkPiece(look.px(SPACE_5), *icon))
        _muted(builder, row.text, show=prose_lines)
        return
    line = _line(builder, icon, text, toggle="row_toggle" if long or row.detail else "")
    line.ink = "muted"
    if line.opened:
        told = "\n".join(part for part in (row.text if long else "", row.detail) if part)
        _muted(builder, told, show=prose_lines)


def _plan(row: Row, builder: Builder, layout: RowLayout) -> None:
    chip = {"approved": ("success", "success_bg"), "waiting for you": ("warning", "warning_bg")}
    ink, ground = chip.get(row.detail, ("muted", "sunken"))
    title = tr("Plan: {title}", title=row.lines[0]) if row.lines and row.lines[0] else tr("Plan")
    status = _PLAN_WORDS.get(row.detail, row.detail)
    line = _line(builder, ("list-todo", "accent"), title, ((status, ink, ground),), "row_toggle")
    if line.opened:
        builder.markdown(layout.markdown, row.text, 2 * theme().px(SPACE_5))


def _todos(row: Row, builder: Builder, layout: RowLayout) -> None:
    title = f"{row.text} · {row.detail}" if row.detail else row.text
    line = _line(builder, ("list-todo", "accent"), title, toggle="row_toggle")
    if not line.opened:
        return
    indent = 2 * theme().px(SPACE_5)
    for todo in row.todos:
        piece = LinePiece(indent, builder.width - indent, _TODO_ICONS[todo.status], prose_line(todo.content))
        piece.height = theme().px(SPACE_5)
        piece.ink = "muted" if todo.status == "completed" else "text"
        builder.add(piece)


def _notice(row: Row, builder: Builder, layout: RowLayout) -> None:
    _wide_line(row, builder, (row.icon or "info", "muted" if row.level == "info" else row.level))


def _retry(row: Row, builder: Builder, layout: RowLayout) -> None:
    _wide_line(row, builder, ("refresh-cw", "warning" if row.live else "muted"))
    _buttons(row, builder)


def _error(row: Row, builder: Builder, layout: RowLayout) -> None:
    indent = theme().px(SPACE_5)
    icon = {"danger": "octagon-x", "warning": "triangle-alert"}.get(row.level, "info")
    builder.add(MarkPiece(0, icon, row.level))
    builder.add(DocumentPiece(plain_document(row.text), indent, builder.width - indent))
    _buttons(row, builder)


def _buttons(row: Row, builder: Builder) -> None:
    """The row's buttons, in as many lines as they need."""
    look, indent = theme(), theme().px(SPACE_5)
    metrics, room = QFontMetrics(look.font()), builder.width - indent
    line: list[tuple[str, str]] = []
    used = 0
    for name, label in row.actions:
        shown = safe_line(label)
        wide = metrics.horizontalAdvance(shown) + 2 * look.px(SPACE_3) + look.px(SPACE_2)
        if line and used + wide > room:
            builder.add(ButtonsPiece(indent, room, tuple(line)))
            line, used = [], 0
        line.append((name, shown))
        used += wide
    if line:
        builder.add(ButtonsPiece(indent, room, tuple(line)))


def _divider(row: Row, builder: Builder, layout: RowLayout) -> None:
    compaction = row.kind == "compaction"
    toggle = "row_toggle" if compaction and row.detail else ""
    builder.add(DividerPiece(builder.width, prose_line(row.text), toggle))
    if toggle and builder.is_open("row"):
        builder.markdown(layout.markdown, row.detail, theme().px(SPACE_5))
    if not compaction or builder.is_open("row"):
        _buttons(row, builder)


def _rewound(row: Row, builder: Builder, layout: RowLayout) -> None:
    shown = row.level == "open"
    words = tr("Hide {name}", name=row.text) if shown else tr("Show {name}", name=row.text)
    words = row.text if row.left else words
    line = _line(builder, ("history", "muted"), words)
    line.ink = "muted"
    if not row.left:
        line.toggle, line.opened, line.arrow = "rewound_toggle", shown, True
    _buttons(row, builder)


def _unknown(row: Row, builder: Builder, layout: RowLayout) -> None:
    line = _line(builder, ("circle-help", "muted"), row.text, toggle="row_toggle")
    line.ink = "muted"
    if line.opened:
        _muted(builder, row.detail[:20_000])


_BUILD: dict[str, Callable[[Row, Builder, RowLayout], None]] = {
    "user": _user,
    "agent_message": _user,
    "assistant": _assistant,
    "thinking": _thinking,
    "calls": _calls,
    "resolved": _resolved,
    "plan": _plan,
    "todos": _todos,
    "notice": _notice,
    "retry": _retry,
    "error": _error,
    "interrupted": _error,
    "recap": _divider,
    "compaction": _divider,
    "date": _divider,
    "unknown": _unknown,
    "rewound": _rewound,
    "report": lambda row, builder, layout: report_pieces(row, builder),
}
