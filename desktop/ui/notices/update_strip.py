"""UpdateStrip: asks once whether Banksman may look for updates, and tells of a newer version until it was seen."""

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from desktop.domain.commands import SaveSettings
from desktop.domain.display.text import display_text
from desktop.domain.releases.updates import ReleasesOffered, ReleasesStand
from desktop.domain.updates import SettingsChanged
from desktop.language import tr
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.layout_store import LayoutStore
from desktop.ui.core.requests import Requests
from desktop.ui.widgets.strip import Strip

_SEEN = "updates/seen"


class UpdateStrip(Strip):
    """At the top of the window, in nobody's way. The engine offers once, whatever becomes of it; a newer version that
    was dismissed is told no more. `engine` has an update before this hears of it."""

    def __init__(self, requests: Requests, engine: EngineFacts, store: LayoutStore, parent: QWidget) -> None:
        super().__init__("update_strip", parent, "accent", "info")
        self._requests, self._engine, self._store = requests, engine, store
        self._offers = False
        self._yes = self.add_button(tr("Look once a day"), "update_daily_yes")
        self._no = self.add_button(tr("No"), "update_daily_no")
        self._page = self.add_button(tr("Open its page"), "update_strip_page")
        self._dismiss = self.add_button(tr("Dismiss"), "update_strip_dismiss")
        for button in (self._yes, self._no, self._page, self._dismiss):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the focus where the person writes
        self._yes.clicked.connect(self._on_yes)
        self._no.clicked.connect(self._on_no)
        self._page.clicked.connect(self._on_page)
        self._dismiss.clicked.connect(self._on_dismiss)
        self.hearing = (
            Hearing()
            .on(ReleasesOffered, self._on_offered)
            .on(ReleasesStand, self._on_stands)
            .on(SettingsChanged, self._on_settings)
        )

    def _on_offered(self, _update: ReleasesOffered) -> None:
        self._offers = True
        self._show()

    def _on_stands(self, _update: ReleasesStand) -> None:
        self._show()

    def _on_settings(self, update: SettingsChanged) -> None:
        """The person answered in another window, or in Settings."""
        if update.settings.look_for_releases:
            self._offers = False
        self._show()

    def _show(self) -> None:
        stands = self._engine.releases
        newer = stands.newer if stands is not None and self._engine.settings.look_for_releases else None
        tells = newer is not None and self._store.text(_SEEN) != newer.version
        for button in (self._yes, self._no):
            button.setVisible(self._offers)
        for button in (self._page, self._dismiss):
            button.setVisible(tells and not self._offers)
        if stands is not None and self._offers:
            asks = tr(
                "Should Banksman look for a newer version once a day? It asks {host}, says nothing about you, and "
                "downloads nothing.",
                host=display_text(stands.host),
            )
            self.say(asks, "accent")
        elif stands is not None and newer is not None and tells:
            self._page.setToolTip(display_text(stands.page))
            self.say(
                tr("Banksman {version} is out. Nothing was downloaded.", version=display_text(newer.version)), "accent"
            )
        else:
            self.say("")

    def _on_yes(self) -> None:
        self._offers = False
        settings = self._engine.settings.model_copy(update={"look_for_releases": True})
        self._requests.send(SaveSettings(settings=settings))
        self._show()

    def _on_no(self) -> None:
        self._offers = False
        self._show()

    def _on_page(self) -> None:
        if self._engine.releases is not None:
            QDesktopServices.openUrl(QUrl(self._engine.releases.page))

    def _on_dismiss(self) -> None:
        stands = self._engine.releases
        if stands is not None and stands.newer is not None:
            self._store.save(_SEEN, stands.newer.version)
        self._show()
