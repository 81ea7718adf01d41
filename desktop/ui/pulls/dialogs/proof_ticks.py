"""ProofTicks: the proofs of a lane with ticks, for the description of a request."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidgetItem, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.proofs.updates import ProofsChanged
from desktop.language import tr
from desktop.ui.widgets.box_list import BoxList

_PROOF_ROWS, _MOST_PROOFS = 4, 100
_PROOF_ROLE = Qt.ItemDataRole.UserRole + 1
_KINDS = {
    "screenshot": tr("screenshot"),
    "video_recording": tr("video recording"),
    "browser_trace": tr("browser trace"),
    "browser_verification": tr("browser verification"),
    "console_logs": tr("console logs"),
    "test_results": tr("test results"),
    "file": tr("file"),
}


class ProofTicks(BoxList):
    """Proofs of the lane with ticks."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("pr_proofs", tr("Proofs whose table goes into the description"), parent)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ids of those that are ticked."""
        items = [self.item(at) for at in range(self.count())]
        return tuple(str(one.data(_PROOF_ROLE)) for one in items if one.checkState() == Qt.CheckState.Checked)

    def show_proofs(self, changed: ProofsChanged) -> bool:
        """List these, ticks kept; whether there are any."""
        kept = set(self.chosen)
        self.clear()
        shown = [one for one in changed.proofs if not one.missing and one.proof.review != "dismissed"]
        for one in shown[:_MOST_PROOFS]:
            kind = _KINDS[one.proof.kind]
            kind = tr("{kind} · files changed since", kind=kind) if one.stale else kind
            item = QListWidgetItem(f"{display_text(one.proof.title)}  ({kind})")
            item.setData(_PROOF_ROLE, one.proof.id)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if one.proof.id in kept else Qt.CheckState.Unchecked)
            self.addItem(item)
        self.fit(_PROOF_ROWS)
        return bool(shown)
