"""LaneOverlapsDialog: which files of a lane other lanes change too, and what merging them would give."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane, LaneStatus, Prediction
from desktop.language import number, tr, trn
from desktop.ui.core.hearing import Hearing
from desktop.ui.lanes.host import LaneHost
from desktop.ui.text.format import clock_time, count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT = 480, 260
_SHOWN_FILES = 40
_WORDS: dict[Prediction, str] = {
    "conflict": tr("would conflict"),
    "clean": tr("would merge cleanly"),
    "unknown": tr("could not be told yet"),
}


class LaneOverlapsDialog(Dialog):
    """Follows the newest readings while it is open. `lane_asked`: show the row of this lane."""

    lane_asked = Signal(str)

    def __init__(self, lane: Lane, host: LaneHost) -> None:
        super().__init__(host.window)
        self._lane, self._host = lane, host
        self._told: tuple[object, ...] = ()
        self.setObjectName("lane_overlaps_dialog")
        self.setWindowTitle(tr("Overlaps of {lane}", lane=display_text(lane.name)))
        self.setModal(True)
        self._said = plain_label(self, "muted", "lane_overlaps_state")
        self._area = QScrollArea(self)
        self._area.setObjectName("conflict_matrix")
        self._area.setAccessibleName(tr("Files that other lanes change too"))
        self._area.setProperty("kind", "box")
        self._area.setWidgetResizable(True)
        self._area.setMinimumSize(theme().px(_WIDTH), theme().px(_HEIGHT))
        EdgeFade(self._area, "surface")
        close = QPushButton(tr("Close"), self)
        close.setObjectName("lane_overlaps_close")
        close.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(close)
        title = plain_label(self, "title", "lane_overlaps_title")
        title.setText(self.windowTitle())
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        for widget in (title, self._said, self._area):
            layout.addWidget(widget)
        layout.addLayout(buttons)
        self.hearing = Hearing().after(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        """Show the newest reading."""
        status = self._host.status(self._lane.id)
        told = (status.base, status.base_files, status.overlaps, status.predicted_at) if status is not None else ()
        if told != self._told or not self._area.widget():
            self._told = told
            self._show(status)

    def _show(self, status: LaneStatus | None) -> None:
        body = QWidget(self._area)
        column = QVBoxLayout(body)
        set_gaps(column, (SPACE_2, SPACE_2, SPACE_2, SPACE_2), SPACE_3)
        if status is not None and status.base == "conflict":
            column.addLayout(self._part(body, "", tr("its base"), "conflict", status.base_files))
        for overlap in status.overlaps if status is not None else ():
            other = self._host.lane(overlap.lane_id)
            if other is not None:
                column.addLayout(
                    self._part(body, other.id, tr("lane {name}", name=other.name), overlap.prediction, overlap.files)
                )
        column.addStretch(1)
        self._area.setWidget(body)
        body.setAutoFillBackground(False)
        self._said.setText(_sentence(status))

    def _part(
        self, body: QWidget, lane_id: str, name: str, prediction: Prediction, files: tuple[str, ...]
    ) -> QVBoxLayout:
        part = QVBoxLayout()
        set_gaps(part, spacing=SPACE_1)
        head = QHBoxLayout()
        title = plain_label(body, "strong", "lane_overlap")
        title.setText(f"{display_text(name)}: {_WORDS[prediction]}")
        head.addWidget(title, 1)
        if lane_id:
            show = QPushButton(tr("Show lane"), body)
            show.setObjectName("lane_overlap_show")
            show.setProperty("item_id", lane_id)
            show.setProperty("kind", "link")
            show.setAccessibleName(tr("Show {name}", name=display_text(name)))
            show.setAutoDefault(False)
            show.clicked.connect(partial(self._on_show, lane_id))
            head.addWidget(show)
        listed = plain_label(body, "muted", "lane_overlap_files")
        more = len(files) - _SHOWN_FILES
        lines = [display_text(path) for path in files[:_SHOWN_FILES]] + (
            [tr("and {more} more", more=number(more))] if more > 0 else []
        )
        listed.setText("\n".join(lines))
        listed.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        part.addLayout(head)
        part.addWidget(listed)
        return part

    def _on_show(self, lane_id: str, _checked: bool = False) -> None:
        self.lane_asked.emit(lane_id)
        self.accept()


def show_overlaps(host: LaneHost, lane_id: str) -> None:
    """Show which files of a lane other lanes change too."""
    lane = host.lane(lane_id)
    if lane is not None:
        dialog = LaneOverlapsDialog(lane, host)
        dialog.lane_asked.connect(host.show_lane)
        host.show(dialog, dialog.hearing)


def overlaps(_lane: Lane, status: LaneStatus | None) -> bool:
    """Whether a lane shares files with others, or would conflict with its base."""
    return status is not None and (bool(status.overlaps) or status.base == "conflict")


def _sentence(status: LaneStatus | None) -> str:
    if status is None or status.predicted_at is None:
        return tr("Not known yet.")
    shared = len(status.overlaps)
    lanes = trn(shared, "{n} lane shares files with this one.", "{n} lanes share files with this one.")
    told = [lanes if shared else tr("No other lane changes the same files.")]
    if status.base == "conflict":
        files = count(len(status.base_files), "file") if status.base_files else ""
        base = tr("It would conflict with its base in {files}.", files=files)
        told.insert(0, base if files else tr("It would conflict with its base."))
    told.append(tr("Uncommitted work counts. As of {time}.", time=clock_time(status.predicted_at)))
    return " ".join(told)
