"""Panes: the chat on screen, or two beside each other, each with all that belongs to a chat."""

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from desktop.domain.commands import OpenSession
from desktop.domain.updates import SessionOpened
from desktop.language import tr
from desktop.ui.chats.page import ChatPage
from desktop.ui.chats.panes.pane import PANE_LEAST, Pane
from desktop.ui.chats.panes.switch import PaneSwitch
from desktop.ui.core.hearing import Hearing
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.layouts.key_splitter import ACROSS, KeySplitter, SplitterHandle

_HALF, _SHARE_LEAST, _SHARE_MOST = 50, 15, 85
_ASKED_AGAIN = 32


class Panes(QWidget):
    """`active` is the page that keys, inspector and terminals follow: the one that had the focus last. The second pane
    is made when it is opened first, and kept out of sight once it is closed.

    `activated`: another page is the active one, or a pane was opened or closed; `close_asked`: of this page."""

    activated = Signal()
    close_asked = Signal(object)

    def __init__(self, make: Callable[[QWidget], ChatPage], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("panes")
        self._make = make
        self._all: list[Pane] = []
        self._acts: list[Callable[[ChatPage], object]] = []
        self._share = _HALF
        self._again: deque[str] = deque(maxlen=_ASKED_AGAIN)
        self.hearing = Hearing()
        self._switch = PaneSwitch(self)
        self._switch.chosen.connect(self._on_chosen)
        self._splitter = KeySplitter(Qt.Orientation.Horizontal, ACROSS, self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.splitterMoved.connect(self._on_moved)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._switch)
        layout.addWidget(self._splitter, 1)
        self._shown = [self._build()]
        self._active = self._shown[0]
        self.hearing.after(self._write_switch)
        self.setFocusProxy(self.active)
        theme().changed.connect(self.fit)

    @property
    def active(self) -> ChatPage:
        """The page that keys act on."""
        return self._active.page

    @property
    def pages(self) -> tuple[ChatPage, ...]:
        """The pages of the panes that are open, from the left; of two, one may be out of sight for want of room."""
        return tuple(pane.page for pane in self._shown)

    @property
    def other(self) -> ChatPage | None:
        """The page that is not the active one, None where there is one pane."""
        return next((pane.page for pane in self._shown if pane is not self._active), None)

    @property
    def on_screen(self) -> frozenset[str]:
        """The chats that are seen."""
        return frozenset(one.page.session_id for one in self._shown if not one.isHidden() and one.page.session_id)

    @property
    def share(self) -> int:
        """How much of the width the left pane has, in percent, as the person chose it."""
        return self._share

    def each(self, act: Callable[[ChatPage], object]) -> None:
        """Do this with every page that there is, and with those that are made later."""
        self._acts.append(act)
        for pane in self._all:
            act(pane.page)

    def open_second(self) -> ChatPage:
        """The page beside the active one, which becomes the active one itself; what it shows is for the caller."""
        if len(self._shown) == 1:
            spare = next((pane for pane in self._all if pane is not self._active), None)
            pane = spare if spare is not None else self._build()
            self._splitter.insertWidget(1, pane)
            self._shown.append(pane)
            self._name_handle()
            QApplication.instance().focusChanged.connect(self._on_focus)  # type: ignore[union-attr] # there is one
        self._become(next(pane for pane in self._shown if pane is not self._active))
        return self.active

    def close_pane(self, page: ChatPage | None = None) -> bool:
        """Take a pane away, the active one unless it is named; the other one has all the room. False: there is one."""
        leaving = self._active if page is None else next((p for p in self._shown if p.page is page), None)
        if len(self._shown) == 1 or leaving is None:
            return False
        QApplication.instance().focusChanged.disconnect(self._on_focus)  # type: ignore[union-attr] # there is one
        self._shown.remove(leaving)
        self._become(self._shown[0])
        leaving.page.show_new()
        return True

    def activate(self, page: ChatPage) -> None:
        """Make this page of a pane that is open the active one."""
        pane = next((one for one in self._shown if one.page is page), None)
        if pane is not None and pane is not self._active:
            self._become(pane)

    def ask_again(self) -> None:
        """Ask for the events of the active chat once more, for what follows it beside the panes: the pages have them,
        and do not hear them again."""
        command = OpenSession(session_id=self.active.session_id)
        self._again.append(command.command_id)
        self.active.commands.send(command)

    def _is_again(self, update: SessionOpened) -> bool:
        return update.command_id in self._again

    def go_to_other(self) -> None:
        """The keys go to the other pane, to what had them there last."""
        if (other := self.other) is not None:
            self.activate(other)
            (other.focusWidget() or other.composer.text).setFocus()

    def set_share(self, percent: int) -> None:
        """Give the left pane this much of the width."""
        self._share = min(max(percent, _SHARE_LEAST), _SHARE_MOST)
        self.fit()

    def fit(self) -> None:
        """Show both where there is room for both, else the active one."""
        two = len(self._shown) == 2
        both = two and self.width() >= 2 * theme().px(PANE_LEAST) + self._splitter.handleWidth()
        self._switch.setVisible(two and not both)
        for pane in self._all:
            pane.setVisible(pane in self._shown and (both or pane is self._active))
            pane.mark(active=pane is self._active, one_of_two=two, line=both)
        if both:
            least, width = theme().px(PANE_LEAST), self._splitter.width() - self._splitter.handleWidth()
            left = min(max(round(width * self._share / 100), least), width - least)
            self._splitter.setSizes([left, width - left])
        self._write_switch()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width, another number of panes that have room."""
        super().resizeEvent(event)
        self.fit()

    def minimumSizeHint(self) -> QSize:
        """What the active pane needs: the columns beside do not give way to a second one by being pushed."""
        return QSize(self._active.minimumSizeHint().width(), super().minimumSizeHint().height())

    def _become(self, pane: Pane) -> None:
        self._active = pane
        self.setFocusProxy(pane.page)
        self.fit()
        self.activated.emit()

    def _build(self) -> Pane:
        pane = Pane(self._make(self), self)
        self._all.append(pane)
        self._splitter.addWidget(pane)
        self.hearing.inside(pane.page.hearing.without(SessionOpened, self._is_again))
        pane.close_asked.connect(lambda: self.close_asked.emit(pane.page))
        for act in self._acts:
            act(pane.page)
        return pane

    def _name_handle(self) -> None:
        handle = self._splitter.handle(1)
        if isinstance(handle, SplitterHandle) and handle.objectName() != "splitter_panes":
            handle.setObjectName("splitter_panes")
            handle.setAccessibleName(tr("Width of the left chat"))
            handle.moved.connect(self._move)
            handle.reset.connect(lambda: self.set_share(_HALF))

    def _write_switch(self) -> None:
        if not self._switch.isHidden():
            facts = [page.facts for page in self.pages]
            names = [(one.raw_title, one.waiting > 0) if one is not None else (tr("New chat"), False) for one in facts]
            self._switch.show_names(names, self._shown.index(self._active))

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        pane = next((one for one in self._shown if now is not None and one.isAncestorOf(now)), None)
        if pane is not None and pane is not self._active:
            self._become(pane)

    def _on_chosen(self, at: int) -> None:
        page = self._shown[at].page
        self.activate(page)
        page.composer.text.setFocus()

    def _on_moved(self, _position: int, _index: int) -> None:
        left, *rest = self._splitter.sizes()
        if rest and left + rest[0]:
            self._share = min(max(round(100 * left / (left + rest[0])), _SHARE_LEAST), _SHARE_MOST)

    def _move(self, step: int) -> None:
        width = max(1, self._splitter.width())
        self.set_share(self._share + (1 if step > 0 else -1) * max(1, round(abs(theme().px(step)) * 100 / width)))
