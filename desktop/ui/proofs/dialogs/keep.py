"""The question whether proofs outlive what is deleted (lanes-F15)."""

from PySide6.QtWidgets import QCheckBox, QWidget

from desktop.language import tr
from desktop.ui.text.format import count as counted

_KEPT = tr("They stay as long as a chat or a lane has them, and 90 days after. Without the tick they go now, for good.")


def keep_proofs_box(name: str, parent: QWidget) -> QCheckBox:
    """A ticked box that nobody sees before proofs are offered."""
    box = QCheckBox("", parent)
    box.setObjectName(name)
    box.setToolTip(_KEPT)
    box.setChecked(True)
    box.hide()
    return box


def offer_proofs(box: QCheckBox, count: int) -> None:
    """Ask about so many; about none nothing is asked."""
    box.setText(tr("Keep {count} for at least 90 days", count=counted(count, "proof")))
    box.setVisible(count > 0)
