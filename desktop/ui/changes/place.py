"""ChangesPlace: shows a file, and a line of it, among the changes of a lane, once they are there."""

from PySide6.QtCore import QObject, Signal

from desktop.domain.changes.values import ChangeScope
from desktop.ui.changes.panel import ChangesPanel


class ChangesPlace(QObject):
    """`missing` names a file and line that are not among the changes."""

    missing = Signal(str, int)

    def __init__(self, panel: ChangesPanel) -> None:
        super().__init__(panel)
        self._panel = panel
        self._path, self._line = "", 0
        self._widened = False
        panel.listed.connect(self._on_listed)
        panel.loader.loaded.connect(lambda _loaded: self._go_to_line())

    def go(self, path: str, line: int = 0) -> None:
        """Show this file, in the lane's changes if it is not in those that are shown; `line` 0: none."""
        self._path, self._line, self._widened = path, line, False
        if self._panel.list is not None:
            self._on_listed()

    def _on_listed(self) -> None:
        panel, path = self._panel, self._path
        if not path:
            return
        if path in {file.path for file in panel.tree.files}:
            panel.bar.field.clear()
            shown = panel.chosen.path == path and panel.chosen.shown is not None
            panel.choose_file(path)
            self._path = "" if not self._line else path
            if shown:
                self._go_to_line()
        elif not self._widened and panel.loader.scope.kind != "lane":
            self._widened = True
            panel.choose_scope(ChangeScope())
        else:
            self._path = ""
            self.missing.emit(path, self._line)

    def _go_to_line(self) -> None:
        panel = self._panel
        diff = panel.chosen.shown
        if not self._line or panel.chosen.path != self._path or diff is None:
            return
        view, wanted = panel.pane.view, self._line
        self._path, self._line = "", 0
        rows = [
            (abs(diff.hunks[row.hunk].lines[row.line].new - wanted), at)
            for at, row in enumerate(view.rows)
            if row.kind == "line" and row.line >= 0 and diff.hunks[row.hunk].lines[row.line].new
        ]
        if rows:
            view.go_to(min(rows)[1])
            view.setFocus()
