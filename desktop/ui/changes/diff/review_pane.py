"""ReviewPane: the diff of the chosen file with its bar: viewed, side by side, white space, line breaks, large, menu."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from desktop.domain.changes.values import FileDiff, ReviewComment
from desktop.domain.core.work import ChangedFile
from desktop.domain.display.text import display_text
from desktop.language import number, said, tr
from desktop.ui.changes.diff.canvas import DiffShape, Ticked
from desktop.ui.changes.diff.find import FindInDiff
from desktop.ui.changes.diff.image_pair import ImagePair
from desktop.ui.changes.diff.view import DiffView
from desktop.ui.changes.model import STATUS_WORDS, status_words
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

SPLIT_WIDTH = 640
NO_LINES = tr("Only the file's name or mode changed, or the file is empty.")
EMPTY = {STATUS_WORDS["added"]: tr("The file is empty."), STATUS_WORDS["deleted"]: tr("The file was empty.")}


class ReviewPane(QWidget):
    """Shows what it is given. `viewed_asked` (viewed), `space_asked` (ignore white space), `large_asked`, `menu_asked`,
    `anyway_asked`, `again_asked`, `cancelled`: what a person wants. `ticked`: whether a line is
    picked; `view`: the diff itself."""

    viewed_asked = Signal(bool)
    space_asked = Signal(bool)
    large_asked = Signal()
    menu_asked = Signal()
    anyway_asked = Signal()
    again_asked = Signal()
    cancelled = Signal()

    def __init__(self, parent: QWidget, ticked: Ticked) -> None:
        super().__init__(parent)
        self.setObjectName("changes_pane")
        self._file: ChangedFile | None = None
        self._diff: FileDiff | None = None
        self._comments: tuple[ReviewComment, ...] = ()
        self._shape = DiffShape()
        self._wants_split = False
        self._build_bar()
        self.view = DiffView(self, ticked=ticked)
        self.finder = FindInDiff(self.view, self)
        self.view.find_asked.connect(self.finder.open)
        self._images = ImagePair(self)
        self._build_instead()
        self._stack = QStackedWidget(self)
        self._stack.setProperty("kind", "surface")
        for page in (self._instead, self.view, self._images):
            self._stack.addWidget(page)
        column = QVBoxLayout(self)
        set_gaps(column, (0, 0, 0, 0), 0)
        column.addWidget(self._bar)
        column.addWidget(self.note)
        column.addWidget(self.finder)
        column.addWidget(self._stack, 1)

    # what is shown

    def show_file(self, file: ChangedFile | None) -> None:
        """Another file, whose diff is not there yet; None for none."""
        self._file, self._diff = file, None
        self._bar.setVisible(file is not None)
        self.note.setVisible(False)
        if file is not None:
            self.name.set_full_text(display_text(file.path), display_text(file.path.rpartition("/")[2]))
        self.say("")

    def say(self, words: str, button: str = "") -> None:
        """Words in place of a diff. `button`: "anyway", "again", "cancel" or none."""
        self._words.setText(words)
        for name, shown in (("anyway", self._anyway), ("again", self._again), ("cancel", self._cancel)):
            shown.setVisible(name == button)
        self._stack.setCurrentWidget(self._instead)

    def show_diff(self, diff: FileDiff, comments: Sequence[ReviewComment], shape: DiffShape) -> None:
        """The diff of the file."""
        self._diff, self._comments, self._shape = diff, tuple(comments), shape
        self.note.setText(display_text(said(diff.note), multiline=True))
        self.note.setVisible(bool(diff.note))
        if diff.hunks:
            self._draw()
            self.finder.follow()
            self._stack.setCurrentWidget(self.view)
        elif diff.old_image is not None or diff.new_image is not None:
            self._images.show_images(diff.old_image, diff.new_image)
            self._stack.setCurrentWidget(self._images)
        elif diff.large:
            self.say(tr("This diff is large ({number} lines).", number=number(diff.changed_lines)), "anyway")
        elif diff.binary:
            self.say(tr("This is a binary file. Its contents are not shown."))
        else:
            words = status_words(self._file) if self._file is not None else ""
            self.say(EMPTY.get(words, NO_LINES) if not diff.note or words == STATUS_WORDS["modified"] else "")

    def set_viewed(self, viewed: bool) -> None:
        """Whether the file was looked at."""
        self.viewed.setChecked(viewed)
        self.viewed.set_icon("eye", "accent" if viewed else "muted")

    def set_ignores_space(self, ignored: bool) -> None:
        """Whether changes of white space alone are left out."""
        self.space.setChecked(ignored)
        self.space.set_icon("pilcrow", "accent" if ignored else "muted")

    def set_large(self, large: bool) -> None:
        """Whether it stands over the whole centre."""
        self.large.set_icon("minimize-2" if large else "maximize-2")
        self.large.set_name(tr("Back to the side") if large else tr("Open large"))

    @property
    def is_showing(self) -> bool:
        """Whether a diff with lines is on screen."""
        return self._stack.currentWidget() is self.view

    # how it is shown

    def set_split(self, split: bool) -> None:
        """Side by side, where there is room, or in one column."""
        self._wants_split = split
        self._take_style()

    def set_wrap(self, wrap: bool) -> None:
        """Break long lines, or not."""
        self._shape = replace(self._shape, wrap=wrap)
        self._take_style()

    @property
    def shape_of(self) -> DiffShape:
        """How diffs are shown."""
        return replace(self._shape, split=self._splits)

    @property
    def _splits(self) -> bool:
        return self._wants_split and self.width() >= theme().px(SPLIT_WIDTH)

    def _take_style(self) -> None:
        room = self.width() >= theme().px(SPLIT_WIDTH)
        self.style_button.setVisible(room)
        self.style_button.setChecked(self._splits)
        self.style_button.set_icon("columns-2", "accent" if self._splits else "muted")
        self.style_button.set_name(tr("In one column (U)") if self._splits else tr("Side by side (S)"))
        self.wrap.setChecked(self._shape.wrap)
        self.wrap.set_icon("text-wrap", "accent" if self._shape.wrap else "muted")
        if self._diff is not None and self._diff.hunks:
            self._draw()

    def _draw(self) -> None:
        if self._diff is not None:
            self.view.show_file(self._diff, self._comments, self.shape_of)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side comes and goes with the room."""
        super().resizeEvent(event)
        room = self.width() >= theme().px(SPLIT_WIDTH)
        if self._splits != self.view.shape_of.split or self.style_button.isHidden() == room:
            self._take_style()

    # building

    def _build_bar(self) -> None:
        self._bar = QWidget(self)
        row = QHBoxLayout(self._bar)
        set_gaps(row, (SPACE_3, SPACE_1, SPACE_1, SPACE_1), 0)
        self.name = ElidedLabel("", self._bar, Qt.TextElideMode.ElideMiddle)
        self.name.setObjectName("changes_file_name")
        self.name.setProperty("kind", "strong")
        row.addWidget(self.name, 1)
        self.viewed = self._button("eye", "changes_viewed", tr("Viewed"), "V")
        self.style_button = self._button("columns-2", "changes_diff_style", tr("Side by side"), "S")
        self.space = self._button("pilcrow", "changes_space", tr("Ignore changes of white space"))
        self.wrap = self._button("text-wrap", "changes_wrap", tr("Break long lines"))
        self.large = self._button("maximize-2", "changes_large", tr("Open large"))
        self.more = self._button("ellipsis", "changes_menu", tr("More about this file"))
        for button in (self.viewed, self.style_button, self.space, self.wrap, self.large, self.more):
            row.addWidget(button)
        for button in (self.viewed, self.style_button, self.space, self.wrap):
            button.setCheckable(True)
        self.viewed.clicked.connect(self.viewed_asked)
        self.style_button.clicked.connect(self.set_split)
        self.space.clicked.connect(self.space_asked)
        self.wrap.clicked.connect(self.set_wrap)
        self.large.clicked.connect(lambda: self.large_asked.emit())
        self.more.clicked.connect(lambda: self.menu_asked.emit())
        self.note = QLabel(self)
        self.note.setObjectName("changes_note")
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setWordWrap(True)
        self.note.setProperty("kind", "caption")
        self.note.setContentsMargins(theme().px(SPACE_3), 0, theme().px(SPACE_3), theme().px(SPACE_1))

    def _button(self, icon: str, name: str, words: str, keys: str = "") -> IconButton:
        button = IconButton(icon, words, self._bar)
        button.set_name(words, keys)
        button.setObjectName(name)
        return button

    def _build_instead(self) -> None:
        self._instead = QWidget(self)
        column = QVBoxLayout(self._instead)
        set_gaps(column, (SPACE_3, SPACE_3, SPACE_3, SPACE_3), SPACE_2)
        self._words = QLabel(self._instead)
        self._words.setObjectName("changes_instead")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setWordWrap(True)
        self._words.setProperty("kind", "muted")
        column.addWidget(self._words)
        self._anyway = push_button(
            tr("Show anyway"), "changes_show_large", self._instead, partial(self._ask, "changes_show_large")
        )
        self._again = push_button(
            tr("Try again"), "changes_diff_again", self._instead, partial(self._ask, "changes_diff_again")
        )
        self._cancel = push_button(
            tr("Cancel"), "changes_diff_cancel", self._instead, partial(self._ask, "changes_diff_cancel")
        )
        for button in (self._anyway, self._again, self._cancel):
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)

    def _ask(self, name: str) -> None:
        asked = {"changes_show_large": self.anyway_asked, "changes_diff_again": self.again_asked}
        asked.get(name, self.cancelled).emit()
