"""BoundaryStrip: what a person forbade in their own words, over the composer: each to keep, to dismiss or to lift."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QMenu, QPushButton, QVBoxLayout, QWidget

from desktop.domain.boundaries.values import ChatBoundary
from desktop.domain.display.text import display_text, prose_text
from desktop.language import tr
from desktop.ui.text.boundary_titles import boundary_title
from desktop.ui.text.format import clock_time, local_date
from desktop.ui.theme.tokens import SPACE_1
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.layouts.strip_layout import StripLayout

Scope = Literal["session", "lane", "project"]
_SCOPES: tuple[tuple[Scope, str], ...] = (
    ("session", tr("This chat")),
    ("lane", tr("This lane")),
    ("project", tr("This project")),
)
Until = Literal["lifted", "hour", "tomorrow", "week"]
_UNTIL: dict[Until, str] = {
    "lifted": tr("Until I lift it"),
    "hour": tr("For an hour"),
    "tomorrow": tr("Until tomorrow"),
    "week": tr("For a week"),
}
_MOST = 4


class BoundaryStrip(QFrame):
    """Hidden while nothing is forbidden. Those that wait for a person are chips, at most four at once; what is in force
    beside them stands in one line. `kept`: id, scope and when it ends, None for never; `dismissed`: an id."""

    kept = Signal(str, str, object)
    dismissed = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("boundary_strip")
        self.setAccessibleName(tr("What you forbade"))
        self._shown: tuple[ChatBoundary, ...] = ()
        self._rows = QVBoxLayout(self)
        set_gaps(self._rows, (0, 0, 0, 0), SPACE_1)
        self.hide()

    def show_boundaries(self, boundaries: Sequence[ChatBoundary]) -> None:
        """Show these, the oldest first."""
        if self._shown == tuple(boundaries):
            return
        self._shown = tuple(boundaries)
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        waiting = [one for one in self._shown if one.state == "proposed" or one.lifting]
        chips = [BoundaryChip(one, self) for one in waiting[:_MOST]]
        for chip in chips:
            chip.kept.connect(self.kept)
            chip.dismissed.connect(self.dismissed)
            self._rows.addWidget(chip)
            chip.show()
        standing = [one for one in self._shown if one not in waiting[:_MOST] and (one.state == "kept" or one.holds)]
        if standing:
            self._rows.addWidget(self._line(standing))
        self.setVisible(bool(self._shown))
        self.updateGeometry()
        if had_focus and chips:
            chips[0].setFocus()

    def take_focus(self) -> None:
        """Go to the first chip, or to the button that lifts one that is kept."""
        chips = [*self.findChildren(BoundaryChip), *self.findChildren(QPushButton, "boundary_lift")]
        if shown := [one for one in chips if one.isVisible()]:
            shown[0].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _line(self, kept: Sequence[ChatBoundary]) -> QFrame:
        line = QFrame(self)
        line.setProperty("kind", "banner")
        words = plain_label(line, "", "boundary_kept")
        words.setText(tr("In force: {boundaries}", boundaries=" · ".join(_title(one) for one in kept)))
        lift = push_button(tr("Lift…"), "boundary_lift", line)
        lift.setProperty("compact", "true")
        menu = QMenu(lift)
        for one in kept:
            lift_it = menu.addAction(_title(one).replace("&", "&&"))
            lift_it.triggered.connect(lambda _=False, this=one.boundary_id: self.dismissed.emit(this))
        lift.setMenu(menu)
        row = StripLayout(line)
        for part in (IconLabel("shield", "muted", line), words, lift):
            row.addWidget(part)
        return line


class BoundaryChip(QFrame):
    """One that waits for a person: found in their words, or that later words would lift. K keeps it while it has the
    focus. `kept`: id, scope and when it ends, None for never; `dismissed`: its id."""

    kept = Signal(str, str, object)
    dismissed = Signal(str)

    def __init__(self, boundary: ChatBoundary, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("boundary_chip")
        self.setProperty("kind", "banner")
        self.setProperty("role", "accent")
        self.setProperty("item_id", boundary.boundary_id)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._boundary = boundary
        self._scope: Scope = "session"
        lifting = bool(boundary.lifting)
        words = plain_label(self, "", "boundary_words")
        words.setText(_words(boundary))
        self.setAccessibleName(_words(boundary))
        self.setToolTip(prose_text(f"“{boundary.lifting or boundary.quote}”"))
        self._keep = push_button(tr("Keep it") if lifting else tr("Keep"), "boundary_keep", self)
        self._where = push_button(_SCOPES[0][1], "boundary_scope", self)
        self._drop = push_button(tr("Lift it") if lifting else tr("Dismiss"), "boundary_dismiss", self)
        for button in (self._keep, self._where, self._drop):
            button.setProperty("compact", "true")
        self._keep.setToolTip(tr("Make it a rule (K)"))
        self._where.setVisible(boundary.state == "proposed" and not boundary.limit_microusd)
        menu = QMenu(self._where)
        for scope, name in _SCOPES:
            menu.addAction(name).triggered.connect(lambda _=False, this=scope: self._take_scope(this))
        self._where.setMenu(menu)
        self._until: Until = "lifted"
        self._when = push_button(_UNTIL["lifted"], "boundary_until", self)
        self._when.setProperty("compact", "true")
        self._when.setVisible(boundary.state == "proposed" and not boundary.limit_microusd)
        ends = QMenu(self._when)
        for until, name in _UNTIL.items():
            ends.addAction(name).triggered.connect(lambda _=False, this=until: self._take_until(this))
        self._when.setMenu(ends)
        self._keep.clicked.connect(self._on_keep)
        self._drop.clicked.connect(lambda: self.dismissed.emit(boundary.boundary_id))
        row = StripLayout(self)
        for part in (IconLabel("shield-check", "accent", self), words, self._keep, self._where, self._when, self._drop):
            row.addWidget(part)

    def event(self, event: QEvent) -> bool:
        """K is the chip's own while it has the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _is_keep(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """K keeps it."""
        if _is_keep(event) and not event.isAutoRepeat():
            self._on_keep()
        else:
            super().keyPressEvent(event)

    def _on_keep(self) -> None:
        self.kept.emit(self._boundary.boundary_id, self._scope, end_of(self._until, datetime.now(UTC)))

    def _take_until(self, until: Until) -> None:
        self._until = until
        self._when.setText(_UNTIL[until])

    def _take_scope(self, scope: Scope) -> None:
        self._scope = scope
        self._where.setText(dict(_SCOPES)[scope])


def _is_keep(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_K and not event.modifiers()


def end_of(until: Until, now: datetime) -> datetime | None:
    """When a boundary that is kept now ends; tomorrow begins at midnight where the person is."""
    if until == "lifted":
        return None
    if until == "tomorrow":
        midnight = (now.astimezone() + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight.astimezone(UTC)
    return now + (timedelta(hours=1) if until == "hour" else timedelta(days=7))


def _title(boundary: ChatBoundary) -> str:
    title = display_text(boundary_title(boundary.title))
    if boundary.until is None:
        return title
    return tr(
        "{boundary} until {date}, {time}",
        boundary=title,
        date=local_date(boundary.until),
        time=clock_time(boundary.until),
    )


def _words(boundary: ChatBoundary) -> str:
    if boundary.lifting:
        return tr("{boundary} · you said “{lifting}”", boundary=_title(boundary), lifting=prose_text(boundary.lifting))
    who = tr("found by the agent, not in force") if boundary.by_agent else tr("in force")
    at = [tr("from your message {time}", time=clock_time(boundary.since))] if boundary.since is not None else []
    return " · ".join([_title(boundary), who, *at])
