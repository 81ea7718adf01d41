"""HelpDialog: the guide and all keys, to read beside the window."""

import re
from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import (
    QPixmap,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextImageFormat,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from desktop.config.folders import resource_folder
from desktop.language import tr, worn
from desktop.ui.chats.composer.slash_commands import TABLE
from desktop.ui.core.actions import ActionSpec, native_keys
from desktop.ui.text.markdown import add_prose, prose_document
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, SPACE_2, SPACE_3, SPACE_4, SPACE_5
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT, _LIST_WIDTH, _EDGE = 940, 680, 190, 56
_PICTURE = re.compile(r"^!\[([^\]\n]*)\]\(([^)\n]+)\)$", re.MULTILINE)
_PARTS = 3
_LEFT_OUT = tr("The guide cannot be read. Install Banksman again.")
CARD_KEYS = (
    (tr("Allow it, as its first button says"), "Ctrl+Return"),
    (tr("Decline it"), "Ctrl+Backspace"),
    (tr("Why am I asked?"), "W"),
    (tr("Edit it first"), "E"),
    (tr("Save a rule"), "R"),
    (tr("Try it in a copy"), "T"),
    (tr("Choose an answer"), "1"),
    (tr("Leave the card"), "Esc"),
)


class HelpDialog(Dialog):
    """Read-only; `specs`: the window's actions. Not modal, so that it can be read while one tries. Deletes itself when
    closed."""

    def __init__(self, specs: Sequence[ActionSpec], parent: QWidget, folder: Path | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("help_dialog")
        self.setWindowTitle(tr("Help"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        folder = folder or resource_folder() / "guide"
        self._pages: tuple[tuple[str, str, Callable[[], str]], ...] = (
            ("guide", tr("Your first change"), lambda: _read(_guide(folder))),
            ("keys", tr("Keys"), lambda: keys_page(specs)),
        )
        self.list = QListWidget(self)
        self.list.setObjectName("help_pages")
        self.list.setAccessibleName(tr("Pages of the help"))
        self.list.setProperty("kind", "pages")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        for _, title, _ in self._pages:
            QListWidgetItem(title, self.list).setSizeHint(QSize(0, theme().px(CONTROL_HEIGHT)))
        self.text = GuideText(folder, self)
        self._lay_out(parent.window().size())
        self.list.currentRowChanged.connect(self._show_row)
        theme().changed.connect(self._show_again)

    def show_page(self, name: str) -> None:
        """Show the page of this name: "guide" or "keys"."""
        self.list.setCurrentRow([page for page, _, _ in self._pages].index(name))
        self.text.setFocus()

    def _show_row(self, row: int) -> None:
        self.text.show_page(self._pages[row][2]())

    def _show_again(self) -> None:
        self._show_row(self.list.currentRow())

    def _lay_out(self, room: QSize) -> None:
        px = theme().px
        title = plain_label(self, "title")
        title.setText(tr("Help"))
        self.list.setFixedWidth(px(_LIST_WIDTH))
        close = push_button(tr("Close"), "help_close", self)
        close.clicked.connect(self.accept)
        middle, buttons = QHBoxLayout(), QHBoxLayout()
        set_gaps(middle, (0, 0, 0, 0), SPACE_3)
        middle.addWidget(self.list)
        middle.addWidget(self.text, 1)
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        layout.addWidget(title)
        layout.addLayout(middle, 1)
        layout.addLayout(buttons)
        self.resize(min(px(_WIDTH), room.width()), min(px(_HEIGHT), room.height()))


class GuideText(QTextEdit):
    """A page of ours with its pictures, as wide as there is room; in the dark theme those that end in `-dark`."""

    def __init__(self, folder: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("help_text")
        self.setAccessibleName(tr("Help"))
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self._folder, self._page, self._width = folder, "", 0
        self._shown = prose_document("")
        EdgeFade(self, "surface")

    def show_page(self, markdown: str) -> None:
        """Show this page from its top."""
        self._page, self._width = markdown, self.viewport().width()
        before, self._shown = self._shown, prose_document("")
        self._shown.setDocumentMargin(theme().px(SPACE_4))
        self._shown.setParent(self)
        for at, part in enumerate(_PICTURE.split(markdown)):  # words, then what a picture shows and its file, and so on
            if at % _PARTS == 0:
                add_prose(self._shown, part, more=True)
            elif at % _PARTS == 1:
                alt = part
            else:
                self._add_picture(part, alt)
        self._space()
        self.setDocument(self._shown)
        before.deleteLater()

    def _space(self) -> None:
        """Room over headings, and around tables."""
        cursor, head = QTextCursor(self._shown), QTextBlockFormat()
        head.setTopMargin(theme().px(SPACE_5))
        while cursor.movePosition(QTextCursor.MoveOperation.NextBlock):
            if cursor.blockFormat().headingLevel():
                cursor.mergeBlockFormat(head)
        for frame in self._shown.rootFrame().childFrames():
            table = frame.frameFormat()
            table.setTopMargin(theme().px(SPACE_2))
            table.setBottomMargin(theme().px(SPACE_3))
            frame.setFrameFormat(table)

    def _add_picture(self, name: str, alt: str) -> None:
        """A paragraph of its own with a picture of the guide's folder."""
        self._shown.addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), self.picture(name))
        cursor, place, look = QTextCursor(self._shown), QTextBlockFormat(), QTextImageFormat()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        place.setTopMargin(theme().px(SPACE_2))
        place.setBottomMargin(theme().px(SPACE_4))
        look.setName(name)
        look.setProperty(QTextFormat.Property.ImageAltText, alt)
        cursor.insertBlock(place)
        cursor.insertImage(look)

    def picture(self, name: str) -> QPixmap:
        """The picture of this file in the guide's own folder, as wide as there is room; an empty one if it is not."""
        file = self._folder / Path(name).name
        dark = file.with_stem(f"{file.stem}-dark")
        picture = QPixmap(str(dark if theme().tokens.is_dark and dark.exists() else file))
        width = self.viewport().width() - theme().px(_EDGE)
        ratio = self.devicePixelRatioF()
        if picture.isNull() or width <= 0:
            return picture
        shown = picture.scaledToWidth(round(width * ratio), Qt.TransformationMode.SmoothTransformation)
        shown.setDevicePixelRatio(ratio)
        return shown

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Pictures follow the width."""
        super().resizeEvent(event)
        if self.viewport().width() != self._width:
            self.show_page(self._page)


def keys_page(specs: Sequence[ActionSpec]) -> str:
    """All keys as tables: of the window, of a card, and the commands of the composer."""
    window = [(spec.title, spec.keys) for spec in specs if spec.keys and spec.in_palette]
    card = [(title, (keys,)) for title, keys in CARD_KEYS]
    commands = [f"| `/{spec.name}` | {spec.meaning} |" for spec in TABLE]
    return "\n".join(
        [
            f"# {tr('Keys')}", "", f"## {tr('In the window')}", *_table(window), "",
            tr("Ctrl with 1 to 9: that chat of the sidebar."), "",
            f"## {tr('On a card that has the focus')}", *_table(card), "", f"## {tr('In the composer')}", "",
            tr("Enter sends, Shift+Enter begins a line, Up brings back what you wrote. A slash at its beginning:"), "",
            f"| {tr('Command')} | {tr('What it does')} |", "|---|---|", *commands, "",
        ]
    )  # fmt: skip


def _table(rows: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    lines = [f"| {title.removesuffix('…')} | {_either(keys)} |" for title, keys in rows]
    return ["", f"| {tr('What')} | {tr('Keys')} |", "|---|---|", *lines]


def _either(keys: Sequence[str]) -> str:
    return reduce(lambda first, second: tr("{first} or {second}", first=first, second=second), map(native_keys, keys))


def _guide(folder: Path) -> Path:
    """The guide in the language that is worn, else in English."""
    own = folder / f"first-change-{worn()}.md"
    return own if own.is_file() else folder / "first-change.md"


def _read(page: Path) -> str:
    try:
        return page.read_text("utf-8")
    except OSError:
        return _LEFT_OUT
