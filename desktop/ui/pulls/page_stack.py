"""The view of a pull request: its header, what is wrong, and its pages under their tabs, with their keys."""

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.language import tr
from desktop.ui.pulls.again import AgainButton
from desktop.ui.pulls.header import PullHeader
from desktop.ui.pulls.lists import PullCommits, PullFiles
from desktop.ui.pulls.none import AGAIN, PullStand, stand_of
from desktop.ui.pulls.page import PullPage
from desktop.ui.pulls.pages.checks import PullChecks
from desktop.ui.pulls.pages.comments import PullComments
from desktop.ui.pulls.pages.overview import PullOverview
from desktop.ui.pulls.pages.threads import PullThreads
from desktop.ui.pulls.parts import column_in
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.text.format import clock_time
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.layouts.tab_strip import TabStrip
from desktop.ui.widgets.strip import Strip

PAGES: tuple[type[PullPage], ...] = (PullOverview, PullChecks, PullThreads, PullComments, PullFiles, PullCommits)
_LOW = 660
Page = TypeVar("Page", bound=PullPage)


class PullPages(QWidget):
    """The pages of a pull request, of which only the one that is shown is filled. `more`: pages of other themes, after
    the own ones. `asked`: what a button of the problem does, as NoPull names it."""

    asked = Signal(str)

    def __init__(self, shown: ShownPull, more: Sequence[type[PullPage]], parent: QWidget) -> None:
        super().__init__(parent)
        self.shown = shown
        self.kinds = (*PAGES, *more)
        self._went = False
        self._made: dict[type[PullPage], PullPage] = {}
        self.header = PullHeader(shown, self)
        self._strip = Strip("pr_problem", self, "warning")
        self._strip_again = self._strip.add_button(tr("Try again"), "pr_problem_again")
        self._again = AgainButton(self._strip_again, shown.clock)
        names = [(kind.key, kind.label) for kind in self.kinds]
        self.tabs = TabStrip("pr_tab", tr("Pages of the pull request"), names, self)
        self._book = QStackedWidget(self)
        column = column_in(self, self.header, self._strip, self.tabs, self._book, spacing=0)
        for at in range(3):
            column.setStretch(at, 0)
        self.tabs.chosen.connect(self.show_page)
        self._strip_again.clicked.connect(lambda: self.asked.emit(str(self._strip_again.property("act"))))
        self.show_page(self.kinds[0].key)

    # pages

    def of(self, kind: type[Page]) -> Page:
        """The page of this kind, made now if it was not."""
        made = self._made.get(kind)
        if made is None:
            made = self._made[kind] = kind(self.shown, self)
            self._book.addWidget(made)
        assert isinstance(made, kind)
        return made

    @property
    def page(self) -> str:
        """The key of the page that is shown."""
        return self.tabs.value

    def show_page(self, key: str) -> None:
        """Show one of the pages; an unknown key changes nothing."""
        kind = next((kind for kind in self.kinds if kind.key == key), None)
        if kind is not None:
            page = self.of(kind)
            self.tabs.set_value(key)
            self._book.setCurrentWidget(page)
            self._fit_header()
            page.refresh()

    # showing

    def refresh(self, snapshot: PullSnapshot) -> None:
        """Show what is known; `snapshot` has a request."""
        self.header.refresh()
        self._say_problem(snapshot)
        for kind in self.kinds:
            number = kind.number(snapshot, self.shown.fold)
            self.tabs.set_label(kind.key, f"{kind.label} {number}" if number else kind.label)
        self._current.refresh()

    def take_ages(self) -> None:
        """Bring the ages up to date, because time has passed."""
        self.header.take_ages()
        for page in self._made.values():
            page.take_ages()

    def _say_problem(self, snapshot: PullSnapshot) -> None:
        problem = snapshot.problem
        if problem is None:
            self._strip.say("")
            return
        stand = stand_of(problem)
        title = stand.title
        if problem.kind == "offline" and snapshot.as_of is not None:
            title, stand = tr("Offline · as of {time}", time=clock_time(snapshot.as_of)), PullStand(buttons=(AGAIN,))
        self._strip.say(f"{title} {stand.sentence}".strip(), "danger" if problem.kind == "unauthorised" else "warning")
        self._again.show_words(stand.connect if "connect" in stand.buttons else tr("Try again"), stand.until)
        self._strip_again.setProperty("act", "connect" if "connect" in stand.buttons else AGAIN)

    @property
    def _current(self) -> PullPage:
        page = self._book.currentWidget()
        assert isinstance(page, PullPage)
        return page

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The header takes less where there is little room."""
        super().resizeEvent(event)
        self._fit_header()

    def _fit_header(self) -> None:
        self.header.set_low(self.height() < theme().px(_LOW) and self.page != "overview")

    # keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """`g` and a letter go to a page, [ and ] to the row before and after."""
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.AltModifier)
        went, self._went = self._went, plain and event.key() == Qt.Key.Key_G
        key = Qt.Key(event.key())
        there = next((kind.key for kind in self.kinds if kind.letter is key), "")
        if went and plain and there:
            self.show_page(there)
            (self._current.main_list() or self.tabs).setFocus(Qt.FocusReason.TabFocusReason)
        elif event.text() in ("[", "]"):
            view = self._current.main_list()
            if view is not None:
                view.step(-1 if event.text() == "[" else 1)
        elif not self._went:
            super().keyPressEvent(event)
