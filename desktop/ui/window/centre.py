"""Centre: the middle of the window: starting, the welcome page, or the chat."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.language import tr
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.window.welcome import Welcome


class Centre(QStackedWidget):
    """`welcome` makes the welcome page, None for a plain one; `starting` is shown first. `open_asked`: a
    repository is to be chosen; `changed`: the welcome page was left."""

    open_asked = Signal()
    changed = Signal()

    def __init__(
        self,
        requests: Requests,
        welcome: Callable[[Requests, QWidget], Welcome] | None,
        starting: QWidget,
        chat: QWidget,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("centre")
        self.setProperty("kind", "surface")
        self.welcome = welcome(requests, self) if welcome is not None else None
        self.hearing = Hearing(*([self.welcome.hearing] if self.welcome is not None else []))
        for widget in (starting, self.welcome or self._plain_welcome(), chat):
            self.addWidget(widget)
        if self.welcome is not None:
            self.welcome.open_asked.connect(self.open_asked)
            self.welcome.left.connect(self.changed)

    def refresh(self, engine: EngineFacts) -> None:
        """Show the page that is due."""
        held = self.welcome is not None and self.welcome.holds
        self.setCurrentIndex(2 if engine.project is not None and not held else int(engine.ready))

    def leave_welcome(self) -> None:
        """The person has chosen to go on."""
        if self.welcome is not None:
            self.welcome.leave()

    def _plain_welcome(self) -> QWidget:
        text = tr("Banksman works in lanes beside your checkout, which stays as it is.")
        welcome = EmptyState("folder-git-2", tr("Open a repository to begin."), text, self)
        welcome.setObjectName("welcome")
        welcome.add_button(tr("Open folder…"), "welcome_open", primary=True).clicked.connect(self.open_asked)
        return welcome
