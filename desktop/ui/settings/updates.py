"""UpdateFields: whether Banksman looks for updates, what the last look found, and a look when the person says so."""

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.domain.display.text import display_text, prose_text
from desktop.domain.releases.commands import LookForReleases
from desktop.domain.releases.updates import ReleasesStand
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.requests import Requests, answer
from desktop.ui.core.sink import Clock
from desktop.ui.settings.fields import ChoiceField
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.text.format import day_and_time, local_date
from desktop.ui.theme.tokens import SPACE_3
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps

ASKING = tr("Asking…")
NEWEST = tr("You have the newest version.")
OFF = tr("Banksman does not look for updates.")
NEVER = tr("Nobody was asked yet.")
_ON, _OFF = "on", "off"
_MOST_NOTES = 600


class UpdateFields(QWidget):
    """`saver.facts.releases` is there: the build says who is asked."""

    def __init__(self, saver: SettingsSaver, requests: Requests, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._saver, self._requests, self._clock = saver, requests, clock
        stands = saver.facts.releases
        host = display_text(stands.host) if stands is not None else ""
        self._switch = ChoiceField(
            tr("Updates"),
            "update_daily",
            [(_OFF, tr("Off")), (_ON, tr("Look once a day"))],
            self,
            tr(
                "One request a day to {host}, which says nothing about you. A newer version is named "
                "here and in the window; nothing is downloaded or installed.",
                host=host,
            ),
        )
        self._look = push_button(tr("Look now"), "update_look_now", self._switch)
        self._look.clicked.connect(self._on_look)
        self._page = push_button(tr("Open its page"), "update_page", self._switch)
        self._page.clicked.connect(self._on_page)
        for button in (self._look, self._page):
            self._switch.row.insertWidget(self._switch.row.count() - 1, button)
        self._state = plain_label(self._switch, "plain", "update_state")
        self._notes = plain_label(self._switch, "muted", "update_notes")
        for label in (self._state, self._notes):
            label.setWordWrap(True)
            self._switch.below.addWidget(label)
        layout = QVBoxLayout(self)
        set_gaps(layout, (0, 0, 0, 0), SPACE_3)
        layout.addWidget(self._switch)
        self._switch.chosen.connect(self._on_switch)
        saver.changed.connect(self.refresh)
        self.refresh()

    def take(self, _update: ReleasesStand) -> None:
        """More is known."""
        self.refresh()

    def refresh(self) -> None:
        """Show the settings and what is known."""
        stands, on = self._saver.facts.releases, self._saver.settings.look_for_releases
        self._switch.set_value(_ON if on else _OFF)
        if stands is None:
            return
        newer = stands.newer
        self._page.setVisible(newer is not None)
        self._page.setToolTip(display_text(stands.page))
        say(self._state, self._words(stands, on=on))
        notes = prose_text(newer.notes.strip(), multiline=True) if newer is not None else ""
        say(self._notes, notes if len(notes) <= _MOST_NOTES else f"{notes[:_MOST_NOTES].rstrip()}…")

    def _on_switch(self, value: str) -> None:
        self._saver.change(self._switch, look_for_releases=value == _ON)

    def _on_look(self) -> None:
        say(self._state, ASKING)
        set_off(self._look, UNDER_WAY)
        self._requests.ask(LookForReleases(), self, answer(ReleasesStand, self._on_looked), failed=self._on_failed)

    def _on_looked(self, _update: ReleasesStand) -> None:
        set_off(self._look, "")
        self.refresh()

    def _on_failed(self, failed: CommandFailed) -> None:
        set_off(self._look, "")
        say(self._state, display_text(failed.text))

    def _on_page(self) -> None:
        if self._saver.facts.releases is not None:
            QDesktopServices.openUrl(QUrl(self._saver.facts.releases.page))

    def _words(self, stands: ReleasesStand, *, on: bool) -> str:
        """What is known, in a sentence or two."""
        looked = stands.looked_at
        when = " " + tr("Asked {time}.", time=day_and_time(looked, self._clock())) if looked is not None else ""
        if stands.problem:
            return f"{display_text(said(stands.problem))}{when}"
        if stands.newer is not None:
            version, day = display_text(stands.newer.version), local_date(stands.newer.at)
            return tr("Banksman {version} of {day} is out.", version=version, day=day) + when
        if looked is None:
            return NEVER if on else OFF
        return f"{NEWEST}{when}" if on else f"{OFF} {NEWEST}{when}"
