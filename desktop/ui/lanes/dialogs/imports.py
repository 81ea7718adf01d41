"""ImportLaneDialog: worktrees of the repository that are no lanes yet, or any folder, to be taken as one."""

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QListWidgetItem, QWidget

from desktop.domain.core.ids import new_lane_id
from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import ImportLane, LoadWorktrees
from desktop.domain.lanes.names import NAME_MAX_CHARS
from desktop.domain.lanes.updates import LaneCreated, WorktreesListed
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.requests import answer
from desktop.ui.lanes.host import LaneHost
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import say
from desktop.ui.widgets.dialogs.form import LaneForm

_LIST_HEIGHT = 132
_INTRO = tr("Its files and its branch stay yours: unlinking the lane later leaves them as they are.")
_NONE = tr("This repository has no other worktrees. Choose a folder, or make one with git worktree add.")


class ImportLaneDialog(LaneForm):
    """Stays open until the lane is there, or says why the folder cannot become one."""

    def __init__(self, host: LaneHost, path: str = "") -> None:
        """`path`: the folder that is meant, "" to choose it."""
        super().__init__("lane_import_dialog", tr("Import lane"), (tr("Import"), "lane_import"), host.window)
        self._host = host
        self._intro = self.words("lane_import_intro")
        say(self._intro, _INTRO)
        self.list = BoxList("lane_import_list", tr("Worktrees"), self)
        self.list.setFixedHeight(theme().px(_LIST_HEIGHT))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.path = QLineEdit(self)
        self.path.setObjectName("lane_import_path")
        self.path.setAccessibleName(tr("Folder"))
        self.path.setText(path)
        self.name = QLineEdit(self)
        self.name.setObjectName("lane_import_name")
        self.name.setAccessibleName(tr("Name of the lane"))
        self.name.setMaxLength(NAME_MAX_CHARS)
        self.name.setPlaceholderText(tr("As its branch"))
        self._nothing = self.words("lane_import_nothing")
        self.add_field("", self._intro)
        self.add_field(tr("Worktrees of this repository"), self.list, self._nothing)
        self.add_field(tr("Folder"), self._folder_row())
        self.add_field(tr("Name"), self.name)
        self.list.currentItemChanged.connect(self._on_current)
        self.path.textChanged.connect(self._refresh)
        self.submitted.connect(self._on_submitted)
        self._refresh()
        self.path.setFocus()
        host.requests.ask(LoadWorktrees(), self, answer(WorktreesListed, self._take), failed=self._on_failed)

    def _on_created(self, update: LaneCreated) -> None:
        self.accept()
        self._host.show_lane(update.lane.id)

    def _on_failed(self, failed: CommandFailed) -> None:
        self.fail(failed.text)
        self._refresh()

    def _take(self, listed: WorktreesListed) -> None:
        worktrees = listed.worktrees
        self.list.clear()
        for one in worktrees:
            branch = display_text(one.branch) or tr("at {commit}", commit=one.head[:7])
            item = QListWidgetItem(f"{branch}  ·  {display_text(said(one.problem) or one.path)}", self.list)
            item.setData(Qt.ItemDataRole.UserRole, one.path)
            item.setToolTip(display_text(one.path))
            if one.problem:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
        self.list.setVisible(bool(worktrees))
        say(self._nothing, "" if worktrees else _NONE)
        self.fit()

    def _folder_row(self) -> QWidget:
        row = QWidget(self)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        choose = push_button(tr("Choose…"), "lane_import_choose", row)
        choose.clicked.connect(self._choose)
        layout.addWidget(self.path, 1)
        layout.addWidget(choose)
        self.show_folder = push_button(tr("Show"), "lane_import_show", row)
        self.show_folder.setAccessibleName(tr("Show the folder in the file manager"))
        self.show_folder.clicked.connect(self._show_folder)
        layout.addWidget(self.show_folder)
        return row

    def _show_folder(self) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(self.path.text().strip())):
            self.fail(tr("No program opened the folder."))

    def _refresh(self) -> None:
        given = bool(self.path.text().strip())
        set_off(self.show_folder, "" if given else tr("Choose a worktree or a folder."))
        self.set_go(tr("Import"), enabled=given, why=tr("Choose a worktree or a folder."))

    def _on_current(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.path.setText(str(item.data(Qt.ItemDataRole.UserRole)))

    def _choose(self) -> None:
        dialog = QFileDialog(self, tr("Import lane"))
        dialog.setObjectName("lane_import_folder_dialog")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.path.setText)
        dialog.open()

    def _on_submitted(self) -> None:
        if self.working or not self.path.text().strip():
            return
        command = ImportLane(lane_id=new_lane_id(), path=self.path.text().strip(), name=self.name.text().strip())
        self.set_working(True, tr("Importing…"))
        self._host.requests.ask(command, self, answer(LaneCreated, self._on_created), failed=self._on_failed)
