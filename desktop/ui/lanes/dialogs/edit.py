"""EditLaneDialog: name, description, tags, colour and icon of a lane, and its branch while nobody else knows it."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QCheckBox, QHBoxLayout, QLineEdit, QPlainTextEdit, QWidget

from desktop.domain.core.errors import LaneError
from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import EditLane
from desktop.domain.lanes.lane import LANE_COLORS, Lane, LaneStatus
from desktop.domain.lanes.names import NAME_MAX_CHARS, checked_name
from desktop.domain.lanes.updates import LanesChanged
from desktop.domain.updates import CommandFailed
from desktop.language import number, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.lanes.host import LaneHost
from desktop.ui.theme.lane_colors import lane_color
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import say
from desktop.ui.widgets.dialogs.form import LaneForm
from desktop.ui.widgets.layouts.gaps import set_gaps

_TEXT_HEIGHT = 64
_SWATCH = 28
_ICONS = (
    ("none", tr("None", context="icon")),
    ("star", tr("Star")),
    ("flag", tr("Flag")),
    ("bolt", tr("Bolt")),
    ("shield", tr("Shield")),
    ("tag", tr("Tag")),
)
_COLORS = {
    "blue": tr("Blue"),
    "green": tr("Green"),
    "amber": tr("Amber"),
    "red": tr("Red"),
    "purple": tr("Purple"),
    "teal": tr("Teal"),
    "orange": tr("Orange"),
    "pink": tr("Pink"),
    "lime": tr("Lime"),
    "indigo": tr("Indigo"),
    "brown": tr("Brown"),
    "grey": tr("Grey"),
}
_IN_USE = ("creating", "active", "broken")
_MAX_DESCRIPTION = 500


class EditLaneDialog(LaneForm):
    """Stays open until the engine has it, or says what is wrong."""

    def __init__(self, lane: Lane, host: LaneHost) -> None:
        super().__init__("lane_edit_dialog", tr("Edit lane"), (tr("Save"), "lane_edit_save"), host.window)
        self._lane, self._host = lane, host
        self.hearing = Hearing().on(LanesChanged, self._on_lanes)
        self._icon: str = lane.icon
        self.name = _line(lane.name, "lane_edit_name", tr("Name"), self)
        self.name.setMaxLength(NAME_MAX_CHARS)
        self._branch = self.words("lane_edit_branch")
        say(self._branch, self._branch_words())
        self.rename_branch = QCheckBox(tr("Rename the branch too"), self)
        self.rename_branch.setObjectName("lane_edit_rename_branch")
        self.rename_branch.setVisible(_unknown_elsewhere(lane, host.status(lane.id)))
        self.description = QPlainTextEdit(lane.description, self)
        self.description.setObjectName("lane_edit_description")
        self.description.setAccessibleName(tr("Description"))
        self.description.setFixedHeight(theme().px(_TEXT_HEIGHT))
        self.description.setTabChangesFocus(True)
        self.tags = _line(", ".join(lane.tags), "lane_edit_tags", tr("Tags"), self)
        self.tags.setPlaceholderText(tr("Separated by commas"))
        self.colors = ColorRow(lane, _taken(lane, host.lanes()), self)
        self.icons = Segmented("lane_edit_icon", tr("Icon"), list(_ICONS), self)
        self.icons.set_value(lane.icon)
        self.icons.chosen.connect(self._on_icon)
        self.add_field(tr("Name"), self.name, self._branch, self.rename_branch)
        self.add_field(tr("Description"), self.description)
        self.add_field(tr("Tags"), self.tags)
        self.add_field(tr("Colour"), self.colors)
        self.add_field(tr("Icon"), self.icons)
        self.name.textChanged.connect(self._refresh)
        self.description.textChanged.connect(self._refresh)
        self.submitted.connect(self._on_submitted)
        self._refresh()
        self.name.setFocus()

    def _on_failed(self, failed: CommandFailed) -> None:
        self.fail(failed.text)
        self._refresh()

    def _on_lanes(self, update: LanesChanged) -> None:
        """The lane is as it was asked for."""
        if self.working and self._lane not in update.lanes:
            self.accept()

    def _branch_words(self) -> str:
        by = self._host.chat_title(self._lane.created_by) if self._lane.created_by.startswith("ses_") else ""
        branch = display_text(self._lane.branch)
        parts = [tr("Branch {branch}", branch=branch) if branch else tr("On no branch")]
        parts += [tr("created by “{chat}”", chat=by)] if by else []
        return " · ".join(parts)

    def _refresh(self) -> None:
        problem = ""
        try:
            checked_name(self.name.text())
        except LaneError as error:
            problem = str(error)
        if len(self.description.toPlainText()) > _MAX_DESCRIPTION:
            problem = tr("A description has at most {number} characters.", number=number(_MAX_DESCRIPTION))
        self.set_go(tr("Save"), enabled=not problem, why=problem)

    def _on_icon(self, value: str) -> None:
        self._icon = value
        self.icons.set_value(value)

    def _on_submitted(self) -> None:
        command = self._command()
        words = (command.name, command.description, command.tags, command.color, command.icon)
        if self.working or (not command.rename_branch and all(word is None for word in words)):
            self.accept()
            return
        self.set_working(True, tr("Saving…"))
        self._host.requests.ask(command, self, failed=self._on_failed)

    def _command(self) -> EditLane:
        """What differs from the lane as it is; None is what stays."""
        lane = self._lane
        tags = tuple(tag for tag in (" ".join(part.split()) for part in self.tags.text().split(",")) if tag)
        description = self.description.toPlainText().strip()
        name = self.name.text().strip()
        return EditLane(
            lane_id=lane.id,
            name=name if name != lane.name else None,
            description=description if description != lane.description else None,
            tags=tags if tags != lane.tags else None,
            color=self.colors.value if self.colors.value != lane.color else None,
            icon=self._icon if self._icon != lane.icon else None,
            rename_branch=self.rename_branch.isChecked() and not self.rename_branch.isHidden(),
        )


class ColorRow(QWidget):
    """The colours that a lane can have; those of other lanes cannot be chosen. `value`: the chosen one."""

    def __init__(self, lane: Lane, taken: dict[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("lane_edit_colors")
        self.setAccessibleName(tr("Colour"))
        self.value = lane.color
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        set_gaps(row, (0, 0, 0, 0), SPACE_1)
        for color in LANE_COLORS:
            swatch = _Swatch(color, self)
            swatch.setChecked(color == lane.color)
            owner = taken.get(color, "")
            name = color_words(color)
            set_off(
                swatch,
                tr("{colour}: lane “{lane}” has it", colour=name, lane=display_text(owner)) if owner else "",
                name,
            )
            swatch.picked.connect(self._on_picked)
            self._group.addButton(swatch)
            row.addWidget(swatch)
        row.addStretch(1)

    def _on_picked(self, color: str) -> None:
        self.value = color


def color_words(color: str) -> str:
    """The name of a colour of lanes."""
    return _COLORS.get(color, color.capitalize())


class _Swatch(QAbstractButton):
    """One colour; a ring around it says that it is chosen, a pale disc that another lane has it. In high contrast the
    pale disc keeps its edge."""

    picked = Signal(str)

    def __init__(self, color: str, parent: ColorRow) -> None:
        super().__init__(parent)
        self._color = color
        self.setObjectName(f"lane_edit_color_{color}")
        self.setAccessibleName(color_words(color))
        self.setCheckable(True)
        self.clicked.connect(self._on_clicked)
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """A square."""
        return QSize(theme().px(_SWATCH), theme().px(_SWATCH))

    def paintEvent(self, event: QPaintEvent) -> None:
        """A disc, and what is to be told about it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        px = theme().px
        disc = QRectF(self.rect()).adjusted(px(6), px(6), -px(6), -px(6))
        ink = lane_color(self._color)
        if ink is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            painter.setOpacity(1.0 if self.isEnabled() else 0.35)
            painter.drawEllipse(disc)
            painter.setOpacity(1.0)
            if not self.isEnabled() and theme().tokens.is_outlined:
                painter.setPen(QPen(ink, px(2)))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(disc.adjusted(px(1), px(1), -px(1), -px(1)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.isChecked() or self.hasFocus():
            pen = painter.pen()
            pen.setStyle(Qt.PenStyle.SolidLine if self.isChecked() else Qt.PenStyle.DotLine)
            pen.setColor(theme().color("accent" if self.hasFocus() else "text"))
            pen.setWidthF(px(2))
            painter.setPen(pen)
            painter.drawEllipse(QRectF(self.rect()).adjusted(px(2), px(2), -px(2), -px(2)))
        painter.end()

    def _on_clicked(self) -> None:
        self.picked.emit(self._color)


def _line(text: str, name: str, label: str, parent: QWidget) -> QLineEdit:
    edit = QLineEdit(text, parent)
    edit.setObjectName(name)
    edit.setAccessibleName(label)
    return edit


def _taken(lane: Lane, lanes: Sequence[Lane]) -> dict[str, str]:
    """Colours of other lanes in use, and the lane that has each."""
    return {one.color: one.name for one in lanes if one.color and one.id != lane.id and one.state in _IN_USE}


def _unknown_elsewhere(lane: Lane, status: LaneStatus | None) -> bool:
    """Whether, as far as is known, no remote has the branch."""
    pushed = status is not None and status.remote_ahead is not None
    return bool(lane.branch) and not lane.pr_number and not pushed and lane.state == "active"
