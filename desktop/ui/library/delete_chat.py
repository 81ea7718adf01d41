"""DeleteChatDialog: asks once before a chat goes for good, and whether its proofs go too."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.chats.commands import DeleteSession
from desktop.domain.proofs.commands import CountProofs
from desktop.domain.proofs.updates import ProofsCounted
from desktop.language import tr
from desktop.ui.core.requests import Requests, answer
from desktop.ui.proofs.dialogs.keep import keep_proofs_box, offer_proofs
from desktop.ui.widgets.dialogs.ask import AskDialog, Question


class DeleteChatDialog(AskDialog):
    """`title` must have passed display_text(). `wanted` carries a DeleteSession."""

    wanted = Signal(object)

    def __init__(self, session_id: str, title: str, requests: Requests, parent: QWidget) -> None:
        question = Question(
            "delete_chat_dialog",
            tr("Delete this chat?"),
            tr(
                "“{title}” goes for good, with everything that only this chat stored. Its lane and its "
                "files stay. To keep it out of the way, archive it instead.",
                title=title,
            ),
            (tr("Keep it"), "delete_chat_keep"),
            (tr("Delete"), "delete_chat_go"),
        )
        super().__init__(question, parent)
        self._session_id = session_id
        self._proofs = keep_proofs_box("delete_chat_proofs", self)
        self.details.addWidget(self._proofs)
        self.agreed.connect(self._on_agreed)
        requests.ask(CountProofs(session_id=session_id), self, answer(ProofsCounted, self._on_counted))

    def _on_counted(self, update: ProofsCounted) -> None:
        offer_proofs(self._proofs, update.count)
        self.adjustSize()

    def _on_agreed(self) -> None:
        self.wanted.emit(DeleteSession(session_id=self._session_id, keep_proofs=self._proofs.isChecked()))
