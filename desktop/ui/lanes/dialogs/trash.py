"""LaneTrashDialog: lanes deleted in the last 30 days, to restore or to forget."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import LoadTrash, PurgeTrash, RestoreLane
from desktop.domain.lanes.lane import TrashedLane
from desktop.domain.lanes.updates import LaneCreated, TrashListed
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, answer
from desktop.ui.core.sink import Clock
from desktop.ui.lanes.holds_words import holds_words
from desktop.ui.lanes.host import LaneHost
from desktop.ui.text.format import age
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem, PickList

_WIDTH, _HEIGHT = 560, 280
_LOADING = tr("Loading deleted lanes…")
_EMPTY = tr("No lane was deleted in the last 30 days.")


class LaneTrashDialog(Dialog):
    """`clock` tells how long ago a lane was deleted."""

    def __init__(self, host: LaneHost, clock: Clock) -> None:
        super().__init__(host.window)
        self._host, self._clock = host, clock
        self._lanes: dict[str, TrashedLane] = {}
        self._restoring = Request()
        self.hearing = Hearing().on(TrashListed, self._take)
        self.setObjectName("lane_trash_dialog")
        self.setWindowTitle(tr("Recently deleted lanes"))
        self.setModal(True)
        self._said = plain_label(self, "muted", "lane_trash_state")
        self.list = PickList("lane_trash_list", self)
        self.list.setAccessibleName(tr("Deleted lanes"))
        self.list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.list.setMinimumSize(theme().px(_WIDTH), theme().px(_HEIGHT))
        self.list.selectionModel().currentChanged.connect(self._fit)
        self._restore = push_button(tr("Restore"), "lane_restore", self)
        self._restore.setProperty("kind", "primary")
        self._purge = push_button(tr("Delete now…"), "lane_trash_purge", self)
        self._close = push_button(tr("Close"), "lane_trash_close", self)
        self._restore.clicked.connect(self._on_restore)
        self._purge.clicked.connect(self._ask_purge)
        self._close.clicked.connect(self.accept)
        self._lay_out()
        self._say(_LOADING)
        self._fit()
        host.order(LoadTrash(), self, failed=self._on_failed)

    def _on_restored(self, update: LaneCreated) -> None:
        self._say(display_text(" ".join((tr("“{name}” is back.", name=update.lane.name), *update.notices))))

    def _on_failed(self, failed: CommandFailed) -> None:
        self._restoring.drop()
        self._say(display_text(failed.text))
        self._fit()

    def _take(self, listed: TrashListed) -> None:
        lanes = listed.lanes
        kept = self.list.key_at(self.list.currentIndex())
        self._lanes = {one.trash_id: one for one in lanes}
        self.list.show_items([self._item(one) for one in lanes])
        for row, one in enumerate(lanes):
            if one.trash_id == kept:
                self.list.setCurrentIndex(self.list.model().index(row, 0))
        if self._said.text() in (_LOADING, _EMPTY, ""):  # what came of the last step stays
            self._say("" if lanes else _EMPTY)
        self._fit()
        if lanes:
            self.list.setFocus()

    def _item(self, one: TrashedLane) -> PickItem:
        ago = age(one.deleted_at, self._clock())
        by = tr("Deleted {age} by {name}", age=ago, name=display_text(one.deleted_by))
        deleted = by if one.deleted_by else tr("Deleted {age}", age=ago)
        deleted = f"{deleted} · {display_text(holds_words(one.holds))}" if one.holds else deleted
        return PickItem(
            one.trash_id,
            display_text(one.lane.name),
            display_text(one.lane.branch),
            icon="trash-2",
            below=deleted,
        )

    def _on_restore(self) -> None:
        one = self._chosen()
        if one is not None and not self._restoring.is_waiting:
            self._say(tr("Restoring “{name}”…", name=display_text(one.lane.name)))
            restored = answer(LaneCreated, self._on_restored)
            command = RestoreLane(trash_id=one.trash_id)
            self._restoring = self._host.order(command, self, restored, failed=self._on_failed)
            self._fit()

    def _ask_purge(self) -> None:
        one = self._chosen()
        if one is None:
            return
        question = Question(
            "lane_purge_dialog",
            tr("Delete “{name}” for good?", name=display_text(one.lane.name)),
            tr("Its files, its staged changes and the commits that are on no branch go now. This cannot be undone."),
            (tr("Keep it"), "lane_purge_keep"),
            (tr("Delete for good"), "lane_purge_go"),
        )
        ask_first(question, self, lambda: self._host.send(PurgeTrash(trash_id=one.trash_id)))

    def _chosen(self) -> TrashedLane | None:
        return self._lanes.get(self.list.key_at(self.list.currentIndex()))

    def _fit(self, _current: QModelIndex | None = None, _previous: QModelIndex | None = None) -> None:
        why = "" if self._chosen() is not None else tr("Choose a lane.")
        for button in (self._restore, self._purge):
            set_off(button, tr("A lane is being restored.") if self._restoring.is_waiting else why)

    def _say(self, text: str) -> None:
        self._said.setText(text)
        self._said.setVisible(bool(text))

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addWidget(self._purge)
        buttons.addStretch(1)
        buttons.addWidget(self._close)
        buttons.addWidget(self._restore)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        title = plain_label(self, "title", "lane_trash_title")
        title.setText(tr("Recently deleted lanes"))
        for widget in (title, self._said, self.list):
            layout.addWidget(widget)
        layout.addLayout(buttons)
