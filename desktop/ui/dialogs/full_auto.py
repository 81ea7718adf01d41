"""Asked before full auto where nothing confines what a command can do."""

from PySide6.QtWidgets import QWidget

from desktop.domain.display import display_text
from desktop.domain.permissions import PermissionMode, mode_label
from desktop.ui.dialogs.ask import AskDialog, Question

NO_SANDBOX = "There is no sandbox in this version."
_EFFECT = "Commands and writes would run with your own rights and without asking. SQL that may change data still asks."


class FullAutoDialog(AskDialog):
    """`agreed`: run without a sandbox. The button to stay has the focus and names the mode that stays."""

    def __init__(self, reason: str, mode: PermissionMode, parent: QWidget) -> None:
        super().__init__(
            Question(
                name="full_auto_dialog",
                title="Full auto without a sandbox?",
                text=f"{display_text(reason) or NO_SANDBOX} {_EFFECT}",
                stay=(f"Stay in {mode_label(mode)}", "full_auto_stay"),
                go=("Run without a sandbox", "full_auto_without_sandbox"),
            ),
            parent,
        )
