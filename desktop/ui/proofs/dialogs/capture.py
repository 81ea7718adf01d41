"""Dialogs in which a person captures: a page of the lane, or what of the screen is to be kept."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QIntValidator, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs.commands import AddProof, CaptureProof
from desktop.domain.proofs.values import MAX_TITLE, Backend
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.proofs.screen_capture import Grabbed
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pictures.picture_marks import KEYS, PictureMarks

NOT_ALONE = tr("Other windows lie over it and are in the picture; put it in front and capture it again, or crop it.")
_WIDTH, _NUMBER, _SHARE = 460, 110, 0.8
_SIDES = (("proof_page_width", tr("Width"), 1280, (320, 3840)), ("proof_page_height", tr("Height"), 800, (240, 2160)))


@dataclass(frozen=True)
class CapturedWindow:
    """Which window a picture shows. `title`: what its program says; `alone`: nothing of another program is in it."""

    title: str
    alone: bool


class PageDialog(Dialog):
    """Which page, how large. `wanted` carries a CaptureProof."""

    wanted = Signal(object)

    def __init__(self, lane_id: str, session_id: str, lane: Lane | None, problem: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._lane_id, self._session_id = lane_id, session_id
        self.setObjectName("proof_page_dialog")
        self.setWindowTitle(tr("Capture a page"))
        self.setModal(True)
        self.setMinimumWidth(theme().px(_WIDTH))
        port = f"http://127.0.0.1:{lane.ports}/" if lane is not None and lane.ports else ""
        self.url = _field("proof_page_url", tr("Address or file"), port, self)
        self.url.setPlaceholderText(tr("http://127.0.0.1:4100/ or page.html"))
        self.title = _field("proof_page_title", tr("Title"), "", self)
        self.title.setMaxLength(MAX_TITLE)
        self._sides = [_number(*side, self) for side in _SIDES]
        self.whole = QCheckBox(tr("The whole page"), self)
        self.whole.setObjectName("proof_page_whole")
        self.dark = QCheckBox(tr("Dark"), self)
        self.dark.setObjectName("proof_page_dark")
        form = QFormLayout()
        form.setSpacing(theme().px(SPACE_2))
        form.addRow(tr("Page"), self.url)
        form.addRow(tr("Title"), self.title)
        form.addRow(tr("Width × height"), _beside(*self._sides))
        form.addRow("", _beside(self.whole, self.dark))
        hint = QLabel(problem or tr("A page on one of this lane's ports, or an HTML or SVG file of the lane."), self)
        hint.setProperty("kind", "muted")
        hint.setWordWrap(True)
        self._take = _button(tr("Capture"), "proof_page_take", self, primary=True)
        self._take.clicked.connect(self._on_take)
        self._problem = problem
        for field in (self.url, *self._sides):
            field.textChanged.connect(self._refresh)
        self._refresh()
        cancel = _button(tr("Cancel"), "proof_page_cancel", self)
        cancel.clicked.connect(self.reject)
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        heading = plain_label(self, "title")
        heading.setText(self.windowTitle())
        column.addWidget(heading)
        column.addLayout(form)
        column.addWidget(hint)
        column.addLayout(_row(cancel, self._take))
        self.url.setFocus()
        self.finished.connect(self.deleteLater)

    def _refresh(self) -> None:
        fits = all(side.hasAcceptableInput() for side in self._sides)
        given = "" if self.url.text().strip() else tr("Type an address or a file.")
        set_off(self._take, self._problem or given or ("" if fits else tr("The width and the height do not fit.")))

    def _on_take(self) -> None:
        width, height = (int(side.text()) for side in self._sides)
        self.wanted.emit(
            CaptureProof(
                lane_id=self._lane_id,
                session_id=self._session_id,
                url=self.url.text().strip(),
                title=self.title.text().strip(),
                width=width,
                height=height,
                full_page=self.whole.isChecked(),
                theme="dark" if self.dark.isChecked() else "light",
            )
        )
        self.accept()


class ScreenDialog(Dialog):
    """What of the screen, or of the window `of`, is kept as a proof. `wanted` carries an AddProof."""

    wanted = Signal(object)

    def __init__(
        self, grabbed: Grabbed, lane_id: str, session_id: str, parent: QWidget, of: CapturedWindow | None = None
    ) -> None:
        super().__init__(parent)
        self._grabbed, self._lane_id, self._session_id = grabbed, lane_id, session_id
        self._backend: Backend = "desktop" if of is None else "window"
        self.setObjectName("proof_screen_dialog")
        self.setWindowTitle(tr("Capture the screen") if of is None else tr("Capture a window"))
        self.setModal(True)
        self.resize(parent.size() * _SHARE)
        self.marks = PictureMarks("proof_screen_picture", self)
        self.marks.set_picture(QPixmap.fromImage(grabbed.image))
        tools = Segmented(
            "proof_screen_tool", tr("What a part is"), (("crop", tr("Crop")), ("blank", tr("Hide"))), self
        )
        tools.set_value("crop")
        tools.chosen.connect(tools.set_value)
        tools.chosen.connect(self.marks.set_tool)
        title = tr("Screen") if of is None else display_text(of.title).strip() or tr("Window")
        self.title = _field("proof_screen_title", tr("Title"), title[:MAX_TITLE], self)
        self.title.setMaxLength(MAX_TITLE)
        hint = QLabel(KEYS if of is None or of.alone else f"{NOT_ALONE} {KEYS}", self)
        hint.setObjectName("proof_screen_hint")
        hint.setProperty("kind", "caption")
        hint.setWordWrap(True)
        reset = _button(tr("Start over"), "proof_screen_reset", self)
        reset.clicked.connect(self.marks.reset)
        keep = _button(tr("Keep"), "proof_screen_keep", self, primary=True)
        keep.clicked.connect(self._on_keep)
        cancel = _button(tr("Cancel"), "proof_screen_cancel", self)
        cancel.clicked.connect(self.reject)
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_2)
        top = QHBoxLayout()
        top.addWidget(tools)
        top.addWidget(self.title, 1)
        column.addLayout(top)
        column.addWidget(self.marks, 1)
        column.addWidget(hint)
        column.addLayout(_row(reset, cancel, keep))
        self.marks.setFocus()
        self.finished.connect(self.deleteLater)

    def _on_keep(self) -> None:
        self.wanted.emit(
            AddProof(
                lane_id=self._lane_id,
                session_id=self._session_id,
                data=self._grabbed.data,
                name=f"{self._backend}.png",
                title=self.title.text().strip(),
                backend=self._backend,
                scale=self._grabbed.scale,
                crop=self.marks.crop,
                blanks=self.marks.blanks,
            )
        )
        self.accept()


def _field(name: str, label: str, text: str, parent: QWidget) -> QLineEdit:
    field = QLineEdit(text, parent)
    field.setObjectName(name)
    field.setAccessibleName(label)
    return field


def _number(name: str, label: str, value: int, bounds: tuple[int, int], parent: QWidget) -> QLineEdit:
    field = _field(
        name,
        tr("{label} in pixels, {bounds} to {bounds_2}", label=label, bounds=bounds[0], bounds_2=bounds[1]),
        str(value),
        parent,
    )
    field.setValidator(QIntValidator(*bounds, field))
    field.setMaximumWidth(theme().px(_NUMBER))
    return field


def _button(text: str, name: str, parent: QWidget, *, primary: bool = False) -> QPushButton:
    button = QPushButton(text, parent)
    button.setObjectName(name)
    button.setAutoDefault(primary)
    if primary:
        button.setProperty("kind", "primary")
        button.setDefault(True)
    return button


def _row(*buttons: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    set_gaps(row, spacing=SPACE_2)
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return row


def _beside(*widgets: QWidget) -> QWidget:
    box = QWidget(widgets[0].parentWidget())
    row = QHBoxLayout(box)
    set_gaps(row, (0, 0, 0, 0), SPACE_2)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return box
