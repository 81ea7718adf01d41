"""How a row of the sidebar is painted: state shape, title, second line, badge; headings in small capitals."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractScrollArea, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop.ui.core.chat_state import ChatState
from desktop.ui.core.sidebar_row import SidebarRow
from desktop.ui.sidebar.lane_rows import shape_of
from desktop.ui.sidebar.tree_model import DETAIL_ROLE, ROW_ROLE
from desktop.ui.text.direction import paint_as_read
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.lane_colors import lane_color
from desktop.ui.theme.row_ground import paint_row_ground
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, ICON_LINE, SIDEBAR_ROW, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.badge import badge_size, badge_text, paint_badge, paint_pill

_HEADING = 30
_INSET = 6
_GAP = 2
_ICON_LEFT, _TEXT_LEFT = 14, 38
_TITLE_MIDDLE, _DETAIL_MIDDLE, _LINE = 14, 31, 18
_DOT = 6
_BAR, _BAR_TOP = 3, 9
_MARK = 12
_SUFFIX_LEAST = 40
_CLASH_MOST, _CLASH_SHARE, _CLASH_LEAST = 110, 0.4, 9
_MOST_STEPS = 5

_BADGE_ROLES = {ChatState.QUESTION: "accent"}


def state_pixmap(row: SidebarRow, ratio: float = 1.0) -> QPixmap:
    """The shape of a row's state, 16 logical pixels wide, with the dot of an unseen chat."""
    shape = shape_of(row)
    token = "control" if row.greyed else shape.token
    base = pixmap(shape.icon or row.icon, token, ICON_LINE, ratio)
    if not shape.dot:
        return base
    dotted = QPixmap(base)
    side, dot = theme().px(ICON_LINE), theme().px(_DOT)
    painter = QPainter(dotted)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("canvas"))
    painter.drawEllipse(QRectF(side - dot - 1, side - dot - 1, dot + 2, dot + 2))
    painter.setBrush(theme().color(token))
    painter.drawEllipse(QRectF(side - dot, side - dot, dot, dot))
    painter.end()
    return dotted


def clash_rect(rect: QRect, row: SidebarRow) -> QRect:
    """Where the badge of a lane's predicted conflict stands in its row."""
    px = theme().px
    metrics = QFontMetrics(theme().font(CAPTION))
    width = metrics.horizontalAdvance(clash_text(rect, row)) + px(2 * SPACE_2)
    height = metrics.height()
    right = rect.right() - _taken_right(row)
    return QRect(right - width, rect.top() + px(theme().dense(_DETAIL_MIDDLE)) - height // 2, width, height)


def clash_text(rect: QRect, row: SidebarRow) -> str:
    """What the badge of a lane's predicted conflict says: which lane it is with, or, where there is no room for enough
    of the name, with how many; the tooltip has the name then."""
    px = theme().px
    metrics = QFontMetrics(theme().font(CAPTION))
    room = min(px(_CLASH_MOST), round(rect.width() * _CLASH_SHARE)) - px(2 * SPACE_2)
    whole = f"⚠ {row.clash}"
    shown = metrics.elidedText(whole, Qt.TextElideMode.ElideRight, room)
    return shown if shown == whole or len(shown) >= _CLASH_LEAST else f"⚠ {row.clashes}"


def _taken_right(row: SidebarRow) -> int:
    """What the count at the right of a row takes."""
    text = "!" if row.badge < 0 else badge_text(row.badge)
    px = theme().px
    if not text:
        return px(SPACE_3 + ICON_LINE) if row.kind == "lane" else px(SPACE_3)
    return badge_size(text).width() + px(_INSET) + px(SPACE_2) + px(SPACE_1)


def _indent(row: SidebarRow, index: QModelIndex | QPersistentModelIndex) -> int:
    """A chat stands below its lane, a lane below the one it stacks on."""
    parent: SidebarRow | None = (
        index.parent().data(ROW_ROLE) if row.kind == "chat" and index.parent().isValid() else None
    )
    steps = parent.depth + 1 if parent is not None and parent.kind == "lane" else row.depth
    return theme().px(SPACE_3 * min(steps, _MOST_STEPS))


def title_lines(row: SidebarRow, width: int) -> tuple[str, ...]:
    """The title in one line, or in two where another row begins as it does and one of this width is not enough."""
    return broken_title(row.title, width, bold=row.bold) if row.crowded else (row.title,)


def broken_title(title: str, width: int, *, bold: bool) -> tuple[str, ...]:
    """The title in one line, or in two where one of this width is not enough; the second may be too long for it."""
    metrics = QFontMetrics(theme().font(semibold=bold))
    if metrics.horizontalAdvance(title) <= width:
        return (title,)
    first, rest = "", title
    while " " in rest:
        word, _, after = rest.partition(" ")
        longer = f"{first} {word}".strip()
        if metrics.horizontalAdvance(longer) > width:
            break
        first, rest = longer, after
    return (first, rest) if first else (title,)


def age_kept(detail: str, width: int) -> str:
    """ "Approve: python3 -m unit… · 2 min": the second line of a row that waits, shortened before how long it waits.
    Where it waits goes when there would be no room for the first word of what it waits for."""
    metrics = QFontMetrics(theme().font(CAPTION))
    what, dot, age = detail.rpartition(" · ")
    left = width - metrics.horizontalAdvance(dot + age)
    if not dot or metrics.horizontalAdvance(detail) <= width or left < width // 2:
        return detail
    where, between, does = what.partition(dot)
    if between and metrics.horizontalAdvance(f"{where}{between}{does.partition(' ')[0]}…") > left:
        what = does
    return f"{metrics.elidedText(what, Qt.TextElideMode.ElideRight, left)}{dot}{age}"


def whole_parts(detail: str, width: int) -> str:
    """ "1 behind main": the parts of a second line that have room, at least the first."""
    metrics = QFontMetrics(theme().font(CAPTION))
    while " · " in detail and metrics.horizontalAdvance(detail) > width:
        detail = detail.rpartition(" · ")[0]
    return detail


class SidebarDelegate(QStyledItemDelegate):
    """Paints one Row. Heights: rows 46, a line more where a title takes two, headings 30."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """The height at the zoom and the width in force."""
        row: SidebarRow = index.data(ROW_ROLE)
        heights = {"section": _HEADING, "more": _HEADING}
        height = theme().dense(heights.get(row.kind, SIDEBAR_ROW))
        if row.crowded and isinstance(option.widget, QAbstractScrollArea):
            width = option.widget.viewport().width() - _indent(row, index) - _taken_right(row)
            height += _LINE * (len(title_lines(row, width - self._title_left(row))) - 1)
        return QSize(theme().px(120), theme().px(height))

    def _title_left(self, row: SidebarRow) -> int:
        return theme().px(_TEXT_LEFT + (_MARK + SPACE_1 if row.mark else 0))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row."""
        row: SidebarRow = index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.kind == "section":
            self._paint_heading(painter, option.rect, index, row)
        else:
            aside, above = theme().px(_INSET), theme().px(_GAP) + 1
            box = option.rect.adjusted(aside, theme().px(_GAP) - 1, -aside, -above)
            paint_row_ground(painter, option, QRectF(box))
            if row.kind == "more":
                self._paint_line(
                    painter, option.rect, (_TEXT_LEFT, theme().dense(_HEADING / 2)), row.title, theme().font(), "accent"
                )
            else:
                self._paint_row(painter, option, index, row)
        painter.restore()

    def _paint_heading(
        self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex, row: SidebarRow
    ) -> None:
        font = theme().font(CAPTION, semibold=True)
        font.setCapitalization(QFont.Capitalization.AllUppercase)
        text = f"{row.title} ({index.model().rowCount(index)})" if row.key == "section:archived" else row.title
        self._paint_line(painter, rect, (SPACE_3, theme().dense(17)), text, font, "muted")

    def _paint_row(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
        row: SidebarRow,
    ) -> None:
        px = theme().px
        indent = _indent(row, index)
        rect = option.rect.adjusted(indent, 0, 0, 0)
        self._paint_color(painter, rect, row)
        ratio = option.widget.devicePixelRatio() if option.widget is not None else 1.0
        icon = state_pixmap(row, ratio)
        top = rect.top() + px(theme().dense(_TITLE_MIDDLE)) - px(ICON_LINE) // 2
        painter.drawPixmap(QPoint(rect.left() + px(_ICON_LEFT), top), icon)
        taken = self._paint_badge(painter, rect, row)
        if row.kind == "lane" and not row.badge and index.model().rowCount(index) > 1:
            taken = self._paint_opener(painter, option, ratio)
        room = rect.adjusted(0, 0, -taken, 0)
        lines = title_lines(row, rect.width() - _taken_right(row) - self._title_left(row))
        self._paint_title(painter, room, row, lines, ratio)
        detail = str(index.data(DETAIL_ROLE))
        if row.badge > 0:
            detail = age_kept(detail, room.width() - px(_TEXT_LEFT))
        below = room.adjusted(0, px(_LINE) * (len(lines) - 1), 0, 0)
        if row.clash:
            below.setRight(min(room.right(), self._paint_clash(painter, option.rect, row) - px(SPACE_1)))
            detail = whole_parts(detail, below.width() - px(_TEXT_LEFT))
        self._paint_line(
            painter, below, (_TEXT_LEFT, theme().dense(_DETAIL_MIDDLE)), detail, theme().font(CAPTION), "muted"
        )

    def _paint_color(self, painter: QPainter, rect: QRect, row: SidebarRow) -> None:
        """The bar in the colour of a lane."""
        color = lane_color(row.color) if row.color else None
        if color is None:
            return
        px = theme().px
        bar = QRectF(
            rect.left() + px(_INSET),
            rect.top() + px(theme().dense(_BAR_TOP)),
            px(_BAR),
            rect.height() - 2 * px(theme().dense(_BAR_TOP)),
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawRoundedRect(bar, px(_BAR) / 2, px(_BAR) / 2)

    def _paint_title(
        self, painter: QPainter, room: QRect, row: SidebarRow, lines: tuple[str, ...], ratio: float
    ) -> None:
        """The name, the icon that a person gave the lane, and its branch where there is room."""
        px, font = theme().px, theme().font(semibold=row.bold)
        left = _TEXT_LEFT
        if row.mark:
            top = room.top() + px(theme().dense(_TITLE_MIDDLE)) - px(_MARK) // 2
            painter.drawPixmap(QPoint(room.left() + px(left), top), pixmap(row.mark, "muted", _MARK, ratio))
            left += _MARK + SPACE_1
        for number, line in enumerate(lines):
            middle = theme().dense(_TITLE_MIDDLE) + number * _LINE
            self._paint_line(painter, room, (left, middle), line, font, "muted" if row.greyed else "text")
        used = QFontMetrics(font).horizontalAdvance(row.title) + px(left + SPACE_2)
        if row.suffix and room.width() - used > px(_SUFFIX_LEAST):
            at = (round(used / theme().zoom), theme().dense(_TITLE_MIDDLE))
            self._paint_line(painter, room, at, row.suffix, theme().font(CAPTION), "muted")

    def _paint_clash(self, painter: QPainter, rect: QRect, row: SidebarRow) -> int:
        """The name of the lane that this one would conflict with; where it begins."""
        box = clash_rect(rect, row)
        font = theme().font(CAPTION)
        paint_pill(painter, box, "warning_bg")
        painter.setFont(font)
        painter.setPen(theme().color("warning"))
        shown = clash_text(rect, row)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, shown)
        return box.left()

    def _paint_badge(self, painter: QPainter, rect: QRect, row: SidebarRow) -> int:
        """The badge, or for a lane its opener; the width that texts must leave free."""
        px = theme().px
        text = "!" if row.badge < 0 else badge_text(row.badge)
        if not text:
            return px(SPACE_3)
        size = badge_size(text)
        right = rect.right() - px(_INSET) - px(SPACE_2)
        box = QRect(right - size.width(), rect.top() + (rect.height() - size.height()) // 2 - 1, *size.toTuple())
        paint_badge(painter, box, text, "danger" if row.badge < 0 else _BADGE_ROLES.get(row.state, "warning"))
        return rect.right() - box.left() + px(SPACE_1)

    def _paint_opener(self, painter: QPainter, option: QStyleOptionViewItem, ratio: float) -> int:
        """A chevron for a lane with several chats; the width that texts must leave free."""
        px = theme().px
        name = "chevron-down" if option.state & QStyle.StateFlag.State_Open else "chevron-right"
        left = option.rect.right() - px(_INSET) - px(SPACE_2) - px(ICON_LINE)
        top = option.rect.top() + (option.rect.height() - px(ICON_LINE)) // 2
        painter.drawPixmap(QPoint(left, top), pixmap(name, "muted", ICON_LINE, ratio))
        return option.rect.right() - left + px(SPACE_1)

    def _paint_line(
        self, painter: QPainter, rect: QRect, at: tuple[float, float], text: str, font: QFont, token: str
    ) -> None:
        """One elided line; `at`: left edge and middle, from the row's corner, at 100 % zoom."""
        px = theme().px
        left, middle = at
        metrics = QFontMetrics(font)
        box = QRect(rect.left() + px(left), 0, rect.width() - px(left), metrics.height())
        box.moveTop(rect.top() + px(middle) - metrics.height() // 2)
        painter.setFont(font)
        painter.setPen(theme().color(token))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, box.width()))
        paint_as_read(painter, shown)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute
        painter.drawText(box, left | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
