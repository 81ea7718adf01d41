"""FreeSpaceDialog: the ignored folders of lanes by size, to tick and to move to the system's trash."""

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QListWidgetItem, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import MeasureLanes, ReclaimSpace
from desktop.domain.lanes.updates import LanesMeasured, ReclaimableFolder, SpaceReclaimed
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Ask, Request, answer
from desktop.ui.text.format import count, size
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT = 600, 460
_INTRO = tr(
    "Folders that git ignores, such as installed packages. They go to the system's trash. Nothing that git tracks or "
    "would show is ever in this list."
)
_MEASURING = tr("Measuring…")
_WAITS = tr("Wait until what runs here has ended.")
_KEY = Qt.ItemDataRole.UserRole
Folder = tuple[str, str]


class FreeSpaceDialog(Dialog):
    """`names`: of the lanes, by id; `lane_ids`: those to look at, () for all."""

    def __init__(self, names: Mapping[str, str], lane_ids: tuple[str, ...], ask: Ask, parent: QWidget) -> None:
        super().__init__(parent)
        self._names, self._lane_ids, self._ask = names, lane_ids, ask
        self._sizes: dict[Folder, int] = {}
        self._asked = Request()
        self._freeing = False
        self.hearing = Hearing().on(LanesMeasured, self._take)
        self.setObjectName("lane_free_space")
        self.setWindowTitle(tr("Free space"))
        self.resize(theme().px(_WIDTH), theme().px(_HEIGHT))
        self._state = plain_label(self, "strong", "lane_free_space_state")
        self.list = BoxList("lane_free_space_list", tr("Folders"), self, sideways=True)
        self.list.itemChanged.connect(self._fit)
        self._again = push_button(tr("Measure again"), "lane_free_space_again", self, self._measure)
        self._close = push_button(tr("Close"), "lane_free_space_close", self, self.accept)
        self._go = push_button(tr("Move to trash"), "lane_free_space_go", self, self._on_go)
        self._go.setProperty("kind", "primary")
        self._lay_out()
        self._measure()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._freeing = False
        self._state.setText(display_text(failed.text))
        self._fit()

    def _measure(self) -> None:
        self._state.setText(_MEASURING)
        command = MeasureLanes(lane_ids=self._lane_ids)
        self._asked.drop()
        self._asked = self._ask(command, self, failed=self._on_failed)
        self._fit()

    def _take(self, update: LanesMeasured) -> None:
        ticked = set(self._ticked())
        wanted = [one for one in update.folders if not self._lane_ids or one.lane_id in self._lane_ids]
        ordered = sorted(wanted, key=lambda one: (-one.size_bytes, one.lane_id, one.path))
        self._sizes = {(one.lane_id, one.path): one.size_bytes for one in ordered}
        self.list.blockSignals(True)
        self.list.clear()
        for one in ordered:
            self.list.addItem(self._item(one, ticked=(one.lane_id, one.path) in ticked))
        self.list.blockSignals(False)
        if update.done and not self._freeing:  # another measurement may end meanwhile
            self._asked.drop()
            self._say_total(update.more_than)
        self._fit()

    def _say_total(self, more_than: tuple[str, ...]) -> None:
        total = sum(self._sizes.values())
        text = tr("{size} could be freed.", size=size(total)) if total else tr("There is nothing to free.")
        large = ", ".join(tr("“{name}”", name=self._name(lane_id)) for lane_id in more_than)
        self._state.setText(
            tr("{sentence} Too large to be measured to the end: {lanes}.", sentence=text, lanes=large)
            if large
            else text
        )

    def _item(self, one: ReclaimableFolder, *, ticked: bool) -> QListWidgetItem:
        item = QListWidgetItem(f"{display_text(one.path)} · {self._name(one.lane_id)} · {size(one.size_bytes)}")
        item.setData(_KEY, (one.lane_id, one.path))
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        return item

    def _name(self, lane_id: str) -> str:
        return display_text(self._names.get(lane_id, ""))

    def _ticked(self) -> list[Folder]:
        items = [self.list.item(row) for row in range(self.list.count())]
        return [tuple(item.data(_KEY)) for item in items if item.checkState() is Qt.CheckState.Checked]

    def _fit(self) -> None:
        ticked = self._ticked()
        room = sum(self._sizes.get(folder, 0) for folder in ticked)
        self._go.setText(
            tr("Move {folders} to trash, {size}", folders=count(len(ticked), "folder", "folders"), size=size(room))
            if ticked
            else tr("Move to trash")
        )
        waits = _WAITS if self._asked.is_waiting else ""
        set_off(self._go, waits or ("" if ticked else tr("Tick what is to go.")))
        set_off(self._again, waits)

    def _on_go(self) -> None:
        self._free(tuple(self._ticked()), forever=False)

    def _free(self, folders: tuple[Folder, ...], *, forever: bool) -> None:
        command = ReclaimSpace(folders=folders, forever=forever)
        self._freeing = True
        self._state.setText(tr("Deleting…") if forever else tr("Moving to the trash…"))
        self._asked.drop()
        self._asked = self._ask(command, self, answer(SpaceReclaimed, self._finish), failed=self._on_failed)
        self._fit()

    def _finish(self, update: SpaceReclaimed) -> None:
        self._freeing = False
        freed = sum(self._sizes.get(folder, 0) for folder in update.gone)
        told = [tr("{size} freed.", size=size(freed))] if update.gone else []
        told += [tr("{path} stays: {why}", path=path, why=why) for _, path, why in update.stays[:3]]
        self._state.setText(display_text(" ".join(told)))
        for row in reversed(range(self.list.count())):
            if tuple(self.list.item(row).data(_KEY)) in update.gone:
                self.list.takeItem(row)
        self._fit()
        if update.no_trash:
            self._ask_forever(update.no_trash)

    def _ask_forever(self, folders: tuple[Folder, ...]) -> None:
        names = ", ".join(display_text(path) for _, path in folders[:6])
        question = Question(
            "lane_free_forever_dialog",
            tr("Delete {folders} for good?", folders=count(len(folders), "folder", "folders")),
            tr("The system's trash could not take {names}. Deleting cannot be undone.", names=names),
            (tr("Keep"), "lane_free_forever_keep"),
            (tr("Delete for good"), "lane_free_forever_go"),
        )
        ask_first(question, self, lambda: self._free(folders, forever=True))

    def _lay_out(self) -> None:
        title = plain_label(self, "title")
        title.setText(tr("Free space"))
        intro = plain_label(self, "muted")
        intro.setText(_INTRO)
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addWidget(self._again)
        buttons.addStretch(1)
        buttons.addWidget(self._close)
        buttons.addWidget(self._go)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        for widget in (title, intro, self._state):
            layout.addWidget(widget)
        layout.addWidget(self.list, 1)
        layout.addLayout(buttons)
