"""ImportedHooks: what another program's hooks would be here, and which are not taken over."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.hooks.updates import HooksImported
from desktop.language import said, tr
from desktop.ui.settings.listing.waiting import Evidence
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_hooks_imported"


class ImportedHooks(QFrame):
    """Not shown until something was taken over. `agreed`: it is to be added to the person's hooks."""

    agreed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(_NAME)
        self.setProperty("kind", "card")
        self._title = plain_label(self, "title", f"{_NAME}_title")
        self._text = Evidence(f"{_NAME}_text", tr("Hooks that can be taken over"), self)
        self._others = plain_label(self, "muted", f"{_NAME}_others")
        self._add = push_button(tr("Add to my hooks"), f"{_NAME}_add", self, self._on_add)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_3), SPACE_2)
        for widget in (self._title, self._text, self._others):
            layout.addWidget(widget)
        layout.addWidget(self._add, 0, Qt.AlignmentFlag.AlignRight)
        self.hide()

    def show_imported(self, imported: HooksImported) -> None:
        """Show this one."""
        same = tr("These can be taken over") if imported.text else tr("None of them can be taken over")
        say(self._title, tr("They are among your hooks now") if imported.saved and imported.text else same)
        self._text.setPlainText(display_text(imported.text.strip(), multiline=True))
        self._text.setVisible(bool(imported.text))
        left = "\n".join(said(display_text(line)) for line in imported.others)
        say(self._others, tr("Not taken over:\n{hooks}", hooks=left) if left else "")
        self._add.setVisible(bool(imported.text) and not imported.saved)
        set_off(self._add, "")
        self.show()

    def _on_add(self) -> None:
        set_off(self._add, UNDER_WAY)
        self.agreed.emit()
