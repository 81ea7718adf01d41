"""DifferenceBox: the files of two results side by side."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QListWidgetItem, QVBoxLayout, QWidget

from desktop.domain.changes.updates import DiffLoaded, LaneChangesLoaded
from desktop.domain.changes.values import ChangeScope
from desktop.domain.core.work import ChangedFile
from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import OpenInEditor
from desktop.language import said, tr
from desktop.ui.changes.diff.canvas import DiffShape
from desktop.ui.changes.diff.review_pane import ReviewPane
from desktop.ui.changes.loader import CONTEXT, MORE_CONTEXT, WHOLE, ChangesLoader
from desktop.ui.compared.rows import RunRow
from desktop.ui.core.requests import Requests
from desktop.ui.text.format import changed_lines
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.picker import PickItem

_LIST_WIDTH, _LIST_HEIGHT, _LEAST, _WIDE = 220, 76, 260, 640


class DifferenceBox(QWidget):
    """Two of the results are chosen; what `old` has and `new` has not is red, the reverse green. `chosen`: others
    are."""

    chosen = Signal()

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("compared_difference")
        self.setAccessibleName(tr("Difference of two results"))
        self.setMinimumHeight(theme().px(_LEAST))
        self._requests, self._context = requests, CONTEXT
        self._loader = ChangesLoader(requests, self)
        self._loader.listed.connect(self._on_listed)
        self._loader.loaded.connect(self._on_loaded)
        self._loader.failed.connect(self._on_failed)
        self._loader.waiting.connect(self._on_waiting)
        self._files: tuple[ChangedFile, ...] = ()
        self._pair = ("", "")
        self.old = ChoiceButton("compared_old", tr("Compared with"), self)
        self.new = ChoiceButton("compared_new", tr("Result"), self)
        self._against = plain_label(self, "muted", "compared_against", wrap=False)
        self._against.setText(tr("against"))
        for choice in (self.old, self.new):
            choice.chosen.connect(lambda _key: self._on_chosen())
        self.list = BoxList("compared_files", tr("Files that differ"), self, sideways=True)
        self.list.currentRowChanged.connect(self._on_file)
        self.pane = ReviewPane(self, lambda _key: False)
        for button in (self.pane.viewed, self.pane.large, self.pane.more):
            button.hide()
        self.pane.set_split(True)
        self.pane.view.can_comment = False
        self.pane.view.context_asked.connect(self._show_more)
        self.pane.view.editor_asked.connect(self._open_editor)
        self.pane.space_asked.connect(self._on_space)
        self.pane.anyway_asked.connect(lambda: self._load_file(anyway=True))
        self.pane.again_asked.connect(self.load)
        self.pane.cancelled.connect(self._loader.drop_diff)
        self._words = plain_label(self, "muted", "compared_words")
        self._lay_out()

    def show_rows(self, rows: Sequence[RunRow]) -> None:
        """These results can be compared; the first two are, until others are chosen."""
        items = [PickItem(row.lane_id, row.title, below=row.model) for row in rows if row.lane_id]
        keys = [item.key for item in items]
        for choice, at in ((self.old, 0), (self.new, 1)):
            before = choice.value
            choice.set_items(items)
            if before not in keys and len(keys) > at:
                choice.set_value(keys[at])
        if (self.old.value, self.new.value) != self._pair:
            self.load()

    def load(self) -> None:
        """Ask for the files that differ now."""
        self._pair = self.old.value, self.new.value
        old, new = self._pair
        if not old or not new or old == new:
            self._take_files((), tr("Choose two results to see how they differ."))
            return
        self._loader.show(new, "")
        self._loader.set_scope(ChangeScope(kind="other_lane", reference=old))

    def load_soon(self) -> None:
        """Something may have changed in one of the two."""
        if self._pair[0] and self._pair[1] and self._pair[0] != self._pair[1]:
            self._loader.load_soon()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow the files stand over the lines."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        wide = self.width() >= theme().px(_WIDE)
        self._body.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        most = 2**24 - 1
        self.list.setMaximumSize(theme().px(_LIST_WIDTH) if wide else most, most if wide else theme().px(_LIST_HEIGHT))

    def _on_chosen(self) -> None:
        self.load()
        self.chosen.emit()

    def _on_listed(self, update: LaneChangesLoaded) -> None:
        problem = display_text(said(update.problem))
        self._take_files(update.files, problem or ("" if update.files else tr("Their files are the same.")))

    def _take_files(self, files: tuple[ChangedFile, ...], words: str) -> None:
        say(self._words, words)
        for part in (self.list, self.pane):
            part.setVisible(bool(files))
        if files == self._files:
            return
        current = self._files[self.list.currentRow()].path if 0 <= self.list.currentRow() < len(self._files) else ""
        self._files = files
        self.list.blockSignals(True)
        self.list.clear()
        for file in files:
            lines = "binary" if file.binary else changed_lines(file.added, file.removed)
            item = QListWidgetItem(f"{display_text(file.path)}  {lines}".strip(), self.list)
            item.setToolTip(display_text(file.path))
        self.list.blockSignals(False)
        at = next((at for at, file in enumerate(files) if file.path == current), 0)
        if files:
            self.list.setCurrentRow(at)

    def _on_file(self, at: int) -> None:
        if 0 <= at < len(self._files):
            self._context = CONTEXT
            self.pane.show_file(self._files[at])
            self._load_file()

    def _load_file(self, *, anyway: bool = False) -> None:
        if 0 <= self.list.currentRow() < len(self._files):
            self._loader.load_diff(self._files[self.list.currentRow()], context=self._context, anyway=anyway)

    def _show_more(self, what: str) -> None:
        """More lines around each change: "more", or the "whole" file."""
        self._context = WHOLE if what == "whole" or self._context == WHOLE else self._context + MORE_CONTEXT
        self._load_file()

    def _open_editor(self, line: int) -> None:
        if 0 <= self.list.currentRow() < len(self._files):
            path = self._files[self.list.currentRow()].path
            self._requests.send(OpenInEditor(lane_id=self._pair[1], path=path, line=line))

    def _on_loaded(self, update: DiffLoaded) -> None:
        if update.problem:
            self.pane.say(display_text(said(update.problem)), "again")
        else:
            now = self.pane.shape_of
            self.pane.show_diff(update.diff, (), DiffShape(split=now.split, wrap=now.wrap, context=self._context))

    def _on_failed(self, what: str, why: str) -> None:
        if what == "list":
            self._take_files((), display_text(why))
        else:
            self.pane.say(display_text(why), "again")

    def _on_waiting(self, what: str, words: str) -> None:
        if what == "list" and not self._files:
            say(self._words, words)
        elif what == "diff":
            self.pane.say(words, "cancel")

    def _on_space(self, ignored: bool) -> None:
        self._loader.ignore_space = ignored
        self.pane.set_ignores_space(ignored)
        self._loader.load()
        self._load_file()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        set_gaps(head, (0, 0, 0, 0), SPACE_2)
        for widget, stretch in ((self.new, 1), (self._against, 0), (self.old, 1)):
            head.addWidget(widget, stretch)
        body = self._body = QHBoxLayout()
        set_gaps(body, (0, 0, 0, 0), SPACE_2)
        body.addWidget(self.list)
        body.addWidget(self.pane, 1)
        self._place()
        column = QVBoxLayout(self)
        set_gaps(column, (0, 0, 0, 0), SPACE_2)
        column.addLayout(head)
        column.addWidget(self._words, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(body, 1)
