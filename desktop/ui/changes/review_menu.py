"""The menu of a changed file, and of the lines chosen in its diff."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt, QUrl, SignalInstance
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu

from desktop.domain.core.work import ChangedFile
from desktop.language import tr
from desktop.ui.changes.panel import ChangesPanel
from desktop.ui.models.line_key import LineKey


class FileDeeds(Protocol):
    """What the menu offers to do with the changes of a file."""

    noted: SignalInstance

    def open_editor(self, line: int = 0, path: str = "") -> None:
        """Open a file in the person's editor."""

    def revert_lines(self, keys: Sequence[LineKey]) -> None:
        """Ask, then take back lines of the chosen file."""

    def revert_file(self, path: str = "") -> None:
        """Ask, then take back all changes of a file."""

    def revert_all(self) -> None:
        """Ask, then take back every file that is listed."""


def fill_menu(panel: ChangesPanel, actions: FileDeeds, file: ChangedFile, *, lines: bool) -> QMenu:
    """A menu for this file; with `lines` also for what is chosen in its diff. Entries that do not apply are absent."""
    menu = QMenu(panel)
    menu.setObjectName("changes_file_menu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def add(name: str, text: str, act: object) -> None:
        action = menu.addAction(text)
        action.setObjectName(name)
        if callable(act):
            action.triggered.connect(lambda _checked=False: act())

    view = panel.pane.view
    if lines and panel.pane.is_showing:
        if view.selection.span is not None:
            add("changes_copy", tr("Copy"), view.copy)
        add(
            "changes_comment",
            tr("Comment on this line") if len(view.chosen_rows()) < 2 else tr("Comment on these lines"),
            view.open_field,
        )
        menu.addSeparator()
    lane = panel.fold.lane
    if lane is not None and file.status != "deleted":
        folder = (Path(lane.worktree_path) / file.path).parent
        add("changes_open_file", tr("Open file in editor"), lambda: actions.open_editor(path=file.path))
        add("changes_show_folder", tr("Show in folder"), lambda: _open(actions, folder))
    add("changes_copy_path", tr("Copy path"), lambda: _copy(file.path))
    viewed = panel.tree.is_viewed(file.path)
    add(
        "changes_mark_viewed",
        tr("Mark as not viewed") if viewed else tr("Mark as viewed"),
        lambda: panel.mark_viewed(not viewed, file.path),
    )
    if not panel.can_act and panel.loader.scope.kind != "commit" and not panel.loader.ignore_space:
        menu.addSeparator()
        if lines and panel.pane.is_showing and view.chosen_keys():
            several = len({row for row in view.chosen_rows()}) > 1
            words = tr("Revert these lines…") if several else tr("Revert this change…")
            add("changes_revert_change", words, lambda: actions.revert_lines(view.chosen_keys()))
        add("changes_revert_file", tr("Revert this file…"), lambda: actions.revert_file(file.path))
        if len(panel.tree.files) > 1:
            add("changes_revert_all", tr("Revert all files…"), actions.revert_all)
    return menu


def _copy(words: str) -> None:
    QGuiApplication.clipboard().setText(words)


def _open(actions: FileDeeds, folder: Path) -> None:
    """Folders alone are given to the system: the program it has for a file may be one that runs it."""
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
        actions.noted.emit(tr("No program opened the folder. Copy the path instead."), True)
