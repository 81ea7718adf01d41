"""IssueDetail: one item of the inventory: what it says, where, and what became of it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.rounds.items import IssueItem
from desktop.language import said, tr
from desktop.ui.pulls.pages.body import PullProse
from desktop.ui.pulls.pages.pictures import PictureRows
from desktop.ui.pulls.parts import column_in, line_of
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.rounds.issue_rows import STATE_WORDS
from desktop.ui.text.format import age, count
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.elided_label import ElidedLabel

_ENDS = {
    "failure": tr("The check failed."),
    "error": tr("The check failed."),
    "timed out": tr("The check timed out."),
    "cancelled": tr("The check was cancelled."),
    "action required": tr("The check waits for somebody."),
    "startup failure": tr("The check could not start."),
}
"""What a check says that gave no words of its own, by how it ended."""


class IssueDetail(QWidget):
    """Empty for none, and for several."""

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("issue_detail")
        self._shown = shown
        self._item: IssueItem | None = None
        self._title = ElidedLabel("", self)
        self._title.setProperty("kind", "strong")
        self._browser = IconButton("external-link", tr("Open in the browser"), self)
        self._browser.setObjectName("issue_browser")
        self._place = IconButton("file-diff", tr("Show the place among the changes"), self)
        self._place.setObjectName("issue_place")
        self._about = plain_label(self, "caption", "issue_about")
        self.body = PullProse(self, "issue_body", tr("What it says"))
        self.body.link_asked.connect(shown.link_asked)
        self._pictures = PictureRows(shown.pictures, self)
        self._pictures.link_asked.connect(shown.link_asked)
        scroll = QScrollArea(self)
        scroll.setObjectName("issue_scroll")
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setProperty("kind", "side")
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = QWidget(scroll)
        inner.setProperty("kind", "side")
        column = column_in(inner, self.body, self._pictures, margins=(SPACE_3, 0, SPACE_3, SPACE_2))
        column.setStretch(1, 0)
        column.addStretch(1)
        scroll.setWidget(inner)
        top = line_of(self._title, self._place, self._browser, margins=(SPACE_3, SPACE_2, SPACE_2, 0))
        top.setStretch(0, 1)
        about = line_of(self._about, margins=(SPACE_3, 0, SPACE_3, 0))
        column_in(self, top, about, scroll, spacing=SPACE_1)
        self._browser.clicked.connect(self._on_browser)
        self._place.clicked.connect(self._on_place)
        self.show_item(None, 0)

    def show_item(self, item: IssueItem | None, selected: int) -> None:
        """Show this item; None: say how many are selected."""
        self._item = item
        self._title.set_full_text(display_text(item.headline) if item is not None else "")
        self._browser.setVisible(item is not None and bool(item.url))
        self._place.setVisible(item is not None and bool(item.path))
        self.body.setVisible(item is not None)
        if item is None:
            self._pictures.show_text("")
            say(self._about, tr("{items} selected", items=count(selected, "item")) if selected else "")
            return
        say(self._about, " · ".join(self._facts(item)))
        self._pictures.show_text("" if item.type == "check" else item.body)
        self.body.show_text(_ENDS.get(item.body, item.body) if item.type == "check" else item.body)

    def _facts(self, item: IssueItem) -> list[str]:
        reason = display_text(said(item.reason)).rstrip(".")
        facts = [f"{STATE_WORDS[item.state]}{f': {reason}' if reason else ''}"]
        facts += [display_text(item.author)] if item.author else []
        place = f"{display_text(item.path)}:{item.line}" if item.line else display_text(item.path)
        facts += [place] if item.path else []
        facts += [count(item.comments, "comment")] if item.comments > 1 else []
        facts += [tr("came back {times}", times=count(item.returned, "time"))] if item.returned else []
        return [*facts, tr("seen {time}", time=age(item.first_seen, self._shown.clock()))]

    def _on_browser(self) -> None:
        if self._item is not None:
            self._shown.link_asked.emit(self._item.url)

    def _on_place(self) -> None:
        if self._item is not None:
            self._shown.place_asked.emit(self._item.path, self._item.line or 0)
