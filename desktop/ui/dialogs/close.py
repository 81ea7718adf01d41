"""Asked before the window closes over a running turn."""

from PySide6.QtWidgets import QWidget

from desktop.ui import format as fmt
from desktop.ui.dialogs.ask import AskDialog, Question


class CloseDialog(AskDialog):
    """`agreed`: stop what runs and close."""

    def __init__(self, running: int, parent: QWidget) -> None:
        what = "A chat is" if running == 1 else f"{fmt.count(running, 'chat')} are"
        which = ("it", "it") if running == 1 else ("them", "them")
        super().__init__(
            Question(
                name="close_dialog",
                title=f"{what} still running.",
                text=f"Closing stops {which[0]}; you can continue {which[1]} later.",
                stay=("Keep open", "close_keep"),
                go=("Stop and close", "close_stop"),
            ),
            parent,
        )
