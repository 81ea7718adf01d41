"""OwnersPane: to whom a proof belongs, each a link that goes there (lanes-F12)."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.proofs.model import Owner
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.elided_button import ElidedButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.layouts.gaps import set_gaps

_ICONS = {
    "session": "message-square",
    "lane": "git-branch",
    "pull_request": "git-pull-request",
    "report": "circle-check",
}


class OwnersPane(QWidget):
    """Hidden while there are none. `asked`: a ProofLink."""

    asked = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("proof_owners")
        self.setAccessibleName(tr("Belongs to"))
        self._owners: tuple[Owner, ...] = ()
        self._links: list[ElidedButton] = []
        self._column = QVBoxLayout(self)
        set_gaps(self._column, (SPACE_2, SPACE_2, SPACE_2, SPACE_3), SPACE_1)
        heading = plain_label(self, "muted")
        heading.setText(tr("Belongs to"))
        self._column.addWidget(heading)
        self.hide()
        theme().changed.connect(self._draw_icons)

    def show_owners(self, owners: tuple[Owner, ...]) -> None:
        """Show these owners."""
        if owners == self._owners:
            return
        self._owners = owners
        for link in self._links:
            self._column.removeWidget(link)
            link.hide()
            link.deleteLater()
        self._links = [self._link(number, owner) for number, owner in enumerate(owners)]
        self._draw_icons()
        for link in self._links:
            self._column.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
        self.setVisible(bool(owners))

    def _draw_icons(self) -> None:
        """In the colours of now."""
        for link, owner in zip(self._links, self._owners, strict=True):
            link.setIcon(icon(_ICONS.get(owner.link.owner, "info"), "accent" if owner.is_reached else "muted"))

    def _link(self, number: int, owner: Owner) -> ElidedButton:
        link = ElidedButton(owner.words, self)
        link.setObjectName(f"proof_owner_{number}")
        link.setProperty("kind", "link")
        set_off(
            link, "" if owner.is_reached else owner.gone or tr("It is gone."), plain_tooltip(owner.gone or owner.words)
        )
        link.clicked.connect(partial(self.asked.emit, owner.link))
        return link
