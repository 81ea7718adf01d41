"""PromisesDialog: what Banksman promises, by area, each with the number of tests that prove it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QTextEdit, QVBoxLayout, QWidget

from desktop.config.promises import Promise, promises
from desktop.language import said, tr
from desktop.ui.text.format import count
from desktop.ui.text.markdown import add_prose, prose_document
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.clear_button import add_clear_button
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT = 780, 580
_AT_ONCE = 40
"""How many are written before the window has its turn: more than there is room for, in a few milliseconds."""
_LEFT_OUT = tr("resources/promises.md cannot be read, so nothing can be listed. Install Banksman again.")


class PromisesDialog(Dialog):
    """Read-only; the filter leaves the promises that have all of its words. `page`: another one than the shipped."""

    def __init__(self, parent: QWidget, page: Path | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("promises_dialog")
        self.setWindowTitle(tr("What Banksman promises"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._said = plain_label(self, "muted", "promises_said")
        try:
            self._promises: Sequence[Promise] = [
                replace(one, area=said(one.area), sentence=said(one.sentence)) for one in promises(page)
            ]
        except OSError:
            self._promises = ()
        self.filter = QLineEdit(self)
        self.filter.setObjectName("promises_filter")
        self.filter.setAccessibleName(tr("Filter promises"))
        self.filter.setPlaceholderText(tr("Filter, for example: secret"))
        add_clear_button(self.filter)
        self.text = QTextEdit(self)
        self.text.setObjectName("promises_text")
        self.text.setAccessibleName(tr("Promises"))
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        EdgeFade(self.text, "surface")
        self._more = QTimer(self, singleShot=True, interval=0)
        self._more.timeout.connect(self._add)
        self._shown: Sequence[Promise] = ()
        self._written = 0
        self._lay_out(parent.window().size())
        self.filter.textChanged.connect(self._show)
        theme().changed.connect(self._show)
        self._show()
        self.filter.setFocus()

    def _show(self) -> None:
        words = self.filter.text().casefold().split()
        shown = [one for one in self._promises if all(word in _searched(one) for word in words)]
        self._said.setText(_sentence(len(shown), len(self._promises)))
        self._shown, self._written = shown, 0
        self._document = prose_document("")
        self._document.setDocumentMargin(theme().px(SPACE_3))
        self._document.setParent(self.text)
        self._add()
        self.text.setDocument(self._document)

    def _add(self) -> None:
        """Write the next ones below; the rest waits until the window had its turn."""
        begin, self._written = self._written, min(self._written + _AT_ONCE, len(self._shown))
        left = self._written < len(self._shown)
        add_prose(self._document, _markdown(self._shown, begin, self._written), more=left)
        if left:
            self._more.start()
        else:
            self._more.stop()

    def _lay_out(self, room: QSize) -> None:
        title = plain_label(self, "title")
        title.setText(self.windowTitle())
        close = push_button(tr("Close"), "promises_close", self)
        close.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        for widget, stretch in ((title, 0), (self.filter, 0), (self._said, 0), (self.text, 1)):
            layout.addWidget(widget, stretch)
        layout.addLayout(buttons)
        px = theme().px
        self.resize(min(px(_WIDTH), room.width()), min(px(_HEIGHT), room.height()))


def _searched(promise: Promise) -> str:
    return f"{promise.id} {promise.area} {promise.sentence}".casefold()


def _sentence(shown: int, known: int) -> str:
    if not known:
        return _LEFT_OUT
    which = (
        count(known, "promise")
        if shown == known
        else tr("{shown} of {promises}", shown=shown, promises=count(known, "promise"))
    )
    return tr("{which}. Each is proved by tests that run before a version is given out.", which=which)


def _markdown(shown: Sequence[Promise], begin: int, end: int) -> str:
    """Some of them: the areas as headings, each promise as an item with its name and the number of its tests."""
    lines, area = list[str](), shown[begin - 1].area if begin else ""
    for promise in shown[begin:end]:
        if promise.area != area:
            area = promise.area
            lines.append(f"\n### {area}\n")
        lines.append(f"- {promise.sentence} *({promise.id}, {count(promise.tests, 'test')})*")
    return "\n".join(lines)
