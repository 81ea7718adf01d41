"""The inspector: what themes show of the chat on screen beside it, each on its tab."""

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.panel import Panel, PanelSpec
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.widgets.layouts.fitting_tabs import FittingTabs

_SETTLE_MS = 700
_BY_TAB = Qt.FocusPolicy.TabFocus
Kind = TypeVar("Kind", bound=Panel)


class Inspector(QFrame):
    """Follows the shown chat, `session_id` ("" for none), with a tab for each of `specs`. The tab is kept per chat;
    `tab_changed` tells its title. `vacant_changed`: whether no tab has anything that counts, once that stands for a
    moment, as what a chat has is told soon after it is opened, and nobody works in it. `panels`: those of `specs`,
    where they were made beforehand."""

    tab_changed = Signal(str)
    vacant_changed = Signal(bool)

    def __init__(
        self,
        specs: Sequence[PanelSpec],
        requests: Requests,
        clock: Clock,
        parent: QWidget | None = None,
        panels: Sequence[Panel] = (),
    ) -> None:
        super().__init__(parent)
        self.specs = tuple(specs)
        self.setObjectName("inspector")
        self.setProperty("kind", "side")
        self.setAccessibleName(tr("Inspector"))
        self.session_id = ""
        self._counts: dict[int, int] = {}
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._settled)
        QApplication.instance().focusChanged.connect(self._focus_moved)  # type: ignore[union-attr]  # there is one
        self._tab_of: dict[str, int] = {}
        self._tabs = FittingTabs("inspector_tabs", "inspector_more", self)
        self._tabs.tabBar().setObjectName("inspector_tab_bar")
        self._tabs.tabBar().setAccessibleName(tr("Inspector"))
        self.panels = tuple(panels) or tuple(spec.make(requests, clock, self) for spec in self.specs)
        self.hearing = Hearing(*(panel.hearing for panel in self.panels))
        for at, (spec, panel) in enumerate(zip(self.specs, self.panels, strict=True)):
            self._tabs.addTab(panel, spec.title)
            panel.counted.connect(partial(self._count, at))
        self._tabs.currentChanged.connect(self._tab_chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._tabs)

    @property
    def tab(self) -> str:
        """The title of the shown tab."""
        return self.specs[self._tabs.currentIndex()].title

    def of(self, kind: type[Kind]) -> Kind:
        """The panel of this kind. Raises LookupError if no tab has one."""
        for panel in self.panels:
            if isinstance(panel, kind):
                return panel
        raise LookupError(f"No tab of the inspector is a {kind.__name__}.")

    def show_tab(self, name: str) -> None:
        """Show the tab of this name, in any case; an unknown one changes nothing."""
        names = [spec.name for spec in self.specs]
        if name.lower() in names:
            self._tabs.setCurrentIndex(names.index(name.lower()))

    def focus_tab(self) -> None:
        """Put the focus on the first thing of the shown tab that takes it; on the tabs where there is none."""
        panel = self._tabs.currentWidget()
        inside = sorted(panel.findChildren(QWidget), key=lambda one: (one.mapTo(panel, QPoint()).y(), one.x()))
        taking = (one for one in inside if one.isVisible() and one.isEnabled() and one.focusPolicy() & _BY_TAB)
        next(taking, self._tabs.tabBar()).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_session(self, session_id: str) -> None:
        """Show this chat; "" for none. Its SessionOpened fills todos and audit; the changes are asked for."""
        for panel in self.panels:
            panel.give_back()
        if session_id == self.session_id:
            return
        self.session_id = session_id
        self._settle.start()
        if session_id in self._tab_of:
            self._tabs.setCurrentIndex(self._tab_of[session_id])
        for panel in self.panels:
            panel.show_session(session_id)

    def leaveEvent(self, event: QEvent) -> None:
        """The pointer is elsewhere."""
        super().leaveEvent(event)
        self._settle.start()

    def _focus_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None and self.isAncestorOf(old) and not (new is not None and self.isAncestorOf(new)):
            self._settle.start()

    def _settled(self) -> None:
        """Nothing folds under the hands of somebody who works in it: who committed the last change pushes it next."""
        vacant = not any(self._counts.values())
        focus = self.window().focusWidget()  # also while a dialog that was opened here stands over it
        in_use = self.underMouse() or (focus is not None and self.isAncestorOf(focus))
        if not (vacant and in_use):
            self.vacant_changed.emit(vacant)

    def _count(self, at: int, number: int) -> None:
        self._counts[at] = number
        if number:
            self._settle.stop()
            self.vacant_changed.emit(False)
        else:
            self._settle.start()
        title = self.specs[at].title
        self._tabs.set_label(at, f"{title} {number}" if number > 0 else title)

    def _tab_chosen(self, index: int) -> None:
        if self.session_id:
            self._tab_of[self.session_id] = index
        self.tab_changed.emit(self.specs[index].title)
