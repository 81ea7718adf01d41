"""The frame: sidebar, centre and inspector side by side; narrowed, overlaid and restored as the width allows."""

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import INSPECTOR_WIDTH, SIDEBAR_WIDTH
from desktop.ui.widgets.layouts.key_splitter import ACROSS, KeySplitter, SplitterHandle
from desktop.ui.widgets.scrim import Scrim
from desktop.ui.window.front.place import SidePlace

CENTRE_LEAST = 480
"""The width at 100 % zoom that the centre keeps where columns beside it can give way."""
_SIDEBAR_LIMITS, _INSPECTOR_LIMITS = (220, 400), (300, 640)
_INSPECTOR_OVERLAY, _SIDEBAR_OVERLAY = 1000, 760
_PAUSE_MS = 150


class Frame(QWidget):
    """Widths that a person chose are kept while the window is too narrow for them. `inspector` may be absent; a
    `SidePlace` folds to a strip while nothing is in it (`vacant`), unless the person opened it all the same
    (`kept`). It unfolds in steps, each in a turn of the loop of its own: the columns first, then what is in it; no
    text moves under who reads it while it is written."""

    def __init__(self, sidebar: QWidget, centre: QWidget, inspector: QWidget | None, parent: QWidget) -> None:
        super().__init__(parent)
        self._sidebar, self._centre, self._inspector = sidebar, centre, inspector
        self.widths = {"sidebar": SIDEBAR_WIDTH, "inspector": INSPECTOR_WIDTH}
        self.shown = {"sidebar": True, "inspector": True}
        self.vacant = self.kept = self._peeked = False
        self._overlay = ""
        self._least = CENTRE_LEAST
        self._unfold = QTimer(self, singleShot=True)
        self._unfold.timeout.connect(self._unfold_more)
        self._written = QElapsedTimer()
        self._bare = False
        self._splitter = KeySplitter(Qt.Orientation.Horizontal, ACROSS, self)
        self._splitter.setChildrenCollapsible(True)
        self._scrim = Scrim(self)
        self._scrim.hide()
        self._scrim.clicked.connect(self.close_overlay)
        self._edge = QFrame(self)
        self._edge.setProperty("kind", "line")
        self._edge.hide()
        for at, widget in enumerate(self._columns()):
            self._splitter.addWidget(widget)
            self._splitter.setStretchFactor(at, 1 if widget is centre else 0)
        self._splitter.setCollapsible(1, False)
        self._name_handles()
        self._splitter.splitterMoved.connect(self._on_moved)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)
        if isinstance(inspector, SidePlace):
            inspector.open_asked.connect(lambda: self.toggle("inspector"))
        self.installEventFilter(self)
        theme().changed.connect(self.fit)

    def toggle(self, region: str) -> None:
        """Show or hide `sidebar` or `inspector`; where there is no room beside the centre it lies over it. What was
        about to unfold is as the person sees it: a strip, which this opens."""
        filled = region == "inspector" and self._drop_unfolding()
        if self._overlaid(region):
            if self._overlay == region:
                self.close_overlay()
            else:
                self._open_overlay(region)
            return
        if region == "inspector" and self.shown[region] and self._folds:
            self.kept, self._peeked = not (self.kept or self._peeked), False
        else:
            self.shown[region] = not self.shown[region]
            self.kept = self.kept or (region == "inspector" and self.shown[region] and self._folds)
        self.vacant = self.vacant and not filled
        self.fit()

    def open_inspector(self) -> None:
        """Something in the inspector is wanted on screen; what was folded is so again once another chat is shown."""
        if self._overlaid("inspector"):
            self.toggle("inspector")
        else:
            self.vacant = self.vacant and not self._drop_unfolding()
            self.shown["inspector"], self._peeked = True, self.vacant
            self.fit()

    def set_vacant(self, vacant: bool) -> None:
        """Whether there is nothing in the inspector. A strip unfolds a moment later, unless the person does something
        with it before."""
        if self.unfolds and not vacant:
            return
        self._drop_unfolding()
        if vacant != self.vacant:
            if self.folded and self.isVisible():
                moving = self._written.isValid() and not self._written.hasExpired(_PAUSE_MS)
                self._unfold.start(_PAUSE_MS if moving else 0)
            else:
                self.vacant, self._peeked = vacant, False
                self.fit()

    def wait_for_a_pause(self) -> None:
        """The chat on screen is being written: what is about to unfold waits until it stands for a moment."""
        self._written.start()
        if self.unfolds and not self._bare:
            self._unfold.start(_PAUSE_MS)

    @property
    def unfolds(self) -> bool:
        """Whether it is about to unfold."""
        return self._unfold.isActive()

    def _unfold_more(self) -> None:
        """The columns get their widths, then what is in the inspector is shown: both at once keep the window busy for
        longer than a frame."""
        first = self.vacant
        self._bare = first
        if first:
            self.vacant = False
            self.fit()
            self._unfold.start(0)
        elif isinstance(self._inspector, SidePlace):
            self._inspector.set_folded(self.folded)

    def _drop_unfolding(self) -> bool:
        """Whether it was about to unfold."""
        pending = self.unfolds
        self._unfold.stop()
        self._bare = False
        return pending

    def end_peek(self) -> None:
        """Another chat is shown."""
        if self._peeked:
            self._peeked = False
            self.fit()

    @property
    def folded(self) -> bool:
        """Whether the inspector is a strip now."""
        return self._folds and self.shown["inspector"] and not self.kept and not self._peeked

    @property
    def strip(self) -> QWidget | None:
        """What the keys reach of an inspector that is folded, None where there is none that can be."""
        return self._inspector.button if isinstance(self._inspector, SidePlace) else None

    @property
    def _folds(self) -> bool:
        return self.vacant and isinstance(self._inspector, SidePlace) and not self._overlaid("inspector")

    def close_overlay(self) -> bool:
        """Take the overlay away. False if there was none."""
        if not self._overlay:
            return False
        self._overlay = ""
        self.fit()
        self._centre.setFocus()
        return True

    def set_centre_least(self, width: int) -> None:
        """The centre needs this width at 100 % zoom."""
        if width != self._least:
            self._least = width
            self.fit()

    def fit(self) -> None:
        """Give each region its place for the width there is."""
        self._scrim.setVisible(bool(self._overlay))
        self._edge.setVisible(bool(self._overlay))
        if isinstance(self._inspector, SidePlace):
            self._inspector.set_folded(self.folded, bare=self._bare)
        for region, widget in self._regions().items():
            if self._overlay == region and self._overlaid(region):
                self._place_overlay(region, widget)
                continue
            if widget.parentWidget() is not self._splitter:
                self._splitter.insertWidget(0 if region == "sidebar" else self._splitter.count(), widget)
                self._splitter.setStretchFactor(self._splitter.indexOf(widget), 0)
                self._name_handles()
            self._set_limits(region, widget)
            widget.setVisible(self.shown[region] and not self._overlaid(region))
        self._share_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """An overlay goes when there is room again."""
        super().resizeEvent(event)
        if self._overlay and not self._overlaid(self._overlay):
            self._overlay = ""
        self.fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc closes the overlay."""
        escape = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if escape and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self.close_overlay():
            return True
        return super().eventFilter(watched, event)

    def _columns(self) -> list[QWidget]:
        return [w for w in (self._sidebar, self._centre, self._inspector) if w is not None]

    def _regions(self) -> dict[str, QWidget]:
        regions = {"sidebar": self._sidebar}
        if self._inspector is not None:
            regions["inspector"] = self._inspector
        return regions

    def _overlaid(self, region: str) -> bool:
        limit = _SIDEBAR_OVERLAY if region == "sidebar" else _INSPECTOR_OVERLAY
        return self.width() < theme().px(limit)

    def _set_limits(self, region: str, widget: QWidget) -> None:
        if region == "inspector" and self.folded and isinstance(widget, SidePlace):
            widget.setFixedWidth(widget.folded_width)
            return
        least, most = _SIDEBAR_LIMITS if region == "sidebar" else _INSPECTOR_LIMITS
        widget.setMinimumWidth(theme().px(least))
        widget.setMaximumWidth(theme().px(most))

    def _open_overlay(self, region: str) -> None:
        self._overlay = region
        self.fit()
        self._regions()[region].setFocus()

    def _place_overlay(self, region: str, widget: QWidget) -> None:
        width = min(theme().px(self.widths[region]), self.width() - theme().px(48))
        widget.setMinimumWidth(0)
        widget.setMaximumWidth(width)
        widget.setParent(self)
        self._scrim.setGeometry(self.rect())
        self._scrim.raise_()
        left = 0 if region == "sidebar" else self.width() - width
        widget.setGeometry(left, 0, width, self.height())
        widget.show()
        widget.raise_()
        line = theme().px(1)
        self._edge.setGeometry(width if region == "sidebar" else left - line, 0, line, self.height())
        self._edge.raise_()

    def _share_width(self) -> None:
        """The inspector narrows first, then the sidebar, so that the centre keeps its least width."""
        px = theme().px
        docked = {r: px(self.widths[r]) for r, w in self._regions().items() if not w.isHidden() and self._overlay != r}
        if self.folded and isinstance(self._inspector, SidePlace) and "inspector" in docked:
            docked["inspector"] = self._inspector.folded_width
        room = self.width() - px(self._least) - sum(docked.values()) - len(docked)
        for region, least in (("inspector", _INSPECTOR_LIMITS[0]), ("sidebar", _SIDEBAR_LIMITS[0])):
            if room < 0 and region in docked and not (region == "inspector" and self.folded):
                cut = min(-room, max(0, docked[region] - px(least)))
                docked[region] -= cut
                room += cut
        sizes = []
        for at in range(self._splitter.count()):
            widget = self._splitter.widget(at)
            region = next((r for r, w in self._regions().items() if w is widget), "")
            centre = self.width() - sum(docked.values()) - len(docked)
            sizes.append(docked.get(region, 0) if region else max(centre, 0))
        self._splitter.setSizes(sizes)

    def _on_moved(self, _position: int, _index: int) -> None:
        for region, widget in self._regions().items():
            if region == "inspector" and self.folded:
                continue
            if widget.parentWidget() is self._splitter and not self._overlaid(region) and self.shown[region]:
                width = widget.width() if widget.isVisible() else 0
                size = self._splitter.sizes()[self._splitter.indexOf(widget)]
                if size == 0:
                    self.shown[region] = False
                elif width:
                    self.widths[region] = round(size / theme().zoom)

    def _name_handles(self) -> None:
        for at in range(1, self._splitter.count()):
            handle = self._splitter.handle(at)
            region = "sidebar" if self._splitter.widget(at) is self._centre else "inspector"
            handle.setObjectName("splitter_left" if region == "sidebar" else "splitter_right")
            handle.setAccessibleName(
                tr("Width of the sidebar") if region == "sidebar" else tr("Width of the inspector")
            )
            if isinstance(handle, SplitterHandle) and handle.property("item_id") is None:
                handle.setProperty("item_id", region)
                handle.moved.connect(self._move_left if region == "sidebar" else self._move_right)
                handle.reset.connect(self._reset_left if region == "sidebar" else self._reset_right)

    def _move_left(self, step: int) -> None:
        self.set_width("sidebar", self.widths["sidebar"] + step)

    def _move_right(self, step: int) -> None:
        self.set_width("inspector", self.widths["inspector"] - step)

    def _reset_left(self) -> None:
        self.set_width("sidebar", SIDEBAR_WIDTH)

    def _reset_right(self) -> None:
        self.set_width("inspector", INSPECTOR_WIDTH)

    def set_width(self, region: str, width: int) -> None:
        """Give a region this width at 100 % zoom, within its limits."""
        least, most = _SIDEBAR_LIMITS if region == "sidebar" else _INSPECTOR_LIMITS
        self.widths[region] = min(max(width, least), most)
        self.fit()
